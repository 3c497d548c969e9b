// pan: violated
// pan -a: violated
// pan -a -f: violated
proctype Q() { skip }
init { run Q(); run Q() }
never { do :: _nr_pr == 4 -> break :: else od }
