// A poll only looks at what it compares, so variables too many are nothing.
//~ VERDICT verified
//~ STATES 4
chan c = [1] of { byte, byte };
byte x;
active proctype P() {
  c!1,2;
  c?[1,2,x]
}
