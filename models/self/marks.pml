// How the ranks of a distributed search without levels save themselves: crates/dampf-dist/src/node/saving.rs.
//
// The first rank sends marks to all. Who gets the first mark of a checkpoint sends marks to all as well, behind the states that it sent before; then it
// sends nothing until it has the marks of all, and saves itself. So a state that was sent before its sender saved itself is not
// missing in what its receiver saved. The next checkpoint may begin when the first rank knows that all have saved themselves. Every
// checkpoint comes to its end, unless somebody halts the search.
//
// Who is halted takes no more states, so it must not save itself any more: it takes no marks. A checkpoint that not all have saved does not count.
//
// The ranks share a budget of messages with states. Messages between two ranks keep their order, others do not.
//~ VERDICT verified
//~ STATES 52561

#define N 3
#ifndef BUDGET
#define BUDGET 2
#endif
#ifndef CHECKPOINTS
#define CHECKPOINTS 2
#endif

mtype = { states, mark, saved, halt };

// All states that there are, for each of two checkpoints a mark and the word that it is done, and that the search is halted.
chan wire[N * N] = [BUDGET + 5] of { mtype, byte };

#define to(other)	wire[me * N + (other)]
#define from(other)	wire[(other) * N + me]
#define behind(k)	((me + k) % N)

byte budget = BUDGET, under_way, halted;
bool is_over;

// Known to nobody: the first checkpoint that lacks a state.
byte lacking = CHECKPOINTS + 1;

inline send_states(other) {
	budget--;
	under_way++;
	// How often the sender has saved itself is for the assertion alone.
	to(other)!states, checkpoints
}

inline take_states() {
	assert(heard >= checkpoints);
	if
	:: is_halted && heard + 1 < lacking -> lacking = heard + 1
	:: else
	fi;
	under_way--;
	heard = 0
}

inline send_marks() {
	to(behind(1))!mark, 0;
	to(behind(2))!mark, 0;
	marks = 1
}

inline take_mark() {
	if
	:: is_halted
	:: else ->
		if
		:: marks == 0 -> send_marks()
		:: else
		fi;
		marks++;
		assert(marks <= N);
		if
		:: marks == N ->
			checkpoints++;
			marks = 0;
			if
			:: me == 0 -> take_saved(0)
			:: else -> to(0)!saved, 0
			fi
		:: else
		fi
	fi
}

inline take_saved(other) {
	assert(!has_saved[other]);
	has_saved[other] = true;
	if
	:: has_saved[0] && has_saved[1] && has_saved[2] ->
		assert(checkpoints < lacking);
		has_saved[0] = false;
		has_saved[1] = false;
		has_saved[2] = false
	:: else
	fi
}

inline stop() {
	is_halted = true;
	halted++
}

#define none_has_saved	(!has_saved[0] && !has_saved[1] && !has_saved[2])

// Marks are counted from the first of a checkpoint to the last. Who has saved itself in this one is known to the first rank.
proctype Rank(byte me) {
	byte marks, checkpoints, heard;
	bool has_saved[N], is_halted;

	do
	:: atomic { marks == 0 && !is_halted && budget > 0 -> send_states(behind(1)) }
	:: atomic { marks == 0 && !is_halted && budget > 0 -> send_states(behind(2)) }
	:: atomic { from(behind(1))?states(heard) -> take_states() }
	:: atomic { from(behind(2))?states(heard) -> take_states() }

	:: atomic { me == 0 && marks == 0 && !is_halted && none_has_saved && checkpoints < CHECKPOINTS -> send_marks() }
	:: atomic { from(behind(1))?mark(_) -> take_mark() }
	:: atomic { from(behind(2))?mark(_) -> take_mark() }
	:: atomic { from(behind(1))?saved(_) -> take_saved(behind(1)) }
	:: atomic { from(behind(2))?saved(_) -> take_saved(behind(2)) }

	:: atomic { halted == 0 && !is_over -> to(behind(1))!halt, 0; to(behind(2))!halt, 0; stop() }
	:: atomic { from(behind(1))?halt(_) -> stop() }
	:: atomic { from(behind(2))?halt(_) -> stop() }

	:: atomic {
		me == 0 && halted == 0 && budget == 0 && under_way == 0 && checkpoints == CHECKPOINTS && none_has_saved ->
		is_over = true;
		break
	}
	:: is_over -> break
	:: halted == N && under_way == 0 && empty(from(behind(1))) && empty(from(behind(2))) -> break
	od
}

init {
	atomic {
		run Rank(0);
		run Rank(1);
		run Rank(2)
	}
}
