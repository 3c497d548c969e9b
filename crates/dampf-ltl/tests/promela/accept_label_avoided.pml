// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: x = 1; x = 0 :: x == 0 -> x = 2; accept: x = 3; break od }
