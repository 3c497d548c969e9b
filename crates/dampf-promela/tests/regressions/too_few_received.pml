// With the fields that a receive names, it takes the whole message, which is an error of the run.
//~ VERDICT violated invalid-access
//~ STATES 5
chan c = [1] of { byte, byte };
byte x, z;
active proctype P() {
  c!1,2;
  c?x;
  z = 3
}
