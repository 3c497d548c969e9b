// pan: holds
// pan -a: violated
// pan -a -f: holds
bool b; byte x; chan c = [0] of { byte };
active proctype R() { byte y; do :: c?y :: x = 1 - x od }
active proctype S() { do :: c!1; b = 1 od }
never { accept: do :: !b od }
