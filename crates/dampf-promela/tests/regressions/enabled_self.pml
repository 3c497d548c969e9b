// A process that asks whether it is enabled itself.
//~ VERDICT violated deadlock
//~ STATES 1
active proctype P2() {
  enabled(2)
}
