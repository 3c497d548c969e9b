//! The words of a state while a step changes them.
//!
//! Constants that are stored into a word are collected and merged into it once: whatever a step stores into
//! the fields of a word, it costs an AND and an OR, and a move from one known location to another a single
//! XOR. A view never changes while an expression is evaluated, because the code of an expression may be
//! conditional; only stores, which run in sequence, change it.

use super::facts::Facts;
use super::lowering::{Cursor, Lowering};
use super::operand::{Operand, Raw};
use crate::layout::{ArrayField, Field};
use cranelift_codegen::ir::{InstBuilder, Value};

/// Where the bits of a word come from that no constant was stored into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// The state that is expanded.
    Before,
    Value(Value),
    /// The successor's memory.
    After,
}

#[derive(Clone, Copy, Debug)]
struct WordView {
    base: Base,
    /// The bits that are as in the base; the others are as in `set`.
    kept: u32,
    /// The constants; zero bits where the base is kept.
    set: u32,
    /// Bits of the base that have known values, and these values.
    known: u32,
    known_bits: u32,
}

impl WordView {
    const UNCHANGED: WordView = WordView { base: Base::Before, kept: u32::MAX, set: 0, known: 0, known_bits: 0 };

    fn is_unchanged(&self) -> bool {
        self.base == Base::Before && self.kept == u32::MAX
    }
}

/// A state, before a step or in the middle of it.
#[derive(Clone)]
pub(super) struct View {
    words: Vec<WordView>,
    pub facts: Facts,
    /// Where the step builds its result; none before the step.
    cursor: Option<Cursor>,
}

impl View {
    /// The state that is expanded.
    pub fn before(width: usize, facts: Facts) -> View {
        View { words: vec![WordView::UNCHANGED; width], facts, cursor: None }
    }

    /// The beginning of a step in a state of which something is known.
    pub fn begin_step(&self, cursor: Cursor) -> View {
        let mut view = self.clone();
        view.cursor = Some(cursor);
        for (field, value) in self.facts.constants() {
            let word = &mut view.words[field.word as usize];
            // In code that is never reached, something may be assumed that the field cannot hold.
            let bits = value.wrapping_sub(field.base) as u32 & field.mask();
            word.known |= field.mask() << field.shift;
            word.known_bits |= bits << field.shift;
        }
        view
    }
}

impl Lowering<'_, '_> {
    fn base(&mut self, view: &View, word: u32) -> Value {
        match view.words[word as usize].base {
            Base::Before => self.word(word),
            Base::Value(value) => value,
            Base::After => {
                let cursor = view.cursor.expect("only a step has a successor");
                self.load_at(cursor.words, word)
            }
        }
    }

    /// A word with the constants that were stored into it.
    fn merged(&mut self, view: &View, word: u32) -> Value {
        let WordView { kept, set, known, known_bits, .. } = view.words[word as usize];
        if kept == 0 {
            return self.constant(set);
        }
        let base = self.base(view, word);
        if !kept & !known == 0 {
            return self.flip_bits(base, (known_bits ^ set) & !kept);
        }
        let cleared = if set == !kept { base } else { self.and_bits(base, kept) };
        self.or_bits(cleared, set)
    }

    pub fn read_field(&mut self, view: &View, field: Field) -> Operand {
        let range = view.facts.of(field);
        if let Some(value) = range.constant() {
            return Operand::constant(value);
        }
        let mask = field.mask() << field.shift;
        let WordView { kept, set, .. } = view.words[field.word as usize];
        if kept & mask == 0 {
            return Operand::constant(field.decode((set & mask) >> field.shift));
        }
        Operand::field(self.base(view, field.word), field, range)
    }

    /// Stores a value, which must be congruent to the stored one modulo the field's type.
    pub fn write_field(&mut self, view: &mut View, field: Field, value: Operand) {
        if field.bits == 0 {
            return;
        }
        let mask = field.mask() << field.shift;
        if let Some(value) = value.known() {
            let bits = (value.wrapping_sub(field.base) as u32 & field.mask()) << field.shift;
            let word = &mut view.words[field.word as usize];
            word.kept &= !mask;
            word.set = word.set & !mask | bits;
            return;
        }
        let WordView { base, kept, .. } = view.words[field.word as usize];
        let moved = match value.raw {
            // A value of the same field, some constants away.
            Raw::Field { word, field: from } if from == field && kept & mask == mask && !field.wraps() => {
                let is_same = match base {
                    // Whatever was read of this word so far was read before the step changed it.
                    Base::Before => true,
                    Base::Value(value) => value == word,
                    Base::After => false,
                };
                is_same.then(|| self.moved_field(word, field, value))
            }
            _ => None,
        };
        let new = match moved {
            Some(new) => new,
            None => {
                let encoded = self.encode(value, field);
                if field.bits == 32 {
                    encoded
                } else {
                    let base = self.base(view, field.word);
                    let cleared = self.and_bits(base, !mask);
                    let shifted = self.shift_left(encoded, field.shift);
                    self.builder.ins().bor(cleared, shifted)
                }
            }
        };
        let word = &mut view.words[field.word as usize];
        word.base = Base::Value(new);
        word.kept |= mask;
        word.set &= !mask;
        word.known &= !mask;
        word.known_bits &= !mask;
    }

    /// The word with a field moved by a constant distance from its value.
    fn moved_field(&mut self, word: Value, field: Field, value: Operand) -> Value {
        let mask = field.mask() << field.shift;
        let distance = value.offset.wrapping_sub(field.base);
        let sum = self.add_constant(word, ((distance as u32) << field.shift) as i32);
        let (least, greatest) = (i64::from(field.base), i64::from(field.base) + i64::from(field.mask()));
        if value.range.is_within(least, greatest) || field.shift + field.bits == 32 && field.shift == 0 {
            return sum;
        }
        let (kept, moved) = (self.and_bits(word, !mask), self.and_bits(sum, mask));
        self.builder.ins().bor(kept, moved)
    }

    /// The bits of a value at the low end of a register; other bits are zero unless the shift to the field's
    /// place drops them.
    fn encode(&mut self, value: Operand, field: Field) -> Value {
        let distance = value.plus(field.base.wrapping_neg());
        let bits = self.register(distance);
        let fits = distance.range.is_within(0, i64::from(field.mask()));
        if fits || field.shift + field.bits == 32 { bits } else { self.and_bits(bits, field.mask()) }
    }

    /// The shift, in its word, of an element of an array.
    fn element_shift(&mut self, array: &ArrayField, index: Operand) -> Value {
        let index = self.register(index);
        let within = if array.is_one_word() { index } else { self.and_bits(index, array.per_word - 1) };
        let shift = self.multiply_by(within, array.stride);
        self.add_constant(shift, array.first.shift as i32)
    }

    /// The address of the word of an element, given the address of a state.
    fn element_address(&mut self, array: &ArrayField, index: Operand, state: Value) -> Value {
        let index = self.register(index);
        let word = self.shift_right(index, array.per_word.trailing_zeros());
        let word = self.builder.ins().uextend(cranelift_codegen::ir::types::I64, word);
        let bytes = self.builder.ins().ishl_imm_u(word, 2);
        let address = self.builder.ins().iadd(state, bytes);
        self.builder.ins().iadd_imm_s(address, i64::from(array.first.word) * 4)
    }

    /// Reads an element whose index is within bounds.
    pub fn read_element(&mut self, view: &View, array: &ArrayField, index: Operand) -> Operand {
        if let Some(index) = index.known() {
            return self.read_field(view, array.element(index as u32));
        }
        if array.first.bits == 0 {
            return Operand::constant(array.first.decode(0));
        }
        let word = if array.is_one_word() {
            self.merged(view, array.first.word)
        } else {
            let is_before = array.words().all(|word| view.words[word as usize].is_unchanged());
            let state = if is_before { self.state } else { view.cursor.expect("a step changed the array").words };
            let address = self.element_address(array, index, state);
            self.load_at(address, 0)
        };
        let shift = self.element_shift(array, index);
        let shifted = self.builder.ins().ushr(word, shift);
        let bits = self.and_bits(shifted, array.first.mask());
        self.decoded(bits, array.first)
    }

    /// Makes the successor's memory current for an array of several words, so that it can be indexed there.
    /// An array that is unchanged so far is indexed in the state that is expanded.
    pub fn settle(&mut self, view: &mut View, array: &ArrayField, is_written: bool) {
        let is_before = array.words().all(|word| view.words[word as usize].is_unchanged());
        if array.is_one_word() || is_before && !is_written {
            return;
        }
        let cursor = view.cursor.expect("only a step changes an array");
        for word in array.words() {
            let WordView { base, kept, .. } = view.words[word as usize];
            if base != Base::After || kept != u32::MAX {
                let value = self.merged(view, word);
                self.store_at(value, cursor.words, word);
                view.words[word as usize] = WordView { base: Base::After, ..WordView::UNCHANGED };
            }
        }
    }

    /// Stores into an element whose index is within bounds.
    pub fn write_element(&mut self, view: &mut View, array: &ArrayField, index: Operand, value: Operand) {
        let field = array.first;
        if let Some(index) = index.known() {
            return self.write_field(view, array.element(index as u32), value);
        }
        if field.bits == 0 {
            return;
        }
        let shift = self.element_shift(array, index);
        let place = match array.is_one_word() {
            true => None,
            false => {
                self.settle(view, array, true);
                let state = view.cursor.expect("only a step stores").words;
                Some(self.element_address(array, index, state))
            }
        };
        let word = match place {
            None => self.merged(view, field.word),
            Some(address) => self.load_at(address, 0),
        };
        let encoded = match value.known() {
            Some(value) => self.constant(value.wrapping_sub(field.base) as u32 & field.mask()),
            None => self.encode(value, Field { shift: 0, ..field }),
        };
        let mask = self.constant(field.mask());
        let mask = self.builder.ins().ishl(mask, shift);
        let cleared = self.builder.ins().band_not(word, mask);
        let bits = self.builder.ins().ishl(encoded, shift);
        let new = self.builder.ins().bor(cleared, bits);
        match place {
            None => self.replace_word(view, field.word, new),
            Some(address) => self.store_at(new, address, 0),
        }
    }

    /// Replaces a whole word.
    fn replace_word(&mut self, view: &mut View, word: u32, value: Value) {
        view.words[word as usize] = WordView { base: Base::Value(value), ..WordView::UNCHANGED };
    }

    /// Sets bits that are zero, at an element's place: a message enters a buffer.
    pub fn fill_element(&mut self, view: &mut View, array: &ArrayField, index: Operand, value: Operand) {
        let shift = self.element_shift(array, index);
        let encoded = self.encode(value, Field { shift: 0, ..array.first });
        let bits = self.builder.ins().ishl(encoded, shift);
        for (number, word) in array.words().enumerate() {
            let bits = match index.known() {
                _ if array.is_one_word() => bits,
                Some(index) if index as u32 / array.per_word == number as u32 => bits,
                Some(_) => continue,
                None => {
                    let index = self.register(index);
                    let chosen = self.shift_right(index, array.per_word.trailing_zeros());
                    let number = self.constant(number as u32);
                    let equal = cranelift_codegen::ir::condcodes::IntCC::Equal;
                    let is_chosen = self.builder.ins().icmp(equal, chosen, number);
                    let nothing = self.constant(0);
                    self.builder.ins().select(is_chosen, bits, nothing)
                }
            };
            let now = self.merged(view, word);
            let new = self.builder.ins().bor(now, bits);
            self.replace_word(view, word, new);
        }
    }

    /// Moves every element one place towards the head; the last becomes zero: a message leaves a buffer.
    pub fn shift_elements(&mut self, view: &mut View, array: &ArrayField) {
        let words: Vec<u32> = array.words().collect();
        let values: Vec<Value> = words.iter().map(|&word| self.merged(view, word)).collect();
        for (number, &word) in words.iter().enumerate() {
            let elements = array.per_word.min(array.len - number as u32 * array.per_word);
            let (stride, shift) = (array.stride, array.first.shift);
            let occupied = low_bits(elements * stride) << shift;
            let remaining = low_bits((elements - 1) * stride) << shift;
            let moved = if remaining == 0 {
                self.constant(0)
            } else {
                let moved = self.shift_right(values[number], stride);
                self.and_bits(moved, remaining)
            };
            let moved = match values.get(number + 1) {
                None => moved,
                Some(&next) => {
                    // Words before the last one are full of elements.
                    let element = self.and_bits(next, array.first.mask());
                    let carried = self.shift_left(element, (elements - 1) * stride);
                    self.builder.ins().bor(moved, carried)
                }
            };
            let new = if occupied == u32::MAX {
                moved
            } else {
                let others = self.and_bits(values[number], !occupied);
                self.builder.ins().bor(others, moved)
            };
            self.replace_word(view, word, new);
        }
    }

    /// Writes what the successor's memory does not hold yet.
    pub fn write_back(&mut self, view: &View, cursor: Cursor) {
        let width = view.words.len();
        let mut word = 0;
        while word < width {
            let rest = &view.words[word..];
            // Unchanged words are copied several at a time, even if one among them is then written again.
            let count = if self.is_worth_copying(rest, 4) {
                self.copy_four_words(cursor, word as u32);
                4
            } else if self.is_worth_copying(rest, 2) {
                self.copy_two_words(cursor, word as u32);
                2
            } else {
                let is_current = rest[0].base == Base::After && rest[0].kept == u32::MAX;
                if !is_current {
                    let value = self.merged(view, word as u32);
                    self.store_at(value, cursor.words, word as u32);
                }
                word += 1;
                continue;
            };
            for changed in (word..word + count).filter(|&at| !view.words[at].is_unchanged()) {
                let value = self.merged(view, changed as u32);
                self.store_at(value, cursor.words, changed as u32);
            }
            word += count;
        }
    }

    fn is_worth_copying(&self, words: &[WordView], count: usize) -> bool {
        let Some(words) = words.get(..count) else { return false };
        let changed = words.iter().filter(|word| !word.is_unchanged()).count();
        changed * 3 <= count && words.iter().all(|word| word.base != Base::After)
    }
}

fn low_bits(count: u32) -> u32 {
    ((1u64 << count) - 1) as u32
}

impl ArrayField {
    /// The words that hold elements.
    pub(super) fn words(&self) -> std::ops::RangeInclusive<u32> {
        self.first.word..=self.first.word + (self.len - 1) / self.per_word
    }
}
