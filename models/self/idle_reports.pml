// How a distributed search of 2007 notices that all are done, and why that is wrong: the ranks tell the first one when they run out of work
// and when they have some again, and it ends the search when it is idle itself and has last heard of all others that they are. But
// states under way are in nobody's report (algorithm 1 of "Distributed verification of multi-threaded C++ programs"; the
// variant `IdleReports` in crates/dampf-dist/src/termination.rs).
//
// At first a rank counts as one that has told to be idle, but the first rank does not know. So a rank that never gets work keeps the search from
// ending; the labels `end` leave that aside.
//~ VERDICT violated assertion
//~ STATES 1964

#define N 3
#ifndef BUDGET
#define BUDGET 3
#endif

mtype = { states, idle, busy, terminate };

// All states that there are, and a report of each of them and of none.
chan wire[N * N] = [2 * BUDGET + 1] of { mtype };

#define to(other)	wire[me * N + (other)]
#define from(other)	wire[(other) * N + me]
#define behind(k)	((me + k) % N)

// Known to nobody: what the detection is to find out.
byte working, under_way, budget = BUDGET;

bool is_idle[N];

inline send_states(other) {
	budget--;
	under_way++;
	to(other)!states
}

inline take_states() {
	under_way--;
	if
	:: works
	:: else -> works = true; working++
	fi;
	if
	:: me > 0 && has_reported -> to(0)!busy; has_reported = false
	:: else
	fi
}

proctype Rank(byte me; bool works) {
	bool has_reported = true;

end:	do
	:: atomic { works -> works = false; working-- }

	:: atomic { works && budget > 0 -> send_states(behind(1)) }
	:: atomic { works && budget > 0 -> send_states(behind(2)) }
	:: atomic { from(behind(1))?states -> take_states() }
	:: atomic { from(behind(2))?states -> take_states() }

	:: atomic { me > 0 && !works && !has_reported -> to(0)!idle; has_reported = true }
	:: atomic { from(behind(1))?idle -> is_idle[behind(1)] = true }
	:: atomic { from(behind(2))?idle -> is_idle[behind(2)] = true }
	:: atomic { from(behind(1))?busy -> is_idle[behind(1)] = false }
	:: atomic { from(behind(2))?busy -> is_idle[behind(2)] = false }
	:: atomic {
		me == 0 && !works && is_idle[1] && is_idle[2] ->
		assert(working == 0 && under_way == 0);
		to(1)!terminate;
		to(2)!terminate;
		break
	}
	:: from(0)?terminate -> break
	od
}

init {
	atomic {
		working = 1;
		run Rank(0, true);
		run Rank(1, false);
		run Rank(2, false)
	}
}
