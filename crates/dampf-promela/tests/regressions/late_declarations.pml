// Declarations behind a statement are steps.
//~ VERDICT verified
//~ STATES 22
byte g;
typedef R { byte a; byte b[2] };
inline f() { byte z; byte y[2]; R r; byte w = 2; chan c; g = z }
active proctype A() { 
 g = 1; byte q; { byte p; p = 2; byte p2; p2 = 3 };
 if :: byte s; g = s :: g = 2 fi;
 f() }
