// pan -a: violated
// pan -a -f: violated
byte x;
active proctype P() { x = 1; accept: false }
