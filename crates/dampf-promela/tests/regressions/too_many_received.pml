// The first field fits, so the third is asked for. (SPIN's search ends with that.)
//~ VERDICT violated invalid-access
//~ STATES 2
chan c = [1] of { byte, byte };
byte y, z;
active proctype P() {
  c!1,2;
  c?1,y,z
}
