/* Equal processes that pass a token through a channel of length one. */
chan token = [1] of { bit };
byte inside, rounds;

active [4] proctype worker() {
    do
    :: token?1 -> inside++; assert(inside == 1); inside--; token!1
    :: rounds < 3 -> d_step { rounds++ }; 
    od
}

active proctype starter() {
    token!1
}
