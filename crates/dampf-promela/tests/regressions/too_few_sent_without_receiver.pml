// A rendezvous that nobody takes part in is tried, and found to have too few fields.
//~ VERDICT violated invalid-access
//~ STATES 1
chan c = [0] of { byte, byte };
active proctype P() { c!1 }
