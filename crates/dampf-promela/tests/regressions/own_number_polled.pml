// A poll compares nothing with `_pid`, as with any variable.
//~ VERDICT verified
//~ STATES 20
chan c = [2] of { byte };
active [2] proctype P() {
  c!1 - _pid;
  c?[_pid]
}
