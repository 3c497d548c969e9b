// The sides of a rendezvous differ in the number of fields.
//~ VERDICT violated invalid-access
//~ STATES 5
chan c = [0] of { byte, byte };
byte x, z;
active proctype P() { c!1,2 }
active proctype Q() {
  c?x;
  z = 3
}
