//! What histories tell, operation by operation, and that they have the races of vector clocks.

use super::*;

const RELAXED: Order = Order { acquires: false, releases: false };
const FLAG: u64 = 0x1000;
const DATA: u64 = 0x2000;

fn accessed(history: &mut History, slot: u32, address: u64, bytes: u64, writes: bool, pc: u32) -> bool {
    history.access(slot, MemoryAccess { address, bytes, writes }, pc, true)
}

fn written() -> History {
    let mut history = History::default();
    assert!(accessed(&mut history, 0, DATA, 4, true, 7));
    history
}

fn races(history: &History) -> bool {
    history.conflict(1, DATA, 4, false).is_some()
}

#[test]
fn a_release_that_is_acquired_orders() {
    for (store, load, is_race) in
        [(Order::FULL, Order::FULL, false), (RELAXED, Order::FULL, true), (Order::FULL, RELAXED, true)]
    {
        let mut history = written();
        history.store(0, FLAG, store, false);
        history.load(1, FLAG, load, true);
        assert_eq!(races(&history), is_race, "{store:?} {load:?}");
        history.fence(1, Order::FULL);
        assert_eq!(races(&history), store == RELAXED, "{store:?} {load:?} and a fence");
    }
}

#[test]
fn a_fence_lets_later_stores_release_what_came_before() {
    let mut history = written();
    history.fence(0, Order::FULL);
    assert!(accessed(&mut history, 0, DATA + 8, 4, true, 8));
    history.store(0, FLAG, RELAXED, false);
    history.load(1, FLAG, Order::FULL, true);
    assert!(!races(&history) && history.conflict(1, DATA + 8, 4, false).is_some());
}

#[test]
fn updates_go_on_with_a_release_and_stores_end_it() {
    for (updates, is_race) in [(true, false), (false, true)] {
        let mut history = written();
        history.store(0, FLAG, Order::FULL, false);
        history.store(2, FLAG, RELAXED, updates);
        history.load(1, FLAG, Order::FULL, false);
        assert_eq!(races(&history), is_race);
    }
}

#[test]
fn parts_of_a_variable_are_about_the_same() {
    let mut history = written();
    history.store(0, place(FLAG + 1, 1), Order::FULL, false);
    history.store(2, place(FLAG + 2, 1), RELAXED, false);
    let mut whole = history.clone();
    history.load(1, place(FLAG, 8), Order::FULL, false);
    assert!(!races(&history));
    whole.store(2, place(FLAG, 8), RELAXED, false);
    whole.load(1, place(FLAG + 1, 1), Order::FULL, false);
    assert!(races(&whole));
}

#[test]
fn knowledge_travels_and_ends() {
    let mut history = written();
    history.release(0, end_of(0));
    history.begin(2, 1);
    assert!(races(&history));
    history.acquire(2, end_of(0));
    history.tell(2, 1);
    assert!(!races(&history) && history.conflict(3, DATA, 4, false).is_some());
    history.settle([1, 2].into_iter());
    assert!(history.is_empty());
}

#[test]
fn whoever_waits_for_an_end_will_know() {
    let mut history = written();
    assert!(!history.foresee(1, 2) && races(&history));
    assert!(history.foresee(2, 0) && history.foresee(1, 2) && !history.foresee(1, 2));
    assert!(!races(&history));
    let mut ended = written();
    ended.release(0, end_of(0));
    ended.begin(3, 0);
    ended.release(3, end_of(3));
    assert!(!ended.foresee(1, 3), "it is another thread in the same slot");
}

#[test]
fn a_later_access_that_says_as_much_is_enough() {
    let mut history = written();
    assert!(accessed(&mut history, 0, DATA, 8, true, 9));
    assert!(accessed(&mut history, 0, DATA, 4, false, 10));
    assert!(accessed(&mut history, 1, DATA + 8, 4, false, 9));
    history.settle([0, 1, 2].into_iter());
    assert_eq!(history.entries().len(), 3);
    assert!(accessed(&mut history, 0, DATA, 4, false, 11));
    assert_eq!(history.entries().iter().filter(|entry| entry.pc == 10).count(), 0);
}

#[test]
fn locks_order_where_nothing_else_is_tracked() {
    let written = |lock: Option<u64>| {
        let mut history = History::default();
        lock.inspect(|&lock| history.hold(0, lock));
        assert!(history.access(0, MemoryAccess { address: DATA, bytes: 4, writes: true }, 7, false));
        lock.inspect(|&lock| history.give_back(0, lock & !FOR_READING));
        history.release(0, FLAG);
        history
    };
    let read = |mut history: History, lock: Option<u64>| {
        history.acquire(1, FLAG);
        history.load(1, FLAG, Order::FULL, true);
        lock.inspect(|&lock| history.hold(1, lock));
        races(&history)
    };
    assert!(read(written(None), None) && read(written(None), Some(8)) && read(written(Some(8)), None));
    assert!(!read(written(Some(8)), Some(8)) && read(written(Some(8)), Some(16)));
    assert!(!read(written(Some(8)), Some(8 | FOR_READING)) && !read(written(Some(8 | FOR_READING)), Some(8)));
    assert!(read(written(Some(8 | FOR_READING)), Some(8 | FOR_READING)), "two may read at the same time");
    let mut ended = written(Some(8));
    ended.release(0, end_of(0));
    ended.acquire(1, end_of(0));
    assert!(!races(&ended) && ended.conflict(2, DATA, 4, false).is_some_and(|entry| !entry.is_tracked()));
    ended.begin(1, 2);
    assert!(ended.conflict(2, DATA, 4, false).is_none());
}

#[test]
fn a_history_is_read_as_it_was_written() {
    let mut history = written();
    assert!(accessed(&mut history, 1, 1 << 41, 16, false, u32::MAX));
    history.store(0, FLAG, Order::FULL, false);
    history.fence(1, Order::FULL);
    history.hold(1, 48);
    history.hold(2, 64 | FOR_READING);
    assert!(history.access(1, MemoryAccess { address: DATA, bytes: 2, writes: false }, 5, false));
    history.settle([0, 1, 2].into_iter());
    let mut words = Vec::new();
    history.encode(&mut words);
    words.push(77);
    assert_eq!(History::decode(&words), (history, &[77][..]));
    assert_eq!(History::skip(&words), Some(&[77][..]));
    for length in 0..words.len() - 1 {
        assert_eq!(History::skip(&words[..length]), None, "{length}");
    }
}

/// What happens before what, by vector clocks: the definition itself.
#[derive(Default)]
struct Clocks {
    threads: [[u32; THREADS]; THREADS],
    left: std::collections::BTreeMap<u64, [u32; THREADS]>,
    /// Slot, time, address and whether it writes.
    accesses: Vec<(usize, u32, u64, bool)>,
}

const THREADS: usize = 3;
const LOCKS: [u64; 2] = [0x100_0000, 0x100_0100];

impl Clocks {
    fn release(&mut self, slot: usize, place: u64) {
        let left = self.left.entry(place).or_default();
        left.iter_mut().zip(self.threads[slot]).for_each(|(left, time)| *left = time.max(*left));
        self.threads[slot][slot] += 1;
    }

    fn acquire(&mut self, slot: usize, place: u64) {
        let left = self.left.get(&place).copied().unwrap_or_default();
        self.threads[slot].iter_mut().zip(left).for_each(|(time, left)| *time = left.max(*time));
    }

    /// Whether an access races with one that was made; makes it.
    fn races(&mut self, slot: usize, address: u64, writes: bool) -> bool {
        let now = self.threads[slot];
        let races = |&(other, time, place, wrote): &(usize, u32, u64, bool)| {
            other != slot && place == address && (writes || wrote) && time > now[other]
        };
        let found = self.accesses.iter().any(races);
        self.accesses.push((slot, now[slot], address, writes));
        found
    }
}

/// Random runs of threads with locks, flags and plain accesses. With everything tracked, the first race of a run is
/// found where the clocks have it and nothing is found before; with locks alone nothing is missed, and what is found
/// too early is told from a race.
#[test]
fn histories_have_the_races_of_vector_clocks() {
    let (mut raced, mut clean, mut doubted) = (0, 0, 0);
    for seed in 0..6_000 {
        let mut random = dampf_testkit::random::Random::new(seed);
        let mut clocks = Clocks::default();
        (0..THREADS).for_each(|slot| clocks.threads[slot][slot] = 1);
        let (mut tracked, mut by_locks) = (History::default(), History::default());
        let mut held: [Vec<usize>; THREADS] = Default::default();
        let (mut is_doubted, mut is_raced) = (false, false);
        for _ in 0..40 {
            let slot = random.below(THREADS as u64) as usize;
            let (name, lock) = (slot as u32, random.below(2) as usize);
            let place = LOCKS[lock];
            match random.below(8) {
                0 | 1 if held.iter().all(|held| !held.contains(&lock)) => {
                    held[slot].push(lock);
                    clocks.acquire(slot, place);
                    for history in [&mut tracked, &mut by_locks] {
                        history.hold(name, place);
                        history.acquire(name, place);
                    }
                }
                0..=2 if held[slot].contains(&lock) => {
                    held[slot].retain(|&other| other != lock);
                    clocks.release(slot, place);
                    for history in [&mut tracked, &mut by_locks] {
                        history.give_back(name, place);
                        history.release(name, place);
                    }
                }
                3 => {
                    let order = if random.one_in(2) { Order::FULL } else { RELAXED };
                    if order.acquires {
                        clocks.acquire(slot, FLAG);
                    }
                    [&mut tracked, &mut by_locks]
                        .into_iter()
                        .for_each(|history| history.load(name, FLAG, order, false));
                }
                4 => {
                    let order = if random.one_in(2) { Order::FULL } else { RELAXED };
                    clocks.left.remove(&FLAG);
                    if order.releases {
                        clocks.release(slot, FLAG);
                    }
                    [&mut tracked, &mut by_locks]
                        .into_iter()
                        .for_each(|history| history.store(name, FLAG, order, false));
                }
                _ => {
                    // Most memory is used under its lock.
                    let cell = if random.one_in(8) { random.below(2) as usize } else { lock };
                    if cell == lock && !held[slot].contains(&lock) && !random.one_in(6) {
                        continue;
                    }
                    let (address, writes) = (DATA + 64 * cell as u64, random.one_in(2));
                    let access = MemoryAccess { address, bytes: 4, writes };
                    let is_race = clocks.races(slot, address, writes);
                    let found = tracked.conflict(name, address, 4, writes).is_some();
                    assert_eq!(found, is_race, "seed {seed}");
                    let conflict = by_locks.conflict(name, address, 4, writes);
                    assert!(conflict.is_some() || !is_race, "seed {seed}: a race is missed");
                    assert!(conflict.is_none_or(|entry| !entry.is_tracked()), "seed {seed}");
                    is_doubted |= conflict.is_some() && !is_race;
                    is_raced |= is_race;
                    if is_race || conflict.is_some() {
                        break;
                    }
                    tracked.access(name, access, 1, true);
                    by_locks.access(name, access, 1, false);
                }
            }
            for history in [&mut tracked, &mut by_locks] {
                history.settle(0..THREADS as u32);
            }
        }
        raced += u32::from(is_raced);
        doubted += u32::from(is_doubted);
        clean += u32::from(!is_raced && !is_doubted);
    }
    assert!(raced > 100 && clean > 100 && doubted > 100, "{raced} {clean} {doubted}");
}
