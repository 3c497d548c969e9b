// pan -a: holds
// pan -a -f: holds
/* Nobody stands at a place within an atomic sequence. */
byte x;
active proctype P() { do :: atomic { x = 1; accept: x = 0; x = 2; x = 0 } od }
