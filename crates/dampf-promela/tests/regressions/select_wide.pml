// A range of many numbers is a loop behind an assignment, which has the label.
//~ VERDICT verified
//~ STATES 163
//~ WITH LAST=6: STATES 16
#ifndef LAST
#define LAST 40
#endif
byte x;
active proctype P() {
again:
  select (x : 1 .. LAST);
  if
  :: x > 3 -> goto again
  :: else
  fi
}
