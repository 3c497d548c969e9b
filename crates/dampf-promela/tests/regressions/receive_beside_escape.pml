// A receiver takes what it is sent, although it could escape.
//~ VERDICT violated deadlock
//~ STATES 6
byte g0[2];
bit g1;
chan c00 = [0] of { bit, bit };
active [1] proctype P0() {
  c00!0, 0
}
active proctype P1() {
  {
    c00?g0[0], g1
  } unless {
    skip
  }
}
