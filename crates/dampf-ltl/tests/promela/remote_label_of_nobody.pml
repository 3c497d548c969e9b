// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
proctype W() { L: x = 1 }
active proctype P() { x = 2; x = 3 }
never { do :: W@L -> break :: W[1]@L -> break :: !W@L od }
