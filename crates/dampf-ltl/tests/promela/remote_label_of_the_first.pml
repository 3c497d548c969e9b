// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
proctype W(byte n) { n == 1; L: x = 1; }
init { run W(0); run W(1); run W(1) }
never { do :: W@L -> break :: !W@L od }
