// The initial value of a record is not used; those of its fields are.
//~ VERDICT verified
//~ STATES 3
typedef V { byte a = 2; byte b }
typedef W { V v = 3; byte c }
V t[2] = 3;
W w = 4;
active proctype P() {
  V u = 5;
  assert(t[0].a == 2 && t[1].a == 2 && t[1].b == 0 && w.v.a == 2 && w.c == 0 && u.a == 2 && u.b == 0)
}
