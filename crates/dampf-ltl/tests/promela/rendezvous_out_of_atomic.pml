// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x; chan c = [0] of { byte };
active proctype P() { atomic { x = 1; c!1; x = 2 } }
active proctype Q() { byte y; c?y; x == 1; x = 7 }
never { do :: x == 7 -> break :: else od; do :: x == 2 -> break :: else od }
