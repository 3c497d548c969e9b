// pan -l: violated
// pan -l -f: violated
byte x;
active proctype P() { do :: atomic { x = 1; progress: x = 2; x = 0 } od }
