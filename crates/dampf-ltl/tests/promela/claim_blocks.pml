// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { x = 1; x = 2; assert(x == 3) }
never { x == 0; x == 1; x == 7 }
