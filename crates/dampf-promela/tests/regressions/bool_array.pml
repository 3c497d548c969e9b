// An array of bits holds bytes.
//~ VERDICT verified
//~ STATES 2
active proctype P0() {
  bool x0[1];
  do
  :: x0[0] = 2
  od
}
