// Line breaks between the arguments of a macro are none in what it makes.
//~ VERDICT verified
//~ STATES 19
#define SELECT(x, first, last) select (x : first .. \
  last)
byte x;
active proctype P() {
  SELECT(x,
    1,
    6);
  skip
}
