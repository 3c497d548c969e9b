#include "switchboard.h"

chan line = [0] of { mtype, byte };
chan log = [3] of { byte };

proctype Caller(byte number) {
	atomic {
		line!call(number);
		printf("%d is through\n", number)
	}
	log!number
}

active proctype Board() {
	byte who, calls;

	do
	:: line?call(who) -> calls++; assert(calls < LIMIT)
	od
}

init {
	atomic { run Caller(7); run Caller(9) }
}
