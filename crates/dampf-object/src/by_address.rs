//! A table that is made once and then looked up all the time: open addressing with a multiplication for a hash.

use std::collections::BTreeMap;

pub struct ByAddress<T> {
    /// At most a quarter is taken, so a search ends soon.
    slots: Vec<Option<(u64, T)>>,
}

impl<T: Copy> ByAddress<T> {
    pub fn new(entries: &BTreeMap<u64, T>) -> ByAddress<T> {
        let mut table = ByAddress { slots: vec![None; (entries.len() * 4).next_power_of_two()] };
        for (&address, &entry) in entries {
            let slot = table.find(address);
            table.slots[slot] = Some((address, entry));
        }
        table
    }

    #[inline]
    fn find(&self, address: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        while self.slots[at].as_ref().is_some_and(|(other, _)| *other != address) {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    pub fn get(&self, address: u64) -> Option<&T> {
        self.slots[self.find(address)].as_ref().map(|(_, entry)| entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let entries: BTreeMap<u64, u64> = (0..1000).map(|number| (number * number * 64, number)).collect();
        let table = ByAddress::new(&entries);
        for address in (0..1_000_000).step_by(64) {
            assert_eq!(table.get(address), entries.get(&address), "{address}");
        }
        assert_eq!(ByAddress::<u64>::new(&BTreeMap::new()).get(0), None);
    }
}
