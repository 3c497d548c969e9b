// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { x = 1; x = 2; do :: x = 1; accept: x = 0 od }
never { do :: x == 0 :: x == 1 od }
