// Who moved last is known when a deterministic step is over.
//~ VERDICT verified
//~ STATES 35
byte a, b;
active proctype P() {
  d_step { a = _last; a = a + _last };
  atomic { b = _last; b = b + _last }
}
active proctype Q() { a = 5; b = _last }
