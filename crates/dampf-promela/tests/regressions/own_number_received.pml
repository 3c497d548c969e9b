// What is received into `_pid` is the process's number for itself from then on, and no number to wait for.
//~ VERDICT violated assertion
//~ STATES 8
chan c = [0] of { byte };
active [2] proctype P() {
  if
  :: c!1 - _pid
  :: c?_pid
  fi;
  assert(_pid == 0)
}
