// The alternating bit protocol over channels that lose messages. A timeout, which can happen only when nothing else can, sends again. The
// receiver asserts that what arrives is what comes next.
//~ VERDICT verified
//~ STATES 77

#define NUMBERS 4

mtype = { data, ack };

chan to_receiver = [1] of { mtype, byte, bit };
chan to_sender = [1] of { mtype, bit };

active proctype Sender() {
	byte number;
	bit turn, answer;

	do
	:: to_receiver!data(number, turn) ->
		if
		:: to_sender?ack(answer) ->
			if
			:: answer == turn -> number = (number + 1) % NUMBERS; turn = 1 - turn
			:: else
			fi
		:: timeout
		fi
	od
}

active proctype Receiver() {
	byte number, expected;
	bit turn, wanted;

	do
	:: to_receiver?data(number, turn) ->
		if
		:: turn == wanted ->
			assert(number == expected);
			expected = (expected + 1) % NUMBERS;
			wanted = 1 - wanted
		:: else
		fi;
		to_sender!ack(turn)
	od
}

active proctype Thief() {
	do
	:: to_receiver?_, _, _
	:: to_sender?_, _
	od
}
