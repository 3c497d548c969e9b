// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { again: x = 1; x = 0; accept: goto again }
