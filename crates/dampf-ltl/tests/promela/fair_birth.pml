// pan: holds
// pan -a: violated
// pan -a -f: violated
/* Nobody has to be fair to a process that could be started. */
byte x; bool b;
proctype Q() { b = 1 }
active proctype P() { do :: x = 1 - x :: _nr_pr < 4 -> run Q() od }
never { accept: do :: !b od }
