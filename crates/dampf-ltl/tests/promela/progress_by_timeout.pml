// pan -l: holds
// pan -l -f: holds
byte x;
active proctype P() { do :: x == 1; x = 0 :: timeout -> progress: x = 1 od }
