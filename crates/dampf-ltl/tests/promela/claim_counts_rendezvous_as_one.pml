// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x; chan c = [0] of { byte };
active proctype P() { x = 1; c!1; x = 4 }
active proctype Q() { byte y; c?y }
never { x == 0; x == 1; x == 1; x == 4 }
