// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never { do :: x == 3 -> break :: x < 3 od }
