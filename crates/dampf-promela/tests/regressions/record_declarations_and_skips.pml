// Between declarations of records the skips in a row are one.
//~ VERDICT verified
//~ STATES 9
typedef V { byte a; byte b }
active proctype P() {
  if
  :: printf("x"); V a; skip; skip; V b; printf("x")
  :: d_step { V d; V e; skip; skip }
  fi;
  { V f; V g }
}
