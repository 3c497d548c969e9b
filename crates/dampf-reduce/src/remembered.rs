//! Choices that were made before.
//!
//! Which steps of a state are taken is a function of where processes stand, of the values of parameters, of the actions
//! that the steps begin with, and of the guards that the search for a set asks on its way. The first three are a *key*;
//! the guards form a tree of questions below it, since what is asked next follows from the answers so far. So a choice
//! is found again by asking a few guards, and a state with a new combination of answers adds a branch to the tree.
//!
//! What is remembered changes nothing but the time that choices take. It is bounded and forgotten when it is full;
//! where that has gained little, nothing is remembered from then on.

use dampf_core::Word;

/// So many keys are remembered, with so many words, and so many questions: some megabytes in all, where choices are
/// manifold.
const KEYS_MAX: usize = 1 << 16;
const WORDS_MAX: usize = 1 << 20;
const QUESTIONS_MAX: usize = 1 << 20;

const SLOTS_MIN: usize = 1 << 8;

/// A choice among more steps does not fit a node.
pub const STEPS_MAX: usize = u64::BITS as usize;

/// What comes next, in one word: the number of a question, or of a choice with the highest bit set, or nothing that was
/// seen before.
type Next = u32;
const UNKNOWN: Next = u32::MAX;
const CHOICE: Next = 1 << 31;

#[derive(Clone, Copy)]
struct Question {
    guard: u32,
    /// What comes next if the guard is true, and if it is false.
    next: [Next; 2],
}

#[derive(Clone, Copy)]
struct Key {
    hash: u64,
    start: u32,
    len: u32,
    first: Next,
}

/// A place in a tree from which it was not known what comes next.
#[derive(Clone, Copy)]
enum Gap {
    First { key: usize },
    Behind { question: usize, answer: usize },
}

pub struct Remembered {
    /// An open table of the numbers of keys, at most half full.
    slots: Vec<u32>,
    keys: Vec<Key>,
    words: Vec<Word>,
    questions: Vec<Question>,
    /// Which steps are taken, one bit for each.
    choices: Vec<u64>,
    /// Where the next choice belongs, and how many questions lead there.
    gap: Option<(Gap, usize)>,
    asked: u64,
    found: u64,
    is_given_up: bool,
}

impl Remembered {
    pub fn new() -> Self {
        Remembered {
            slots: vec![UNKNOWN; SLOTS_MIN],
            keys: Vec::new(),
            words: Vec::new(),
            questions: Vec::new(),
            choices: Vec::new(),
            gap: None,
            asked: 0,
            found: 0,
            is_given_up: false,
        }
    }

    pub fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Looks a key up and asks the guards below it: which steps are taken, one bit for each. None if a state like this
    /// was not seen before; then the choice that is made can be told.
    pub fn find(&mut self, key: &[Word], is_false: impl Fn(u32) -> bool) -> Option<u64> {
        self.asked += 1;
        let key = self.key(key);
        let (mut gap, mut next, mut asked) = (Gap::First { key }, self.keys[key].first, 0);
        while next & CHOICE == 0 {
            let question = self.questions[next as usize];
            let answer = usize::from(is_false(question.guard));
            gap = Gap::Behind { question: next as usize, answer };
            next = question.next[answer];
            asked += 1;
        }
        if next == UNKNOWN {
            self.gap = Some((gap, asked));
            return None;
        }
        self.found += 1;
        Some(self.choices[(next & !CHOICE) as usize])
    }

    /// Remembers the choice that was made for the key that was last asked for, with all guards that were asked and
    /// whether they were false.
    pub fn learn(&mut self, asked: &[(u32, bool)], taken: u64) {
        let Some((mut gap, known)) = self.gap.take() else { return };
        for (guard, is_false) in &asked[known..] {
            let question = self.questions.len();
            self.questions.push(Question { guard: *guard, next: [UNKNOWN; 2] });
            self.fill(gap, question as Next);
            gap = Gap::Behind { question, answer: usize::from(*is_false) };
        }
        self.fill(gap, self.choices.len() as Next | CHOICE);
        self.choices.push(taken);
    }

    fn fill(&mut self, gap: Gap, next: Next) {
        match gap {
            Gap::First { key } => self.keys[key].first = next,
            Gap::Behind { question, answer } => self.questions[question].next[answer] = next,
        }
    }

    /// The number of a key, which is new if it was not asked for before.
    fn key(&mut self, words: &[Word]) -> usize {
        let hash = hash(words);
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != UNKNOWN {
            let number = self.slots[slot] as usize;
            let key = self.keys[number];
            if key.hash == hash && &self.words[key.start as usize..][..key.len as usize] == words {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        if self.keys.len() == KEYS_MAX || self.words.len() > WORDS_MAX || self.questions.len() > QUESTIONS_MAX {
            self.forget();
        }
        let (start, len) = (self.words.len() as u32, words.len() as u32);
        self.words.extend_from_slice(words);
        self.keys.push(Key { hash, start, len, first: UNKNOWN });
        if self.keys.len() * 2 > self.slots.len() {
            self.slots = vec![UNKNOWN; 2 * self.slots.len()];
            (0..self.keys.len()).for_each(|number| self.place(number));
        } else {
            self.place(self.keys.len() - 1);
        }
        self.keys.len() - 1
    }

    /// Gives a key a slot of the table.
    fn place(&mut self, number: usize) {
        let mask = self.slots.len() - 1;
        let mut slot = self.keys[number].hash as usize & mask;
        while self.slots[slot] != UNKNOWN {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = number as u32;
    }

    fn forget(&mut self) {
        // To make a choice takes some ten times as long as to find one, and to remember it as long as to find it.
        self.is_given_up |= self.found < self.asked / 4;
        (self.asked, self.found) = (0, 0);
        self.slots.fill(UNKNOWN);
        self.keys.clear();
        self.words.clear();
        self.questions.clear();
        self.choices.clear();
    }
}

/// A quick hash; keys differ in few bits anywhere in their words.
fn hash(words: &[Word]) -> u64 {
    let mut hash = words.len() as u64;
    for word in words {
        hash = (hash.rotate_left(23) ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash ^ hash >> 32
}
