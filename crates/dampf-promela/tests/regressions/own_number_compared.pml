// A message with the number of the process is waited for with `eval`.
//~ VERDICT violated deadlock
//~ STATES 8
chan c = [2] of { byte };
active [2] proctype P() {
  c!1 - _pid;
  c?[eval(_pid)]
}
