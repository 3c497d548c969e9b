//! The files that a process has open, and how far it has read them.

use dampf_core::Word;

/// A process has no more files open.
const OPEN_MAX: u32 = 1024;
const FILE_WORDS: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenFile {
    pub descriptor: u32,
    /// Which of the files that the program was given.
    pub file: u32,
    pub offset: u64,
}

/// Open files by descriptor, ascending. Output is always open, and not among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Descriptors {
    open: Vec<OpenFile>,
}

impl Descriptors {
    pub fn get(&self, descriptor: u64) -> Option<&OpenFile> {
        self.open.iter().find(|file| u64::from(file.descriptor) == descriptor)
    }

    pub fn get_mut(&mut self, descriptor: u64) -> Option<&mut OpenFile> {
        self.open.iter_mut().find(|file| u64::from(file.descriptor) == descriptor)
    }

    /// Opens a file with the lowest descriptor that is free, from `first` on; none if too many are open.
    pub fn open(&mut self, file: u32, first: u32) -> Option<u32> {
        let is_free = |descriptor: &u32| !matches!(descriptor, 1 | 2) && self.get((*descriptor).into()).is_none();
        let descriptor = (first..OPEN_MAX).find(is_free)?;
        let at = self.open.partition_point(|file| file.descriptor < descriptor);
        self.open.insert(at, OpenFile { descriptor, file, offset: 0 });
        Some(descriptor)
    }

    pub fn close(&mut self, descriptor: u64) {
        self.open.retain(|file| u64::from(file.descriptor) != descriptor);
    }

    pub fn encode(&self, out: &mut Vec<Word>) {
        out.push(self.open.len() as Word);
        for OpenFile { descriptor, file, offset } in &self.open {
            out.extend([*descriptor, *file, *offset as Word, (*offset >> 32) as Word]);
        }
    }

    /// Reads descriptors, and returns what follows them.
    pub fn decode(words: &[Word]) -> (Descriptors, &[Word]) {
        let (open, rest) = words[1..].split_at(FILE_WORDS * words[0] as usize);
        let file = |words: &[Word]| OpenFile {
            descriptor: words[0],
            file: words[1],
            offset: u64::from(words[2]) | u64::from(words[3]) << 32,
        };
        (Descriptors { open: open.chunks(FILE_WORDS).map(file).collect() }, rest)
    }

    /// What follows descriptors in words from elsewhere, if they begin with some that can be decoded.
    pub fn skip(words: &[Word]) -> Option<&[Word]> {
        words.get((*words.first()? as usize).checked_mul(FILE_WORDS)?.checked_add(1)?..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_descriptor_is_taken() {
        let mut descriptors = Descriptors::default();
        assert_eq!([7, 8, 7].map(|file| descriptors.open(file, 3)), [Some(3), Some(4), Some(5)]);
        descriptors.get_mut(4).unwrap().offset = 1 << 33;
        descriptors.close(3);
        assert_eq!(descriptors.open(9, 0), Some(0));
        assert_eq!(descriptors.open(9, 0), Some(3));
        let mut words = Vec::new();
        descriptors.encode(&mut words);
        words.push(99);
        assert_eq!(Descriptors::decode(&words), (descriptors.clone(), &[99][..]));
        assert_eq!(Descriptors::skip(&words), Some(&[99][..]));
        assert_eq!(Descriptors::skip(&words[..8]), None);
    }
}
