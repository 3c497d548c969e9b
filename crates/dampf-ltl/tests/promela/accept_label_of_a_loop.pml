// pan -a: holds
// pan -a -f: holds
byte x;
active proctype P() { accept: do :: x < 3 -> x++ :: x == 3 -> break od; x = 0 }
