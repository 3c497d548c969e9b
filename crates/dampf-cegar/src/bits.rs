//! Sets of small numbers: which predicates of a location hold.
//!
//! Words of zeros at the end are left out, so that a set stays the same when predicates are added that are not in it.

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn insert(&mut self, index: u32) {
        let word = index as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (index % 64);
    }

    pub fn contains(&self, index: u32) -> bool {
        self.0.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    pub fn is_subset(&self, other: &Bits) -> bool {
        self.0.len() <= other.0.len() && self.0.iter().zip(&other.0).all(|(mine, theirs)| mine & !theirs == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let of_word = |(at, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * 64 + bit)
        };
        self.0.iter().enumerate().flat_map(of_word)
    }

    pub fn words(&self) -> &[u64] {
        &self.0
    }

    pub fn of_words(mut words: Vec<u64>) -> Bits {
        while words.last() == Some(&0) {
            words.pop();
        }
        Bits(words)
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(indices: I) -> Bits {
        let mut bits = Bits::default();
        indices.into_iter().for_each(|index| bits.insert(index));
        bits
    }
}
