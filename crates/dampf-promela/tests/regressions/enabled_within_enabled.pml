// Whoever asks whether another can move asks on, if that one waits for such an answer.
//~ VERDICT violated deadlock
//~ STATES 17
active [2] proctype P() {
  enabled(2)
}
active proctype Q() {
  pid y;
  y = enabled(1)
}
