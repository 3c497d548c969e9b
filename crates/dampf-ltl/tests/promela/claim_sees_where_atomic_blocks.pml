// pan: violated
// pan -a: violated
// pan -a -f: violated
/* Where an atomic sequence blocks, there is a state, and the claim moves. */
byte x; bool b;
active proctype P() { x = 1; atomic { x = 2; b; x = 3 }; x = 4 }
active proctype Q() { x == 2; b = true }
never { x == 0; x == 1; x == 2; x == 2; x == 2 && b; x == 3 }
