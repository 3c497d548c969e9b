// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
proctype W() { byte v = 3; x = v }
init { x = 1; run W(); x = 2 }
never { do :: W[1]:v == 3 -> break :: W[1]:v == 0 od }
