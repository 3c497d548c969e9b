// Within a step the first alternative is taken: a loop in the place of a wide range counts first, another leaves first.
//~ VERDICT verified
//~ STATES 5
byte x, x_y;
active proctype P() {
  d_step { select (x : 1 .. 40) };
  d_step { select (x_y : 1 .. 40) };
  assert(x == 40 && x_y == 1)
}
