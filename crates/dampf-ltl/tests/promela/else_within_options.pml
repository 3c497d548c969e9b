// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: x = (x + 1) % 4 od }
never { do :: if :: x == 1 :: else -> goto accept_a fi :: x == 2 -> goto accept_a od; accept_a: do :: x == 2 :: x == 3 :: x == 0 od }
