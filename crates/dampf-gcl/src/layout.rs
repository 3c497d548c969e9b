//! Where every value of a program lives in a state's words: the papers' state compaction.
//!
//! A value that ranges over `count` consecutive numbers from `base` on takes as many bits as `count` needs,
//! and is kept as its distance from `base`. Ranges come from the analysis in [`crate::ranges`]; an unsigned
//! byte that holds 255, 0, 1 and 2 is the *wrapped* range of four values from -1 on and takes two bits.
//!
//! No field straddles words. Fields are spread evenly over as few words as hold them, because a tree-compressed store
//! does best with words of similar variety; within that, declaration order is kept, a process's location beside its
//! local variables, so that one step touches few words. An array that is only ever indexed by constants is laid out as
//! so many scalars.

use crate::ir::{Effect, Expr, IntType, Place, ProcessId, Program, Sync, Variable, VariableId};
use crate::ranges::Range;
use dampf_core::Word;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// One packed value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    pub word: u32,
    pub shift: u32,
    /// 0 to 32. A field without bits always has the value `base`.
    pub bits: u32,
    /// The value kept as zero bits.
    pub base: i32,
    pub ty: IntType,
}

impl Field {
    /// The mask of the field's bits, unshifted.
    pub fn mask(self) -> u32 {
        ((1u64 << self.bits) - 1) as u32
    }

    /// Whether a value kept here is not simply `base` plus the field's bits, but that wrapped to the type.
    pub fn wraps(self) -> bool {
        self.bits < 32 && {
            let last = i64::from(self.base) + i64::from(self.mask());
            let (least, greatest) = self.ty.range();
            i64::from(self.base) < i64::from(least) || last > i64::from(greatest)
        }
    }

    pub fn decode(self, bits: u32) -> i32 {
        self.ty.wrap(self.base.wrapping_add(bits as i32))
    }

    /// The bits of a value, which is within the type and within the range that the field was laid out for.
    pub fn encode(self, value: i32) -> u32 {
        let distance = IntType { bits: self.ty.bits, signed: false }.wrap(value.wrapping_sub(self.base)) as u32;
        debug_assert_eq!(distance & !self.mask(), 0, "{value} is outside the range of its field {self:?}");
        distance & self.mask()
    }

    pub fn get(self, state: &[Word]) -> i32 {
        self.decode(state[self.word as usize] >> self.shift & self.mask())
    }

    pub fn set(self, state: &mut [Word], value: i32) {
        let word = &mut state[self.word as usize];
        *word = *word & !(self.mask() << self.shift) | self.encode(value) << self.shift;
    }
}

/// Packed values of one type side by side, addressed by an index known only at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayField {
    /// Element 0.
    pub first: Field,
    pub len: u32,
    /// Bits from one element to the next within a word.
    pub stride: u32,
    /// Elements in a word: `len` where one word holds them all, otherwise a power of two.
    pub per_word: u32,
}

impl ArrayField {
    pub fn element(&self, index: u32) -> Field {
        debug_assert!(index < self.len);
        let word = self.first.word + index / self.per_word;
        let shift = self.first.shift + index % self.per_word * self.stride;
        Field { word, shift, ..self.first }
    }

    /// Whether all elements are in one word.
    pub fn is_one_word(&self) -> bool {
        self.per_word >= self.len
    }
}

/// Where a variable lives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Storage {
    Scalar(Field),
    /// An array that is indexed by constants only.
    Elements(Vec<Field>),
    Array(ArrayField),
}

/// Where a buffered channel lives. Slots that hold no message are zero bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    pub length: Field,
    /// For each field of a message, its values from head to tail.
    pub slots: Vec<ArrayField>,
}

/// Where everything lives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The words of a state; at least 1.
    pub width: usize,
    /// Bits in use.
    pub bits: u32,
    pub locations: Vec<Field>,
    pub variables: Vec<Storage>,
    /// None for a rendezvous channel.
    pub channels: Vec<Option<Buffer>>,
    /// The process that holds the system, plus 1; 0 for none. Only where a program can have one.
    pub holder: Option<Field>,
}

/// The bits that numbers from 0 to `count - 1` need.
pub fn bits_for(count: u64) -> u32 {
    64 - count.saturating_sub(1).leading_zeros()
}

/// What is placed as one piece.
#[derive(Clone, Copy)]
struct Piece {
    bits: u32,
}

impl Layout {
    /// Lays a program out; `ranges` has one entry per variable.
    pub fn new(program: &Program, ranges: &[Range]) -> Layout {
        let mut packer = Packer::default();
        let dynamic = dynamically_indexed(program);
        let number = IntType::I32;
        let plain = |bits| Field { word: 0, shift: 0, bits, base: 0, ty: number };

        // First collect the pieces in the order in which they should lie, then place them, then read back.
        let storage = |packer: &mut Packer, id: usize| {
            let (variable, range) = (&program.variables[id], ranges[id]);
            let field = Field { word: 0, shift: 0, bits: bits_for(range.count), base: range.base, ty: variable.ty };
            match variable.array {
                None => Placed::Scalar(packer.add(field.bits), field),
                Some(len) if !dynamic[id] => {
                    Placed::Elements((0..len).map(|_| packer.add(field.bits)).collect(), field)
                }
                Some(len) => Placed::Array(packer.add_array(field.bits, len), field, len),
            }
        };
        let mut variables: Vec<Option<Placed>> = vec![None; program.variables.len()];
        // What a process has to do with stands beside its own, so that its steps change few words, and those together.
        let homes = homes(program);
        for (id, variable) in program.variables.iter().enumerate() {
            if variable.owner.is_none() && homes[id].is_none() {
                variables[id] = Some(storage(&mut packer, id));
            }
        }
        let mut channels = Vec::new();
        for channel in &program.channels {
            channels.push((channel.capacity > 0).then(|| {
                let length = packer.add(bits_for(u64::from(channel.capacity) + 1));
                let slot = |ty: &IntType| (packer.add_array(u32::from(ty.bits), channel.capacity), *ty);
                (length, channel.fields.iter().map(slot).collect::<Vec<_>>())
            }));
        }
        let mut locations = Vec::new();
        for (number, process) in program.processes.iter().enumerate() {
            locations.push(packer.add(bits_for(process.locations.len() as u64)));
            for (id, variable) in program.variables.iter().enumerate() {
                if variable.owner.or(homes[id]) == Some(ProcessId(number as u32)) {
                    variables[id] = Some(storage(&mut packer, id));
                }
            }
        }
        let has_holder =
            |process: &crate::ir::Process| process.transitions.iter().any(|transition| transition.holder.is_some());
        let atomic = program.processes.iter().any(has_holder);
        let holder_bits = bits_for(program.processes.len() as u64 + 1);
        let holder = atomic.then(|| packer.add(holder_bits));

        let places = packer.place();
        let field = |piece: usize, field: Field| {
            let (word, shift) = places.pieces[piece];
            Field { word, shift, ..field }
        };
        let array = |piece: ArrayPiece, element: Field, len: u32| match piece {
            ArrayPiece::One { piece, stride } => {
                ArrayField { first: field(piece, element), len, stride, per_word: len.max(1) }
            }
            ArrayPiece::Words { first_word, stride } => {
                let first = Field { word: first_word, shift: 0, ..element };
                ArrayField { first, len, stride, per_word: 32 / stride }
            }
        };
        let variables = variables.into_iter().map(|placed| match placed.expect("every variable was placed") {
            Placed::Scalar(piece, shape) => Storage::Scalar(field(piece, shape)),
            Placed::Elements(pieces, shape) => {
                Storage::Elements(pieces.into_iter().map(|piece| field(piece, shape)).collect())
            }
            Placed::Array(piece, shape, len) => Storage::Array(array(piece, shape, len)),
        });
        let buffers = channels.into_iter().zip(&program.channels).map(|(placed, channel)| {
            placed.map(|(length, slots)| Buffer {
                length: field(length, plain(bits_for(u64::from(channel.capacity) + 1))),
                slots: slots
                    .into_iter()
                    .map(|(piece, ty)| array(piece, Field { ty, ..plain(u32::from(ty.bits)) }, channel.capacity))
                    .collect(),
            })
        });
        let pcs = locations.iter().zip(&program.processes);
        Layout {
            width: places.width,
            bits: places.bits,
            locations: pcs.map(|(&piece, p)| field(piece, plain(bits_for(p.locations.len() as u64)))).collect(),
            variables: variables.collect(),
            channels: buffers.collect(),
            holder: holder.map(|piece| field(piece, plain(holder_bits))),
        }
    }

    /// The field of a variable's element, or of a scalar (index 0).
    pub fn element(&self, id: VariableId, index: u32) -> Field {
        match &self.variables[id.0 as usize] {
            Storage::Scalar(field) => *field,
            Storage::Elements(fields) => fields[index as usize],
            Storage::Array(array) => array.element(index),
        }
    }
}

#[derive(Clone)]
enum Placed {
    Scalar(usize, Field),
    Elements(Vec<usize>, Field),
    Array(ArrayPiece, Field, u32),
}

#[derive(Clone, Copy)]
enum ArrayPiece {
    /// The whole array is one piece within a word.
    One { piece: usize, stride: u32 },
    /// The array has words of its own, the last of which may have room for more.
    Words { first_word: u32, stride: u32 },
}

#[derive(Default)]
struct Packer {
    pieces: Vec<Piece>,
    /// Bits used at the low end of words that arrays begin in or fill.
    array_words: Vec<u32>,
}

struct Places {
    /// Word and shift.
    pieces: Vec<(u32, u32)>,
    width: usize,
    bits: u32,
}

impl Packer {
    fn add(&mut self, bits: u32) -> usize {
        self.pieces.push(Piece { bits });
        self.pieces.len() - 1
    }

    fn add_array(&mut self, bits: u32, len: u32) -> ArrayPiece {
        if u64::from(bits) * u64::from(len) <= 32 {
            return ArrayPiece::One { piece: self.add(bits * len), stride: bits };
        }
        let stride = bits.next_power_of_two();
        let per_word = 32 / stride;
        let first_word = self.array_words.len() as u32;
        self.array_words.extend((0..len / per_word).map(|_| 32));
        if !len.is_multiple_of(per_word) {
            self.array_words.push(len % per_word * stride);
        }
        ArrayPiece::Words { first_word, stride }
    }

    /// Spreads the pieces over the fewest words that hold them, as evenly as they fit.
    fn place(&self) -> Places {
        let bits = self.pieces.iter().map(|piece| piece.bits).sum::<u32>() + self.array_words.iter().sum::<u32>();
        let fewest = (bits.div_ceil(32) as usize).max(self.array_words.len()).max(1);
        for width in fewest.. {
            let even = bits.div_ceil(width as u32).min(32);
            for limit in even..=32 {
                if let Some(pieces) = self.first_fit(width, limit) {
                    return Places { pieces, width, bits };
                }
            }
        }
        unreachable!("every piece fits a word of its own")
    }

    fn first_fit(&self, width: usize, limit: u32) -> Option<Vec<(u32, u32)>> {
        let mut used = self.array_words.clone();
        used.resize(width, 0);
        // Next-fit keeps neighbours together; only what does not fit there goes to an earlier gap.
        let mut current = 0;
        self.pieces
            .iter()
            .map(|piece| {
                let fits = |word: &usize| used[*word] + piece.bits <= limit;
                let word = (current..width).chain(0..current).find(fits)?;
                current = current.max(word);
                let shift = used[word];
                used[word] += piece.bits;
                // A field of no bits at the end of a word would have a shift of 32, which no shift takes.
                Some((word as u32, if piece.bits == 0 { 0 } else { shift }))
            })
            .collect()
    }
}

/// For each global variable that at most two processes store into, the one of them that does so most often.
fn homes(program: &Program) -> Vec<Option<ProcessId>> {
    let mut stores: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); program.variables.len()];
    for (number, process) in program.processes.iter().enumerate() {
        for effect in process.transitions.iter().flat_map(|transition| &transition.effects) {
            if let Effect::Assign { target, .. } = effect {
                *stores[target.variable.0 as usize].entry(number as u32).or_default() += 1;
            }
        }
    }
    let home = |(variable, stores): (&Variable, &BTreeMap<u32, usize>)| {
        let most = stores.iter().max_by_key(|(process, count)| (**count, Reverse(**process)))?;
        (variable.owner.is_none() && stores.len() <= 2).then_some(ProcessId(*most.0))
    };
    program.variables.iter().zip(&stores).map(home).collect()
}

/// For each variable, whether some expression indexes it by something that is not a constant.
pub(crate) fn dynamically_indexed(program: &Program) -> Vec<bool> {
    let mut dynamic = vec![false; program.variables.len()];
    for_each_place(program, &mut |place| {
        if place.index.as_ref().is_some_and(|index| !matches!(**index, Expr::Const(_))) {
            dynamic[place.variable.0 as usize] = true;
        }
    });
    dynamic
}

/// Calls `visit` for every place that the program reads or stores into, indices within indices included.
pub fn for_each_place(program: &Program, visit: &mut impl FnMut(&Place)) {
    for process in &program.processes {
        for transition in &process.transitions {
            if let Some(guard) = &transition.guard {
                places_of(guard, visit);
            }
            match &transition.sync {
                Some(Sync::Send { values, .. }) => values.iter().for_each(|value| places_of(value, visit)),
                Some(Sync::Receive { targets, .. }) => targets.iter().for_each(|target| place_and_index(target, visit)),
                None => {}
            }
            for effect in &transition.effects {
                match effect {
                    Effect::Assign { target, value, .. } => {
                        place_and_index(target, visit);
                        places_of(value, visit);
                    }
                    Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => places_of(condition, visit),
                }
            }
        }
    }
    let checked = program.checks.iter().map(|check| &check.condition);
    let observed = program.propositions.iter().map(|proposition| &proposition.condition);
    checked.chain(observed).for_each(|condition| places_of(condition, visit));
}

fn place_and_index(place: &Place, visit: &mut impl FnMut(&Place)) {
    visit(place);
    if let Some(index) = &place.index {
        places_of(index, visit);
    }
}

/// Calls `visit` for every place that the expression reads.
pub fn places_of(expr: &Expr, visit: &mut impl FnMut(&Place)) {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => {}
        Expr::Read(place) => place_and_index(place, visit),
        Expr::Unary(_, operand) => places_of(operand, visit),
        Expr::Binary(_, left, right, _) => {
            places_of(left, visit);
            places_of(right, visit);
        }
        Expr::Conditional(condition, then, otherwise) => {
            places_of(condition, visit);
            places_of(then, visit);
            places_of(otherwise, visit);
        }
    }
}
