// Philosophers who take the left fork first, and wait for ever.
//~ VERDICT violated deadlock
//~ STATES 34

#ifndef N
#define N 4
#endif

bool taken[N];

#define left  (_pid)
#define right ((_pid + 1) % N)

active [N] proctype Philosopher() {
	do
	:: atomic { !taken[left] -> taken[left] = true };
		atomic { !taken[right] -> taken[right] = true };
		d_step { taken[left] = false; taken[right] = false }
	od
}
