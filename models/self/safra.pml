// How the ranks of a distributed search notice that all are done: Safra's algorithm, as crates/dampf-dist/src/termination.rs has it.
//
// A rank that works may send states to others, which work then, and stops at some time. When the first rank declares the end, nobody works
// and no states are under way. And it does declare it: no run gets stuck, and of the rounds of the token that begin when all is quiet
// the second is the last.
//
// The ranks share a budget of messages with states, so that runs end. Messages between two ranks keep their order, others do not.
//~ VERDICT verified
//~ STATES 14597
//~ WITH N=4 BUDGET=3: STATES 88759

#ifndef N
#define N 3
#endif
#ifndef BUDGET
#define BUDGET 3
#endif

mtype = { states, token, ended };

// All states that there are, and the token.
chan wire[N * N] = [BUDGET + 1] of { mtype, short, bool };

#define to(other)	wire[me * N + (other)]
#define from(other)	wire[(other) * N + me]
#define behind(k)	((me + k) % N)

// Known to nobody: what the detection is to find out.
byte working, under_way, budget = BUDGET, quiet_rounds;

#define quiet	(working == 0 && under_way == 0)

inline send_states(other) {
	budget--;
	under_way++;
	balance++;
	to(other)!states, 0, false
}

inline take_states() {
	under_way--;
	balance--;
	tainted = true;
	if
	:: works
	:: else -> works = true; working++
	fi
}

inline give_token(other, token_balance, token_tainted) {
	to(other)!token, token_balance, token_tainted;
	tainted = false;
	has_token = false;
	passed_balance = 0;
	passed_tainted = false
}

inline declare_end() {
	assert(quiet);
	other = 1;
	do
	:: other < N -> to(other)!ended, 0, false; other++
	:: else -> break
	od
}

inline begin_round() {
	if
	:: quiet -> quiet_rounds++; assert(quiet_rounds <= 2)
	:: else
	fi;
	is_probing = true;
	give_token(1, 0, false)
}

proctype Rank(byte me; bool works) {
	short balance, passed_balance;
	bool tainted, has_token, passed_tainted, is_probing;
	byte other;

	do
	:: atomic { works -> works = false; working-- }

	:: atomic { works && budget > 0 -> send_states(behind(1)) }
	:: atomic { works && budget > 0 -> send_states(behind(2)) }
	:: atomic { from(behind(1))?states(_, _) -> take_states() }
	:: atomic { from(behind(2))?states(_, _) -> take_states() }
#if N > 3
	:: atomic { works && budget > 0 -> send_states(behind(3)) }
	:: atomic { from(behind(3))?states(_, _) -> take_states() }
#endif

	:: atomic { from(behind(N - 1))?token(passed_balance, passed_tainted) -> has_token = true }
	:: atomic {
		me > 0 && !works && has_token ->
		give_token(behind(1), passed_balance + balance, passed_tainted || tainted)
	}
	:: atomic {
		me == 0 && !works && (has_token || !is_probing) ->
		if
		:: has_token && !passed_tainted && !tainted && passed_balance + balance == 0 -> declare_end(); break
		:: else -> begin_round()
		fi
	}
	:: atomic { me > 0 && from(0)?[ended] -> from(0)?ended(_, _); assert(!works); break }
	od
}

init {
	byte i, first;

	atomic {
		// Whoever owns the initial state begins.
		do
		:: first < N - 1 -> first++
		:: break
		od;
		working = 1;
		do
		:: i < N -> run Rank(i, i == first); i++
		:: else -> break
		od
	}
}
