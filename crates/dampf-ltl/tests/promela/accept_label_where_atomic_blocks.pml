// pan -a: violated
// pan -a -f: violated
byte x; bool b;
active proctype P() { do :: atomic { x = 1; accept: b; x = 2; x = 0 } od }
active proctype Q() { do :: b = !b od }
