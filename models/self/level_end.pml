// How the ranks of a distributed search go from level to level: crates/dampf-dist/src/node/levels.rs.
//
// A rank that has explored its part of a level says so to all, behind the states that it sent them, and begins the next level when it has
// heard that from all. So it has all states of a level when it begins it, no rank is two levels ahead of another, and all end
// after the same level, with nothing left. What a rank hears from one that is a level ahead waits.
//
// The ranks share a budget of states to find. Messages between two ranks keep their order, others do not.
//~ VERDICT verified
//~ STATES 23251

#define N 3
#ifndef BUDGET
#define BUDGET 2
#endif

mtype = { states, level_end };
mtype = { nothing, something };

// All states that there are, and the ends of two levels.
chan wire[N * N] = [BUDGET + 2] of { mtype, byte, mtype };

#define to(other)	wire[me * N + (other)]
#define from(other)	wire[(other) * N + me]
#define behind(k)	((me + k) % N)

byte budget = BUDGET;
byte level[N];

// Known to nobody: the states of each level that are still to be explored.
byte unexplored[BUDGET + 2];

inline explore() {
	now--;
	explored = something;
	assert(unexplored[level[me]] > 0);
	unexplored[level[me]]--
}

inline find() {
	budget--;
	unexplored[level[me] + 1]++
}

inline take_states() {
	// A state that is found in a level is one of the next, which has not begun here.
	assert(heard_level == level[me] || heard_level == level[me] + 1);
	if
	:: heard_level == level[me] -> next++
	:: else -> early++
	fi;
	heard_level = 0
}

inline take_level_end(other) {
	assert(heard_level == level[me] || heard_level == level[me] + 1);
	if
	:: heard_level == level[me] -> assert(ends[other] == 0); ends[other] = heard
	:: else -> assert(next_ends[other] == 0); next_ends[other] = heard
	fi;
	heard_level = 0;
	heard = 0
}

inline tell_level_end() {
	ends[me] = explored;
	to(behind(1))!level_end, level[me], explored;
	to(behind(2))!level_end, level[me], explored;
	has_told = true
}

#define all_ended	(ends[0] && ends[1] && ends[2])
#define all_found_nothing	(ends[0] == nothing && ends[1] == nothing && ends[2] == nothing)

inline begin_next_level() {
	level[me]++;
	assert(level[me] <= level[behind(1)] + 1 && level[me] <= level[behind(2)] + 1);
	has_told = false;
	explored = nothing;
	now = next;
	next = early;
	early = 0;
	ends[0] = next_ends[0];
	ends[1] = next_ends[1];
	ends[2] = next_ends[2];
	next_ends[0] = 0;
	next_ends[1] = 0;
	next_ends[2] = 0
}

// States that wait in this level, in the next, and in that behind it.
proctype Rank(byte me, now) {
	byte next, early, heard_level;
	mtype explored = nothing, heard, ends[N], next_ends[N];
	bool has_told;

	do
	:: atomic { now > 0 -> explore() }
	:: atomic { now > 0 && budget > 0 -> find(); next++ }
	:: atomic { now > 0 && budget > 0 -> find(); to(behind(1))!states, level[me], 0 }
	:: atomic { now > 0 && budget > 0 -> find(); to(behind(2))!states, level[me], 0 }

	:: atomic { from(behind(1))?states(heard_level, _) -> take_states() }
	:: atomic { from(behind(2))?states(heard_level, _) -> take_states() }
	:: atomic { from(behind(1))?level_end(heard_level, heard) -> take_level_end(behind(1)) }
	:: atomic { from(behind(2))?level_end(heard_level, heard) -> take_level_end(behind(2)) }

	:: atomic { now == 0 && !has_told -> tell_level_end() }
	:: atomic { now == 0 && has_told && all_ended && !all_found_nothing -> begin_next_level() }
	:: atomic {
		now == 0 && has_told && all_ended && all_found_nothing ->
		assert(next == 0 && early == 0 && empty(from(behind(1))) && empty(from(behind(2))));
		assert(level[me] >= level[behind(1)] && level[me] >= level[behind(2)]);
		assert(unexplored[level[me]] == 0 && unexplored[level[me] - 1] == 0);
		break
	}
	od
}

init {
	atomic {
		unexplored[0] = 1;
		run Rank(0, 1);
		run Rank(1, 0);
		run Rank(2, 0)
	}
}
