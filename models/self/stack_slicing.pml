// How the workers of stack slicing share their work and notice that all of it is done: crates/dampf-search/src/stack_slicing.rs.
//
// Workers stand in a ring. One that finds a state beyond its slice hands it to its right neighbour, through a queue with one writer and one
// reader, or keeps it where the queue is full. One without states takes them from its queue, and while that is empty, Safra's token
// goes round. When the first worker declares the end, no state is unexplored, on no stack and in no queue; no state is lost or taken twice; no run gets
// stuck; and of the rounds of the token that begin when all is done the second is the last.
//
// Queues are modelled by what their ends read and write, one at a time: the counters and the slots. So are the looks of a worker
// that waits: the end, the queue, the token. The workers share a budget of states to find.
//
// What must not be left out: NO_TAINT (a worker that got a state taints the token), WAIT_FOR_ROOM instead of keeping the state (a ring of workers that wait
// for each other), EARLY_COUNT (the state is in its slot before it is counted as written).
//~ VERDICT verified
//~ STATES 11844
//~ WITH ROOM=2 BUDGET=5: STATES 58382
//~ WITH N=4 BUDGET=4: STATES 18625
//~ WITH NO_TAINT=1 BUDGET=5: VERDICT violated assertion STATES 37572
//~ WITH N=2 BUDGET=5 WAIT_FOR_ROOM=1: VERDICT violated deadlock STATES 12853
//~ WITH EARLY_COUNT=1: VERDICT violated assertion STATES 49118

#ifndef N
#define N 3
#endif
#ifndef BUDGET
#define BUDGET 4
#endif
#ifndef ROOM
#define ROOM 1
#endif

// Of the queue that leads to a worker: how many states were written and read, and which slots hold one.
byte written[N], read[N];
bool slot[N * ROOM];

// Where the left neighbour leaves the token.
bool token_is_there[N], token_tainted[N];
short token_balance[N];

bool over;

// Known to nobody: what the detection is to find out.
byte unexplored = 1, budget = BUDGET, quiet_rounds;

#define right	((me + 1) % N)
#define written_slot	slot[right * ROOM + written[right] % ROOM]
#define read_slot	slot[me * ROOM + read[me] % ROOM]

inline find() {
	budget--;
	unexplored++
}

// The reader's counter was looked at before.
inline give() {
#ifdef WAIT_FOR_ROOM
	atomic { written[right] - read[right] < ROOM -> seen = read[right] };
#endif
	if
	:: written[right] - seen < ROOM ->
#ifdef EARLY_COUNT
		written[right]++;
		atomic { assert(!slot[right * ROOM + (written[right] - 1) % ROOM]); slot[right * ROOM + (written[right] - 1) % ROOM] = true; balance++; seen = 0 }
#else
		atomic { assert(!written_slot); written_slot = true };
		atomic { written[right]++; balance++; seen = 0 }
#endif
	:: else -> atomic { open++; seen = 0 }
	fi
}

inline take() {
	atomic { assert(read_slot); read_slot = false; open++ };
	atomic {
		read[me]++;
		balance--;
#ifndef NO_TAINT
		tainted = true;
#endif
		seen = 0
	}
}

inline give_token(place, balance_passed, tainted_passed) {
	assert(!token_is_there[place]);
	token_balance[place] = balance_passed;
	token_tainted[place] = tainted_passed;
	token_is_there[place] = true;
	tainted = false;
	has_token = false;
	passed_balance = 0;
	passed_tainted = false
}

inline take_token() {
	if
	:: token_is_there[me] ->
		passed_balance = token_balance[me];
		passed_tainted = token_tainted[me];
		has_token = true;
		token_is_there[me] = false;
		token_balance[me] = 0;
		token_tainted[me] = false
	:: else
	fi
}

inline begin_round() {
	if
	:: unexplored == 0 -> quiet_rounds++; assert(quiet_rounds <= 2)
	:: else
	fi;
	is_probing = true;
	give_token(1, 0, false)
}

// The stack and the queue are empty.
inline rest() {
	if
	:: me > 0 && has_token -> give_token(right, passed_balance + balance, passed_tainted || tainted)
	:: me == 0 && has_token && !passed_tainted && !tainted && passed_balance + balance == 0 ->
		assert(unexplored == 0);
		over = true
	:: me == 0 && !(has_token && !passed_tainted && !tainted && passed_balance + balance == 0) && (has_token || !is_probing) ->
		begin_round()
	:: else
	fi
}

// How many states are on the stack.
proctype Worker(byte me, open) {
	byte seen;
	short balance, passed_balance;
	bool tainted, has_token, passed_tainted, is_probing;

	do
	// A state that is found stays in the slice, or is handed over.
	:: atomic { open > 0 && budget > 0 -> find(); open++ }
	:: atomic { open > 0 && budget > 0 -> find(); seen = read[right] };
		give()
	:: atomic { open > 0 -> open--; unexplored-- }

	// Waits for something to look at.
	:: open == 0 && (over || written[me] != read[me] || token_is_there[me] || (me == 0 && !is_probing)) ->
		if
		:: atomic { over -> assert(written[me] == read[me]); break }
		:: atomic { !over -> seen = written[me] }
		fi;
		if
		:: seen != read[me] -> take()
		:: atomic { seen == read[me] -> seen = 0; take_token() };
			atomic { rest() }
		fi
	od
}

init {
	byte i;

	atomic {
		do
		:: i < N -> run Worker(i, i == 0); i++
		:: else -> break
		od
	}
}
