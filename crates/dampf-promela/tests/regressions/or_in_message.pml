// A disjunction is, too.
//~ VERDICT verified
//~ STATES 50
typedef Record0 { byte f0[2] };
typedef Record1 { Record0 inner[2] };
byte g0[1];
Record1 g1;
chan c01 = [0] of { byte, short };
active proctype P0() {
  run P1()
}
active proctype P1() {
  byte k0, k1, k2, k3;
  do
  :: c01!(0 || g0[0])(0)
  :: c01?g1.inner[1].f0[0], g0[0] ->
  select (k3 : 1 .. 2);
  g0[0] = k3
  od
}
