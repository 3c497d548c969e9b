// Sorted sends, random receives, copies.
//~ VERDICT violated deadlock
//~ STATES 86
chan c = [3] of {byte, short}; byte x;
proctype A() { c!!3,x; c??2,x; c?<x,_>; x = x }
init { run A(); }
active proctype B() { x = 1 }
active [2] proctype C() { x = 2 }
