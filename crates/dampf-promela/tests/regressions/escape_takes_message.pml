// A message that an escape can receive is not received by what it interrupts.
//~ VERDICT violated deadlock
//~ STATES 9
byte g1;
chan c01 = [0] of { byte };
init {
  run P2();
  g1 = run P2()
}
proctype P2() {
  {
    if
    :: skip
    :: c01!0
    fi;
    c01?g1
  } unless {
    c01?g1 ->
    0
  }
}
