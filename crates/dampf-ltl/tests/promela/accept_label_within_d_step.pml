// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: x = 3; d_step { x = 1; accept: x = 2; x = 0 } od }
