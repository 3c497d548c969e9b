// pan: violated
// pan -a: violated
// pan -a -f: violated
/* A label that a claim names is a place, even before a jump. */
byte x;
active proctype P() { again: x = 1; x = 0; L: goto again }
never { do :: P@L -> break :: else od }
