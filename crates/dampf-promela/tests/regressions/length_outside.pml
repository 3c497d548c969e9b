//~ VERDICT violated index-out-of-bounds
//~ STATES 1
//
// An index outside of an array of channels is an error where only the length is asked for, too.
chan queues[2] = [2] of { byte };

active proctype Asker() {
    byte which = 2;
    len(queues[which]) == 0
}
