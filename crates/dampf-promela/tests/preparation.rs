//! Models of a hundred processes are prepared for a search with as many transitions as their processes can use, not
//! with as many as there are combinations.

use dampf_core::Source;
use dampf_gcl::model::Backend;
use dampf_promela::Promela;
use std::path::Path;

const RING: &str = "
    chan link[100] = [2] of { byte, byte };
    byte leader;
    proctype Node(byte id) {
        byte n, hops;
        chan in = link[id];
        chan out;
        out = link[(id + 1) % 100];
        out!id,0;
        do
        :: in?n,hops ->
           if
           :: n > id -> out!n,hops + 1
           :: n == id -> leader = id; break
           :: else -> skip
           fi
        od
    }
    init {
        byte i;
        atomic { for (i : 0 .. 99) { run Node(i) } }
    }";

const CHAIN: &str = "
    chan link[100] = [0] of { byte };
    proctype Stage(chan in, out) { byte x; do :: in?x -> out!x od }
    init {
        byte i, y;
        do
        :: i < 99 -> run Stage(link[i], link[i + 1]); i++
        :: else -> break
        od;
        link[0]!7;
        link[99]?y
    }";

const INDICES: &str = "
    chan link[100] = [0] of { byte };
    proctype Station(byte id) {
        byte x;
        if
        :: id == 0 -> link[1]!7
        :: else
        fi;
        do
        :: link[id]?x -> link[(id + 1) % 100]!x
        od
    }
    init { byte i; atomic { for (i : 0 .. 99) { run Station(i) } } }";

const CHILDREN: &str = "
    byte n;
    proctype Child(byte d) {
        chan own = [1] of { byte };
        byte x;
        own!d;
        own?x;
        n++;
        if
        :: d < 100 -> run Child(d + 1)
        :: else
        fi
    }
    init { run Child(0) }";

/// The transitions of the model that a search begins with.
fn transitions(text: &str) -> usize {
    let mut no_files = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new("test.pml", text), &[], &mut no_files).expect("the syntax is right");
    let mut promela = Promela::new(&model).unwrap_or_else(|problems| panic!("{}", problems[0]));
    promela.explore().expect("a model that can be explored");
    let model = promela.model(Backend::Interpreter, false).expect("a model");
    model.gcl().program().processes.iter().map(|process| process.transitions.len()).sum()
}

#[test]
fn a_hundred_processes_are_prepared_for_what_they_do() {
    for (name, text) in [("ring", RING), ("chain", CHAIN), ("indices", INDICES), ("children", CHILDREN)] {
        let count = transitions(text);
        assert!(count < 4_000, "{name}: {count} transitions");
    }
}
