// pan: holds
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
never { accept: do :: atomic { x >= 0 -> assert(x <= 3) -> x < 4 } :: x > 9 -> break od }
