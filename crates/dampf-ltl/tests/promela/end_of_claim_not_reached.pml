// pan: holds
// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
never { do :: x == 3 -> break :: x < 3 od }
