// pan: holds
// pan -a: holds
// pan -a -f: holds
/* A receiver goes on with its atomic sequence before the claim moves. */
byte x; chan c = [0] of { byte };
active proctype P() { c!1; x = 5 }
active proctype Q() { byte y; atomic { c?y; x = 1; x = 2 }; x = 3 }
never { do :: x == 1 -> break :: else od }
