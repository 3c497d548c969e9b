// pan: holds
// pan -a: violated
// pan -a -f: holds
bool p, q; byte x;
active proctype P() { do :: p = true; q = true; p = false; q = false od }
active proctype N() { do :: x = 1 - x od }
never { T0: do :: p && !q -> goto accept_S :: true od; accept_S: do :: !q od }
