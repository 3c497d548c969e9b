// pan: holds
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x = 1; L: x = 0 od }
never { do :: P[0]@L -> break :: else od; x == 0; accept: do :: true od }
