//! Bytes on the way: numbers of varying length, words, texts.
//!
//! Small numbers are the common ones, so a number takes as many bytes as it needs, seven bits in each.

use dampf_core::Word;

/// What a reader says when the bytes are not what a writer wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Garbled;

pub trait Write {
    fn number(&mut self, number: u64);
    fn text(&mut self, text: &str);
    fn bytes(&mut self, bytes: &[u8]);
    /// What differs between two slices of words of equal length.
    fn difference(&mut self, words: &[Word], base: &[Word]);
    /// Words and how many they are; zeros cost little.
    fn words(&mut self, words: &[Word]);
}

impl Write for Vec<u8> {
    #[inline]
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.extend_from_slice(bytes);
    }

    fn words(&mut self, words: &[Word]) {
        self.number(words.len() as u64);
        self.difference(words, &vec![0; words.len()]);
    }

    /// For every two words a byte that says which of their bytes differ, then these bytes. Behind a byte that says
    /// none, how many further pairs are equal too.
    #[inline]
    fn difference(&mut self, words: &[Word], base: &[Word]) {
        let mut equal_pairs = None::<usize>;
        for (pair, base) in words.chunks(2).zip(base.chunks(2)) {
            let joined = |pair: &[Word]| u64::from(pair[0]) | pair.get(1).map_or(0, |&high| u64::from(high) << 32);
            let changed = joined(pair) ^ joined(base);
            if changed == 0 {
                match equal_pairs {
                    Some(at) if self[at] < u8::MAX => self[at] += 1,
                    _ => {
                        self.extend([0, 0]);
                        equal_pairs = Some(self.len() - 1);
                    }
                }
                continue;
            }
            equal_pairs = None;
            // Every byte is put down, and the next over it where it is zero: no branch has to be guessed.
            let mut difference = [0; 9];
            let mut used = 1;
            for (number, byte) in changed.to_le_bytes().into_iter().enumerate() {
                difference[used] = byte;
                difference[0] |= u8::from(byte != 0) << number;
                used += usize::from(byte != 0);
            }
            let end = self.len() + used;
            self.extend_from_slice(&difference);
            self.truncate(end);
        }
    }
}

/// Reads what was written, from the front.
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Reader { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// All that was not read yet.
    pub fn rest(&self) -> &'b [u8] {
        self.rest
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Garbled> {
        let (&byte, rest) = self.rest.split_first().ok_or(Garbled)?;
        self.rest = rest;
        Ok(byte)
    }

    #[inline]
    pub fn number(&mut self) -> Result<u64, Garbled> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Garbled)
    }

    /// A number that counts things which each take at least a byte: never more than what is left.
    pub fn count(&mut self) -> Result<usize, Garbled> {
        let count = self.number()? as usize;
        if count > self.rest.len() { Err(Garbled) } else { Ok(count) }
    }

    pub fn word(&mut self) -> Result<Word, Garbled> {
        Word::try_from(self.number()?).map_err(|_| Garbled)
    }

    #[inline]
    pub fn three_bytes(&mut self) -> Result<u32, Garbled> {
        let (&[low, middle, high], rest) = self.rest.split_first_chunk().ok_or(Garbled)?;
        self.rest = rest;
        Ok(u32::from_le_bytes([low, middle, high, 0]))
    }

    pub fn bytes(&mut self) -> Result<&'b [u8], Garbled> {
        let count = self.count()?;
        let (bytes, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<String, Garbled> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| Garbled)
    }

    /// Words that were written with their number.
    pub fn words(&mut self) -> Result<Vec<Word>, Garbled> {
        let length = self.number()? as usize;
        // Two bytes say at most that 256 pairs of words are zero.
        if length / 256 > self.rest.len() {
            return Err(Garbled);
        }
        let mut words = vec![0; length];
        self.difference(&mut words)?;
        Ok(words)
    }

    /// Applies a difference to the words it was taken against.
    #[inline]
    pub fn difference(&mut self, words: &mut [Word]) -> Result<(), Garbled> {
        let mut equal_pairs = 0;
        for pair in words.chunks_mut(2) {
            if equal_pairs > 0 {
                equal_pairs -= 1;
                continue;
            }
            let mut mask = self.byte()?;
            if mask == 0 {
                equal_pairs = self.byte()?;
                continue;
            }
            let (bytes, rest) = self.rest.split_at_checked(mask.count_ones() as usize).ok_or(Garbled)?;
            self.rest = rest;
            let mut changed = 0u64;
            for &byte in bytes {
                changed |= u64::from(byte) << (8 * mask.trailing_zeros());
                mask &= mask - 1;
            }
            pair[0] ^= changed as u32;
            match pair.get_mut(1) {
                Some(high) => *high ^= (changed >> 32) as u32,
                None if changed >> 32 != 0 => return Err(Garbled),
                None => {}
            }
        }
        if equal_pairs > 0 {
            return Err(Garbled);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        numbers.iter().for_each(|&number| bytes.number(number));
        bytes.text("grüße");
        let (words, base) = ([1, 0xffff_0000, 7, 0, 5], [1, 0, 0x700, 0, 4]);
        bytes.difference(&words, &base);
        let mut reader = Reader::new(&bytes);
        numbers.iter().for_each(|&number| assert_eq!(reader.number(), Ok(number)));
        assert_eq!(reader.text().as_deref(), Ok("grüße"));
        let mut read = base;
        assert_eq!(reader.difference(&mut read), Ok(()));
        assert_eq!(read, words);
    }

    #[test]
    fn differences_of_long_states_are_short() {
        for width in [1, 2, 3, 511, 512, 513, 1500] {
            let base: Vec<Word> = (0..width).collect();
            for changed in [vec![], vec![0], vec![width / 2], vec![0, width - 1]] {
                let mut words = base.clone();
                changed.iter().for_each(|&at| words[at as usize] ^= 0xab00);
                let mut bytes = Vec::new();
                bytes.difference(&words, &base);
                assert!(bytes.len() <= 4 * (changed.len() + 2) + width as usize / 200);
                let mut read = base.clone();
                let mut reader = Reader::new(&bytes);
                assert_eq!(reader.difference(&mut read), Ok(()));
                assert_eq!(read, words);
                assert!(reader.is_empty());
            }
        }
    }

    #[test]
    fn what_was_written_ends_where_it_ends() {
        let mut bytes = Vec::new();
        bytes.difference(&[1, 2, 3], &[1, 2, 3]);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.difference(&mut [1, 2, 3]), Ok(()));
        assert!(reader.is_empty());
    }

    #[test]
    fn nonsense_is_noticed() {
        assert_eq!(Reader::new(&[0x80]).number(), Err(Garbled));
        assert_eq!(Reader::new(&[0xff; 11]).number(), Err(Garbled));
        assert_eq!(Reader::new(&[9, 1]).bytes(), Err(Garbled));
        assert_eq!(Reader::new(&[0xf0, 1, 1, 1, 1]).difference(&mut [0]), Err(Garbled));
    }
}
