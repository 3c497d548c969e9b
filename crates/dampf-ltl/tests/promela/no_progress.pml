// pan -l: violated
// pan -l -f: violated
byte x;
active proctype P() { do :: x = 1; progress: x = 0 :: x = 2; x = 0 od }
