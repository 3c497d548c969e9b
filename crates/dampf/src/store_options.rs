//! How visited states are kept, as `--store` says it.

use crate::values::size;
use dampf_store::{Filter, HashCompactStore};
use std::num::NonZeroU32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Store {
    /// Tree-compressed: least memory.
    Tree,
    /// Word for word.
    Exact,
    /// Some bits of a hash of each state.
    HashCompact { bits: u32 },
    /// A few bits of each state, in a filter.
    Bitstate(Bitstate),
    /// The step that led to each state, and whole states every so many steps.
    Reconstruct { steps: NonZeroU32 },
    /// On disk, level by level: memory is only a buffer.
    Disk,
}

/// What was said about a filter; the rest is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bitstate {
    pub bytes: Option<u64>,
    pub functions: Option<u32>,
    /// How many states are to be expected.
    pub states: Option<u64>,
    /// How many runs with different hash functions there are at most.
    pub runs: Option<NonZeroU32>,
}

impl Store {
    /// The name without what may follow it.
    pub fn name(self) -> &'static str {
        match self {
            Store::Tree => "tree",
            Store::Exact => "exact",
            Store::HashCompact { .. } => "hash-compact",
            Store::Bitstate(_) => "bitstate",
            Store::Reconstruct { .. } => "reconstruct",
            Store::Disk => "disk",
        }
    }

    /// `tree`, `hash-compact:40`, `bitstate:64M,k=3,runs=4`, `reconstruct:16`.
    pub fn parse(text: &str) -> Result<Store, String> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        // A filter without a size has nothing before the first comma.
        let (name, rest) = match (name.split_once(','), rest) {
            (Some(("bitstate", options)), None) => ("bitstate", Some(options)),
            _ => (name, rest),
        };
        match (name, rest) {
            ("tree", None) => Ok(Store::Tree),
            ("exact", None) => Ok(Store::Exact),
            ("disk", None) => Ok(Store::Disk),
            ("hash-compact", bits) => hash_compact(bits),
            ("bitstate", options) => Bitstate::parse(options).map(Store::Bitstate),
            ("reconstruct", steps) => reconstruct(steps),
            _ => Err("expected tree, exact, hash-compact[:BITS], bitstate[:SIZE][,k=K][,states=N][,runs=N], \
                      reconstruct[:STEPS] or disk"
                .to_owned()),
        }
    }
}

fn hash_compact(bits: Option<&str>) -> Result<Store, String> {
    let is_kept = |bits: &u32| HashCompactStore::BITS.contains(bits) && bits.is_multiple_of(8);
    let bits = bits.map_or(Some(u64::BITS), |bits| bits.parse().ok().filter(is_kept));
    let bits = bits.ok_or("expected hash-compact:BITS with 24, 32, 40, 48, 56 or 64 bits")?;
    Ok(Store::HashCompact { bits })
}

fn reconstruct(steps: Option<&str>) -> Result<Store, String> {
    const STEPS: NonZeroU32 = NonZeroU32::new(32).unwrap();
    const STEPS_MAX: u32 = 1 << 20;
    let steps =
        steps.map_or(Some(STEPS), |steps| steps.parse().ok().filter(|steps: &NonZeroU32| steps.get() <= STEPS_MAX));
    let steps =
        steps.ok_or_else(|| format!("expected reconstruct:STEPS with 1 to {STEPS_MAX} steps between whole states"))?;
    Ok(Store::Reconstruct { steps })
}

impl Bitstate {
    /// The size of a filter where nothing is said about memory.
    const BYTES: u64 = 256 << 20;
    /// Good at a byte a state, and not much worse than fewer where there is less room.
    const FUNCTIONS: u32 = 5;
    const RUNS_MAX: u32 = 1000;
    /// Far less than a search takes anyway.
    const BYTES_MIN: u64 = 64;

    fn parse(options: Option<&str>) -> Result<Bitstate, String> {
        let mut bitstate = Bitstate::default();
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            let is_new = match option.split_once('=') {
                None => bitstate.bytes.replace(filter_size(option)?).is_none(),
                Some(("k", functions)) => {
                    let functions = functions.parse().ok().filter(|functions| Filter::FUNCTIONS.contains(functions));
                    let max = Filter::FUNCTIONS.end();
                    let functions = functions.ok_or_else(|| format!("expected k=K with 1 to {max} hash functions"))?;
                    bitstate.functions.replace(functions).is_none()
                }
                Some(("states", states)) => {
                    let states = states.parse().ok().filter(|&states: &u64| states > 0);
                    bitstate.states.replace(states.ok_or("expected states=N with a number of states")?).is_none()
                }
                Some(("runs", runs)) => {
                    let runs = runs.parse().ok().filter(|runs: &NonZeroU32| runs.get() <= Bitstate::RUNS_MAX);
                    let runs = runs.ok_or_else(|| format!("expected runs=N with 1 to {} runs", Bitstate::RUNS_MAX))?;
                    bitstate.runs.replace(runs).is_none()
                }
                Some(_) => return Err("expected bitstate[:SIZE][,k=K][,states=N][,runs=N]".to_owned()),
            };
            if !is_new {
                return Err(format!("`{option}` says again what was said before"));
            }
        }
        match bitstate {
            Bitstate { functions: Some(_), states: Some(_), .. } => {
                Err("states=N is there to compute K, and k=K was given".to_owned())
            }
            _ => Ok(bitstate),
        }
    }

    /// The filter of a search that may use so much memory.
    pub fn filter(self, max_memory: Option<u64>) -> Filter {
        let bytes = self.bytes.unwrap_or_else(|| max_memory.map_or(Bitstate::BYTES, |limit| limit / 2));
        match (self.functions, self.states) {
            (Some(functions), _) => Filter::new(bytes, functions),
            (None, Some(states)) => Filter::for_states(bytes, states),
            (None, None) => Filter::new(bytes, Bitstate::FUNCTIONS),
        }
    }

    pub fn runs(self) -> u32 {
        self.runs.map_or(1, NonZeroU32::get)
    }
}

fn filter_size(text: &str) -> Result<u64, String> {
    let bytes = size(text).map_err(|_| "expected bitstate:SIZE with a size such as 64M or 2G".to_owned())?;
    match bytes {
        Bitstate::BYTES_MIN.. => Ok(bytes),
        _ => Err(format!("a filter has at least {} bytes", Bitstate::BYTES_MIN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_read_as_it_is_said() {
        let steps = |steps| Store::Reconstruct { steps: NonZeroU32::new(steps).unwrap() };
        let said = [
            ("tree", Store::Tree),
            ("hash-compact", Store::HashCompact { bits: 64 }),
            ("hash-compact:40", Store::HashCompact { bits: 40 }),
            ("reconstruct", steps(32)),
            ("reconstruct:7", steps(7)),
            ("bitstate", Store::Bitstate(Bitstate::default())),
            ("bitstate:2K", Store::Bitstate(Bitstate { bytes: Some(2048), ..Bitstate::default() })),
            ("bitstate,k=3", Store::Bitstate(Bitstate { functions: Some(3), ..Bitstate::default() })),
            (
                "bitstate:states=9,1M,runs=4",
                Store::Bitstate(Bitstate {
                    bytes: Some(1 << 20),
                    functions: None,
                    states: Some(9),
                    runs: NonZeroU32::new(4),
                }),
            ),
        ];
        for (text, store) in said {
            assert_eq!(Store::parse(text), Ok(store), "{text}");
            assert!(text.starts_with(store.name()));
        }
        for text in [
            "",
            "trees",
            "tree:3",
            "exact:",
            "disk:1G",
            "hash-compact:",
            "hash-compact:16",
            "hash-compact:41",
            "hash-compact:72",
            "hash-compact:x",
            "reconstruct:0",
            "reconstruct:-1",
            "reconstruct:9999999",
            "bitstate:",
            "bitstate:k",
            "bitstate:k=0",
            "bitstate:k=15",
            "bitstate:1",
            "bitstate:2M,3M",
            "bitstate:k=2,k=3",
            "bitstate:k=2,states=5",
            "bitstate:states=0",
            "bitstate:runs=0",
            "bitstate:runs=9999",
            "bitstate:q=1",
            "bitstate:1M,",
            "hash-compact,40",
        ] {
            assert!(Store::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_filter_has_the_memory_that_is_there() {
        let filter = |text: &str, max_memory| match Store::parse(text) {
            Ok(Store::Bitstate(bitstate)) => bitstate.filter(max_memory),
            other => panic!("{other:?}"),
        };
        assert_eq!(filter("bitstate", None), Filter::new(256 << 20, 5));
        assert_eq!(filter("bitstate", Some(2 << 20)), Filter::new(1 << 20, 5));
        assert_eq!(filter("bitstate:4M,k=2", Some(2 << 20)), Filter::new(4 << 20, 2));
        assert_eq!(filter("bitstate:1M,states=1000000", None), Filter::for_states(1 << 20, 1_000_000));
    }
}
