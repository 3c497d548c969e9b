//! Blocks made smaller by a general compressor.
//!
//! Neighbouring states differ in patterns that repeat, so that the bytes of a block shrink to a third or a quarter.
//! That costs some nanoseconds per state, which is little where a state is written or read once.

use super::coding::SLACK;
use std::cell::RefCell;

/// The fastest of the levels that still look for repetitions everywhere.
const LEVEL: i32 = -1;
/// Blocks are no larger than this when they are whole: longer ones are damaged.
const LENGTH_MAX: usize = 64 << 20;

thread_local! {
    // Compressors own large tables; one for each thread is enough.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Appends the bytes made smaller, their length first. False, and nothing is appended, if they do not become smaller by
/// much.
pub(crate) fn squeeze(bytes: &[u8], squeezed: &mut Vec<u8>) -> bool {
    let compressed = COMPRESSOR.with_borrow_mut(|compressor| {
        if compressor.is_none() {
            *compressor = zstd::bulk::Compressor::new(LEVEL).ok();
        }
        compressor.as_mut()?.compress(bytes).ok()
    });
    let Some(compressed) = compressed.filter(|compressed| compressed.len() + 4 < bytes.len() / 8 * 7) else {
        return false;
    };
    squeezed.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    squeezed.extend_from_slice(&compressed);
    true
}

/// Replaces `bytes` with what was squeezed, and [`SLACK`] bytes. None if that was something else.
pub(crate) fn unsqueeze(squeezed: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let (length, compressed) = squeezed.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > LENGTH_MAX {
        return None;
    }
    bytes.resize(length + SLACK, 0);
    let decompressed = DECOMPRESSOR.with_borrow_mut(|decompressor| {
        if decompressor.is_none() {
            *decompressor = zstd::bulk::Decompressor::new().ok();
        }
        decompressor.as_mut()?.decompress_to_buffer(compressed, &mut bytes[..length]).ok()
    });
    (decompressed? == length).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_becomes_smaller_and_can_be_had_again() {
        let bytes: Vec<u8> = (0..10_000u32).flat_map(|number| [number as u8 % 7, 1, (number / 100) as u8]).collect();
        let (mut squeezed, mut again) = (Vec::new(), Vec::new());
        assert!(squeeze(&bytes, &mut squeezed));
        assert!(squeezed.len() < bytes.len() / 5);
        unsqueeze(&squeezed, &mut again).unwrap();
        assert!(again[..again.len() - SLACK] == bytes);
    }

    #[test]
    fn what_does_not_repeat_stays_and_damage_does_no_harm() {
        let mixed = |number: u64| (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40;
        let noise: Vec<u8> =
            (1..1000u64).map(|number| mixed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) as u8).collect();
        let mut squeezed = Vec::new();
        assert!(!squeeze(&noise, &mut squeezed) && squeezed.is_empty());
        for damaged in [&[][..], &[1, 2], &[255; 20], &[9, 0, 0, 0, 1, 2, 3]] {
            assert!(unsqueeze(damaged, &mut Vec::new()).is_none());
        }
    }
}
