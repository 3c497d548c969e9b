// With a number, a remote reference looks at the process that has it, whatever it is.
//~ VERDICT verified
//~ STATES 5
unsigned g : 12;
init {
  run Q(1)
}
active [0] proctype P() {
  here: g = 0
}
proctype Q(byte p) {
  (P[1]@here)
}
