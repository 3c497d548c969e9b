// Two-phase commit with a coordinator that forgets to ask one participant, so that somebody commits what another one refused.
//~ VERDICT violated assertion
//~ STATES 5094

#ifndef N
#define N 3
#endif

mtype = { ask, yes, no, commit, abort };

chan to[N] = [1] of { mtype };
chan from = [N] of { mtype };
mtype decision[N];

proctype Participant(byte me) {
	bool agrees;

	if
	:: agrees = true
	:: agrees = false
	fi;
	if
	:: to[me]?ask ->
		if
		:: agrees -> from!yes
		:: else -> from!no
		fi;
		to[me]?decision[me]
	:: to[me]?commit -> decision[me] = commit
	:: to[me]?abort -> decision[me] = abort
	fi;
	assert(decision[me] == abort || agrees)
}

init {
	byte i, votes;
	mtype vote;

	atomic {
		for (i : 0 .. N - 1) { run Participant(i) }
	}
	for (i : 1 .. N - 1) { to[i]!ask }
	for (i : 1 .. N - 1) {
		from?vote;
		if
		:: vote == yes -> votes++
		:: else
		fi
	}
	for (i : 0 .. N - 1) {
		if
		:: votes == N - 1 -> to[i]!commit
		:: else -> to[i]!abort
		fi
	}
}
