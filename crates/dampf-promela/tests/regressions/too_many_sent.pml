// The message would fit another channel, so that the text is not refused. What is too much is lost.
//~ VERDICT violated invalid-access
//~ STATES 6
chan c = [2] of { byte, byte };
chan d = [1] of { byte, byte, byte };
byte x, y, z;
active proctype P() {
  c!!1,2,3;
  c!!1;
  c?x,y;
  z = 3
}
