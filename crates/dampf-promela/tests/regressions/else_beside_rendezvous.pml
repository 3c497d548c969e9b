// With somebody ready to receive, there is no `else` to sending.
//~ VERDICT verified
//~ STATES 7
chan c = [0] of { byte };
byte x, y;
active proctype P() {
  if
  :: c!1
  :: else -> assert(false)
  fi;
  atomic {
    y = 1;
    if
    :: c!2
    :: else -> assert(false)
    fi
  }
}
active proctype Q() {
  c?x;
  c?x
}
