// pan: holds
// pan -a: holds
// pan -a -f: holds
bool p, q;
active proctype P() { do :: p = true; q = true; p = false; q = false od }
never { T0: do :: p && !q -> goto accept_S :: true od; accept_S: do :: !q od }
