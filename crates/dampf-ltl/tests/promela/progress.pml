// pan -l: holds
// pan -l -f: holds
byte x;
active proctype P() { do :: x = 1; progress: x = 0 od }
