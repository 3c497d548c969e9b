//! A region of memory as a tree of lines.
//!
//! A tree of n levels spans 16^n lines. It has as few levels as its highest line that is not zero needs, so equal
//! contents have equal roots and levels, and a thread that uses a kilobyte of stack pays for a kilobyte.

use super::lines::{Line, LineTable, ZERO_LINE};

const FAN_BITS: u32 = 4;

/// The root of a tree: a node, or with no levels the only line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tree {
    pub root: u32,
    pub levels: u32,
}

impl Tree {
    pub const EMPTY: Tree = Tree { root: ZERO_LINE, levels: 0 };

    /// The id of the line with this index.
    #[inline]
    pub fn line(self, table: &LineTable, index: u32) -> u32 {
        if !self.spans(index) {
            return ZERO_LINE;
        }
        let mut node = self.root;
        for level in (0..self.levels).rev() {
            if node == ZERO_LINE {
                return ZERO_LINE;
            }
            node = table.get(node).0[(index >> (level * FAN_BITS) & 15) as usize];
        }
        node
    }

    #[inline]
    fn spans(self, index: u32) -> bool {
        u64::from(index) >> (self.levels * FAN_BITS) == 0
    }

    /// The tree with some lines replaced; `changes` are indices and ids in ascending order of index.
    pub fn with(self, table: &LineTable, changes: &[(u32, u32)]) -> Tree {
        let Some(&(highest, _)) = changes.last() else { return self };
        let mut tree = self;
        while !tree.spans(highest) {
            if tree.root != ZERO_LINE {
                let mut node = Line::ZERO;
                node.0[0] = tree.root;
                tree.root = table.intern(&node);
            }
            tree.levels += 1;
        }
        tree.root = updated(table, tree.root, tree.levels, changes);
        tree.shrunk(table)
    }

    fn shrunk(mut self, table: &LineTable) -> Tree {
        if self.root == ZERO_LINE {
            return Tree::EMPTY;
        }
        while self.levels > 0 {
            let node = table.get(self.root);
            if node.0[1..].iter().any(|&child| child != ZERO_LINE) {
                break;
            }
            self = Tree { root: node.0[0], levels: self.levels - 1 };
        }
        self
    }

    /// Calls `visit` with the index and id of every line that is not zero, in ascending order.
    pub fn for_each(self, table: &LineTable, visit: &mut dyn FnMut(u32, u32)) {
        fn descend(table: &LineTable, node: u32, level: u32, first: u32, visit: &mut dyn FnMut(u32, u32)) {
            if node == ZERO_LINE {
            } else if level == 0 {
                visit(first, node);
            } else {
                for (number, &child) in table.get(node).0.iter().enumerate() {
                    descend(table, child, level - 1, first + ((number as u32) << ((level - 1) * FAN_BITS)), visit);
                }
            }
        }
        descend(table, self.root, self.levels, 0, visit);
    }

    /// Calls `visit` with the index of every line that another tree has not, or has otherwise, in ascending order. What
    /// the two have in common is not looked at.
    pub fn for_each_difference(self, other: Tree, table: &LineTable, visit: &mut dyn FnMut(u32)) {
        fn descend(table: &LineTable, [one, other]: [u32; 2], level: u32, first: u32, visit: &mut dyn FnMut(u32)) {
            if one == other {
                return;
            }
            if level == 0 {
                visit(first);
                return;
            }
            let children = [one, other].map(|node| table.get(node).0);
            for (number, (&one, &other)) in children[0].iter().zip(&children[1]).enumerate() {
                descend(table, [one, other], level - 1, first + ((number as u32) << ((level - 1) * FAN_BITS)), visit);
            }
        }
        let (low, high) = if self.levels <= other.levels { (self, other) } else { (other, self) };
        // What the lower tree has is all in the first child of a higher one. Nodes without a line are lines of zeros.
        let mut roots = vec![high.root];
        for _ in low.levels..high.levels {
            roots.push(table.get(roots[roots.len() - 1]).0[0]);
        }
        descend(table, [low.root, roots[roots.len() - 1]], low.levels, 0, visit);
        for (depth, root) in roots[..roots.len() - 1].iter().enumerate().rev() {
            let level = high.levels - depth as u32;
            for (number, &child) in table.get(*root).0.iter().enumerate().skip(1) {
                let first = (number as u32) << ((level - 1) * FAN_BITS);
                descend(table, [ZERO_LINE, child], level - 1, first, visit);
            }
        }
    }
}

fn updated(table: &LineTable, node: u32, level: u32, changes: &[(u32, u32)]) -> u32 {
    if level == 0 {
        return changes[changes.len() - 1].1;
    }
    let shift = (level - 1) * FAN_BITS;
    let mut line = *table.get(node);
    let mut rest = changes;
    while let Some(&(index, _)) = rest.first() {
        let digit = index >> shift & 15;
        let count = rest.iter().take_while(|(index, _)| index >> shift & 15 == digit).count();
        let child = &mut line.0[digit as usize];
        *child = updated(table, *child, level - 1, &rest[..count]);
        rest = &rest[count..];
    }
    table.intern(&line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_tree_is_a_map_from_indices_to_lines_and_canonical() {
        let table = LineTable::new();
        let mut reference = BTreeMap::new();
        let mut tree = Tree::EMPTY;
        let mut random = 12345u64;
        let mut next = |limit: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % limit
        };
        for round in 0..2000 {
            let span = [10, 300, 70_000][round % 3];
            let mut changes = BTreeMap::new();
            for _ in 0..1 + next(4) {
                let id = if next(3) == 0 { 0 } else { table.intern(&Line([next(50) as u32 + 1; 16])) };
                changes.insert(next(span) as u32, id);
            }
            reference.extend(changes.iter().map(|(&index, &id)| (index, id)));
            let (before, touched) = (tree, changes.keys().copied().collect::<Vec<u32>>());
            tree = tree.with(&table, &changes.into_iter().collect::<Vec<_>>());
            let mut seen = Vec::new();
            tree.for_each(&table, &mut |index, id| seen.push((index, id)));
            let wanted: Vec<_> =
                reference.iter().filter(|(_, id)| **id != 0).map(|(&index, &id)| (index, id)).collect();
            assert_eq!(seen, wanted);
            assert_eq!(Tree::EMPTY.with(&table, &wanted), tree, "the same contents are the same tree");
            assert!(wanted.iter().all(|&(index, id)| tree.line(&table, index) == id));
            assert_eq!(tree.line(&table, 1 << 30), 0);
            let mut differences = [Vec::new(), Vec::new()];
            before.for_each_difference(tree, &table, &mut |index| differences[0].push(index));
            tree.for_each_difference(before, &table, &mut |index| differences[1].push(index));
            let is_changed = |index: &u32| before.line(&table, *index) != tree.line(&table, *index);
            let changed: Vec<u32> = touched.into_iter().filter(is_changed).collect();
            assert_eq!(differences, [changed.clone(), changed]);
            let mut all = Vec::new();
            Tree::EMPTY.for_each_difference(tree, &table, &mut |index| all.push(index));
            assert!(all.into_iter().eq(wanted.iter().map(|&(index, _)| index)));
        }
    }
}
