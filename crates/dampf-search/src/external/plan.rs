//! What memory is used for.

use crate::{SearchOptions, resident_bytes};

/// What a search uses where it is not told.
const MEMORY_BYTES: u64 = 1 << 30;
const MEMORY_BYTES_MIN: u64 = 4 << 20;

/// How much of what may be in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub threads: usize,
    /// The buffer for candidates, for each thread. Sorting takes as much again.
    pub buffer_bytes: usize,
    /// A level that is larger goes to disk at once.
    pub level_bytes: usize,
    /// Small levels and their states as visited ones go to disk together beyond this size.
    pub resident_bytes: usize,
    /// The filter of visited states.
    pub filter_bytes: u64,
}

impl Plan {
    /// A plan that keeps the process within its limit, as far as what it uses already allows.
    pub fn new(options: &SearchOptions, buffer_bytes: Option<u64>) -> Plan {
        let limit = options.max_memory_bytes.unwrap_or(MEMORY_BYTES);
        let available = limit.saturating_sub(resident_bytes().unwrap_or(0)).max(MEMORY_BYTES_MIN);
        // Half for candidates and their sorting, a quarter for the filter, an eighth for small levels; the rest is for
        // indices, windows and the model.
        let threads = options.threads as u64;
        let buffer_bytes = buffer_bytes.unwrap_or(available * 7 / 32 / threads);
        Plan {
            threads: options.threads,
            buffer_bytes: buffer_bytes as usize,
            level_bytes: (buffer_bytes * threads / 8) as usize,
            resident_bytes: (buffer_bytes * threads / 4) as usize,
            filter_bytes: buffer_bytes * threads,
        }
    }
}
