//! One checksum for everything that is written to files or read from them.

/// A checksum of bytes: against damage by accident, not by intent.
pub fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9fb2_1c65_1e98_df25;
    let mut lanes = [0x243f_6a88_85a3_08d3u64, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];
    let step = |lane: u64, number: u64| (lane ^ number).wrapping_mul(FACTOR).rotate_left(29);
    let mut pieces = bytes.chunks_exact(32);
    for piece in &mut pieces {
        for (lane, number) in lanes.iter_mut().zip(piece.chunks_exact(8)) {
            *lane = step(*lane, u64::from_le_bytes(number.try_into().expect("eight bytes")));
        }
    }
    let tail = pieces.remainder().iter().fold(bytes.len() as u64, |tail, &byte| step(tail, u64::from(byte)));
    let folded = lanes.into_iter().fold(tail, step);
    folded ^ folded >> 32
}
