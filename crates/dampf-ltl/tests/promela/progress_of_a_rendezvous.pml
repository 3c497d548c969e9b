// pan -l: holds
// pan -l -f: holds
chan c = [0] of { bit };
active proctype P() { do :: c!0; progress: skip od }
active proctype Q() { bit y; do :: c?y od }
