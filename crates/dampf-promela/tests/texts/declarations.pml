/* Every kind of declaration. */
#include "shared.h"

mtype = { red, amber green };
mtype:shape = { round, square };
typedef Point { short x; short y }
typedef Path {
    Point points[LENGTH]
    byte used
    chan reply
};

bit flag = 1; bool ready = true;
byte small, squares[3] = { 0, 1, 4 }, same[2] = 7;
short near = -3;
int far = (2 + 3) * LENGTH;
pid who;
unsigned three : 3 = 5, one : 1;
mtype light = amber;
mtype:shape form = round;
hidden byte scratch;
show int shown;
Path way;
chan plain;
chan wires[2] = [LENGTH] of { mtype, byte, Point, chan, mtype:shape };

D_proctype quiet(byte a, b; chan in, out; Point p) priority 2 provided (ready && small < 3) {
    local byte inner = 3;
    xr in;
    xs out, plain;
    skip
}

active [LENGTH - 1] proctype twice() { byte a = 2, c[LENGTH]; skip }

never claimed {
T0_init:
    do
    :: !ready -> goto accept_all
    :: true
    od;
accept_all:
    skip
}

trace { do :: plain!1; plain?1 od }

ltl safety { [] (small < 3 -> <> ready) && (ready U flag) }
ltl { always (eventually ready) /* and no more */ }

init priority 3 { atomic { run quiet(1, 2, plain, plain, way.points[0]) priority 4 } }
