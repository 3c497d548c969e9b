//! Relocation of a static position-independent program to its load address.
//!
//! The start-up code of such a program relocates it again, from the same table, to the same values, so it does not
//! matter that it finds the work done; but a program that is entered elsewhere, or has no such code, needs it done.

use object::LittleEndian;
use object::elf;
use object::read::elf::ProgramHeader as _;

use super::elf::Elf;
use super::{ImageError, Segment};

/// What the dynamic section says.
#[derive(Default)]
pub(super) struct Dynamic {
    pub needs_libraries: bool,
    pub position_independent_executable: bool,
    rela: u64,
    rela_size: u64,
    relr: u64,
    relr_size: u64,
    symbols: u64,
}

impl Dynamic {
    pub fn read(elf: &Elf) -> Result<Dynamic, ImageError> {
        let mut dynamic = Dynamic::default();
        for header in elf.program_headers()? {
            let Ok(Some(entries)) = header.dynamic(LittleEndian, elf.bytes) else { continue };
            for entry in entries {
                let value = entry.d_val.get(LittleEndian);
                match entry.d_tag.get(LittleEndian) {
                    elf::DT_NULL => break,
                    elf::DT_NEEDED => dynamic.needs_libraries = true,
                    elf::DT_FLAGS_1 => dynamic.position_independent_executable = value & elf::DF_1_PIE.0 != 0,
                    elf::DT_RELA => dynamic.rela = value,
                    elf::DT_RELASZ => dynamic.rela_size = value,
                    elf::DT_RELR => dynamic.relr = value,
                    elf::DT_RELRSZ => dynamic.relr_size = value,
                    elf::DT_SYMTAB => dynamic.symbols = value,
                    _ => {}
                }
            }
        }
        Ok(dynamic)
    }

    /// Applies both relocation tables to the segments, which lie at their final addresses.
    pub fn relocate(&self, segments: &mut [Segment], bias: u64) -> Result<(), ImageError> {
        let words = read_words(segments, self.rela.wrapping_add(bias), self.rela_size)?;
        for entry in words.chunks_exact(3) {
            let address = entry[0].wrapping_add(bias);
            let kind = entry[1] as u32;
            let symbol = entry[1] >> 32;
            let value = match elf::RelocationType(kind) {
                elf::R_RISCV_NONE => continue,
                elf::R_RISCV_RELATIVE => bias.wrapping_add(entry[2]),
                elf::R_RISCV_64 => self.symbol_value(segments, symbol, bias)?.wrapping_add(entry[2]),
                // The thread pointer of RISC-V points at the start of the program's own block.
                elf::R_RISCV_TLS_TPREL64 => self.symbol_value(segments, symbol, 0)?.wrapping_add(entry[2]),
                _ => return Err(ImageError::UnsupportedRelocation { kind, address }),
            };
            write_word(segments, address, value)?;
        }
        self.relocate_packed(segments, bias)
    }

    /// The compact table: an even word is an address, an odd one a map of the 63 words after it.
    fn relocate_packed(&self, segments: &mut [Segment], bias: u64) -> Result<(), ImageError> {
        let words = read_words(segments, self.relr.wrapping_add(bias), self.relr_size)?;
        let mut next = 0u64;
        for word in words {
            if word & 1 == 0 {
                next = word.wrapping_add(bias);
                add_to_word(segments, next, bias)?;
                next = next.wrapping_add(8);
                continue;
            }
            for bit in (1..64).filter(|bit| word >> bit & 1 == 1) {
                add_to_word(segments, next.wrapping_add((bit - 1) * 8), bias)?;
            }
            next = next.wrapping_add(63 * 8);
        }
        Ok(())
    }

    /// The value of a dynamic symbol; an undefined (weak) one is zero.
    fn symbol_value(&self, segments: &[Segment], index: u64, bias: u64) -> Result<u64, ImageError> {
        if index == 0 {
            return Ok(0);
        }
        let address = self.symbols.wrapping_add(bias).wrapping_add(index.wrapping_mul(24));
        let words = read_words(segments, address, 24)?;
        let defined = words[0] >> 48 != 0;
        Ok(if defined { words[1].wrapping_add(bias) } else { 0 })
    }
}

const BAD_TABLE: ImageError = ImageError::Malformed { what: "relocation table" };

/// Reads whole words from the file part of a segment.
fn read_words(segments: &[Segment], address: u64, size: u64) -> Result<Vec<u64>, ImageError> {
    if size == 0 {
        return Ok(Vec::new());
    }
    let containing = segments.iter().find(|segment| segment.offset_of(address).is_some()).ok_or(BAD_TABLE)?;
    let start = (address - containing.address) as usize;
    let end = start.checked_add(usize::try_from(size).map_err(|_| BAD_TABLE)?).ok_or(BAD_TABLE)?;
    let bytes = containing.bytes.get(start..end).ok_or(BAD_TABLE)?;
    Ok(bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect())
}

fn word_at(segments: &mut [Segment], address: u64) -> Result<&mut [u8; 8], ImageError> {
    let containing = segments.iter_mut().find(|segment| segment.offset_of(address).is_some()).ok_or(BAD_TABLE)?;
    let start = (address - containing.address) as usize;
    if start as u64 + 8 > containing.memory_size {
        return Err(BAD_TABLE);
    }
    if containing.bytes.len() < start + 8 {
        containing.bytes.resize(start + 8, 0);
    }
    let word = &mut containing.bytes[start..start + 8];
    word.as_mut_array().ok_or(BAD_TABLE)
}

fn write_word(segments: &mut [Segment], address: u64, value: u64) -> Result<(), ImageError> {
    *word_at(segments, address)? = value.to_le_bytes();
    Ok(())
}

fn add_to_word(segments: &mut [Segment], address: u64, bias: u64) -> Result<(), ImageError> {
    let word = word_at(segments, address)?;
    *word = u64::from_le_bytes(*word).wrapping_add(bias).to_le_bytes();
    Ok(())
}
