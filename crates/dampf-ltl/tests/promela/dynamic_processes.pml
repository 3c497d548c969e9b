// pan: holds
// pan -a: violated
// pan -a -f: violated
byte n;
proctype W() { n++; n-- }
init { do :: _nr_pr < 4 -> run W() od }
never { do :: n == 2 -> goto accept :: true od; accept: do :: n == 2 -> goto accept :: n == 1 -> goto back od; back: do :: true :: n == 2 -> goto accept od }
