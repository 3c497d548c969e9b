// An escape that begins with a rendezvous needs a partner.
//~ VERDICT verified
//~ STATES 7
bool g0;
chan c00 = [0] of { bit };
init {
  run P0(c00, c00);
  run P2(0)
}
proctype P0(chan p0; chan p1) {
  c00?_
}
proctype P2(bool p0) {
  {
    g0++
  } unless {
    c00!1
  }
}
