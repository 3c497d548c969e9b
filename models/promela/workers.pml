// A server starts a process for every job and gives it a channel of its own to answer on. Numbers of processes that died are used
// again, and so are their channels.
//~ VERDICT verified
//~ STATES 31008

#ifndef JOBS
#define JOBS 3
#endif

chan jobs = [2] of { chan, byte };
byte done;

proctype Worker(chan answer; byte question) {
	answer!question * 2
}

proctype Client(byte question) {
	chan mine = [1] of { byte };
	byte result;

	jobs!mine, question;
	mine?result;
	assert(result == question * 2);
	done++
}

active proctype Server() {
	chan answer;
	byte question;

end:	do
	:: jobs?answer, question -> run Worker(answer, question)
	od
}

init {
	byte i;
	for (i : 1 .. JOBS) {
		run Client(i)
	}
	(done == JOBS) -> assert(len(jobs) == 0)
}
