// Who may go: a crossing whose lights are `provided` clauses, with `_last`, `enabled` and a process that runs only when told.
//~ VERDICT verified
//~ STATES 498

byte turn = 1, passed;

active proctype Light() {
	do
	:: passed < 4 -> turn = 3 - turn
	:: else -> break
	od
}

active [2] proctype Car() provided (turn == _pid || passed >= 4) {
	byte trips;

	do
	:: trips < 2 -> atomic { trips++; passed++ }
	:: else -> break
	od;
	assert(_last != 0 || passed > 0)
}
