// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { x = 1; atomic { x = 2; x = 3 }; x = 4 }
never { x == 0; x == 1; x == 2; x == 3; x == 4 }
