//! Who owns a state.
//!
//! All functions but two depend on the state alone, and on its contents rather than its names, so that every rank comes
//! to the same answer without asking. *Depth slices* depend on how deep a state was found: a state may then be explored
//! on several ranks. *Distance* needs a table whose entries the first rank hands out.

use crate::Distributable;
use dampf_core::{Fingerprints, Successors, Word, Worker};
use dampf_net::Rank;
use dampf_store::hash_words;
use std::collections::BTreeMap;
use std::fmt;

/// How states are divided among ranks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Partition {
    /// By a hash of the whole state: even shares, and nearly every step crosses to another rank.
    #[default]
    Full,
    /// The same evenness; only what a step changed is hashed.
    Incremental,
    /// By a hash of some sections: steps that leave them alone stay on their rank.
    Sections(Vec<String>),
    /// By the depth at which the state is found: so many levels on one rank, as many on the next, round and round.
    DepthSlices(u32),
    /// By how many steps leave the state.
    Estimate,
    /// By how far the state's values are from those of the initial state, in ranges of this size.
    Distance(u64),
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Partition::Full => f.write_str("full"),
            Partition::Incremental => f.write_str("incremental"),
            Partition::Sections(names) => write!(f, "section={}", names.join(",")),
            Partition::DepthSlices(slice) => write!(f, "depth={slice}"),
            Partition::Estimate => f.write_str("estimate"),
            Partition::Distance(range) => write!(f, "distance={range}"),
        }
    }
}

/// Distances are counted modulo this.
const DISTANCE_MAX: u64 = 1 << 20;
/// Into so many values a state is condensed before its distance is taken.
const DISTANCE_VALUES: usize = 5;

/// The range of distances that a state is in.
pub type Bucket = u64;

/// Who owns a state, as far as this rank knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Rank(Rank),
    /// Nobody has said yet who owns the bucket.
    Unassigned(Bucket),
}

/// Stands for the owner where nobody has said who that is.
pub const NOBODY: Rank = Rank::MAX;

/// A section that the model does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuchSection {
    pub name: String,
    pub known: Vec<String>,
}

pub struct Partitioner<'m, M: Distributable + 'm> {
    model: &'m M,
    ranks: Rank,
    partition: Partition,
    fingerprints: Fingerprints,
    numbers: Vec<u64>,
    sections: Sections,
    /// The state that is being explored, for sections and incremental hashing.
    base: Vec<Word>,
    /// Its words' terms and their sum, for incremental hashing.
    base_terms: Vec<u64>,
    base_sum: u64,
    /// For estimates.
    worker: Option<(M::Worker<'m>, Successors)>,
    /// For distances: that of the initial state, and the owners of buckets.
    origin: u64,
    owners: BTreeMap<Bucket, Rank>,
}

impl<'m, M: Distributable> Partitioner<'m, M> {
    pub fn new(model: &'m M, ranks: Rank, partition: Partition) -> Result<Self, NoSuchSection> {
        let mut mask = vec![0; model.width()];
        if let Partition::Sections(names) = &partition {
            for name in names {
                let Some(section) = model.section(name) else {
                    return Err(NoSuchSection { name: name.clone(), known: model.sections() });
                };
                mask.iter_mut().zip(section).for_each(|(all, of_section)| *all |= of_section);
            }
        }
        let estimates = partition == Partition::Estimate;
        let mut partitioner = Partitioner {
            model,
            ranks,
            partition,
            fingerprints: Fingerprints::new(),
            numbers: Vec::new(),
            sections: Sections::new(mask),
            base: Vec::new(),
            base_terms: Vec::new(),
            base_sum: 0,
            worker: estimates.then(|| (model.worker(), Successors::new(model.width()))),
            origin: 0,
            owners: BTreeMap::new(),
        };
        if let Partition::Distance(_) = partitioner.partition {
            let mut out = Successors::new(model.width());
            model.worker().initial(&mut out);
            if !out.is_empty() {
                partitioner.origin = partitioner.condensed(out.state(0));
            }
        }
        Ok(partitioner)
    }

    pub fn depends_on_depth(&self) -> bool {
        matches!(self.partition, Partition::DepthSlices(_))
    }

    /// Says which state's successors are asked for next.
    #[inline]
    pub fn set_base(&mut self, state: &[Word]) {
        let is_incremental = self.partition == Partition::Incremental && !self.model.has_parts();
        if is_incremental || self.is_by_sections() {
            self.base.clear();
            self.base.extend_from_slice(state);
        }
        if !is_incremental {
            return;
        }
        self.base_terms.clear();
        self.base_terms.extend(state.iter().enumerate().map(|(position, &word)| term(position, u64::from(word))));
        self.base_sum = self.base_terms.iter().fold(0, |sum: u64, &term| sum.wrapping_add(term));
    }

    /// The owner of a state that was found at this depth.
    #[inline]
    pub fn owner(&mut self, state: &[Word], depth: u32) -> Owner {
        if self.ranks == 1 {
            return Owner::Rank(0);
        }
        Owner::Rank(match &self.partition {
            Partition::Full => self.home(state),
            Partition::Incremental => {
                let sum = self.incremental(state);
                self.spread(mix(sum))
            }
            Partition::Sections(_) => {
                let hash = self.masked_hash(state);
                self.spread(hash)
            }
            Partition::DepthSlices(slice) => depth / slice.max(&1) % self.ranks,
            Partition::Estimate => {
                let estimate = self.estimate(state);
                self.spread(mix(estimate))
            }
            &Partition::Distance(range) => {
                let bucket = self.condensed(state).wrapping_sub(self.origin) % DISTANCE_MAX / range.max(1);
                return self.owners.get(&bucket).map_or(Owner::Unassigned(bucket), |&owner| Owner::Rank(owner));
            }
        })
    }

    /// Whether states are divided by sections, which most steps leave alone: those [stay](Self::stays).
    #[inline]
    pub fn is_by_sections(&self) -> bool {
        matches!(self.partition, Partition::Sections(_))
    }

    /// Whether a state has the same owner as the one that was set as base, because its sections are the same.
    #[inline]
    pub fn stays(&self, state: &[Word]) -> bool {
        let Sections { mask, masked } = &self.sections;
        masked.iter().fold(0, |all, &at| all | (state[at] ^ self.base[at]) & mask[at]) == 0
    }

    /// The owners of states that are found at this depth; [`NOBODY`] where nobody has said who that is. With those that
    /// are not rank `own`'s comes their hash by [`hash_words`].
    #[inline]
    pub fn owners(
        &mut self,
        own: Rank,
        successors: &Successors,
        steps: &[usize],
        depth: u32,
        owners: &mut Vec<(Rank, u64)>,
    ) {
        owners.clear();
        match &self.partition {
            // The common case is one without branches.
            Partition::Full if !self.model.has_parts() => owners.extend(steps.iter().map(|&step| {
                let hash = hash_words(successors.state(step));
                (self.spread(hash), hash)
            })),
            _ => {
                for &step in steps {
                    let state = successors.state(step);
                    owners.push(match self.owner(state, depth) {
                        Owner::Rank(owner) if owner == own => (owner, 0),
                        Owner::Rank(owner) => (owner, hash_words(state)),
                        Owner::Unassigned(_) => (NOBODY, 0),
                    });
                }
            }
        }
    }

    /// The owner by a hash of everything, whatever the partition is.
    #[inline]
    pub fn home(&mut self, state: &[Word]) -> Rank {
        let hash = self.fingerprint(state);
        self.spread(hash)
    }

    /// A hash of everything, the same in every process.
    #[inline]
    pub fn fingerprint(&mut self, state: &[Word]) -> u64 {
        if !self.model.has_parts() {
            return hash_words(state);
        }
        self.fingerprints.words(self.model, state, &mut self.numbers);
        mix(self.numbers.iter().fold(0, |hash: u64, &number| mix(hash ^ number)))
    }

    pub fn assign(&mut self, bucket: Bucket, owner: Rank) {
        self.owners.insert(bucket, owner);
    }

    pub fn assigned(&self, bucket: Bucket) -> Option<Rank> {
        self.owners.get(&bucket).copied()
    }

    /// All assignments, for a checkpoint.
    pub fn assignments(&self) -> impl Iterator<Item = (Bucket, Rank)> {
        self.owners.iter().map(|(&bucket, &owner)| (bucket, owner))
    }

    #[inline]
    fn spread(&self, hash: u64) -> Rank {
        spread(hash, self.ranks)
    }

    fn incremental(&mut self, state: &[Word]) -> u64 {
        if self.model.has_parts() {
            self.fingerprints.words(self.model, state, &mut self.numbers);
            let terms = self.numbers.iter().enumerate().map(|(position, &number)| term(position, number));
            return terms.fold(0, u64::wrapping_add);
        }
        if self.base.len() != state.len() {
            let terms = state.iter().enumerate().map(|(position, &word)| term(position, u64::from(word)));
            return terms.fold(0, u64::wrapping_add);
        }
        let mut sum = self.base_sum;
        for (position, (&word, &base)) in state.iter().zip(&self.base).enumerate() {
            if word != base {
                sum = sum.wrapping_sub(self.base_terms[position]).wrapping_add(term(position, u64::from(word)));
            }
        }
        sum
    }

    fn masked_hash(&mut self, state: &[Word]) -> u64 {
        if self.model.has_parts() {
            self.fingerprints.words_at(self.model, state, &self.sections.mask, &mut self.numbers);
            return self.sections.hash(|at| self.numbers[at]);
        }
        self.sections.hash(|at| u64::from(state[at] & self.sections.mask[at]))
    }

    /// How many steps leave a state: the fewer, the more of its processes are blocked.
    pub fn estimate(&mut self, state: &[Word]) -> u64 {
        let model = self.model;
        let (worker, out) = self.worker.get_or_insert_with(|| (model.worker(), Successors::new(model.width())));
        worker.successors(state, out);
        out.len() as u64
    }

    /// A state as one number, in which nearby states are near.
    fn condensed(&mut self, state: &[Word]) -> u64 {
        let numbers: Vec<u64> = if self.model.has_parts() {
            self.fingerprints.words(self.model, state, &mut self.numbers);
            self.numbers.clone()
        } else {
            state.iter().map(|&word| u64::from(word)).collect()
        };
        let group = numbers.len().div_ceil(DISTANCE_VALUES);
        numbers.chunks(group).fold(0, |all: u64, values| {
            let value = values.iter().fold(0, |value, number| value ^ number ^ number >> 16);
            all.wrapping_mul(31).wrapping_add(value & 0xffff)
        })
    }
}

/// Sections of a state: what of each word belongs to them, and which words those are.
pub struct Sections {
    pub mask: Vec<Word>,
    masked: Vec<usize>,
}

impl Sections {
    pub fn new(mask: Vec<Word>) -> Self {
        let masked = (0..mask.len()).filter(|&at| mask[at] != 0).collect();
        Sections { mask, masked }
    }

    /// A hash of what the words of the sections hold, or of fingerprints of what they name: a word that names a part
    /// belongs to them wholly or not at all.
    #[inline]
    pub fn hash(&self, value_at: impl Fn(usize) -> u64) -> u64 {
        mix(self
            .masked
            .iter()
            .fold(0, |hash: u64, &at| (hash.rotate_left(29) ^ value_at(at)).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

/// The rank that a hash falls to. The high bits of hashes decide where a rank's store has a state and the low ones
/// where caches have it, so it is those between that decide about the rank: what lies on one rank must not crowd in one
/// part of its tables.
#[inline]
pub fn spread(hash: u64, ranks: Rank) -> Rank {
    ((u64::from(hash as u32) * u64::from(ranks)) >> 32) as Rank
}

/// What a word at a position adds to an incremental hash.
#[inline]
fn term(position: usize, number: u64) -> u64 {
    mix(number ^ (position as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[inline]
fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let number = (number ^ number >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    number ^ number >> 32
}
