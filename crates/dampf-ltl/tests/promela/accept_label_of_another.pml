// pan -a: violated
// pan -a -f: holds
/* Somebody stands at an accepting place for ever. */
byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { accept: x = 5 }
