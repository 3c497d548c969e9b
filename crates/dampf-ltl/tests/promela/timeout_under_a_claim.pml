// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: x == 1; x = 0 :: timeout -> x = 1 od }
never { x == 0; x == 1; x == 1; x == 0; accept: do :: true od }
