// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
never { T0: do :: atomic { (x == 3) -> assert(!(x == 3)) } :: x < 3 -> goto T0 od }
