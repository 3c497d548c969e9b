// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x; bool b;
active proctype P() { do :: atomic { x = 1; L: b; x = 0 } od }
active proctype Q() { do :: b = !b od }
never { do :: P@L -> break :: else od }
