// pan: violated
// pan -a: violated
// pan -a -f: violated
/* Where the system is stuck the claim moves alone. */
byte x;
active proctype P() { x = 1 }
never { x == 0; x == 1; x == 1; x == 1; x == 1; x == 1 }
