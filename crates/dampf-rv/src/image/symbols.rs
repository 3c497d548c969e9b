//! The names a program gives to its addresses.
//!
//! A static library has many names for one function (`pthread_mutex_lock`, `__pthread_mutex_lock`, …), some of size
//! zero. For every address that has a name, one name is chosen for people once, when the table is built, so that a
//! lookup is a binary search. Invariant: the chosen spans of one table are sorted by address and do not overlap.

use std::ops::Range;

/// What a symbol names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolKind {
    Function,
    Object,
    /// A thread-local variable; its address is an offset into every thread's own block.
    ThreadLocal,
    /// A label without type: marks of the linker and of hand-written assembly.
    Other,
}

/// A named address, with the name as it stands in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: String,
    pub address: u64,
    pub size: u64,
    pub kind: SymbolKind,
    /// Whether other files of the program could use the name.
    pub global: bool,
    /// The source file of a local name, as the compiler wrote it.
    pub file: Option<String>,
}

impl Symbol {
    /// Orders the names of one address: the first is the one to show.
    fn rank(&self) -> (usize, bool, usize, &str) {
        let underscores = self.name.len() - self.name.trim_start_matches('_').len();
        // A mangled C++ name starts with one underscore that nobody sees after demangling.
        let visible = if self.name.starts_with("_Z") { 0 } else { underscores };
        // Underscores count first: the linker makes a library's hidden names local, `malloc` among them.
        (visible, !self.global, self.name.len(), &self.name)
    }
}

/// A stretch of addresses and the symbol (by index) that names it.
struct Span {
    addresses: Range<u64>,
    symbol: usize,
}

/// All symbols of a program, sorted by address and by name.
#[derive(Default)]
pub(super) struct SymbolTable {
    /// Sorted by address, then by rank: the best name of an address comes first.
    symbols: Vec<Symbol>,
    by_name: Vec<usize>,
    functions: Vec<Span>,
    objects: Vec<Span>,
    labels: Vec<Span>,
}

impl SymbolTable {
    /// Builds the table; `ends` are the sorted addresses where a name of unknown size cannot reach beyond.
    pub fn new(mut symbols: Vec<Symbol>, ends: &[u64]) -> SymbolTable {
        symbols.sort_by(|a, b| (a.address, a.rank()).cmp(&(b.address, b.rank())));
        let mut by_name: Vec<usize> = (0..symbols.len()).collect();
        let key = |index: usize| (symbols[index].name.as_str(), !symbols[index].global, index);
        by_name.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
        let functions = spans(&symbols, SymbolKind::Function, ends);
        let objects = spans(&symbols, SymbolKind::Object, ends);
        let labels = spans(&symbols, SymbolKind::Other, ends);
        SymbolTable { symbols, by_name, functions, objects, labels }
    }

    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    pub fn all(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The symbols with this name, global ones first.
    pub fn named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Symbol> + use<'a> {
        let start = self.by_name.partition_point(|&index| self.symbols[index].name.as_str() < name);
        let end = start + self.by_name[start..].partition_point(|&index| self.symbols[index].name == name);
        self.by_name[start..end].iter().map(|&index| &self.symbols[index])
    }

    /// The symbols that lie exactly at this address, the best name first.
    pub fn at(&self, address: u64) -> impl Iterator<Item = &Symbol> {
        let start = self.symbols.partition_point(|symbol| symbol.address < address);
        self.symbols[start..]
            .iter()
            .take_while(move |symbol| symbol.address == address)
            .filter(|symbol| symbol.kind != SymbolKind::ThreadLocal)
    }

    pub fn covering(&self, address: u64) -> Option<&Symbol> {
        let span = find(&self.functions, address).or_else(|| find(&self.objects, address));
        span.or_else(|| find(&self.labels, address)).map(|span| &self.symbols[span.symbol])
    }

    pub fn object_covering(&self, address: u64) -> Option<&Symbol> {
        find(&self.objects, address).map(|span| &self.symbols[span.symbol])
    }
}

/// The stretches that symbols of one kind name. A symbol without size reaches to the next one or to the next end.
fn spans(symbols: &[Symbol], kind: SymbolKind, ends: &[u64]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (index, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind == kind) {
        let end = symbol.address.saturating_add(symbol.size);
        match spans.last_mut() {
            // A further name of the same address: the first is the better name, the largest size counts.
            Some(last) if last.addresses.start == symbol.address => last.addresses.end = last.addresses.end.max(end),
            _ => spans.push(Span { addresses: symbol.address..end, symbol: index }),
        }
    }
    for index in 0..spans.len() {
        let next = spans.get(index + 1).map_or(u64::MAX, |span| span.addresses.start);
        let addresses = &mut spans[index].addresses;
        if addresses.is_empty() {
            let after = ends.partition_point(|&end| end <= addresses.start);
            addresses.end = ends.get(after).copied().unwrap_or(addresses.start);
        }
        addresses.end = addresses.end.min(next);
    }
    spans
}

fn find(spans: &[Span], address: u64) -> Option<&Span> {
    let after = spans.partition_point(|span| span.addresses.start <= address);
    let span = &spans[after.checked_sub(1)?];
    span.addresses.contains(&address).then_some(span)
}
