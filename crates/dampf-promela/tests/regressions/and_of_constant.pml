// A conjunction is 0 or 1, whatever its operands.
//~ VERDICT verified
//~ STATES 26
short g0;
active [1] proctype P0() {
  byte k0, k1, k2, k3;
  select (k3 : 0 .. 2);
  g0 = k3
}
active proctype P1() {
  g0 = (1 && g0)
}
