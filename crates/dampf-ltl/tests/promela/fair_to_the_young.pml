// pan: holds
// pan -a: violated
// pan -a -f: holds
byte x; bool b;
proctype Q() { b = 1 }
active proctype P() { do :: x = 1 - x :: _nr_pr < 4 -> run Q(); break od; do :: x = 1 - x od }
never { do :: _nr_pr == 3 -> goto accept :: else od; accept: do :: !b od }
