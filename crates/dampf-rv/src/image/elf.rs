//! Reading the tables of an ELF file, for [`super::Image`] and for the debug information.
//!
//! Everything here looks at untrusted bytes: a table that does not fit into the file is an error or, where the program
//! runs without it, simply absent.

use object::LittleEndian;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader, SectionHeader, Sym};

use std::borrow::Cow;

use super::error::{ImageError, machine_name};
use super::symbols::{Symbol, SymbolKind};

/// Programs have about ten.
const PROGRAM_HEADERS_MAX: usize = 1024;

pub(crate) type Header = FileHeader64<LittleEndian>;
pub(crate) type ProgramHeader = ProgramHeader64<LittleEndian>;

/// A file whose header has been checked: 64-bit little-endian RISC-V, linked.
#[derive(Clone, Copy)]
pub(crate) struct Elf<'a> {
    pub bytes: &'a [u8],
    pub header: &'a Header,
}

impl<'a> Elf<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Elf<'a>, ImageError> {
        check_identity(bytes)?;
        let header = Header::parse(bytes).map_err(|_| ImageError::Malformed { what: "header" })?;
        match header.e_type(LittleEndian) {
            elf::ET_EXEC | elf::ET_DYN => Ok(Elf { bytes, header }),
            elf::ET_REL => Err(ImageError::RelocatableObject),
            elf::ET_CORE => Err(ImageError::CoreDump),
            _ => Err(ImageError::Malformed { what: "file type" }),
        }
    }

    pub fn program_headers(&self) -> Result<&'a [ProgramHeader], ImageError> {
        let truncated = |_| ImageError::Truncated { what: "the program headers".into() };
        let headers = self.header.program_headers(LittleEndian, self.bytes).map_err(truncated)?;
        match headers.len() <= PROGRAM_HEADERS_MAX {
            true => Ok(headers),
            false => Err(ImageError::Malformed { what: "number of program headers" }),
        }
    }

    /// Refuses a file that ends before what its section headers promise. The program would run without, but its names
    /// are there: what is missing must not look like an executable that was stripped.
    pub fn check_sections(&self) -> Result<(), ImageError> {
        let truncated = |what: Cow<'static, str>| Err(ImageError::Truncated { what });
        let Ok(sections) = self.header.section_headers(LittleEndian, self.bytes) else {
            return truncated("the section headers".into());
        };
        let names = self.header.section_strings(LittleEndian, self.bytes, sections).unwrap_or_default();
        for section in sections {
            if section.data(LittleEndian, self.bytes).is_err() {
                let name = section.name(LittleEndian, names).ok().and_then(|name| std::str::from_utf8(name).ok());
                return truncated(name.map_or("a section".into(), |name| format!("section {name}").into()));
            }
        }
        Ok(())
    }

    /// The bytes of a section; none where it is missing, compressed or outside the file.
    pub fn section(&self, name: &str) -> Option<(u64, &'a [u8])> {
        let sections = self.header.sections(LittleEndian, self.bytes).ok()?;
        let (_, section) = sections.section_by_name(LittleEndian, name.as_bytes())?;
        if section.sh_flags(LittleEndian).contains(elf::SHF_COMPRESSED) {
            return None;
        }
        Some((section.sh_addr.get(LittleEndian), section.data(LittleEndian, self.bytes).ok()?))
    }

    /// The sorted addresses at which a section of the running program ends.
    pub fn section_ends(&self) -> Vec<u64> {
        let Ok(sections) = self.header.sections(LittleEndian, self.bytes) else { return Vec::new() };
        let loaded = sections.iter().filter(|section| section.sh_addr.get(LittleEndian) != 0);
        let mut ends: Vec<u64> = loaded
            .map(|section| section.sh_addr.get(LittleEndian).saturating_add(section.sh_size.get(LittleEndian)))
            .collect();
        ends.sort_unstable();
        ends
    }

    /// The defined symbols of the file, as they stand in it. Marks that assemblers leave for disassemblers are left
    /// out.
    pub fn symbols(&self) -> Vec<Symbol> {
        let Ok(sections) = self.header.sections(LittleEndian, self.bytes) else { return Vec::new() };
        let Ok(table) = sections.symbols(LittleEndian, self.bytes, elf::SHT_SYMTAB) else { return Vec::new() };
        let mut symbols = Vec::new();
        let mut file: Option<String> = None;
        // Names may overlap in the file, but those of an honest file are not much longer than it.
        let mut name_bytes_left = self.bytes.len().saturating_mul(4);
        for symbol in table.iter() {
            let Ok(name) = symbol.name(LittleEndian, table.strings()) else { continue };
            let Some(left) = name_bytes_left.checked_sub(name.len()) else { break };
            name_bytes_left = left;
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let kind = match symbol.st_type() {
                elf::STT_FUNC | elf::STT_GNU_IFUNC => SymbolKind::Function,
                elf::STT_OBJECT | elf::STT_COMMON => SymbolKind::Object,
                elf::STT_TLS => SymbolKind::ThreadLocal,
                elf::STT_NOTYPE => SymbolKind::Other,
                elf::STT_FILE => {
                    file = (!name.is_empty()).then(|| name.to_owned());
                    continue;
                }
                _ => continue,
            };
            if name.is_empty() || name.starts_with('$') || name.starts_with(".L") || symbol.is_undefined(LittleEndian) {
                continue;
            }
            let global = !symbol.is_local();
            symbols.push(Symbol {
                name: name.to_owned(),
                address: symbol.st_value(LittleEndian),
                size: symbol.st_size(LittleEndian),
                kind,
                global,
                file: if global { None } else { file.clone() },
            });
        }
        symbols
    }
}

/// Says what the file is if it is anything but a RISC-V file with 64-bit little-endian words.
fn check_identity(bytes: &[u8]) -> Result<(), ImageError> {
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(ImageError::NotElf { looks_like: guess(bytes) });
    }
    let truncated = ImageError::Truncated { what: "the ELF header".into() };
    let (Some(&class), Some(&data), Some(machine)) = (bytes.get(4), bytes.get(5), bytes.get(18..20)) else {
        return Err(truncated);
    };
    let machine = [machine[0], machine[1]];
    let big_endian = match data {
        1 => false,
        2 => true,
        _ => return Err(ImageError::Malformed { what: "byte order" }),
    };
    let machine = if big_endian { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
    if machine != elf::EM_RISCV.0 {
        return Err(ImageError::WrongArchitecture { machine: machine_name(machine) });
    }
    match class {
        1 => return Err(ImageError::ThirtyTwoBit),
        2 => {}
        _ => return Err(ImageError::Malformed { what: "class" }),
    }
    if big_endian {
        return Err(ImageError::BigEndian);
    }
    if bytes.len() < size_of::<Header>() { Err(truncated) } else { Ok(()) }
}

/// What a file without the ELF magic number is, by its first bytes.
fn guess(bytes: &[u8]) -> Option<&'static str> {
    let magics: [(&[u8], &str); 6] = [
        (b"!<arch>\n", "a library archive"),
        (b"#!", "a script"),
        (b"MZ", "a Windows program"),
        (b"\xcf\xfa\xed\xfe", "a macOS program"),
        (b"\xca\xfe\xba\xbe", "a macOS program or Java class"),
        (b"BC\xc0\xde", "LLVM bitcode"),
    ];
    if bytes.is_empty() {
        return Some("an empty file");
    }
    magics.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|&(_, what)| what)
}
