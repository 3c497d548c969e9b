// Rendezvous within atomic sequences: the receiver goes on at once, the sender waits for its turn.
//~ VERDICT verified
//~ STATES 183

chan call = [0] of { byte, chan };
byte busy, served;

proctype Caller(byte id) {
	chan reply = [0] of { byte };
	byte answer;

	atomic { call!id, reply; busy++ };
	reply?answer;
	atomic { assert(answer == id + 10); busy--; served++ }
}

active proctype Operator() {
	byte id;
	chan back;

end:	do
	:: atomic { call?id, back -> assert(id > 0) };
		back!id + 10
	od
}

init {
	atomic { run Caller(1); run Caller(2); run Caller(3) };
	(served == 3) -> assert(busy == 0)
}
