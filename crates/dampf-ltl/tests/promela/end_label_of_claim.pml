// pan: violated
// pan -a: violated
// pan -a -f: violated
/* A label that begins with `end` ends a claim. */
byte x;
active proctype P() { do :: x = 1; x = 0 od }
never { do :: x == 1 -> goto end_z :: else od; end_z: do :: x == 0 od }
