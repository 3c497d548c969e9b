// With a line break within the parentheses a range is a loop, wherever it is.
//~ VERDICT verified
//~ STATES 76
byte x;
active proctype P() {
  select (x :
    1 .. 6);
  skip;
  select (
    x : 1 .. 6);
  skip;
  select (x : 1 .. 6 /*
    */);
  skip
}
