// A message of a single bit is a byte.
//~ VERDICT verified
//~ STATES 21
byte g2;
chan c00 = [2] of { bool };
active [1] proctype P1() {
  byte k0, k1, k2, k3;
  c00!9;
  do
  :: c00?g2
  :: select (k3 : 1 .. 2);
  g2 = k3
  od
}
