// pan -l: violated
// pan -l -f: holds
byte x;
active proctype P() { do :: x = 1; progress: x = 0 od }
active proctype Q() { byte y; do :: y = 1 - y od }
