// pan -l: holds
// pan -l -f: holds
byte x;
active proctype P() { do :: x == 1; x = 0 :: timeout -> x = 1 od }
active proctype Q() { progress: false }
active proctype R() { do :: x == 9 -> progress: skip od }
