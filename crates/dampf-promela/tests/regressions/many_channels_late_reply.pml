// Late, a server learns of a channel that it never answered to, and answers within an atomic sequence.
//~ VERDICT violated assertion
//~ STATES 5017
#define N 20
chan reply[N] = [0] of { short };
chan request = [0] of { chan };
short n;
byte answered;
active proctype Server() {
  chan who;
end:
  do
  :: atomic {
       request?who ->
       if
       :: who!n -> answered++
       :: else -> assert(false)
       fi
     }
  od
}
active proctype Client() {
  short got;
  byte i;
  do
  :: n < 2500 -> n++
  :: n == 2500 && i < 2 -> i++; request!reply[3 * i]; reply[3 * i]?got
  :: else -> break
  od;
  assert(answered == 1)
}
