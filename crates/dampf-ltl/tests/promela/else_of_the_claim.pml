// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }
never { accept: do :: x == 0 :: x == 1 :: x == 2 :: else -> goto stop od; stop: false }
