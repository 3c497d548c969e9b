// What may begin a deterministic step need not be permitted to go on with it.
//~ VERDICT verified
//~ STATES 9
byte g = 1;
active proctype P() provided (g == 1) {
  d_step { g = 0; g = 2; g = 1 };
  d_step { g = 2; g = 0 };
  g = 1
}
active proctype Q() { (g == 0) -> g = 1 }
