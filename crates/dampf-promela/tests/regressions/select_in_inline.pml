// In an inline, a range is a loop.
//~ VERDICT verified
//~ STATES 36
inline choose(a) { select (a : 1 .. 6) }
byte x;
active proctype P() {
  choose(x);
  skip;
  select (x : 1 .. 6)
}
