// pan: holds
// pan -a: holds
// pan -a -f: holds
/* The label of an option's first statement is that of the place behind it, in claims too. */
byte x;
active proctype P() { do :: x = 1; x = 0 od }
never { do :: x == 0 -> skip :: x == 1 -> goto s od; s: if :: true -> accept_t: x == 0 fi; goto s }
