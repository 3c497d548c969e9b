// A late declaration of a record is a step, and no `skip` that could be left out behind another.
//~ VERDICT verified
//~ STATES 3
typedef V { byte a; byte b }
active proctype P() {
  do
  :: V r; V s; skip
  od
}
