// pan: holds
// pan -a: violated
// pan -a -f: violated
bool p, q;
active proctype P() { do :: p = true; if :: q = true; q = false :: skip fi; p = false od }
never { T0: do :: p && !q -> goto accept_S :: true od; accept_S: do :: !q od }
