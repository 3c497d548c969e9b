// pan: violated
// pan -a: violated
// pan -a -f: violated
/* One move of the claim for a statement, and one for an atomic sequence. */
byte x;
active proctype P() { x = 1; atomic { x = 2; x = 3 }; x = 4 }
never { x == 0; x == 1; x == 3; x == 4 }
