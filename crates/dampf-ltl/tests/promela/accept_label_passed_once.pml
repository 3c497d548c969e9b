// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { accept: x = 1; do :: x = 2; x = 1 od }
