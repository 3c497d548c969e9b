// So it is on a channel without room.
//~ VERDICT violated deadlock
//~ STATES 5
int g0;
byte g2 = 2;
chan c00 = [0] of { bit };
active proctype P0() {
  do
  :: c00!0
  :: c00!g2
  od
}
active [1] proctype P1() {
  c00?g0
}
