// pan: holds
// pan -a: violated
// pan -a -f: violated
byte x; bool b;
active proctype P() { { do :: x = (x + 1) % 3 od } unless { b -> x = 7 } }
active proctype Q() { b = 1 }
never { do :: x == 7 -> break :: else od; accept: do :: true od }
