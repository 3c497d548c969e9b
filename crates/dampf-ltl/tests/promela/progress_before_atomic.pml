// pan -l: holds
// pan -l -f: holds
byte x;
active proctype P() { do :: x = 3; progress: atomic { x = 1; x = 2; x = 0 } od }
