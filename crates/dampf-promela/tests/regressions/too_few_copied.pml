// A copy may leave fields out: it takes nothing.
//~ VERDICT verified
//~ STATES 5
chan c = [1] of { byte, byte };
byte x, z;
active proctype P() {
  c!1,2;
  c?<x>;
  z = x
}
