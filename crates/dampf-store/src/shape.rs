//! The tree over the words of a state: which words and ids make up which node.
//!
//! The words of a state are cut into groups, each group is a node; the ids of the nodes are cut into groups again, and
//! so on, until two are left: the root. A state and its tree are one vector, the words and behind them the ids, level
//! by level, so that the children of a node lie side by side.
//!
//! Larger groups make flatter trees: fewer nodes to look up for a change, but more memory for each. Groups of four cost
//! what pairs cost, because the path to the root is half as long, with half the lookups. Where one level of larger
//! groups does the work of two of smaller ones, it is taken.

/// Children of a node at most.
const LARGEST_GROUP: usize = 8;
/// Children of a node at most in trees of several levels.
const LARGEST_GROUP_IN_LEVELS: usize = 4;

pub struct Shape {
    /// Words of a node, those that stay zero included.
    pub group: usize,
    /// From the words to the root; none where the words themselves are the root.
    pub levels: Vec<Level>,
    /// Where the id of the node above each word and each id is.
    pub parent: Vec<u32>,
    /// Words and ids together.
    pub len: usize,
}

/// The nodes of one level.
pub struct Level {
    /// Where their children are.
    pub first: usize,
    pub end: usize,
    /// Where their own ids end, which begin behind the children.
    pub ids_end: usize,
    /// How many children each has; the last may have fewer.
    pub group: usize,
}

impl Level {
    /// Where the ids of the nodes are.
    #[inline]
    pub fn nodes(&self) -> std::ops::Range<usize> {
        self.end..self.ids_end
    }

    /// The children of the node whose id is at `position`.
    #[inline]
    pub fn children(&self, position: usize) -> std::ops::Range<usize> {
        let first = self.first + (position - self.end) * self.group;
        first..(first + self.group).min(self.end)
    }
}

impl Shape {
    pub fn new(width: usize) -> Self {
        assert!(width > 0, "a state has at least one word");
        let group = group_for(width);
        let mut shape = Shape { group, levels: Vec::new(), parent: Vec::new(), len: width };
        let mut first = 0;
        while shape.len - first > 2 {
            let children = shape.len - first;
            let group = group.min(children.div_ceil(2));
            let end = shape.len;
            shape.parent.extend((0..children).map(|child| (end + child / group) as u32));
            shape.len += children.div_ceil(group);
            shape.levels.push(Level { first, end, ids_end: shape.len, group });
            first = end;
        }
        shape
    }

    /// Where the two that make up the root are.
    #[inline]
    pub fn root(&self) -> usize {
        self.len - 2
    }
}

fn group_for(width: usize) -> usize {
    if width <= 2 * LARGEST_GROUP {
        return width.div_ceil(2).max(2);
    }
    (2..LARGEST_GROUP_IN_LEVELS)
        .find(|&group| levels(width, group) == levels(width, LARGEST_GROUP_IN_LEVELS))
        .unwrap_or(LARGEST_GROUP_IN_LEVELS)
}

fn levels(mut children: usize, group: usize) -> usize {
    let mut levels = 0;
    while children > 2 {
        children = children.div_ceil(group);
        levels += 1;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_child_has_one_node_above() {
        for width in (1..200).chain([1538, 10_000]) {
            let shape = Shape::new(width);
            assert!(shape.group <= LARGEST_GROUP);
            let mut above = vec![0; shape.len];
            for level in &shape.levels {
                assert!(level.group <= shape.group);
                for node in level.nodes() {
                    for child in level.children(node) {
                        above[child] += 1;
                        assert_eq!(shape.parent[child] as usize, node, "width {width}");
                    }
                }
            }
            let (below_root, root) = above.split_at(shape.len - width.min(2));
            assert!(below_root.iter().all(|&count| count == 1), "width {width}");
            assert!(root.iter().all(|&count| count == 0), "width {width}");
        }
    }

    #[test]
    fn narrow_states_have_one_level() {
        assert_eq!(Shape::new(9).levels.len(), 1);
        assert_eq!(Shape::new(16).levels.len(), 1);
        assert_eq!(Shape::new(32).levels.len(), 2);
        assert_eq!(Shape::new(1538).levels.len(), 5);
    }
}
