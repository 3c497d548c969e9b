//! A RISC-V executable as an image of memory, with the names of its addresses.
//!
//! Accepted are static programs only: at fixed addresses (`ET_EXEC`), or position-independent without an interpreter
//! (`ET_DYN`), which are placed at [`LOAD_BASE`] and relocated here. The checked program has no dynamic loader, so a
//! file that would need one is refused with advice.
//!
//! Invariant: the segments of an image are sorted, disjoint, not empty, and together no larger than
//! [`MEMORY_SIZE_MAX`]; the entry point lies in an executable one. No input makes this module panic.

mod demangle;
mod elf;
mod error;
mod relocate;
mod symbols;

use object::LittleEndian;
use object::elf::{ET_DYN, PF_W, PF_X, PT_LOAD, PT_TLS};
use object::read::elf::{FileHeader as _, ProgramHeader as _};

pub use demangle::demangle;
pub(crate) use demangle::demangle_mangled;
pub(crate) use elf::Elf;
pub use error::ImageError;
pub use symbols::{Symbol, SymbolKind};

use elf::ProgramHeader;
use relocate::Dynamic;
use std::ops::Range;
use symbols::SymbolTable;

/// Where a position-independent program is put: where the linker puts the others.
pub const LOAD_BASE: u64 = 0x10000;
/// What all segments of a program may need together.
pub const MEMORY_SIZE_MAX: u64 = 1 << 30;
/// Programs live below this address, as under Linux with four-level page tables.
pub const ADDRESS_LIMIT: u64 = 1 << 47;

/// Where our assembler notes inline assembly.
const INLINE_ASSEMBLY_SECTION: &str = ".debug_dampf_assembly";

/// A stretch of the program's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    pub address: u64,
    /// What the file holds; memory beyond it, up to `memory_size`, is zero.
    pub bytes: Vec<u8>,
    pub memory_size: u64,
    pub writable: bool,
    pub executable: bool,
}

impl Segment {
    pub fn end(&self) -> u64 {
        self.address + self.memory_size
    }

    /// The position of an address in this segment, if it lies there.
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        address.checked_sub(self.address).filter(|&offset| offset < self.memory_size)
    }
}

/// The initial contents of the thread-local variables: every thread gets a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tls {
    /// Where the initialised part lies in the program's memory.
    pub address: u64,
    pub file_size: u64,
    pub memory_size: u64,
    pub align: u64,
}

/// A loaded program.
pub struct Image {
    pub entry: u64,
    pub segments: Vec<Segment>,
    pub tls: Option<Tls>,
    /// Where the program headers lie in the program's memory, or 0 if they are not part of it.
    pub program_headers: u64,
    pub program_header_count: u64,
    /// What was added to every address in the file: 0 unless the program is position-independent.
    pub load_bias: u64,
    /// The code that statements of inline assembly became, where the assembler noted it.
    pub inline_assembly: Vec<Range<u64>>,
    symbols: SymbolTable,
}

impl Image {
    /// Reads an ELF file.
    pub fn load(bytes: &[u8]) -> Result<Image, ImageError> {
        let elf = Elf::parse(bytes)?;
        let headers = elf.program_headers()?;
        let position_independent = elf.header.e_type(LittleEndian) == ET_DYN;
        let dynamic = Dynamic::read(&elf)?;
        refuse_dynamic(&elf, headers, &dynamic, position_independent)?;
        let load_bias = if position_independent { LOAD_BASE } else { 0 };

        let mut segments = Vec::new();
        let mut tls = None;
        let loaded = || headers.iter().filter(|header| header.p_type(LittleEndian) == PT_LOAD);
        let file_size = loaded().fold(0u64, |size, header| size.saturating_add(header.p_filesz(LittleEndian)));
        // Neighbours may share a page of the file, but many segments with the same contents would fill our own memory.
        if file_size > (bytes.len() as u64).saturating_mul(2) {
            return Err(ImageError::Truncated { what: "a segment".into() });
        }
        for header in headers {
            match header.p_type(LittleEndian) {
                PT_LOAD => segments.extend(load_segment(header, bytes, load_bias)?),
                PT_TLS => tls = load_tls(header, load_bias)?,
                _ => {}
            }
        }
        elf.check_sections()?;
        check_layout(&mut segments)?;
        if position_independent {
            dynamic.relocate(&mut segments, load_bias)?;
        }
        if let Some(tls) = &tls
            && !lies_in_memory(&segments, tls.address, tls.file_size)
        {
            return Err(ImageError::Malformed { what: "thread-local segment" });
        }
        let entry = elf.header.e_entry(LittleEndian).wrapping_add(load_bias);
        let is_code = |segment: &Segment| segment.executable && segment.offset_of(entry).is_some();
        if entry & 1 != 0 || !segments.iter().any(is_code) {
            return Err(ImageError::EntryOutsideCode { entry });
        }
        let program_headers = address_of_headers(&elf, headers, load_bias);
        let symbols = load_symbols(&elf, load_bias);
        let program_header_count = headers.len() as u64;
        let inline_assembly = load_inline_assembly(&elf, load_bias);
        Ok(Image { entry, segments, tls, program_headers, program_header_count, load_bias, inline_assembly, symbols })
    }

    /// The address of a function or variable, a global one before a local one of the same name.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        let named = || self.symbols.named(name);
        let real = |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::Function | SymbolKind::Object);
        let label = |symbol: &&Symbol| symbol.kind == SymbolKind::Other;
        named().find(real).or_else(|| named().find(label)).map(|symbol| symbol.address)
    }

    /// All symbols with this name, global ones first.
    pub fn symbols_named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Symbol> + use<'a> {
        self.symbols.named(name)
    }

    /// All names of exactly this address, the best first.
    pub fn symbols_at(&self, address: u64) -> impl Iterator<Item = &Symbol> {
        self.symbols.at(address)
    }

    /// The symbol that covers the address: a function rather than a variable, a name without leading underscores where
    /// there is a choice, and then a global one rather than a local one.
    pub fn symbol_at(&self, address: u64) -> Option<&Symbol> {
        self.symbols.covering(address)
    }

    /// The variable that covers the address.
    pub fn data_symbol_at(&self, address: u64) -> Option<&Symbol> {
        self.symbols.object_covering(address)
    }

    /// All symbols, sorted by address.
    pub fn symbols(&self) -> &[Symbol] {
        self.symbols.all()
    }

    /// Whether the names were removed from the file.
    pub fn is_stripped(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The first address after the program: where its heap may begin.
    pub fn end(&self) -> u64 {
        self.segments.last().map_or(0, Segment::end)
    }
}

/// The pairs of addresses between which inline assembly lies. Code that the linker left out has pairs that are empty.
fn load_inline_assembly(elf: &Elf, load_bias: u64) -> Vec<Range<u64>> {
    let (_, bytes) = elf.section(INLINE_ASSEMBLY_SECTION).unwrap_or_default();
    let address = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes")).wrapping_add(load_bias);
    let pairs = bytes.chunks_exact(16).map(|pair| address(&pair[..8])..address(&pair[8..]));
    pairs.filter(|range| range.start < range.end).collect()
}

/// Refuses files that only a dynamic loader could start.
fn refuse_dynamic(
    elf: &Elf,
    headers: &[ProgramHeader],
    dynamic: &Dynamic,
    position_independent: bool,
) -> Result<(), ImageError> {
    for header in headers {
        if let Ok(Some(path)) = header.interpreter(LittleEndian, elf.bytes) {
            let interpreter = Some(String::from_utf8_lossy(path).into_owned()).filter(|path| !path.is_empty());
            return Err(ImageError::DynamicallyLinked { interpreter });
        }
    }
    if position_independent && !dynamic.position_independent_executable {
        return Err(ImageError::SharedLibrary);
    }
    if dynamic.needs_libraries {
        return Err(ImageError::DynamicallyLinked { interpreter: None });
    }
    Ok(())
}

/// The segment that a program header describes, or none if it is empty.
fn load_segment(header: &ProgramHeader, bytes: &[u8], bias: u64) -> Result<Option<Segment>, ImageError> {
    let address = header.p_vaddr(LittleEndian).wrapping_add(bias);
    let memory_size = header.p_memsz(LittleEndian);
    if header.p_filesz(LittleEndian) > memory_size {
        return Err(ImageError::Malformed { what: "segment size" });
    }
    if memory_size == 0 {
        return Ok(None);
    }
    let fits = address.checked_add(memory_size).is_some_and(|end| end <= ADDRESS_LIMIT);
    if memory_size > MEMORY_SIZE_MAX || !fits {
        return Err(ImageError::TooLarge { address, memory_size });
    }
    let contents = header.data(LittleEndian, bytes).map_err(|()| ImageError::Truncated { what: "a segment".into() })?;
    let flags = header.p_flags(LittleEndian);
    Ok(Some(Segment {
        address,
        bytes: contents.to_vec(),
        memory_size,
        writable: flags.contains(PF_W),
        executable: flags.contains(PF_X),
    }))
}

fn load_tls(header: &ProgramHeader, bias: u64) -> Result<Option<Tls>, ImageError> {
    let tls = Tls {
        address: header.p_vaddr(LittleEndian).wrapping_add(bias),
        file_size: header.p_filesz(LittleEndian),
        memory_size: header.p_memsz(LittleEndian),
        align: header.p_align(LittleEndian).max(1),
    };
    let sensible = tls.file_size <= tls.memory_size
        && tls.memory_size <= MEMORY_SIZE_MAX
        && tls.align.is_power_of_two()
        && tls.align <= MEMORY_SIZE_MAX;
    match sensible {
        true if tls.memory_size == 0 => Ok(None),
        true => Ok(Some(tls)),
        false => Err(ImageError::Malformed { what: "thread-local segment" }),
    }
}

/// Sorts the segments and establishes that they are disjoint, small enough, and contain code.
fn check_layout(segments: &mut [Segment]) -> Result<(), ImageError> {
    segments.sort_by_key(|segment| segment.address);
    for pair in segments.windows(2) {
        if pair[0].end() > pair[1].address {
            return Err(ImageError::OverlappingSegments { first: pair[0].address, second: pair[1].address });
        }
    }
    let mut total = 0;
    for segment in segments.iter() {
        total += segment.memory_size;
        if total > MEMORY_SIZE_MAX {
            return Err(ImageError::TooLarge { address: segment.address, memory_size: segment.memory_size });
        }
    }
    match segments.iter().any(|segment| segment.executable) {
        true => Ok(()),
        false => Err(ImageError::NoExecutableSegment),
    }
}

fn lies_in_memory(segments: &[Segment], address: u64, size: u64) -> bool {
    let holds =
        |segment: &Segment| segment.offset_of(address).is_some_and(|offset| size <= segment.memory_size - offset);
    size == 0 || segments.iter().any(holds)
}

/// Where the program headers are in memory: the program's start-up code looks for its thread-local segment there.
fn address_of_headers(elf: &Elf, headers: &[ProgramHeader], bias: u64) -> u64 {
    let position = elf.header.e_phoff(LittleEndian);
    let size = std::mem::size_of_val(headers) as u64;
    for header in headers.iter().filter(|header| header.p_type(LittleEndian) == PT_LOAD) {
        let offset = position.checked_sub(header.p_offset(LittleEndian));
        let Some(offset) = offset else { continue };
        if offset.checked_add(size).is_some_and(|end| end <= header.p_filesz(LittleEndian)) {
            return header.p_vaddr(LittleEndian).wrapping_add(bias).wrapping_add(offset);
        }
    }
    0
}

fn load_symbols(elf: &Elf, bias: u64) -> SymbolTable {
    let mut symbols = elf.symbols();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.kind != SymbolKind::ThreadLocal) {
        symbol.address = symbol.address.wrapping_add(bias);
    }
    let ends: Vec<u64> = elf.section_ends().iter().map(|end| end.wrapping_add(bias)).collect();
    SymbolTable::new(symbols, &ends)
}
