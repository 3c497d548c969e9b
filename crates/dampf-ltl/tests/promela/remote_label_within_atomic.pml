// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: atomic { x = 1; L: x = 2; x = 0 } od }
never { do :: P@L -> break :: else od }
