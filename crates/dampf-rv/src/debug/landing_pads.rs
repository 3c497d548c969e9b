//! Where exceptions lead to within a function: the table of its calls that C++ compilers write for the unwinder.
//!
//! A function's description in the call frame information names its table. The table has an entry for each stretch of
//! calls: where exceptions that pass through them are taken up, if at all.

use std::ops::Range;

/// A stretch of code whose calls may be left by an exception, and where the function goes on then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LandingPad {
    pub calls: Range<u64>,
    pub pad: u64,
}

/// An encoding that says that a value is not there.
const OMITTED: u8 = 0xff;
const ULEB128: u8 = 0x01;
const UNSIGNED_4: u8 = 0x03;

/// Reads a table of the function that begins at `function`; none if it is damaged, or written in a way that no
/// compiler for this machine does.
pub(super) fn read(table: &[u8], function: u64) -> Option<Vec<LandingPad>> {
    let mut reader = Reader { rest: table };
    // Landing pads are counted from the beginning of the function, unless another place is named.
    if reader.byte()? != OMITTED {
        return None;
    }
    if reader.byte()? != OMITTED {
        reader.uleb128()?;
    }
    let encoding = reader.byte()?;
    let length = usize::try_from(reader.uleb128()?).ok()?;
    let mut calls = Reader { rest: reader.rest.get(..length)? };
    let mut pads = Vec::new();
    while !calls.rest.is_empty() {
        let (start, length, pad) = (calls.number(encoding)?, calls.number(encoding)?, calls.number(encoding)?);
        calls.uleb128()?;
        if pad != 0 {
            let start = function.checked_add(start)?;
            let calls = start..start.checked_add(length)?;
            pads.push(LandingPad { calls, pad: function.checked_add(pad)? });
        }
    }
    Some(pads)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    fn uleb128(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn number(&mut self, encoding: u8) -> Option<u64> {
        match encoding {
            ULEB128 => self.uleb128(),
            UNSIGNED_4 => {
                let (bytes, rest) = self.rest.split_first_chunk::<4>()?;
                self.rest = rest;
                Some(u64::from(u32::from_le_bytes(*bytes)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        // No start of its own, no types, numbers in LEB128, eight bytes of calls: one without a pad, one with.
        let table = [0xff, 0xff, 0x01, 8, 0x10, 0x04, 0x00, 0x00, 0x20, 0x08, 0x40, 0x01];
        let pad = LandingPad { calls: 0x1020..0x1028, pad: 0x1040 };
        assert_eq!(read(&table, 0x1000), Some(vec![pad]));
    }

    #[test]
    fn damaged_tables_are_refused() {
        assert_eq!(read(&[0xff, 0xff, 0x01, 8, 0x10], 0), None);
        assert_eq!(read(&[0x00, 0xff], 0), None);
        assert_eq!(read(&[], 0), None);
    }
}
