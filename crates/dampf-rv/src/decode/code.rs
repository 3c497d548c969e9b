//! The text of a program, decoded once.
//!
//! There is one entry per 16-bit parcel, also for those in the middle of a longer instruction: where a jump leads is
//! then a matter of arithmetic, and no jump, however odd, has to be decoded at run time. The original bytes are kept
//! beside the entries, so that a planted hook hides nothing from [`Code::at`].
//!
//! Invariant: the entries of a section end with two that are [`Handler::NotCode`], and no entry before them lets the
//! run loop go further ahead than by two without a check.

use super::{Entry, Handler, Instruction, decode, length};

/// The predecoded text of a program.
#[derive(Clone)]
pub struct Code {
    /// Ascending, with gaps between them.
    sections: Vec<Section>,
}

/// A contiguous range of text.
#[derive(Clone)]
pub(crate) struct Section {
    base: u64,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Code {
    /// Decodes the executable ranges of a program, given as address and contents. Where two overlap, the one that
    /// starts first counts.
    pub fn new(sections: &[(u64, &[u8])]) -> Code {
        let mut ordered = sections.to_vec();
        ordered.sort_by_key(|&(address, _)| address);
        let mut joined: Vec<(u64, Vec<u8>)> = Vec::new();
        for (address, bytes) in ordered {
            // A range can neither start within a parcel nor reach beyond the end of the address space.
            let skipped = (address & 1) as usize;
            let space = usize::try_from(u64::MAX - address).unwrap_or(usize::MAX);
            let Some(bytes) = bytes.get(skipped..bytes.len().min(space)) else { continue };
            let address = address + skipped as u64;
            match joined.last_mut() {
                Some((start, before)) if address <= *start + before.len() as u64 => {
                    let known = (*start + before.len() as u64 - address) as usize;
                    before.extend_from_slice(bytes.get(known..).unwrap_or(&[]));
                }
                _ => joined.push((address, bytes.to_vec())),
            }
        }
        Code { sections: joined.into_iter().map(|(base, bytes)| Section::new(base, bytes)).collect() }
    }

    /// The instruction at `pc`, if there is text: the original one even where a hook is planted.
    pub fn at(&self, pc: u64) -> Option<Instruction> {
        let (section, parcel) = self.find(pc)?;
        section.instruction(parcel)
    }

    /// Makes running into `pc` an exit. Says whether there is text at `pc`.
    pub fn plant(&mut self, pc: u64) -> bool {
        let Some(at) = self.section_index(pc) else { return false };
        let section = &mut self.sections[at];
        let parcel = ((pc - section.base) / 2) as usize;
        section.entries[parcel].handler = Handler::Hook;
        true
    }

    pub fn is_planted(&self, pc: u64) -> bool {
        self.find(pc).is_some_and(|(section, parcel)| section.entries[parcel as usize].handler == Handler::Hook)
    }

    /// The section that holds `pc`, and the number of the parcel there.
    pub(crate) fn find(&self, pc: u64) -> Option<(&Section, u64)> {
        let section = &self.sections[self.section_index(pc)?];
        Some((section, (pc - section.base) / 2))
    }

    fn section_index(&self, pc: u64) -> Option<usize> {
        let at = self.sections.partition_point(|section| section.base <= pc).checked_sub(1)?;
        let section = &self.sections[at];
        (pc & 1 == 0 && (pc - section.base) / 2 < section.parcels()).then_some(at)
    }
}

impl Section {
    fn new(base: u64, bytes: Vec<u8>) -> Section {
        let mut section = Section { base, bytes, entries: Vec::new() };
        let parcels = section.bytes.len() as u64 / 2;
        let decoded = (0..parcels).map(|parcel| match section.instruction(parcel) {
            Some(instruction) => Entry::new(&instruction),
            None => Entry::NOT_CODE,
        });
        section.entries = decoded.chain([Entry::NOT_CODE; 2]).collect();
        section
    }

    /// The address of the first parcel; even.
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// The number of parcels.
    pub(crate) fn parcels(&self) -> u64 {
        self.bytes.len() as u64 / 2
    }

    /// The entries: one per parcel, and two more that are no code.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The instruction that starts with a parcel; none if the section ends within it.
    pub(crate) fn instruction(&self, parcel: u64) -> Option<Instruction> {
        let rest = self.bytes.get(usize::try_from(parcel).ok()?.checked_mul(2)?..)?;
        let low = u16::from_le_bytes([*rest.first()?, *rest.get(1)?]);
        if length(low) == 2 {
            return Some(decode(low as u32));
        }
        Some(decode(u32::from_le_bytes(rest.first_chunk().copied()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Op;
    use super::*;

    const NOP: [u8; 4] = [0x13, 0, 0, 0];

    #[test]
    fn text_is_found_by_address() {
        let code = Code::new(&[(0x2000, &NOP), (0x1000, &[0x01, 0x00])]);
        assert_eq!(code.at(0x1000).map(|i| (i.op, i.length)), Some((Op::Addi, 2)));
        assert_eq!(code.at(0x2000).map(|i| (i.op, i.length)), Some((Op::Addi, 4)));
        assert_eq!(code.at(0x1001), None);
        assert_eq!(code.at(0x1002), None);
        assert_eq!(code.at(0x0FFE), None);
        assert_eq!(code.at(u64::MAX), None);
    }

    #[test]
    fn adjacent_ranges_are_one() {
        let code = Code::new(&[(0x1000, &NOP[..2]), (0x1002, &NOP[2..]), (0x1000, &[0; 2])]);
        assert_eq!(code.at(0x1000).map(|i| i.op), Some(Op::Addi));
        assert_eq!(code.sections.len(), 1);
    }

    #[test]
    fn a_cut_instruction_is_no_code() {
        assert_eq!(Code::new(&[(0x1000, &NOP[..3])]).at(0x1000), None);
        assert_eq!(Code::new(&[(0x1000, &NOP[..1])]).at(0x1000), None);
        assert_eq!(Code::new(&[(0x1000, &[])]).at(0x1000), None);
        assert_eq!(Code::new(&[(u64::MAX - 1, &NOP)]).at(u64::MAX - 1), None);
    }

    #[test]
    fn a_hook_hides_nothing() {
        let mut code = Code::new(&[(0x1000, &NOP)]);
        assert!(!code.is_planted(0x1000));
        assert!(code.plant(0x1000));
        assert!(code.is_planted(0x1000));
        assert_eq!(code.at(0x1000).map(|i| i.op), Some(Op::Addi));
        assert!(!code.plant(0x1001));
        assert!(!code.plant(0x1004));
        assert!(!code.is_planted(0x1004));
    }
}
