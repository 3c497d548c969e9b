// A receive that compares a second field of messages that have one: to SPIN that field is 0, which is no error yet.
//~ VERDICT verified
//~ STATES 31
chan queue = [2] of { byte };
chan direct = [0] of { byte };

active [2] proctype sometimes() {
    if
    :: skip
    :: queue?_, 1
    :: direct?_, 1
    fi;
    queue!0
}

active proctype sender() {
    if
    :: direct!3
    :: queue?[_, 1]
    :: skip
    fi
}
