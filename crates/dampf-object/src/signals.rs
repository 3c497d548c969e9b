//! Signals: what a program has said about them, and which of them wait to be delivered.
//!
//! All of it belongs to the process, but for the signals that a thread blocks. It is written behind everything else in
//! a process's words, and only where there is something to write: programs without signals have states without them.

use dampf_core::Word;

/// There are signals 1 to 64.
pub const SIGNALS: u64 = 64;

pub const SIGKILL: u8 = 9;
pub const SIGALRM: u8 = 14;
pub const SIGSTOP: u8 = 19;
const FIRST_QUEUED: u8 = 32;

/// Flags of an action.
pub const RESTARTS: u64 = 0x1000_0000;
pub const ON_STACK: u64 = 0x0800_0000;
pub const NO_DEFER: u64 = 0x4000_0000;
pub const RESET: u64 = 0x8000_0000;

/// A handler that is none.
pub const DEFAULT: u64 = 0;
pub const IGNORE: u64 = 1;

/// What is to be done when a signal is delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SignalAction {
    pub handler: u64,
    pub flags: u64,
    /// Signals that are blocked while the handler runs.
    pub mask: u64,
}

/// A signal that was sent and not delivered yet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PendingSignal {
    pub signal: u8,
    /// The slot of the thread it was sent to; none if it was sent to the process.
    pub slot: Option<u32>,
    pub origin: Origin,
}

/// How a signal came about, which its handler may ask for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Origin {
    pub code: i32,
    pub value: u64,
}

/// A timer whose end is a signal. When it ends nobody knows: at any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Alarm {
    #[default]
    Off,
    Once,
    Periodic,
}

/// The stack on which a thread wants some of its handlers to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlternateStack {
    pub slot: u32,
    pub start: u64,
    pub bytes: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signals {
    /// Actions that are not the default. Ascending by signal.
    actions: Vec<(u8, SignalAction)>,
    /// Ascending.
    pending: Vec<PendingSignal>,
    /// Ascending by slot.
    stacks: Vec<AlternateStack>,
    pub alarm: Alarm,
}

/// What happens by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultEffect {
    Ends,
    Nothing,
    Stops,
}

pub fn default_effect(signal: u8) -> DefaultEffect {
    match signal {
        17 | 18 | 23 | 28 => DefaultEffect::Nothing,
        SIGSTOP..=22 => DefaultEffect::Stops,
        _ => DefaultEffect::Ends,
    }
}

/// The bit of a signal in a set.
pub fn bit(signal: u8) -> u64 {
    1 << (signal - 1)
}

/// A signal for people.
pub fn name(signal: u8) -> String {
    const NAMES: [&str; 32] = [
        "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM",
        "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF",
        "WINCH", "IO", "PWR", "SYS",
    ];
    match NAMES.get(usize::from(signal)) {
        Some(name) => format!("SIG{name}"),
        None => format!("signal {signal}"),
    }
}

const ACTION_WORDS: usize = 7;
const PENDING_WORDS: usize = 5;
const STACK_WORDS: usize = 5;

impl Signals {
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty() && self.pending.is_empty() && self.stacks.is_empty() && self.alarm == Alarm::Off
    }

    /// Whether a signal may be delivered sooner or later without anything else happening.
    pub fn are_due(&self) -> bool {
        !self.pending.is_empty() || self.alarm != Alarm::Off
    }

    pub fn action(&self, signal: u8) -> SignalAction {
        let found = self.actions.binary_search_by_key(&signal, |&(signal, _)| signal);
        found.map_or(SignalAction::default(), |at| self.actions[at].1)
    }

    pub fn set_action(&mut self, signal: u8, action: SignalAction) {
        self.actions.retain(|&(other, _)| other != signal);
        if action != SignalAction::default() {
            let at = self.actions.partition_point(|&(other, _)| other < signal);
            self.actions.insert(at, (signal, action));
        }
    }

    /// The signals that have handlers of the program's.
    pub fn handled(&self) -> u64 {
        let handled = self.actions.iter().filter(|(_, action)| !matches!(action.handler, DEFAULT | IGNORE));
        handled.fold(0, |set, &(signal, _)| set | bit(signal))
    }

    /// Whether a signal that is delivered would do nothing.
    pub fn is_ignored(&self, signal: u8) -> bool {
        match self.action(signal).handler {
            DEFAULT => default_effect(signal) == DefaultEffect::Nothing,
            handler => handler == IGNORE,
        }
    }

    /// Adds a signal to those that wait. Of most there is never more than one; real-time signals queue.
    pub fn add(&mut self, new: PendingSignal) {
        let is_same = |old: &&PendingSignal| old.signal == new.signal && old.slot == new.slot;
        if new.signal < FIRST_QUEUED && self.pending.iter().any(|old| is_same(&old)) {
            return;
        }
        // Those that queue are delivered in the order in which they were sent.
        let at = self.pending.partition_point(|old| (old.signal, old.slot) <= (new.signal, new.slot));
        self.pending.insert(at, new);
    }

    /// The signals of a set that wait for the thread in a slot, one of each number and origin.
    pub fn pending(&self, slot: u32, set: u64) -> impl Iterator<Item = PendingSignal> + '_ {
        let is_meant = move |pending: &&PendingSignal| {
            bit(pending.signal) & set != 0 && pending.slot.is_none_or(|target| target == slot)
        };
        let mut last = None;
        self.pending.iter().filter(is_meant).copied().filter(move |pending| {
            let key = Some((pending.signal, pending.slot));
            std::mem::replace(&mut last, key) != key
        })
    }

    pub fn remove(&mut self, delivered: PendingSignal) {
        if let Some(at) = self.pending.iter().position(|pending| *pending == delivered) {
            self.pending.remove(at);
        }
    }

    pub fn alternate_stack(&self, slot: u32) -> Option<AlternateStack> {
        self.stacks.iter().copied().find(|stack| stack.slot == slot)
    }

    pub fn set_alternate_stack(&mut self, slot: u32, stack: Option<AlternateStack>) {
        self.stacks.retain(|other| other.slot != slot);
        if let Some(stack) = stack {
            let at = self.stacks.partition_point(|other| other.slot < slot);
            self.stacks.insert(at, stack);
        }
    }

    /// Forgets what was sent to a thread that is no more, and where its handlers were to run.
    pub fn forget_thread(&mut self, slot: u32) {
        self.pending.retain(|pending| pending.slot != Some(slot));
        self.set_alternate_stack(slot, None);
    }

    pub fn has_thread(&self, slot: u32) -> bool {
        self.pending.iter().any(|pending| pending.slot == Some(slot)) || self.alternate_stack(slot).is_some()
    }

    /// Drops a signal that from now on is ignored.
    pub fn drop_ignored(&mut self, signal: u8) {
        if self.is_ignored(signal) {
            self.pending.retain(|pending| pending.signal != signal);
        }
    }

    pub fn encode(&self, out: &mut Vec<Word>) {
        if self.is_empty() {
            return;
        }
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        let counts = [self.actions.len(), self.pending.len(), self.stacks.len()];
        out.push(self.alarm as Word);
        out.extend(counts.map(|count| count as Word));
        for (signal, action) in &self.actions {
            out.push(Word::from(*signal));
            [action.handler, action.flags, action.mask].into_iter().for_each(|value| out.extend(halves(value)));
        }
        for pending in &self.pending {
            out.extend([pending.signal.into(), pending.slot.map_or(0, |slot| slot + 1), pending.origin.code as Word]);
            out.extend(halves(pending.origin.value));
        }
        for stack in &self.stacks {
            out.push(stack.slot);
            [stack.start, stack.bytes].into_iter().for_each(|value| out.extend(halves(value)));
        }
    }

    pub fn decode(words: &[Word]) -> Signals {
        let &[alarm, actions, pending, _, ref rest @ ..] = words else { return Signals::default() };
        let long = |words: &[Word]| u64::from(words[0]) | u64::from(words[1]) << 32;
        let (actions, rest) = rest.split_at(ACTION_WORDS * actions as usize);
        let (pending, stacks) = rest.split_at(PENDING_WORDS * pending as usize);
        let action = |words: &[Word]| {
            let action = SignalAction { handler: long(&words[1..]), flags: long(&words[3..]), mask: long(&words[5..]) };
            (words[0] as u8, action)
        };
        let pended = |words: &[Word]| PendingSignal {
            signal: words[0] as u8,
            slot: words[1].checked_sub(1),
            origin: Origin { code: words[2] as i32, value: long(&words[3..]) },
        };
        let stack =
            |words: &[Word]| AlternateStack { slot: words[0], start: long(&words[1..]), bytes: long(&words[3..]) };
        Signals {
            actions: actions.chunks_exact(ACTION_WORDS).map(action).collect(),
            pending: pending.chunks_exact(PENDING_WORDS).map(pended).collect(),
            stacks: stacks.chunks_exact(STACK_WORDS).map(stack).collect(),
            alarm: [Alarm::Off, Alarm::Once, Alarm::Periodic][alarm as usize],
        }
    }

    /// Whether words from elsewhere can be decoded.
    pub fn is_encoding(words: &[Word]) -> bool {
        let &[alarm, actions, pending, stacks, ref rest @ ..] = words else { return words.is_empty() };
        let parts = [(ACTION_WORDS, actions), (PENDING_WORDS, pending), (STACK_WORDS, stacks)];
        let length: u64 = parts.into_iter().map(|(words, count)| words as u64 * u64::from(count)).sum();
        let sent = || rest[ACTION_WORDS * actions as usize..].chunks(PENDING_WORDS).take(pending as usize);
        let signals = rest.chunks(ACTION_WORDS).take(actions as usize).map(|words| words[0]);
        alarm <= Alarm::Periodic as Word
            && rest.len() as u64 == length
            && signals.chain(sent().map(|words| words[0])).all(|signal| (1..=SIGNALS).contains(&u64::from(signal)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_read_as_they_were_written() {
        let mut signals = Signals { alarm: Alarm::Periodic, ..Signals::default() };
        signals.set_action(12, SignalAction { handler: 1 << 33, flags: RESET, mask: 5 });
        signals.set_action(2, SignalAction { handler: IGNORE, flags: 0, mask: 0 });
        for (signal, slot, value) in [(40, None, 9), (40, None, 3), (10, Some(2), 1 << 40), (10, Some(2), 7)] {
            signals.add(PendingSignal { signal, slot, origin: Origin { code: -1, value } });
        }
        for slot in [3, 1] {
            signals.set_alternate_stack(slot, Some(AlternateStack { slot, start: 1 << 34, bytes: 8192 }));
        }
        let mut words = Vec::new();
        signals.encode(&mut words);
        assert!(Signals::is_encoding(&words));
        assert_eq!(Signals::decode(&words), signals);
        for length in 1..words.len() {
            assert!(!Signals::is_encoding(&words[..length]), "the first {length} words are no signals");
        }
        let mut none = Vec::new();
        Signals::default().encode(&mut none);
        assert!(none.is_empty() && Signals::is_encoding(&none));
        assert_eq!(Signals::decode(&none), Signals::default());
    }

    #[test]
    fn real_time_signals_queue_in_order_and_others_do_not() {
        let mut signals = Signals::default();
        let pending = |signal, value| PendingSignal { signal, slot: None, origin: Origin { code: -1, value } };
        [(34, 2), (34, 1), (10, 5), (10, 6)]
            .into_iter()
            .for_each(|(signal, value)| signals.add(pending(signal, value)));
        assert_eq!(signals.pending(0, u64::MAX).collect::<Vec<_>>(), [pending(10, 5), pending(34, 2)]);
        signals.remove(pending(34, 2));
        assert_eq!(signals.pending(0, bit(34)).collect::<Vec<_>>(), [pending(34, 1)]);
    }
}
