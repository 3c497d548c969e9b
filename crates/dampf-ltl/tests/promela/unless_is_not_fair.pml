// pan: holds
// pan -a: violated
// pan -a -f: holds
byte x; bool b;
active proctype P() { { do :: x = (x + 1) % 3 od } unless { b -> x = 7 } }
active proctype Q() { b = 1 }
never { accept: do :: x < 7 od }
