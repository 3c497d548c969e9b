// pan -a: violated
// pan -a -f: violated
// pan -l: holds
// pan -l -f: holds
/* Accepting places do not count where progress is asked for. */
byte x;
active proctype P() { do :: x = 2; progress: x = 1; accept: x = 0 od }
