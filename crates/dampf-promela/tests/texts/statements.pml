// Every kind of statement.
mtype = { request, answer };
chan link = [2] of { mtype, byte };
byte x, list[4];

proctype Server() {
    byte value
    mtype kind
serve: end:
    do
    :: link?request(value) ->
        value++
        link!answer(value)
    :: link??answer, eval(x + 1) -> link!!answer, value; value--
    :: link?<request, value>; skip
    :: link??<_, -1>
    :: (link?[request, 3] && len(link) > 1) || nempty(link) -> break
    :: atomic { x == 1 -> x = 2; }
       d_step { x = 3; x = 4 }
    :: timeout -> goto serve
    :: else
    od
    if
    :: x = 1
    :: x = 2; { x = 3 }
    fi;
progress:
}

active proctype Client() {
    byte i;
    for (i : 0 .. 3) { list[i] = i }
    for (i in list) {
        printf("element %d\t\"%c\"\n", list[i], 'a')
    }
    select (i : 1 .. 9);
    { x = (i > 3 -> i - 3 : -i); assert(x != '\n') } unless { Server@serve -> printm(request) };
    do :: x < 3 -> x++ :: else -> break od unless x == 7;
    set_priority(_pid, get_priority(0) + 1);
    enabled(1) && pc_value(0) > Server[1]:value && _nr_pr < 3 && _last != 2;
    x = run Server(); run Server()
    x = x & 1 == 2 | 3 ^ ~x << 2 + -1 * 2
    ! x == 1 -> skip
}
