// pan: holds
// pan -a: violated
// pan -a -f: holds
byte x;
active proctype P() { do :: x = 1 od }
active proctype Q() { do :: x = 0 od }
never { T0: do :: _last == 1 -> goto accept :: true od; accept: do :: _last == 1 od }
