// pan: holds
// pan -a: violated
// pan -a -f: violated
byte x; bool b;
active proctype P() { do :: x = 1 - x od }
active proctype R() { x == 1; b = 1 }
never { accept: do :: !b od }
