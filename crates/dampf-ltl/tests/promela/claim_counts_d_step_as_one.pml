// pan: violated
// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { x = 1; d_step { x = 2; x = 3 }; x = 4 }
never { x == 0; x == 1; x == 3; x == 4 }
