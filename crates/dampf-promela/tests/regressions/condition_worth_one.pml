// A condition that is worth 1 is no skip: the one behind it stays.
//~ VERDICT violated deadlock
//~ STATES 3
active proctype P() {
  do
  :: (1 != 2) -> skip; 0
  od
}
