//! Values of options: sizes, times, thread counts, constants.

use crate::options::PartitionOption;
use crate::store_options::Store;
use dampf_dist::{ForeignStates, LocalSearch, OwnStates, Partition, Waiting};
use dampf_search::HandOff;
use std::time::Duration;

/// More threads than this are a mistake, and starting them may fail.
const THREADS_MAX: usize = 1024;
/// Ranks in one process are threads too, and every one tells every other one when a level ends.
pub const RANKS_MAX: u32 = 256;

/// `512M`, `2G`, `64KiB`, `1000`: a number of bytes, units being powers of 1,024.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = number_and_unit(text);
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1u64 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err("expected a size such as 512M, 2G or 1000000".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a size such as 512M, 2G or 1000000".to_owned())?;
    let bytes = number * factor as f64;
    if bytes < 1.0 {
        return Err("the size must be greater than zero".to_owned());
    }
    if bytes >= u64::MAX as f64 { Err("the size is too large".to_owned()) } else { Ok(bytes as u64) }
}

/// `60`, `1.5`, `90s`, `5m`, `2h`: a time.
pub fn time(text: &str) -> Result<Duration, String> {
    let expected = || "expected a time such as 60, 1.5s, 5m or 2h".to_owned();
    let (number, unit) = number_and_unit(text);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(expected()),
    };
    let number: f64 = number.parse().map_err(|_| expected())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| "the time is too long".to_owned())
}

/// `tree`, `hash-compact:40`, `bitstate:64M`: how visited states are kept.
pub fn store(text: &str) -> Result<Store, String> {
    Store::parse(text)
}

/// `NAME=VALUE`: a variable of the environment.
pub fn variable(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() && !text.contains('\0') => Ok(text.to_owned()),
        _ => Err("expected a variable and its value, such as HOME=/tmp".to_owned()),
    }
}

/// `NAME=EXPRESSION`: a name for an expression in formulas.
pub fn named_expression(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    match text.split_once('=').map(|(name, expression)| (name.trim(), expression.trim())) {
        Some((name, expression)) if is_name(name) && !expression.is_empty() => {
            Ok((name.to_owned(), expression.to_owned()))
        }
        _ => Err("expected NAME=EXPRESSION, as in full=queue.size >= 3".to_owned()),
    }
}

/// A number of threads; `auto` and 0 are one per core.
pub fn threads(text: &str) -> Result<usize, String> {
    let all_cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    match text {
        "auto" | "0" => Ok(all_cores()),
        _ => match text.parse() {
            Ok(count) if count <= THREADS_MAX => Ok(count),
            Ok(_) => Err(format!("at most {THREADS_MAX} threads")),
            Err(_) => Err("expected a number of threads, or `auto`".to_owned()),
        },
    }
}

/// `20`, `auto`: after how many steps a thread hands states over.
pub fn hand_off(text: &str) -> Result<HandOff, String> {
    match text {
        "auto" => Ok(HandOff::Auto),
        _ => text.parse().map(HandOff::Depth).map_err(|_| "expected a number of steps, or `auto`".to_owned()),
    }
}

/// A limit on the number of states.
pub fn states(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("a search has at least one state".to_owned()),
        Ok(count) => Ok(count),
        Err(_) => Err("expected a number of states".to_owned()),
    }
}

/// A number of states that a rank remembers.
pub fn cached_states(text: &str) -> Result<usize, String> {
    const MAX: usize = 1 << 28;
    match text.parse() {
        Ok(count) if count <= MAX => Ok(count),
        Ok(_) => Err(format!("at most {MAX} states")),
        Err(_) => Err("expected a number of states".to_owned()),
    }
}

/// A number of ranks.
pub fn ranks(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=RANKS_MAX) => Ok(count),
        Ok(0) => Err("at least one rank".to_owned()),
        Ok(_) => Err(format!("at most {RANKS_MAX} ranks in one process")),
        Err(_) => Err("expected a number of ranks".to_owned()),
    }
}

/// `full`, `incremental`, `section=A,B`, `depth=100`, `estimate`, `distance=20`: who owns a state.
pub fn partition(text: &str) -> Result<PartitionOption, String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let number = || value.and_then(|value| value.parse().ok()).filter(|&number: &u32| number > 0);
    let partition = match (name, value) {
        ("auto", None) => return Ok(PartitionOption::Auto),
        ("full", None) => Partition::Full,
        ("incremental", None) => Partition::Incremental,
        ("estimate", None) => Partition::Estimate,
        ("section", Some(names)) if !names.is_empty() => {
            Partition::Sections(names.split(',').map(|name| name.trim().to_owned()).collect())
        }
        ("depth", Some(_)) => {
            Partition::DepthSlices(number().ok_or_else(|| "expected depth=N with a number of steps".to_owned())?)
        }
        ("distance", Some(_)) => {
            let range = number().ok_or_else(|| "expected distance=N with the size of a range".to_owned())?;
            Partition::Distance(u64::from(range))
        }
        _ => return Err("expected full, auto, incremental, section=NAME, depth=N, estimate or distance=N".to_owned()),
    };
    Ok(PartitionOption::Named(partition))
}

/// `3`, `5,own=queue,foreign=search,cache=100000`: how far a local search goes, and what it remembers.
pub fn local_search(text: &str) -> Result<LocalSearch, String> {
    let expected = || {
        "expected N[,own=store|queue|cache|leave][,foreign=sent|search|leave][,cache=STATES] with N of at least 2"
            .to_owned()
    };
    let mut words = text.split(',');
    let depth = words.next().and_then(|number| number.parse().ok()).filter(|&depth| depth >= 2).ok_or_else(expected)?;
    let (own, foreign) = (OwnStates::default(), ForeignStates::default());
    let mut local = LocalSearch { depth, own, foreign, cached: 1 << 16 };
    for word in words {
        match word.split_once('=').ok_or_else(expected)? {
            ("own", "store") => local.own = OwnStates::Store,
            ("own", "queue") => local.own = OwnStates::Enqueue,
            ("own", "cache") => local.own = OwnStates::Cache,
            ("own", "leave") => local.own = OwnStates::Leave,
            ("foreign", "sent") => local.foreign = ForeignStates::SentCache,
            ("foreign", "search") => local.foreign = ForeignStates::SearchCache,
            ("foreign", "leave") => local.foreign = ForeignStates::Leave,
            ("cache", states) => local.cached = states.parse().map_err(|_| expected())?,
            _ => return Err(expected()),
        }
    }
    Ok(local)
}

/// `hash`, `none`, `store`, `limit=100000`, `limit=100000,extended,store`: what waits to be explored.
pub fn waiting(text: &str) -> Result<Waiting, String> {
    let expected = || "expected hash, none, store or limit=N[,extended][,store]".to_owned();
    match text {
        "hash" => return Ok(Waiting::Hash),
        "none" => return Ok(Waiting::None),
        "store" => return Ok(Waiting::Store),
        _ => {}
    }
    let mut words = text.strip_prefix("limit=").ok_or_else(expected)?.split(',');
    let states =
        words.next().and_then(|number| number.parse().ok()).filter(|&states| states > 0).ok_or_else(expected)?;
    let (mut extended, mut store) = (false, false);
    for word in words {
        match word {
            "extended" => extended = true,
            "store" => store = true,
            _ => return Err(expected()),
        }
    }
    Ok(Waiting::Limit { states, extended, store })
}

/// `NAME=VALUE`: a constant and its value.
pub fn definition(text: &str) -> Result<(String, i64), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("expected NAME=VALUE".to_owned());
    };
    let (name, value) = (name.trim(), value.trim());
    let first_fits = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
    if !first_fits || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return Err(format!("`{name}` is no name of a constant"));
    }
    match value {
        "true" => return Ok((name.to_owned(), 1)),
        "false" => return Ok((name.to_owned(), 0)),
        _ => {}
    }
    match value.parse() {
        Ok(number) => Ok((name.to_owned(), number)),
        Err(_) => Err(format!("`{value}` is no integer")),
    }
}

/// Splits `1.5GiB` into `1.5` and `GiB`.
fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("1.5 GiB"), Ok(3 << 29));
        for bad in ["", "M", "-1", "2X", "1e9", "0", "99999999999T", "1.2.3"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time("60"), Ok(Duration::from_secs(60)));
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        for bad in ["", "s", "-1", "2y", "1e400", "nan", "99999999999999999999999d"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn threads_are_counted_or_automatic() {
        assert_eq!(threads("3"), Ok(3));
        assert!(threads("auto").unwrap() >= 1);
        assert_eq!(threads("0"), threads("auto"));
        for bad in ["-1", "many", "1000000", ""] {
            assert!(threads(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hand_off_depths_are_at_least_one_step() {
        assert_eq!(hand_off("auto"), Ok(HandOff::Auto));
        assert!(matches!(hand_off("7"), Ok(HandOff::Depth(depth)) if depth.get() == 7));
        for bad in ["0", "-1", "many", ""] {
            assert!(hand_off(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn definitions_name_a_value() {
        assert_eq!(definition("N=3"), Ok(("N".to_owned(), 3)));
        assert_eq!(definition("low_1 = -7"), Ok(("low_1".to_owned(), -7)));
        assert_eq!(definition("SAFE=true"), Ok(("SAFE".to_owned(), 1)));
        for bad in ["N", "=3", "N=", "N=x", "3=3", "a-b=1", "N=99999999999999999999"] {
            assert!(definition(bad).is_err(), "{bad}");
        }
    }
}
