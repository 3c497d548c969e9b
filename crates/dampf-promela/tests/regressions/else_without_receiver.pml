// As long as the other process is not there yet, `else` is possible.
//~ VERDICT violated deadlock
//~ STATES 9
chan c = [0] of { byte };
byte x;
active proctype P() {
  atomic {
    x = 2;
    if
    :: c!1
    :: else -> x = 5
    fi
  }
}
active proctype Q() {
  x = 3;
  c?x
}
