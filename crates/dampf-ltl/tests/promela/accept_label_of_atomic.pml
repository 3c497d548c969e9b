// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x = 3; accept: atomic { x = 1; x = 0 } od }
