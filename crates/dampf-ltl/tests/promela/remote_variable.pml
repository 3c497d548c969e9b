// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { byte v; do :: v = (v + 1) % 3; x = v od }
never { do :: P[0]:v == 2 && x == 1 -> goto accept :: true od; accept: do :: P:v == 2 && x == 1 -> goto other od; other: do :: P:v == 2 -> goto accept :: else od }
