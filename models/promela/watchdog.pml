// A worker that is interrupted by an alarm wherever it stands, and cleans up. The machine must never be left running.
//~ VERDICT verified
//~ STATES 43

bool alarm, running, stopped;
byte work;

active proctype Worker() {
	do
	:: {
			running = true;
			do
			:: work < 3 -> work++
			:: work >= 3 -> break
			od;
			running = false;
			work = 0
		} unless {
			alarm -> atomic { running = false; work = 0; stopped = true; break }
		}
	od;
	assert(!running && work == 0)
}

active proctype Guard() {
	(work == 2) -> alarm = true;
	stopped
}
