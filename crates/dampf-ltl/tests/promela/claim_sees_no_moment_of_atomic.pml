// pan: holds
// pan -a: holds
// pan -a -f: holds
/* The claim does not move within an atomic sequence. */
byte x;
active proctype P() { atomic { x = 1; x = 2; x = 3 }; x = 4 }
never { do :: x == 1 || x == 2 -> break :: else od }
