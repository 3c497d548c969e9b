//! Heap blocks: which there are, and where the next one goes.
//!
//! A block goes to the lowest address where it fits, so the same live blocks lie at the same places whatever came
//! before. Blocks are kept apart by guard bytes that no block uses, so that running over the end of one never reaches
//! the next. The block that was freed last is not used again before another one is freed: a pointer to it that is still
//! in use is found out.

use dampf_core::Word;
use dampf_rv::memory::Tree;

/// Bytes between blocks that belong to none.
const GUARD_BYTES: u32 = 16;
const ALIGN: u32 = 16;
/// Bytes that an arena may span.
pub const ARENA_BYTES: u32 = 0x4000_0000;

/// Who made a block, and so who may free it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Maker {
    #[default]
    Malloc,
    New,
    NewArray,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// From the start of the arena.
    pub offset: u32,
    pub size: u32,
    /// The address behind the call that allocated it.
    pub site: u32,
    pub maker: Maker,
    /// No other thread can know of it yet.
    pub local: bool,
}

/// The bits of a block's packed offset that say who made it.
const MAKER: Word = 3;
/// Set in a block's packed offset if the block is local.
const LOCAL: Word = 4;
/// Words of an encoded block, and of an encoded arena before its blocks: their number, and the block that was freed
/// last.
const BLOCK_WORDS: usize = 3;
const FIXED_WORDS: usize = 1 + BLOCK_WORDS;

impl Block {
    pub fn end(&self) -> u32 {
        self.offset + self.size
    }

    pub fn contains(&self, offset: u32) -> bool {
        (self.offset..self.end()).contains(&offset)
    }
}

/// The blocks of one arena.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// Ascending.
    pub blocks: Vec<Block>,
    pub last_freed: Option<Block>,
    /// Before and between so many first blocks there is no room for even the smallest block. Only remembered, no part
    /// of a state.
    packed: usize,
}

impl PartialEq for Arena {
    fn eq(&self, other: &Arena) -> bool {
        (&self.blocks, self.last_freed) == (&other.blocks, other.last_freed)
    }
}

impl Eq for Arena {}

impl Arena {
    /// A place for a block; none if the arena is full.
    pub fn allocate(&mut self, size: u32, align: u32, site: u32, maker: Maker, local: bool) -> Option<u32> {
        let align = align.max(ALIGN);
        self.pack();
        let mut at = self.packed;
        let mut from = self.start_of_room(at);
        loop {
            let offset = from.checked_next_multiple_of(align)?;
            let end = offset.checked_add(size.max(1)).filter(|&end| end <= ARENA_BYTES - GUARD_BYTES)?;
            let next = self.blocks.get(at).map_or(ARENA_BYTES, |block| block.offset);
            let resting = self.last_freed.filter(|freed| {
                offset < freed.end().max(freed.offset + 1) + GUARD_BYTES
                    && freed.offset < end + GUARD_BYTES
                    && freed.offset < next
            });
            match resting {
                Some(freed) => from = freed.end().max(freed.offset + 1) + GUARD_BYTES,
                None if end + GUARD_BYTES <= next => {
                    self.blocks.insert(at, Block { offset, size, site, maker, local });
                    return Some(offset);
                }
                None => {
                    at += 1;
                    from = self.start_of_room(at);
                }
            }
        }
    }

    /// Where the room before a block begins.
    fn start_of_room(&self, at: usize) -> u32 {
        at.checked_sub(1)
            .map_or(GUARD_BYTES, |before| self.blocks[before].end().max(self.blocks[before].offset + 1) + GUARD_BYTES)
    }

    /// Goes on past blocks that have no room before them, so that a heap that only grows is not searched from its start
    /// every time.
    fn pack(&mut self) {
        while let Some(next) = self.blocks.get(self.packed) {
            let smallest = self.start_of_room(self.packed).next_multiple_of(ALIGN) + 1 + GUARD_BYTES;
            if smallest <= next.offset {
                break;
            }
            self.packed += 1;
        }
    }

    /// Whether a block of this size could lie at an offset.
    pub fn is_free(&self, offset: u32, size: u32) -> bool {
        let after = self.blocks.partition_point(|block| block.offset < offset);
        let before =
            self.blocks[..after].last().is_none_or(|block| block.end().max(block.offset + 1) + GUARD_BYTES <= offset);
        before && self.blocks.get(after).is_none_or(|block| offset + size.max(1) + GUARD_BYTES <= block.offset)
    }

    /// Makes a block at an offset that is free.
    pub fn allocate_at(&mut self, offset: u32, size: u32, site: u32, maker: Maker) {
        let at = self.blocks.partition_point(|block| block.offset < offset);
        self.blocks.insert(at, Block { offset, size, site, maker, local: false });
        self.packed = self.packed.min(at);
        if self
            .last_freed
            .is_some_and(|freed| freed.offset < offset + size.max(1) && offset < freed.end().max(freed.offset + 1))
        {
            self.last_freed = None;
        }
    }

    /// The block that holds an offset, or starts there.
    pub fn block_at(&self, offset: u32) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.offset <= offset);
        self.blocks[..after].last().filter(|block| block.contains(offset) || block.offset == offset)
    }

    /// The last block that starts at or before an offset.
    pub fn block_before(&self, offset: u32) -> Option<&Block> {
        self.blocks[..self.blocks.partition_point(|block| block.offset <= offset)].last()
    }

    /// Removes the block that starts at an offset.
    pub fn free(&mut self, offset: u32) -> Option<Block> {
        let at = self.blocks.binary_search_by_key(&offset, |block| block.offset).ok()?;
        let freed = self.blocks.remove(at);
        self.packed = self.packed.min(at);
        self.last_freed = Some(freed);
        Some(freed)
    }

    /// The block that starts at an offset is known to other threads from now on. The block, if it was not before.
    pub fn publish(&mut self, offset: u32) -> Option<Block> {
        let at = self.blocks.binary_search_by_key(&offset, |block| block.offset).ok()?;
        let was_local = std::mem::take(&mut self.blocks[at].local);
        was_local.then(|| self.blocks[at])
    }

    /// The bytes of a line (64 bytes from `line`) that belong to blocks, as a mask.
    pub fn valid_mask(&self, line: u32) -> u64 {
        self.mask_of(line, |_| true)
    }

    /// The bytes of a line that belong to local blocks, as a mask.
    pub fn local_mask(&self, line: u32) -> u64 {
        self.mask_of(line, |block| block.local)
    }

    fn mask_of(&self, line: u32, counts: impl Fn(&Block) -> bool) -> u64 {
        let mut mask = 0;
        let first = self.blocks.partition_point(|block| block.end() <= line);
        let blocks = self.blocks[first..].iter().take_while(|block| block.offset < line + 64);
        for block in blocks.filter(|block| counts(block)) {
            let (from, to) = (block.offset.max(line) - line, block.end().min(line + 64) - line);
            let upto = |bits: u32| if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
            mask |= upto(to) & !upto(from);
        }
        mask
    }

    pub fn encode(&self, out: &mut Vec<Word>) {
        let pack = |block: &Block| {
            let local = if block.local { LOCAL } else { 0 };
            [block.offset | block.maker as Word | local, block.size, block.site]
        };
        out.push(self.blocks.len() as Word);
        out.extend(self.last_freed.as_ref().map_or([0; BLOCK_WORDS], pack));
        out.extend(self.blocks.iter().flat_map(pack));
    }

    /// Reads an arena, and returns what follows it.
    pub fn decode(words: &[Word]) -> (Arena, &[Word]) {
        let unpack = |words: &[Word]| Block {
            offset: words[0] & !(ALIGN - 1),
            size: words[1],
            site: words[2],
            maker: [Maker::Malloc, Maker::New, Maker::NewArray][(words[0] & MAKER) as usize],
            local: words[0] & LOCAL != 0,
        };
        let count = words[0] as usize;
        let (blocks, rest) = words[FIXED_WORDS..].split_at(BLOCK_WORDS * count);
        let last_freed = Some(unpack(&words[1..FIXED_WORDS])).filter(|block| block.offset != 0);
        (Arena { blocks: blocks.chunks(BLOCK_WORDS).map(unpack).collect(), last_freed, packed: 0 }, rest)
    }

    /// What follows an arena in words from elsewhere, if they begin with one that can be decoded.
    pub fn skip(words: &[Word]) -> Option<&[Word]> {
        let end = (*words.first()? as usize).checked_mul(BLOCK_WORDS)?.checked_add(FIXED_WORDS)?;
        let (arena, rest) = words.split_at_checked(end)?;
        arena[1..].chunks(BLOCK_WORDS).all(|block| block[0] & MAKER <= Maker::NewArray as Word).then_some(rest)
    }
}

/// The heap of a slot: its blocks, and what is in them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Arenas {
    pub shared: Arena,
    pub private: Arena,
}

impl Arenas {
    /// Where encoded arenas have the roots of their trees, each with its levels behind it: the shared one, the private
    /// one.
    pub const TREES: [usize; 2] = [0, 2];
    /// Where the blocks begin.
    pub const BLOCKS: usize = 4;

    /// Writes the trees; the blocks follow them.
    pub fn encode_trees(trees: [Tree; 2], out: &mut Vec<Word>) {
        out.clear();
        out.extend(trees.iter().flat_map(|tree| [tree.root, tree.levels]));
        debug_assert_eq!(out.len(), Arenas::BLOCKS);
    }

    pub fn decode_trees(words: &[Word]) -> [Tree; 2] {
        Arenas::TREES.map(|at| Tree { root: words[at], levels: words[at + 1] })
    }

    pub fn encode_blocks(&self, out: &mut Vec<Word>) {
        self.shared.encode(out);
        self.private.encode(out);
    }

    pub fn decode_blocks(words: &[Word]) -> Arenas {
        let (shared, rest) = Arena::decode(&words[Arenas::BLOCKS..]);
        Arenas { shared, private: Arena::decode(rest).0 }
    }

    /// Whether words from elsewhere can be decoded.
    pub fn is_encoding(words: &[Word]) -> bool {
        let blocks = words.get(Arenas::BLOCKS..);
        blocks.and_then(Arena::skip).and_then(Arena::skip).is_some_and(<[Word]>::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_never_touch_and_the_last_freed_rests() {
        let mut arena = Arena::default();
        let mut random = 7u64;
        for round in 0..3000u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let choice = (random >> 40) as u32;
            if choice.is_multiple_of(3) && !arena.blocks.is_empty() {
                let offset = arena.blocks[choice as usize / 3 % arena.blocks.len()].offset;
                arena.free(offset);
            } else {
                let align = 16 << (choice % 4);
                let offset =
                    arena.allocate(choice / 64 % 200, align, round, Maker::New, choice.is_multiple_of(5)).unwrap();
                assert_eq!(offset % align, 0);
                let freed = arena.last_freed;
                let block = *arena.block_at(offset).unwrap();
                assert!(freed.is_none_or(|freed| block.end() <= freed.offset || freed.end() <= block.offset));
            }
            for pair in arena.blocks.windows(2) {
                assert!(pair[0].end() + GUARD_BYTES <= pair[1].offset);
            }
            let mut words = Vec::new();
            arena.encode(&mut words);
            assert_eq!(Arena::decode(&words), (arena.clone(), &[][..]));
        }
        let block = arena.blocks[3];
        for byte in 0..64 {
            let line = block.offset & !63;
            let valid = arena.valid_mask(line) >> byte & 1 != 0;
            assert_eq!(valid, arena.blocks.iter().any(|block| block.contains(line + byte)));
        }
    }

    #[test]
    fn arenas_are_read_as_they_were_written() {
        let mut arenas = Arenas::default();
        arenas.shared.allocate(100, 16, 77, Maker::NewArray, true);
        arenas.private.allocate(0, 16, 78, Maker::New, false);
        let trees = [Tree { root: 5, levels: 1 }, Tree { root: 9, levels: 0 }];
        let mut words = Vec::new();
        Arenas::encode_trees(trees, &mut words);
        arenas.encode_blocks(&mut words);
        assert_eq!((Arenas::decode_trees(&words), Arenas::decode_blocks(&words)), (trees, arenas));
        assert!(Arenas::is_encoding(&words));
        for length in 0..words.len() {
            assert!(!Arenas::is_encoding(&words[..length]), "the first {length} words are no arenas");
        }
        words[Arenas::BLOCKS + FIXED_WORDS] |= MAKER;
        assert!(!Arenas::is_encoding(&words), "nobody makes such blocks");
    }
}
