// A ring of processes elects the one with the highest number: each passes on what is higher than itself, and who sees its own number
// come around has won. Processes are started one by one and know only their neighbours' channels.
//~ VERDICT verified
//~ STATES 498

#ifndef N
#define N 4
#endif

chan link[N] = [N] of { byte };
byte winners, winner;

proctype Node(chan from, to; byte mine) {
	byte heard;

	to!mine;
end:	do
	:: from?heard ->
		if
		:: heard > mine -> to!heard
		:: heard == mine ->
			winners++;
			winner = mine;
			assert(winners == 1 && winner == N);
			break
		:: else
		fi
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run Node(link[i], link[(i + 1) % N], (i * 3) % N + 1)
		}
	}
}
