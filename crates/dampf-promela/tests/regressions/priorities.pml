// The process of a higher priority goes first.
//~ VERDICT verified
//~ STATES 6
byte x;
active proctype A() priority 3 { x = 1; x = 2 }
active proctype B() { x = 3 }
