// Lamport's bakery; a customer with a high ticket comes no more. Remote references say that two are never inside.
//~ VERDICT verified
//~ STATES 22176

#ifndef N
#define N 2
#endif

byte ticket[N];
bool choosing[N];
byte inside;

inline choose(me) {
	byte i, most;

	choosing[me] = true;
	most = 0;
	for (i : 0 .. N - 1) {
		if
		:: ticket[i] > most -> most = ticket[i]
		:: else
		fi
	}
	ticket[me] = most + 1;
	choosing[me] = false
}

active [N] proctype Customer() {
	byte j;

	do
	:: choose(_pid);
		for (j : 0 .. N - 1) {
			!choosing[j];
			(ticket[j] == 0 || ticket[j] > ticket[_pid] || (ticket[j] == ticket[_pid] && j >= _pid))
		}
critical:	inside++;
		assert(inside == 1);
		inside--;
		if
		:: ticket[_pid] < 5 -> ticket[_pid] = 0
		:: else -> ticket[_pid] = 0; break
		fi
	od
}

active proctype Watcher() {
	assert(!(Customer[0]@critical && Customer[1]@critical))
}
