// A process may not ask whether it is enabled itself. (SPIN's search ends with that.)
//~ VERDICT violated index-out-of-bounds
//~ STATES 2
byte x;
active proctype P() {
  x = 1;
  enabled(_pid)
}
