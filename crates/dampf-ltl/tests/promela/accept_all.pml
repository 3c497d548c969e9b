// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
never { T0: do :: x == 2 -> goto accept_all :: true od; accept_all: skip }
