// pan -l: holds
// pan -l -f: holds
/* A run that ends makes no cycle. */
byte x;
active proctype P() { x = 1; x = 2; x == 7; progress: x = 3 }
