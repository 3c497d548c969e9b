// A range is a choice between assignments if the name has letters and digits only; otherwise it is a loop that counts.
//~ VERDICT verified
//~ STATES 19
//~ WITH x=x_y: STATES 30
//~ WITH x=x2: STATES 19
//~ WITH LAST=(6): STATES 30
#ifndef LAST
#define LAST 6
#endif
byte x;
active proctype P() {
  select
    (x : 1 .. LAST);
  skip
}
