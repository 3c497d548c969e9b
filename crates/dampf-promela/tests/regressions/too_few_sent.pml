// A message of too few fields is an error of the run; what is missing is 0.
//~ VERDICT violated invalid-access
//~ STATES 5
chan c = [1] of { byte, byte };
byte x, y;
active proctype P() {
  c!1;
  c?x,y;
  assert(y == 0)
}
