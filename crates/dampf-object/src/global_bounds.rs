//! Where the program's global variables end.
//!
//! A compiler that is asked for AddressSanitizer's view of variables leaves room behind each global variable, and
//! registers them all when the program starts: a constructor calls a function of the sanitizer with a table. The
//! tables are part of the image, so they are found without running anything, by what the constructors pass on. The room
//! behind a variable is no memory of the program's.

use dampf_rv::decode::{Code, Op};
use dampf_rv::image::{Image, Symbol, SymbolKind};
use std::ops::Range;

const REGISTER: &str = "__asan_register_globals";
/// How the names of constructors begin that the compiler adds.
const CONSTRUCTOR: &str = "_sub_I_";

/// The fields of a table's row that count, by their places: where a variable begins, its size, its size with the room
/// behind, its name.
const START: u64 = 0;
const SIZE: u64 = 8;
const PADDED_SIZE: u64 = 16;
const NAME: u64 = 24;
const ROW_BYTES: u64 = 64;

const RA: u8 = 1;
const GP: usize = 3;
const A0: usize = 10;
const A1: usize = 11;

/// A global variable with the room behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundedGlobal {
    pub variable: Range<u64>,
    /// Where the room behind it ends.
    pub padded_end: u64,
    name: String,
}

impl BoundedGlobal {
    /// How people are told of the variable.
    pub fn told(&self) -> String {
        // Literals have the compiler's names.
        match self.name.starts_with(['*', '.']) {
            true => "a string literal".to_owned(),
            false => format!("global variable `{}`", self.name),
        }
    }
}

/// The variables that the program registers, sorted by their addresses.
pub fn find(image: &Image, code: &Code) -> Vec<BoundedGlobal> {
    let registering: Vec<u64> = image.symbols_named(REGISTER).map(|symbol| symbol.address).collect();
    let is_constructor = |symbol: &&Symbol| {
        symbol.kind == SymbolKind::Function && symbol.name.starts_with(CONSTRUCTOR) && !registering.is_empty()
    };
    let constructors = image.symbols().iter().filter(is_constructor);
    let tables = constructors.flat_map(|symbol| registered(symbol, image, code, &registering));
    let rows = tables.flat_map(|(table, count)| (0..count).map(move |row| table + row * ROW_BYTES));
    let mut found: Vec<BoundedGlobal> = rows.filter_map(|row| read_row(image, row)).collect();
    found.sort_by_key(|global| global.variable.start);
    found
}

/// The tables that a constructor registers: where they are, and how many rows they have.
fn registered(constructor: &Symbol, image: &Image, code: &Code, registering: &[u64]) -> Vec<(u64, u64)> {
    let mut known: [Option<u64>; 32] = [None; 32];
    known[0] = Some(0);
    known[GP] = image.address_of("__global_pointer$");
    let mut tables = Vec::new();
    let mut pc = constructor.address;
    while pc < constructor.address + constructor.size {
        let Some(instruction) = code.at(pc) else { break };
        let (rd, rs1) = (usize::from(instruction.rd), usize::from(instruction.rs1));
        let immediate = instruction.imm as i64 as u64;
        let sum = |value: Option<u64>| value.map(|value| value.wrapping_add(immediate));
        let callee = match instruction.op {
            Op::Jal => Some(pc.wrapping_add(immediate)),
            Op::Jalr => sum(known[rs1]),
            _ => None,
        };
        if instruction.rd == RA && callee.is_some_and(|callee| registering.contains(&callee)) {
            tables.extend(known[A0].zip(known[A1]));
        }
        let value = match instruction.op {
            Op::Lui => Some(immediate),
            Op::Auipc => Some(pc.wrapping_add(immediate)),
            Op::Addi => sum(known[rs1]),
            Op::Add if rs1 == 0 => known[usize::from(instruction.rs2)],
            Op::Add if instruction.rs2 == 0 => known[rs1],
            _ => None,
        };
        if rd != 0 && instruction.defines() as u32 >> rd & 1 == 1 {
            known[rd] = value;
        }
        pc += u64::from(instruction.length);
    }
    tables
}

fn read_row(image: &Image, row: u64) -> Option<BoundedGlobal> {
    let [start, size, padded, name] = [START, SIZE, PADDED_SIZE, NAME].map(|field| read_long(image, row + field));
    let (start, size, padded) = (start?, size?, padded?);
    let padded_end = start.checked_add(padded).filter(|_| size <= padded)?;
    let name = read_string(image, name?)?;
    Some(BoundedGlobal { variable: start..start + size, padded_end, name })
}

fn bytes_at(image: &Image, address: u64) -> Option<&[u8]> {
    image.segments.iter().find_map(|segment| {
        let offset = usize::try_from(address.checked_sub(segment.address)?).ok()?;
        segment.bytes.get(offset..)
    })
}

fn read_long(image: &Image, address: u64) -> Option<u64> {
    let bytes = bytes_at(image, address)?.get(..8)?;
    Some(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
}

fn read_string(image: &Image, address: u64) -> Option<String> {
    let bytes = bytes_at(image, address)?;
    let end = bytes.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}
