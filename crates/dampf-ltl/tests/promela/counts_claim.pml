// pan: holds
// pan -a: holds
// pan -a -f: holds
/* A claim is a process: `_nr_pr` is one more. */
proctype Q() { skip }
init { run Q(); (_nr_pr == 1); assert(false) }
never { do :: true od }
