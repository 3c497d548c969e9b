// A queue that is kept sorted, and one that is searched: the urgent job comes first in both.
//~ VERDICT verified
//~ STATES 496

mtype = { low, high };

typedef Job {
	byte rank;
	mtype kind
};

chan sorted = [4] of { byte, mtype };
chan mixed = [4] of { Job };

active proctype Producer() {
	Job job;
	byte i;

	for (i : 1 .. 3) {
		job.rank = 4 - i;
		if
		:: job.kind = low
		:: job.kind = high
		fi;
		sorted!!job.rank, job.kind;
		mixed!job
	}
}

active proctype Consumer() {
	byte last, rank;
	mtype kind;
	Job job;

	(full(mixed) || len(mixed) == 3);
	do
	:: sorted?rank, kind -> assert(rank > last); last = rank
	:: empty(sorted) -> break
	od;
	do
	:: mixed??job.rank, high -> printf("urgent: rank %d\n", job.rank)
	:: !(mixed??[_, high]) -> break
	od;
	assert(!mixed??[_, high])
}
