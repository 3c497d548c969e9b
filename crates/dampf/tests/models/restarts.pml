// More than can be explored, and a search restarts several times on the way: counters come further than random runs do, which
// set them back three times in four, and there start processes that nobody has seen before.
byte started;

proctype Extra(byte number) {
	byte x;
	do
	:: x < 200 -> x++
	:: x = 0
	od
}

active [2] proctype Counter() {
	byte x;
	do
	:: x < 250 -> x++
	:: x = 0
	:: x = 0
	:: x = 0
	:: x == 60 && started < 1 -> started++; run Extra(started)
	:: x == 70 && started == 1 -> started++; run Extra(started)
	od
}
