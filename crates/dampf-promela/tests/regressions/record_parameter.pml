// A record that is a parameter is copied.
//~ VERDICT verified
//~ STATES 34
typedef V { byte a; byte b }
proctype Q(V v) {
  v.a = 3;
  assert(v.b == 2)
}
init {
  V r;
  r.a = 1;
  r.b = 2;
  run Q(r);
  run Q(r);
  assert(r.a == 1)
}
