// pan: holds
// pan -a: violated
chan q = [2] of { byte }; byte v;
active proctype P() { do :: q!1 :: q!2 od }
active proctype Q() { do :: q?v od }
never { T0: do :: full(q) && q?[2] -> goto accept :: true od; accept: do :: nfull(q) -> goto T0 :: len(q) == 2 od }
