//! Random programs have the same faults with and without reduction, every one of them.

use dampf_core::{Fault, Model, Successors, Word, Worker};
use dampf_gcl::GclModel;
use dampf_reduce::Reduced;
use dampf_testkit::program::{Size, random_program};
use std::collections::{BTreeSet, HashSet};

/// The faults of a model and the number of its states; none for one that has more than so many.
fn explored<M: Model>(model: &M, states_max: usize) -> Option<(BTreeSet<Fault>, usize)> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    let mut faults = BTreeSet::new();
    let mut known: HashSet<Vec<Word>> = HashSet::new();
    let mut open: Vec<Vec<Word>> = (0..out.len()).map(|index| out.state(index).to_vec()).collect();
    known.extend(open.iter().cloned());
    while let Some(state) = open.pop() {
        worker.successors(&state, &mut out);
        faults.extend(out.fault_of_state(true));
        faults.extend(out.faults().iter().map(|(_, fault)| fault.clone()));
        for index in (0..out.len()).filter(|index| out.leads_on(*index)) {
            if known.insert(out.state(index).to_vec()) {
                open.push(out.state(index).to_vec());
            }
        }
        if known.len() > states_max {
            return None;
        }
    }
    Some((faults, known.len()))
}

fn agree(seeds: std::ops::Range<u64>, size: Size, states_fewer_min: usize) -> usize {
    let (mut count, mut fewer) = (0, 0);
    let seeds = std::env::var("SEED").map_or(seeds, |s| {
        let s: u64 = s.parse().unwrap();
        s..s + 1
    });
    for seed in seeds {
        let mut program = random_program(seed, size);
        program.property = None;
        let reduced = Reduced::always(GclModel::spacious(program).expect("the program is supported"));
        if reduced.plan().is_none() {
            continue;
        }
        if std::env::var("SEED").is_ok() {
            let p = reduced.model().program();
            println!(
                "{seed}: compound {} timeout {:?} committed {} error {}",
                p.has_compound_steps,
                p.timeout,
                p.processes.iter().any(|p| p.locations.iter().any(|l| l.committed)),
                p.has_error_state
            );
        }
        let Some((full, full_states)) = explored(reduced.model(), 600) else { continue };
        let (faults, states) = explored(&reduced, 600).unwrap_or_else(|| panic!("seed {seed}: more states"));
        assert_eq!(full, faults, "seed {seed}: {full_states} states, {states} with reduction");
        count += 1;
        fewer += full_states - states;
    }
    println!("{count} programs, {fewer} states fewer");
    assert!(fewer >= states_fewer_min, "{fewer} states fewer");
    count
}

#[test]
fn programs_of_all_kinds_have_the_same_faults() {
    assert!(agree(0..3_000, Size::default(), 1_000) > 500);
}

/// Little expressions and many processes: these leave each other alone more often.
#[test]
fn programs_of_loose_processes_have_the_same_faults() {
    let size = Size { processes: 5, locations: 4, transitions: 5, globals: 5, locals: 1, channels: 4, depth: 1 };
    assert!(agree(100_000..103_000, size, 1_000) > 1_000);
}
