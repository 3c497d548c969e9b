//! What a model of a program says about its states besides their successors: footprints, observations, threads and
//! memory.

mod compiling;

use compiling::{compile, learn, load};
use dampf_core::{
    Action, Footprint, Footprints, Inspect, Model, Object, Observations, Standing, Successors, Word, Worker,
};
use dampf_object::{ObjectModel, ObjectWorker, ProgramChecks};
use dampf_testkit::moving::explore;

const STACK_POINTER: usize = 2;
const PROGRAM_COUNTER: usize = 32;
const WORD: u64 = 4;
const LINE: u64 = 64;

/// A model of a program that knows what its threads share, and states of it; none where there is no compiler.
fn explored(source: &str, states_max: usize) -> Option<(ObjectModel, Vec<Vec<Word>>)> {
    let program = load(source, &compile(source)?);
    let options = ProgramChecks::default();
    let sharing = learn(&program, options, states_max);
    let model = ObjectModel::new(program, options, sharing);
    let (states, refuted) = explore(&model, states_max);
    assert!(refuted.is_empty() && states.len() > 3, "{source}");
    Some((model, states))
}

fn successors(worker: &mut ObjectWorker<'_>, state: &[Word]) -> Successors {
    let mut out = Successors::new(state.len());
    worker.successors(state, &mut out);
    out
}

/// Where a step leads, unless to a fault.
fn target(successors: &Successors, action: Action) -> Option<Vec<Word>> {
    let at = (0..successors.len()).find(|&at| successors.action(at) == action && successors.leads_on(at))?;
    Some(successors.state(at).to_vec())
}

/// The steps of a state that lead on, and where to.
fn steps(successors: &Successors) -> Vec<(Action, Vec<Word>)> {
    (0..successors.len())
        .filter(|&at| successors.leads_on(at))
        .map(|at| (successors.action(at), successors.state(at).to_vec()))
        .collect()
}

fn slot(action: Action) -> u32 {
    action.front_end() >> 20
}

fn footprint(worker: &mut ObjectWorker<'_>, state: &[Word], action: Action) -> Footprint {
    let mut footprint = Footprint::default();
    worker.footprint(state, action, &mut footprint);
    footprint
}

#[test]
fn steps_whose_footprints_do_not_conflict_commute() {
    let sources = [
        "mutex_counter.c",
        "condition_signal.c",
        "semaphore.c",
        "barrier.c",
        "rwlock.c",
        "annotation_lock.c",
        "atomic_message.c",
        "cxx_shared_ptr.cc",
        "pthread_detach.c",
        "cxx_condition_variable.cc",
        "stack_of_other_thread.c",
        "verifier_atomic.c",
        "../../../../models/cpp/philosophers.cc",
    ];
    let mut independent = 0;
    for source in sources {
        let Some((model, states)) = explored(source, 400) else { return };
        let mut worker = model.worker();
        for state in &states {
            let here = successors(&mut worker, state);
            let steps: Vec<_> = steps(&here)
                .into_iter()
                .map(|(action, behind)| (action, behind, footprint(&mut worker, state, action)))
                .collect();
            for (at, (one, behind_one, one_footprint)) in steps.iter().enumerate() {
                for (other, behind_other, other_footprint) in &steps[..at] {
                    if slot(*one) == slot(*other) || one_footprint.conflicts(other_footprint) {
                        continue;
                    }
                    let (later_other, later_one) =
                        (successors(&mut worker, behind_one), successors(&mut worker, behind_other));
                    // A state with a fault of its own has no steps: then the fault is the same in the other order.
                    if later_other.state_fault().is_some() || later_one.state_fault().is_some() {
                        continue;
                    }
                    let (first, second) = (target(&later_other, *other), target(&later_one, *one));
                    assert!(first.is_some(), "{source}: {other:?} is disabled by {one:?}");
                    assert_eq!(first, second, "{source}: {one:?} and {other:?}");
                    independent += 1;
                }
            }
        }
    }
    println!("{independent} pairs of independent steps");
    assert!(independent > 100, "only {independent} pairs of steps are independent");
}

/// The words of a state's globals and of what is in use of its stacks, with their addresses.
fn memory(model: &ObjectModel, state: &[Word]) -> Vec<(u64, u32)> {
    let threads = model.threads(state);
    let Some(&thread) = threads.first() else { return Vec::new() };
    let mut addresses: Vec<u64> = model.system.program.globals.clone().step_by(LINE as usize).collect();
    for &thread in &threads {
        let sp = model.registers(state, thread).expect("a thread that is alive has registers")[STACK_POINTER];
        addresses.extend((sp..sp + 1024).step_by(LINE as usize));
    }
    let mut words = Vec::new();
    let mut add = |address: u64, bytes: &[u8]| {
        let values = bytes.chunks(WORD as usize).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")));
        words.extend((address..).step_by(WORD as usize).zip(values));
    };
    for address in addresses {
        let (mut line, mut word) = ([0; LINE as usize], [0; WORD as usize]);
        if model.read_memory(state, thread, address, &mut line) {
            add(address, &line);
            continue;
        }
        for address in (address..address + LINE).step_by(WORD as usize) {
            if model.read_memory(state, thread, address, &mut word) {
                add(address, &word);
            }
        }
    }
    words
}

#[test]
fn what_a_step_changes_is_in_its_footprint() {
    for source in ["mutex_counter.c", "condition_signal.c", "annotation_lock.c"] {
        let Some((model, states)) = explored(source, 12) else { return };
        let mut changed = 0;
        let mut worker = model.worker();
        for state in &states {
            for (action, behind) in steps(&successors(&mut worker, state)) {
                let mut anew = Footprint::default();
                model.footprint(state, action, &mut anew);
                assert_eq!(anew, footprint(&mut worker, state, action), "a footprint depends on its step alone");
                let written = anew.writes;
                let (before, after) = (memory(&model, state), memory(&model, &behind));
                for (address, value) in &after {
                    let Ok(at) = before.binary_search_by_key(address, |(address, _)| *address) else { continue };
                    if before[at].1 != *value {
                        let word = Object(address / WORD);
                        let name = model.object_name(word);
                        assert!(written.binary_search(&word).is_ok(), "{source}: {action:?} writes {name}");
                        changed += 1;
                    }
                }
            }
        }
        assert!(changed > 0, "{source}: no step changes anything");
    }
}

#[test]
fn registers_and_memory_of_a_state_can_be_read() {
    let Some((model, states)) = explored("mutex_counter.c", 400) else { return };
    let globals = model.system.program.debug.globals();
    let counter = globals.iter().find(|variable| variable.name == "counter").expect("the program counts");
    let mut seen = Vec::new();
    for state in &states {
        let threads = model.threads(state);
        for &thread in &threads {
            let registers = model.registers(state, thread).expect("it is alive");
            let (pc, sp) = (registers[PROGRAM_COUNTER], registers[STACK_POINTER]);
            assert_eq!(registers.len(), 33);
            assert_eq!(registers[0], 0);
            assert_ne!(model.system.program.function_at(pc), "?", "{pc:#x} is no function's");
            let mut word = [0; 8];
            assert!(model.read_memory(state, thread, sp - sp % 8, &mut word) || sp.is_multiple_of(0x1_0000));
            assert!(!model.read_memory(state, thread, sp - 64, &mut word), "below the stack pointer there is nothing");
            assert!(!model.read_memory(state, thread, 0, &mut word));
            let mut value = [0; 4];
            assert!(model.read_memory(state, thread, counter.address, &mut value));
            seen.push(u32::from_le_bytes(value));
        }
        assert_eq!(model.registers(state, 77), None);
        assert!(!model.read_memory(state, 77, counter.address, &mut [0; 4]));
    }
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 1 && seen[0] == 0 && seen.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{seen:?}");
}

#[test]
fn threads_that_wait_and_locks_that_are_held_are_counted() {
    let Some((model, states)) = explored("mutex_order.c", 400) else { return };
    let (mut worker, mut standings) = (model.worker(), Vec::new());
    let mut most = [0; 3];
    for state in &states {
        ObjectModel::observe(&mut worker, state, &mut standings);
        let count = |is: fn(&Standing) -> bool| standings.iter().filter(|standing| is(standing)).count();
        let (alive, blocked) = (count(|standing| standing.is_alive), count(|standing| standing.is_blocked));
        let held = standings.iter().map(|standing| standing.locks as usize).sum();
        assert_eq!(alive, model.threads(state).len());
        assert!(blocked <= alive);
        most = [most[0].max(alive), most[1].max(blocked), most[2].max(held)];
    }
    // One holds the first lock and the other waits for it; whoever takes the second gives both back in the same step.
    assert_eq!(most, [2, 1, 1]);
}
