// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
proctype W() { byte v = 3; x = v }
init { run W(); x == 3; x = 4 }
never { do :: W:v == 3 -> break :: else od; do :: W:v == 0 -> break :: else od }
