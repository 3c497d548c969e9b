// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
never { do :: assert(x < 3) od }
