//! Why a file is not a program that can be checked: one sentence, and what to do about it.

use std::borrow::Cow;
use std::fmt;

/// What is wrong with a file that was to be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageError {
    /// The file does not begin with the ELF magic number. `looks_like` names what it is where that is known.
    NotElf {
        looks_like: Option<&'static str>,
    },
    /// The file ends before something its headers promise.
    Truncated {
        what: Cow<'static, str>,
    },
    /// The program was compiled for another processor.
    WrongArchitecture {
        machine: String,
    },
    /// RISC-V, but with 32-bit addresses.
    ThirtyTwoBit,
    /// RISC-V, but with the most significant byte first.
    BigEndian,
    /// The program needs a loader and shared libraries.
    DynamicallyLinked {
        interpreter: Option<String>,
    },
    SharedLibrary,
    RelocatableObject,
    CoreDump,
    /// The headers say nothing about which bytes are code.
    NoExecutableSegment,
    /// The program starts at an address where there is no code.
    EntryOutsideCode {
        entry: u64,
    },
    /// Two parts of the program claim the same addresses.
    OverlappingSegments {
        first: u64,
        second: u64,
    },
    /// The program wants more memory than a checked program can have.
    TooLarge {
        address: u64,
        memory_size: u64,
    },
    /// A relocation that needs a dynamic loader.
    UnsupportedRelocation {
        kind: u32,
        address: u64,
    },
    /// A number in a header contradicts the others.
    Malformed {
        what: &'static str,
    },
}

const COMPILE: &str = "compile it with `dampf cc` or `dampf c++`";
const REBUILD: &str = "the file is damaged or was never finished; link it again";

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ImageError::*;
        match self {
            NotElf { looks_like: Some(what) } => write!(f, "this is {what}, not an ELF executable; {COMPILE}"),
            NotElf { looks_like: None } => write!(f, "this is not an ELF executable; {COMPILE}"),
            Truncated { what } => write!(f, "the file is truncated: it ends within {what}; link it again"),
            WrongArchitecture { machine } => write!(f, "the program is compiled for {machine}; {COMPILE}"),
            ThirtyTwoBit => write!(f, "the program is compiled for 32-bit RISC-V; {COMPILE}, which makes 64-bit code"),
            BigEndian => write!(f, "the program is compiled for big-endian RISC-V; {COMPILE}"),
            DynamicallyLinked { interpreter: Some(path) } => {
                write!(f, "the program is dynamically linked (it asks for {path}); link it with -static")
            }
            DynamicallyLinked { interpreter: None } => {
                write!(f, "the program needs shared libraries; link it with -static")
            }
            SharedLibrary => write!(f, "this is a shared library; link its objects into a program with -static"),
            RelocatableObject => write!(f, "this is an object file that is not linked yet; link it with `dampf cc`"),
            CoreDump => write!(f, "this is a core dump; give the program that was running instead"),
            NoExecutableSegment => write!(f, "the program contains no code; {REBUILD}"),
            EntryOutsideCode { entry } => {
                write!(f, "the program starts at {entry:#x}, where there is no code; {REBUILD}")
            }
            OverlappingSegments { first, second } => {
                write!(f, "the segments at {first:#x} and {second:#x} overlap; {REBUILD}")
            }
            TooLarge { address, memory_size } => write!(
                f,
                "the segment at {address:#x} wants {memory_size} bytes of memory; \
                 a program may have 1 GiB below address {:#x}: make its global arrays smaller",
                super::ADDRESS_LIMIT
            ),
            UnsupportedRelocation { kind, address } => write!(
                f,
                "the program has a relocation of kind {kind} at {address:#x}, which only a dynamic loader can resolve; \
                 link it with -static and without -pie"
            ),
            Malformed { what } => write!(f, "the file's {what} makes no sense; {REBUILD}"),
        }
    }
}

impl std::error::Error for ImageError {}

/// Names a processor by its ELF machine number.
pub(super) fn machine_name(number: u16) -> String {
    let name = match number {
        2 | 18 | 43 => "SPARC",
        3 => "x86 (32 bit)",
        4 => "Motorola 68000",
        8 => "MIPS",
        20 => "PowerPC (32 bit)",
        21 => "PowerPC (64 bit)",
        22 => "IBM Z",
        40 => "ARM (32 bit)",
        42 => "SuperH",
        50 => "Itanium",
        62 => "x86-64",
        94 => "Xtensa",
        183 => "AArch64",
        247 => "BPF",
        258 => "LoongArch",
        _ => return format!("an unknown processor (ELF machine number {number})"),
    };
    name.to_owned()
}
