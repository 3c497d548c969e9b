// Skips that SPIN takes out of options, and initial values.
//~ VERDICT verified
//~ STATES 75
byte g = 2;
proctype P(byte z) { byte y = z + 1; byte w = g; 
  do :: y < 5 -> byte q = 3; q++; y++ :: else -> break od;
  { byte q2 = g; q2 = q2 + 1; } 
  int r = y; r = r + 1;
  if :: skip; skip; skip; printf("a\n"); skip; skip; y = 1 :: skip -> skip; skip fi;
}
init { g = 7; run P(1); byte k = 4; k++; }
