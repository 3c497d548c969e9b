// pan: holds
// pan -a: violated
// pan -a -f: holds
byte x; bool b;
active proctype P() { do :: x = 1 - x od }
active proctype R() { b = 1 }
never { accept: do :: !b od }
