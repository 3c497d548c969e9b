// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { x = 1; if :: x == 1 -> accept: skip fi }
