// pan: holds
// pan -a: violated
// pan -a -f: holds
byte x; bool b;
active proctype P() { do :: atomic { x = 1; x = 0 } od }
active proctype R() { x == 0; b = 1 }
never { accept: do :: !b od }
