//! A state's memory as a thread that runs in it sees it.
//!
//! The trees of the state are read through a small cache of translated lines. A line that is written is first copied;
//! the copies become lines of the successor when the step ends. The cache also knows, byte by byte, what may be
//! accessed without asking: accesses to anything else (invalid, visible to other threads, or another thread's) take the
//! slow way.

use crate::access::lines;
use crate::layout::Region;
use dampf_rv::memory::{Line, LineTable, Tree};
use std::ops::Range;

const ENTRIES: usize = 512;
/// A step that has written so many lines ends where it may.
const COPIES_MAX: u32 = 1 << 18;
/// Line numbers stay below 2^40; above them the cache's tags carry the generation.
const GENERATION_SHIFT: u32 = 40;

/// A translated line.
#[derive(Clone, Copy)]
pub struct Entry {
    tag: u64,
    data: *mut u8,
    /// Bytes that may be read, and written, without asking.
    read: u64,
    write: u64,
    /// All ones in the running thread's own stack, where only what is not below the stack pointer may be accessed;
    /// otherwise zero.
    stack: u64,
}

const EMPTY: Entry = Entry { tag: u64::MAX, data: std::ptr::null_mut(), read: 0, write: 0, stack: 0 };

pub struct Space<'m> {
    table: &'m LineTable,
    globals: u64,
    trees: Vec<Tree>,
    /// The trees of the state the step began in, and the regions whose trees are other ones by now. There are thousands
    /// of regions where there are hundreds of threads, of which a step changes a few.
    base: Vec<Tree>,
    changed: Vec<usize>,
    entries: Box<[Entry; ENTRIES]>,
    generation: u64,
    copies: Copies,
}

// SAFETY: the entries' pointers lead into the table, the image or the space's own copies, which go where the space
// goes.
unsafe impl Send for Space<'_> {}

impl<'m> Space<'m> {
    pub fn new(table: &'m LineTable, globals: u64, regions: usize) -> Self {
        Space {
            table,
            globals,
            trees: vec![Tree::EMPTY; regions],
            base: vec![Tree::EMPTY; regions],
            changed: Vec::new(),
            entries: Box::new([EMPTY; ENTRIES]),
            generation: 0,
            copies: Copies::new(),
        }
    }

    /// Forgets what was translated: another thread runs, or what may be accessed without asking has changed.
    pub fn forget(&mut self) {
        self.generation += 1;
        if self.generation >> (64 - GENERATION_SHIFT - 1) != 0 {
            self.generation = 0;
            *self.entries = [EMPTY; ENTRIES];
        }
    }

    /// Forgets one line of what was translated.
    #[inline]
    pub fn forget_line(&mut self, address: u64) {
        self.entries[(address >> 6) as usize % ENTRIES] = EMPTY;
    }

    /// Forgets what was written, too.
    fn reset(&mut self) {
        self.forget();
        self.copies.clear();
    }

    /// Goes back to the trees that the step began with.
    pub fn rewind(&mut self) {
        self.reset();
        for region in self.changed.drain(..) {
            self.trees[region] = self.base[region];
        }
    }

    /// Sets the tree that a step begins with.
    pub fn set_base(&mut self, region: Region, tree: Tree) {
        self.base[region.number()] = tree;
        self.trees[region.number()] = tree;
    }

    /// The tree of a region, without what was written since the last [`settle`](Self::settle).
    pub fn tree(&self, region: Region) -> Tree {
        self.trees[region.number()]
    }

    /// Puts another tree in the place of a region's.
    pub fn replace_tree(&mut self, region: Region, tree: Tree) {
        self.put(region.number(), tree);
    }

    fn put(&mut self, region: usize, tree: Tree) {
        if self.trees[region] == self.base[region] && tree != self.base[region] {
            self.changed.push(region);
        }
        self.trees[region] = tree;
    }

    /// Whether a region's tree is another one than at the beginning of the step.
    pub fn is_changed(&self, region: Region) -> bool {
        self.trees[region.number()] != self.base[region.number()]
    }

    /// The regions whose trees have changed in this step, and maybe some that have changed back.
    pub fn changed(&self) -> impl Iterator<Item = Region> {
        self.changed.iter().map(|&number| Region::from_number(number))
    }

    #[inline]
    fn entry(&self, address: u64) -> &Entry {
        &self.entries[(address >> 6) as usize % ENTRIES]
    }

    #[inline]
    fn tag(&self, address: u64) -> u64 {
        address >> 6 | self.generation << GENERATION_SHIFT
    }

    /// Reads aligned bytes if that needs no asking; `sp` is the running thread's stack pointer.
    #[inline(always)]
    pub fn fast_load<const N: usize>(&self, address: u64, sp: u64) -> Option<[u8; N]> {
        let entry = self.entry(address);
        let offset = address & 63;
        let needed = ((1u64 << N) - 1) << offset;
        let allowed = entry.read & needed == needed && address >= sp & entry.stack;
        if entry.tag == self.tag(address) && allowed && address & (N as u64 - 1) == 0 {
            // SAFETY: a tag that matches belongs to a line of 64 bytes that is there, and an aligned access stays
            // within.
            return Some(unsafe { entry.data.add(offset as usize).cast::<[u8; N]>().read() });
        }
        None
    }

    /// Writes aligned bytes if that needs no asking.
    #[inline(always)]
    pub fn fast_store<const N: usize>(&mut self, address: u64, bytes: [u8; N], sp: u64) -> bool {
        let entry = self.entry(address);
        let offset = address & 63;
        let needed = ((1u64 << N) - 1) << offset;
        let allowed = entry.write & needed == needed && address >= sp & entry.stack;
        if entry.tag == self.tag(address) && allowed && address & (N as u64 - 1) == 0 {
            // SAFETY: as in `fast_load`; lines with bytes to write are copies of ours.
            unsafe { entry.data.add(offset as usize).cast::<[u8; N]>().write(bytes) };
            return true;
        }
        false
    }

    /// Remembers a line that cannot be written, with the bytes that may be read without asking.
    pub fn remember_constant(&mut self, address: u64, line: &'m Line, read: u64) {
        let data = std::ptr::from_ref(line).cast_mut().cast();
        let entry = Entry { tag: self.tag(address), data, read, write: 0, stack: 0 };
        self.entries[(address >> 6) as usize % ENTRIES] = entry;
    }

    /// Remembers a line of a region, with the bytes that may be read and written without asking, and whether they are
    /// the running thread's own stack.
    pub fn remember(&mut self, address: u64, region: Region, (read, write): (u64, u64), own_stack: bool) {
        let index = region.line_index(address, self.globals);
        let (data, write) = match self.copies.find(key(region, index)) {
            Some(copy) => (std::ptr::from_mut(self.copies.line_mut(copy)).cast(), write),
            None => {
                let line = self.table.get(self.trees[region.number()].line(self.table, index));
                (std::ptr::from_ref(line).cast_mut().cast(), 0)
            }
        };
        let stack = if own_stack { u64::MAX } else { 0 };
        self.entries[(address >> 6) as usize % ENTRIES] = Entry { tag: self.tag(address), data, read, write, stack };
    }

    /// The line of a region as it is now.
    pub fn line(&self, region: Region, address: u64) -> &Line {
        let index = region.line_index(address, self.globals);
        match self.copies.find(key(region, index)) {
            Some(copy) => self.copies.line(copy),
            None => self.table.get(self.trees[region.number()].line(self.table, index)),
        }
    }

    /// Whether a line of a region was written in this step.
    pub fn is_written(&self, region: Region, address: u64) -> bool {
        self.copies.find(key(region, region.line_index(address, self.globals))).is_some()
    }

    /// The line of a region, to be written.
    pub fn line_mut(&mut self, region: Region, address: u64) -> &mut Line {
        let index = region.line_index(address, self.globals);
        let key = key(region, index);
        let copy = match self.copies.find(key) {
            Some(copy) => copy,
            None => {
                let line = *self.table.get(self.trees[region.number()].line(self.table, index));
                // What was translated leads to the line as it was.
                self.forget_line(address);
                self.copies.add(key, line)
            }
        };
        self.copies.line_mut(copy)
    }

    /// Clears bytes of a region. Lines that have nothing there stay as they are, and are not copied.
    pub fn clear_bytes(&mut self, region: Region, place: Range<u64>) {
        for (line, mask) in lines(place.start, place.end.saturating_sub(place.start)) {
            let (first, end) = (mask.trailing_zeros() as usize, 64 - mask.leading_zeros() as usize);
            if self.line(region, line).bytes()[first..end].iter().any(|&byte| byte != 0) {
                self.line_mut(region, line).bytes_mut()[first..end].fill(0);
            }
        }
    }

    /// Calls `visit` with every line of a region that is or was not zero, and its address.
    pub fn for_each_line(&self, region: Region, visit: &mut dyn FnMut(u64, &Line)) {
        self.trees[region.number()].for_each(self.table, &mut |index, id| {
            if self.copies.find(key(region, index)).is_none() {
                visit(region.line_address(index, self.globals), self.table.get(id));
            }
        });
        for copy in 0..self.copies.len {
            let (of, index) = parts(self.copies.keys[copy as usize]);
            if of == region.number() {
                visit(region.line_address(index, self.globals), self.copies.line(copy));
            }
        }
    }

    /// Clears what was written to a region, beyond `live`: the bytes of a line that count.
    pub fn clear_dead(&mut self, region: Region, live: impl Fn(u64) -> u64) {
        for copy in 0..self.copies.len {
            let (of, index) = parts(self.copies.keys[copy as usize]);
            if of != region.number() {
                continue;
            }
            let mask = live(region.line_address(index, self.globals));
            if mask != u64::MAX {
                let line = self.copies.line_mut(copy);
                for (number, byte) in line.bytes_mut().iter_mut().enumerate() {
                    if mask >> number & 1 == 0 {
                        *byte = 0;
                    }
                }
            }
        }
    }

    /// Whether a step has written so much that it should end before it writes more.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.copies.len >= COPIES_MAX
    }

    /// Whether words were written, outside of the regions of a slot, whose upper half is this one.
    pub fn has_written(&self, slot: u32, upper: u32) -> bool {
        let upper = upper.to_le_bytes();
        (0..self.copies.len).any(|copy| {
            let (region, _) = parts(self.copies.keys[copy as usize]);
            let is_elsewhere = Region::from_number(region).slot() != Some(slot);
            is_elsewhere && self.copies.line(copy).bytes().windows(upper.len()).any(|bytes| bytes == upper)
        })
    }

    /// Makes what was written part of the trees. The translations are stale then.
    pub fn settle(&mut self) {
        let mut changes: Vec<(u64, u32)> = Vec::with_capacity(self.copies.len as usize);
        for copy in 0..self.copies.len {
            changes.push((self.copies.keys[copy as usize], self.table.intern(self.copies.line(copy))));
        }
        changes.sort_unstable();
        let mut rest = &changes[..];
        let mut of_region = Vec::new();
        while let Some(&(first, _)) = rest.first() {
            let (region, _) = parts(first);
            let count = rest.iter().take_while(|(key, _)| parts(*key).0 == region).count();
            of_region.clear();
            of_region.extend(rest[..count].iter().map(|&(key, id)| (parts(key).1, id)));
            self.put(region, self.trees[region].with(self.table, &of_region));
            rest = &rest[count..];
        }
        self.reset();
    }
}

fn key(region: Region, index: u32) -> u64 {
    (region.number() as u64) << 32 | u64::from(index)
}

fn parts(key: u64) -> (usize, u32) {
    ((key >> 32) as usize, key as u32)
}

/// Lines that were written, in places that do not move.
struct Copies {
    #[expect(clippy::vec_box, reason = "translated lines point into the chunks, which must not move")]
    chunks: Vec<Box<[Line; CHUNK]>>,
    keys: Vec<u64>,
    len: u32,
    /// Open addressing from keys to numbers; a slot counts only if its stamp is the current one.
    slots: Vec<(u64, u32, u32)>,
    stamp: u32,
}

const CHUNK: usize = 32;

impl Copies {
    fn new() -> Self {
        Copies { chunks: Vec::new(), keys: Vec::new(), len: 0, slots: vec![(0, 0, 0); 256], stamp: 1 }
    }

    fn clear(&mut self) {
        self.len = 0;
        self.keys.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamp = 1;
            self.slots.fill((0, 0, 0));
        }
    }

    fn line(&self, number: u32) -> &Line {
        &self.chunks[number as usize / CHUNK][number as usize % CHUNK]
    }

    fn line_mut(&mut self, number: u32) -> &mut Line {
        &mut self.chunks[number as usize / CHUNK][number as usize % CHUNK]
    }

    fn slot_of(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        while self.slots[at].1 == self.stamp && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn find(&self, key: u64) -> Option<u32> {
        let (_, stamp, number) = self.slots[self.slot_of(key)];
        (stamp == self.stamp).then_some(number)
    }

    fn add(&mut self, key: u64, line: Line) -> u32 {
        if self.len as usize * 2 >= self.slots.len() {
            self.slots = vec![(0, 0, 0); self.slots.len() * 2];
            for number in 0..self.len {
                let key = self.keys[number as usize];
                let at = self.slot_of(key);
                self.slots[at] = (key, self.stamp, number);
            }
        }
        let number = self.len;
        if number as usize / CHUNK == self.chunks.len() {
            self.chunks.push(Box::new([Line::ZERO; CHUNK]));
        }
        *self.line_mut(number) = line;
        self.keys.push(key);
        self.len += 1;
        let at = self.slot_of(key);
        self.slots[at] = (key, self.stamp, number);
        number
    }
}
