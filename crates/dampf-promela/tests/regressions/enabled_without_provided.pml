// `enabled` does not look at `provided`.
//~ VERDICT violated deadlock
//~ STATES 4
active [2] proctype P0() {
  enabled(2)
}
active proctype P1() provided (0 || 0) {
  skip
}
