// Processes that start each other, each with a channel of its own.
//~ VERDICT verified
//~ STATES 152
byte n;
proctype Child(byte d) {
  chan own = [1] of { byte };
  byte x;
  own!d;
  own?x;
  n++;
  if
  :: d < 24 -> run Child(d + 1)
  :: else
  fi
}
init { run Child(0) }
