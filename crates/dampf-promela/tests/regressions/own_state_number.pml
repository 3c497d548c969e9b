// A process that asks where it stands itself stands where the statement begins.
//~ VERDICT verified
//~ STATES 28
byte g0[1];
active proctype P0() {
  skip
}
active proctype P1() {
  g0[0]++;
  g0[0] = (pc_value(2) == pc_value(1))
}
active proctype P2() {
  skip
}
