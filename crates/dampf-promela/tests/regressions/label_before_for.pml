// A label before a for loop names the loop, behind its first assignment; select over many values is a loop.
//~ VERDICT verified
//~ STATES 1044
byte i, j=3;
active proctype A() { 
L: for (i : 1 .. j) { skip };
select (i : 1 .. j);
select (i : 0 .. 300);
}
