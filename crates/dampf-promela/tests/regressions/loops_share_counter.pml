//~ VERDICT violated deadlock
//~ STATES 44
//
// Two loops over the messages of a channel that stand in the same block count with the same variable.
typedef Message { byte value };
chan queue = [2] of { Message };

active proctype Turner() {
    Message message;
    do
    :: for (message in queue) { skip }
    :: for (message in queue) { skip } ->
       queue!!message
    od
}
