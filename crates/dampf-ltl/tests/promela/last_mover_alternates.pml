// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: x == 0; x = 1 od }
active proctype Q() { do :: x == 1; x = 0 od }
never { T0: do :: _last == 1 -> goto accept :: true od; accept: do :: _last == 1 od }
