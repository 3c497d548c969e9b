//! Functions of the libraries whose accesses are what they look like.
//!
//! In the program's own code the compiler announces atomic operations. In the libraries' code nobody does, and an
//! atomic load is compiled to a plain one. So what libraries do counts as atomic, unless a function certainly
//! implements none: then what it does to the program's memory races like everything else. Two threads that print into
//! the same buffer are such a case.

use dampf_rv::decode::{Code, Op};
use dampf_rv::image::{Image, Symbol, SymbolKind};
use std::ops::Range;

/// Functions for strings. Their writes are exact. They read by words, and so what lies behind the end of a string,
/// which the zero in the word tells.
const STRINGS: &str =
    "strlen strnlen strcpy strncpy stpcpy stpncpy strcat strncat strcmp strncmp strchr strrchr strstr";

/// Functions for bytes. Their writes are exact. They may read what lies around, and nothing tells.
const BYTES: &str = "memcpy memmove memset mempcpy bcopy bzero";

/// Those of them that copy, and whose calls tell what they read.
const COPYING: &str = "memcpy memmove mempcpy";

/// How the names of functions begin that read by words, and of some that do not though they are called alike.
const BY_WORDS: [&str; 6] = ["str", "stp", "mem", "rawmem", "wcs", "wmem"];
const BY_BYTES: [&str; 4] = ["strto", "strsep", "strftime", "strptime"];

/// Parts of the names of functions that implement synchronisation, or count references to what threads share.
const SYNCHRONISATION: &str = "pthread nptl thrd thread mtx cnd tss once sem_ lll futex guard cxa exception Unwind atomic \
                               exchange_and_add mutex rwlock condition cond_ barrier spin latch future Sp_ shared_ptr locale \
                               facet cow_string error Ss tsan dampf VERIFIER";

/// The code of functions, sorted.
pub struct PlainFunctions {
    pub strings: Vec<Range<u64>>,
    pub bytes: Vec<Range<u64>>,
    pub copying: Vec<Range<u64>>,
    /// Functions that read and write nothing but what they are told to.
    pub exact: Vec<Range<u64>>,
}

impl PlainFunctions {
    pub fn find(image: &Image, code: &Code) -> PlainFunctions {
        let ranges = |is_meant: &dyn Fn(&Symbol) -> bool| {
            let functions = image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Function);
            let meant = functions.filter(|symbol| symbol.size > 0 && is_meant(symbol));
            let mut ranges: Vec<Range<u64>> =
                meant.map(|symbol| symbol.address..symbol.address + symbol.size).collect();
            ranges.sort_by_key(|range| (range.start, range.end));
            ranges.dedup_by_key(|range| range.start);
            ranges
        };
        let is_one_of = |names: &str, symbol: &Symbol| names.split(' ').any(|name| name == own_name(symbol));
        PlainFunctions {
            strings: ranges(&|symbol| is_one_of(STRINGS, symbol)),
            bytes: ranges(&|symbol| is_one_of(BYTES, symbol)),
            copying: ranges(&|symbol| is_one_of(COPYING, symbol)),
            exact: ranges(&|symbol| is_exact(symbol, code)),
        }
    }
}

fn own_name(symbol: &Symbol) -> &str {
    symbol.name.trim_start_matches('_')
}

/// Whether a function of the C library is one for strings, by its name.
pub fn is_for_strings(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    ["str", "stp", "wcs"].iter().any(|beginning| name.starts_with(beginning))
        && !BY_BYTES.iter().any(|beginning| name.starts_with(beginning))
}

fn is_exact(symbol: &Symbol, code: &Code) -> bool {
    let begins = |beginning: &&str| own_name(symbol).starts_with(beginning);
    let by_words = BY_WORDS.iter().any(&begins);
    (!by_words || BY_BYTES.iter().any(begins))
        && !SYNCHRONISATION.split_whitespace().any(|part| symbol.name.contains(part))
        && !orders_memory(symbol.address..symbol.address + symbol.size, code)
}

/// Whether a function has atomic instructions or fences.
fn orders_memory(function: Range<u64>, code: &Code) -> bool {
    let mut pc = function.start;
    while let Some(instruction) = code.at(pc).filter(|_| function.contains(&pc)) {
        let is_atomic = instruction.memory_access().is_some_and(|access| access.atomic);
        if is_atomic || instruction.op == Op::Fence {
            return true;
        }
        pc += u64::from(instruction.length);
    }
    false
}
