// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x = 1; x = 0 od }
never first { do :: x == 1 -> break :: else od }
never second { do :: x == 2 -> break :: else od }
