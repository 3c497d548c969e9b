//! The variables that exist for as long as the program runs, or as each of its threads does.

use std::collections::HashMap;

use super::contents::{Home, RawVariable};
use super::reader::Reader;
use super::types::TypeId;
use super::units::Units;
use crate::image::{Symbol, SymbolKind, demangle};

/// How many entries it takes to name an ordinary variable and its type's size, with room to spare.
const ENTRIES_PER_VARIABLE: usize = 64;

/// A variable with a fixed address, or a fixed place in every thread's block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// With the namespaces, classes and functions it is declared in: `ns::count`, `next::calls`.
    pub name: String,
    /// Where it is; for a thread-local variable the offset from the start of a thread's block.
    pub address: u64,
    pub size: u64,
    pub ty: TypeId,
    pub thread_local: bool,
}

/// What the symbol table knows better: gcc describes a thread-local variable on RISC-V without saying where it is, and
/// the type of a structure that ends in an array without length does not say how large the variable is.
pub(super) struct DataSymbols {
    /// The sizes of variables by address.
    sizes: HashMap<u64, u64>,
    /// The names at an address, as linkers know them.
    names: HashMap<u64, Vec<String>>,
    /// Thread-local variables by readable name.
    by_name: HashMap<String, Vec<Symbol>>,
    /// Thread-local static variables of C functions, whose symbols carry a number (`calls.0`), by the name without it.
    numbered: HashMap<String, Vec<Symbol>>,
}

impl DataSymbols {
    pub fn new(symbols: Vec<Symbol>) -> DataSymbols {
        let objects = symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Object);
        let mut sizes = HashMap::new();
        let mut names: HashMap<u64, Vec<String>> = HashMap::new();
        for symbol in objects {
            sizes.insert(symbol.address, symbol.size);
            names.entry(symbol.address).or_default().push(symbol.name.clone());
        }
        let mut by_name: HashMap<String, Vec<Symbol>> = HashMap::new();
        let mut numbered: HashMap<String, Vec<Symbol>> = HashMap::new();
        for symbol in symbols.into_iter().filter(|symbol| symbol.kind == SymbolKind::ThreadLocal) {
            match symbol.name.split_once('.') {
                Some((stem, _)) => numbered.entry(stem.to_owned()).or_default().push(symbol),
                None => by_name.entry(demangle(&symbol.name)).or_default().push(symbol),
            }
        }
        DataSymbols { sizes, names, by_name, numbered }
    }

    /// Whether a variable's description gives the address of another variable. Where a local variable is a copy that
    /// need not be made, compilers say that it is the original.
    fn is_others(&self, address: u64, own_name: &str) -> bool {
        let mangled = format!("{}{own_name}", own_name.len());
        let is_own = |name: &String| {
            let rest = name.strip_prefix(own_name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) || name.contains(&mangled)
        };
        self.names.get(&address).is_some_and(|names| !names.iter().any(is_own))
    }

    /// The offset in a thread's block of the variable with this full name and own name in a source file.
    fn thread_offset(&self, full_name: &str, own_name: &str, file: &str, size: u64) -> Option<u64> {
        let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let is_local = |symbol: &&Symbol| symbol.file.as_deref().is_some_and(|path| base(path) == base(file));
        let fits = |symbol: &&Symbol| symbol.size == size && (symbol.global || is_local(symbol));
        let candidates = self.by_name.get(full_name).map(Vec::as_slice).unwrap_or_default();
        let local = candidates.iter().filter(fits).find(is_local);
        if let Some(symbol) = local.or_else(|| candidates.iter().find(fits)) {
            return Some(symbol.address);
        }
        // Where two functions of a file have variables of the same name, the number does not tell which is whose.
        let mut numbered = self.numbered.get(own_name)?.iter().filter(fits);
        let symbol = numbered.next().filter(|_| full_name != own_name)?;
        numbered.next().is_none().then_some(symbol.address)
    }
}

/// All variables of all units: those with addresses first, then the thread-local ones, each sorted by place and name.
pub(super) fn collect(units: &Units, symbols: &DataSymbols) -> Vec<Variable> {
    let mut variables = Vec::new();
    for index in 0..units.list.len() {
        // Every unit is a question of its own.
        let reader = units.reader();
        let Some(contents) = reader.contents(index) else { continue };
        reader.add_fuel(contents.variables.len().saturating_mul(ENTRIES_PER_VARIABLE));
        variables.extend(contents.variables.iter().filter_map(|raw| variable(&reader, raw, symbols)));
    }
    variables.sort_by(|a, b| {
        let key = |variable: &Variable| (variable.thread_local, variable.address, std::cmp::Reverse(variable.size));
        (key(a), &a.name).cmp(&(key(b), &b.name))
    });
    // Every unit that includes an inline variable describes it.
    variables.dedup_by(|a, b| (a.thread_local, a.address, &a.name) == (b.thread_local, b.address, &b.name));
    variables
}

fn variable(reader: &Reader, raw: &RawVariable, symbols: &DataSymbols) -> Option<Variable> {
    let entry = reader.entry(raw.entry)?;
    let file = entry.unit.name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let chain = entry.with_origins(reader);
    let own_name = chain.iter().find_map(|entry| entry.name(reader))?;
    let ty = chain.iter().find_map(|entry| entry.reference(reader, gimli::DW_AT_type))?;
    let mut size = reader.size_of(ty);
    let full_name = || reader.full_name(reader.entry(raw.entry)?);
    let (address, thread_local, name) = match raw.home {
        Home::Address(address) if symbols.is_others(address, &own_name) => return None,
        Home::Address(address) => {
            size = size.max(symbols.sizes.get(&address).copied().unwrap_or(0));
            (address, false, full_name()?)
        }
        Home::ThreadLocal(offset) => (offset, true, full_name()?),
        Home::Unknown => {
            let name = full_name()?;
            let offset = symbols.thread_offset(&name, &own_name, &file, size)?;
            (offset, true, name)
        }
    };
    Some(Variable { name, address, size, ty: TypeId(ty), thread_local })
}
