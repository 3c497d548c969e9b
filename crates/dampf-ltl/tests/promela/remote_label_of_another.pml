// pan: holds
// pan -a: holds
// pan -a -f: holds
/* With a number it is the place that counts, not whose it is. */
byte x;
active proctype P() { x = 2; L: x = 0 }
active proctype Q() { x == 7; x = 9 }
never { do :: P[1]@L -> break :: else od }
