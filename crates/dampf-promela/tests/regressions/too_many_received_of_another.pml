// The message does not fit, and nobody comes to its third field.
//~ VERDICT violated deadlock
//~ STATES 2
chan c = [1] of { byte, byte };
byte y;
active proctype P() {
  c!1,2;
  c?1,3,y
}
