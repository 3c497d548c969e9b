//! Stores against a plain hash set, and the promises about memory.

use dampf_core::{Action, Successors, Word};
use dampf_store::{
    BitstateStore, Coloured, ColouredTree, ExactStore, Exactness, Filter, HashCompactStore, Inserted, Marks, Parents,
    Retrieve, Session, Staged, Staging, StateRef, Store, TreeStore,
};
use std::collections::HashSet;

/// A deterministic scatter of numbers into words, with much sharing between neighbours.
fn words(number: u64, width: usize) -> Vec<Word> {
    (0..width as u64).map(|word| (number >> (word % 5 * 4)) as u32 & 0xffff | ((word as u32) << 20)).collect()
}

fn insert<S: Store>(session: &mut S::Session<'_>, words: &[Word], parent: Option<StateRef>) -> Inserted {
    let pending = session.prepare(words);
    session.commit(pending, words, parent)
}

fn stores_like_a_set<S: Retrieve + Parents>(store: &S, width: usize) {
    let mut session = store.session();
    let mut model = HashSet::new();
    let mut loaded = vec![0; width];
    let mut last = None;
    let mut x = 1u64;
    for _ in 0..60_000 {
        x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let state = words(x >> 44, width);
        let pending = session.prepare(&state);
        assert_eq!(session.contains(pending, &state), model.contains(&state));
        let (inserted, new) = match insert::<S>(&mut session, &state, last) {
            Inserted::New(inserted) => (inserted, true),
            Inserted::Known(inserted) => (inserted, false),
        };
        assert_eq!(model.insert(state.clone()), new);
        S::load(&mut session, inserted, &mut loaded);
        assert_eq!(loaded, state);
        if new {
            let mut candidates = 0;
            if let Some(last) = last {
                let mut found = false;
                store.parents(inserted, &mut |candidate| {
                    candidates += 1;
                    found |= candidate == last;
                    !found
                });
                assert!(found, "the parent is among {candidates} candidates");
            }
            last = Some(inserted);
        }
        session.quiesce();
    }
}

#[test]
fn stores_hold_what_was_put_in() {
    for width in [1, 2, 3, 4, 5, 8, 13, 70] {
        stores_like_a_set(&TreeStore::new(width), width);
        stores_like_a_set(&ExactStore::new(width), width);
    }
}

/// However a state is prepared, alone or with others and next to whatever state was loaded before, it is the same
/// state.
#[test]
fn a_state_has_one_key() {
    for width in [1, 2, 3, 5, 9, 16, 17, 33, 70, 200] {
        let store = TreeStore::new(width);
        let (mut together, mut alone) = (store.session(), store.session());
        let mut state = words(0, width);
        insert::<TreeStore>(&mut together, &state, None);
        let mut successors = Successors::new(width);
        let mut pending = Vec::new();
        let mut x = width as u64;
        for _ in 0..3_000 {
            successors.clear();
            for step in 0..5 {
                let mut next = state.clone();
                for _ in 0..step {
                    x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                    next[(x >> 33) as usize % width] = (x >> 50) as u32 % 7;
                }
                successors.push(Action(step), &next);
            }
            pending.clear();
            together.prepare_all(&successors, 0..successors.len(), &mut pending);
            for (step, &key) in pending.iter().enumerate() {
                assert_eq!(alone.prepare(successors.state(step)), key, "width {width}");
                let (Inserted::New(stored) | Inserted::Known(stored)) =
                    together.commit(key, successors.state(step), None);
                TreeStore::load(&mut alone, stored, &mut state);
                assert_eq!(state, successors.state(step), "width {width}");
            }
            // The same states as neighbours, and those with odd numbers only.
            let all: Vec<Word> = (0..successors.len()).flat_map(|step| successors.state(step)).copied().collect();
            let mut neighbours = Vec::new();
            alone.prepare_neighbours(width, &all, &mut neighbours);
            assert_eq!(neighbours, pending, "width {width}");
            let (mut odd, odd_ones) = (Vec::new(), pending.iter().copied().skip(1).step_by(2).collect::<Vec<_>>());
            together.prepare_all(&successors, (1..successors.len()).step_by(2), &mut odd);
            assert_eq!(odd, odd_ones, "width {width}");
            let (Inserted::New(last) | Inserted::Known(last)) =
                insert::<TreeStore>(&mut together, &state.clone(), None);
            TreeStore::load(&mut together, last, &mut state);
            together.quiesce();
            alone.quiesce();
        }
    }
}

#[test]
fn threads_agree_on_who_was_first() {
    fn race<S: Store>(store: &S, width: usize) {
        let count = |seed: u64| {
            let mut session = store.session();
            let mut new = 0u64;
            for number in 0..200_000u64 {
                let number = number.wrapping_mul(seed) % 200_003;
                if let Inserted::New(_) = insert::<S>(&mut session, &words(number, width), None) {
                    new += 1;
                }
                session.quiesce();
            }
            new
        };
        let new: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = [1, 3, 7, 199_999].map(|seed| scope.spawn(move || count(seed))).into();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        let distinct: HashSet<Vec<Word>> = [1, 3, 7, 199_999u64]
            .iter()
            .flat_map(|seed| (0..200_000u64).map(move |number| words(number.wrapping_mul(*seed) % 200_003, width)))
            .collect();
        assert_eq!(new, distinct.len() as u64);
    }
    for width in [2, 6] {
        race(&TreeStore::new(width), width);
        race(&ExactStore::new(width), width);
        race(&HashCompactStore::new(64), width);
        race(&BitstateStore::new(Filter::new(16 << 20, 8), 0).expect("there is room"), width);
    }
}

#[test]
fn staged_states_are_fresh_until_the_level_after_they_are_published() {
    fn stage<S: Staging>(store: &S) {
        let mut session = store.session();
        let (a, b) = (words(1, 3), words(2, 3));
        insert::<S>(&mut session, &a, None);
        store.begin_level();
        let mut look = |state: &[Word]| {
            let pending = session.prepare(state);
            S::stage(&mut session, pending, state)
        };
        assert_eq!(look(&a), Staged::Old);
        let Staged::Fresh(first) = look(&b) else { panic!("not there before") };
        assert_eq!(look(&b), Staged::Fresh(first));
        S::publish(&mut session, first, None);
        store.begin_level();
        let pending = session.prepare(&b);
        assert_eq!(S::stage(&mut session, pending, &b), Staged::Old);
    }
    stage(&TreeStore::new(3));
    stage(&ExactStore::new(3));
}

#[test]
fn a_state_costs_about_ten_bytes_at_any_size() {
    let store = TreeStore::new(2);
    let mut session = store.session();
    for number in 0..3_000_000u64 {
        insert::<TreeStore>(&mut session, &[number as u32, 7], None);
        if number.is_multiple_of(1000) {
            session.quiesce();
        }
        if number > 500_000 && number.is_multiple_of(100_000) {
            let bytes = store.bytes() as f64 / number as f64;
            assert!(bytes < 10.5, "{bytes} bytes per state at {number} states");
        }
    }
}

#[test]
fn a_hash_compact_store_takes_what_its_bits_take_and_says_how_sure_it_is() {
    for (bits, bytes_max) in [(32, 4.5), (40, 6.0), (48, 7.0), (64, 10.0)] {
        let store = HashCompactStore::new(bits);
        let mut session = store.session();
        let mut new = 0;
        for number in 0..300_000 {
            let mut state = words(7, 70);
            state[number as usize % 70] = number;
            let Inserted::New(name) = insert::<HashCompactStore>(&mut session, &state, None) else { continue };
            assert_eq!(insert::<HashCompactStore>(&mut session, &state, None), Inserted::Known(name));
            new += 1;
        }
        let missed = f64::from(300_000 - new);
        let expected = store.exactness().left_out(300_000);
        assert!((missed - expected).abs() <= 4.0 * expected.sqrt() + 0.5, "{missed} of {expected} with {bits} bits");
        let bytes = store.bytes() as f64 / 300_000.0;
        assert!(bytes < bytes_max, "{bytes} bytes a state of 280 with {bits} bits");
    }
    let exactness = HashCompactStore::new(64).exactness();
    assert_eq!(exactness, Exactness::Hashed { bits: 64 });
    assert_eq!(TreeStore::new(3).exactness().omission_probability(u64::MAX), 0.0);
    assert_eq!(TreeStore::new(3).exactness().coverage(u64::MAX), 1.0);
    let probability = exactness.omission_probability(1 << 20);
    assert!((probability - (-25f64).exp2()).abs() < 1e-12, "{probability}");
    assert_eq!(exactness.omission_probability(u64::MAX), 1.0);
    let coverage = HashCompactStore::new(32).exactness().coverage(1 << 24);
    assert!((coverage - 1.0 / (1.0 + 1.0 / 512.0)).abs() < 1e-6, "{coverage}");
}

#[test]
fn marks_are_added_and_one_thread_is_first() {
    let store = ExactStore::new(3);
    let mut session = store.session();
    let names: Vec<StateRef> = (0..20_000)
        .map(|number| match insert::<ExactStore>(&mut session, &words(number, 3), None) {
            Inserted::New(name) | Inserted::Known(name) => name,
        })
        .collect();
    let first: usize = std::thread::scope(|scope| {
        let mark = || names.iter().filter(|&&name| store.mark(name, 1) & 1 == 0).count();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(mark)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(first, names.iter().collect::<HashSet<_>>().len());
    assert_eq!(store.mark(names[7], 4), 1);
    assert_eq!((store.marks(names[7]), store.marks(names[8])), (5, 1));
}

/// Colours stay with their states while the table grows.
#[test]
fn colours_stay_with_their_states() {
    fn paints<S: Coloured>(store: &S, width: usize) {
        let mut session = store.session();
        let mut colours: std::collections::HashMap<StateRef, u8> = std::collections::HashMap::new();
        let mut x = width as u64;
        for round in 0..120_000u64 {
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(round | 1);
            let state = words(x >> 45, width);
            let pending = session.prepare(&state);
            let (inserted, colour) = S::commit_coloured(&mut session, pending, &state, None);
            let (Inserted::New(name) | Inserted::Known(name)) = inserted;
            assert_eq!(matches!(inserted, Inserted::New(_)), !colours.contains_key(&name), "width {width}");
            assert_eq!(colour, colours.get(&name).copied().unwrap_or(0), "width {width}");
            let next = (x >> 20) as u8 % 8;
            S::paint(&mut session, name, next);
            colours.insert(name, next);
        }
        for (&state, &colour) in &colours {
            assert_eq!(S::colour(&mut session, state), colour, "width {width}");
        }
    }
    for width in [1, 2, 3, 9, 40] {
        paints(&ColouredTree::coloured(width), width);
        paints(&ExactStore::new(width), width);
    }
}
