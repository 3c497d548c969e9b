// pan: holds
// pan -a: holds
// pan -a -f: holds
/* Whether an option can be taken depends on the first statement of its atomic sequence alone. */
byte x;
active proctype P() { do :: x = 1 - x od }
never { accept: do :: atomic { x == 1; false } :: else od }
