// A statement that uses one channel for a long time, then others.
//~ VERDICT violated assertion
//~ STATES 28831
#define N 20
chan c[N] = [1] of { byte };
active proctype P() {
  short n;
  byte i, x;
  do
  :: i < N ->
     c[i]!i;
     c[i]?x;
     assert(x < 18);
     if
     :: n < 1200 -> n++
     :: else -> n = 0; i = i + 6
     fi
  :: else -> break
  od
}
