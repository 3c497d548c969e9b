// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x = 1; accept: x = 0 od }
