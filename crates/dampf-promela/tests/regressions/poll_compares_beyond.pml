// A poll that compares a field which no message has. (SPIN's search ends with that.)
//~ VERDICT violated index-out-of-bounds
//~ STATES 2
chan c = [1] of { byte, byte };
active proctype P() {
  c!1,2;
  c?[1,2,3]
}
