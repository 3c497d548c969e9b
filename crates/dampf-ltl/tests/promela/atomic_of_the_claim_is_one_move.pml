// pan: holds
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { do :: x = 1; x = 2; x = 0 od }
never { do :: true :: atomic { x == 1; x == 2 } -> break :: atomic { x == 1; x == 1; x == 1 } -> goto seen od; seen: x == 2; accept_x: do :: true od }
