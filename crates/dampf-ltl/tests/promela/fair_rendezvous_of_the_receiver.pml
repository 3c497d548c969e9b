// pan: holds
// pan -a: violated
// pan -a -f: violated
/* A receiver cannot move by itself, so that nobody has to be fair to it. */
bool b; byte x; chan c = [0] of { byte };
active proctype S() { do :: c!1 :: x = 1 - x od }
active proctype R() { byte y; do :: c?y; b = 1 od }
never { accept: do :: !b od }
