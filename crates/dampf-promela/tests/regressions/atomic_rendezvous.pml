// A rendezvous in an atomic sequence hands over to the receiver.
//~ VERDICT violated assertion
//~ STATES 19
mtype = { ping, pong };
chan c = [0] of { mtype, byte };
chan d = [2] of { mtype };
byte n;
proctype A(byte id) { byte k; 
 atomic { c!ping(id + 1); n++; printf("sent %d\n", n) };
 d?k; assert(k == 3) }
active proctype B() { byte x; mtype m; c?m(x); printf("got %e %d\n", m, x); d!pong; d!ping }
init { atomic { run A(4); n = 2 } }
