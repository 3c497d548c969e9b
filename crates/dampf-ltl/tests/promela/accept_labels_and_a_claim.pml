// pan: holds
// pan -a: violated
// pan -a -f: violated
/* Accepting places of processes count beside those of the claim. */
byte x;
active proctype P() { do :: x = 1; accept: x = 0 od }
never { do :: x == 0 :: x == 1 od }
