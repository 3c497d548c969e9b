// Each of many processes gets two of many channels as parameters; a message goes from the first to the last.
//~ VERDICT verified
//~ STATES 62
#define N 20
chan link[N] = [0] of { byte };
proctype Stage(chan in, out) {
  byte x;
  in?x;
  out!x
}
init {
  byte i, y;
  atomic {
    do
    :: i < N - 1 -> run Stage(link[i], link[i + 1]); i++
    :: else -> break
    od
  };
  link[0]!7;
  link[N - 1]?y;
  assert(y == 7)
}
