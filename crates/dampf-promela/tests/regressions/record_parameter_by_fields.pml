// A record that is a parameter may be given by its fields, or as the element of an array.
//~ VERDICT violated assertion
//~ STATES 16
typedef W { byte c; bit d }
typedef V { W a; byte b }
proctype Q(V v; byte k) { assert(v.a.c == 1 && v.a.d == 0 && v.b == 2 && k == 4) }
init {
  V r[2];
  r[1].a.c = 1;
  r[1].b = 2;
  run Q(r[1], 4);
  run Q(1, 0, 3, 4)
}
