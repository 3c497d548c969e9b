//! Makes a program smaller while it stays interesting: delta debugging over its tree.

use super::tree::{List, Node, Sort, Tree, text};
use std::collections::BTreeSet;
use std::ops::Range;

/// Makes a tree as small as it gets while `is_interesting` holds, which is asked at most `attempts_max` times. It is
/// taken to hold for the tree itself.
pub fn shrink(tree: Tree, attempts_max: usize, mut is_interesting: impl FnMut(&Tree) -> bool) -> Tree {
    let mut best = tree;
    let mut attempts = 0;
    // Several ways lead to one program, and the last round meets most of those before it again.
    let mut boring = BTreeSet::from([best.to_string()]);
    loop {
        let mut has_shrunk = false;
        let mut position = 0;
        // After a success the edits are other ones, but those before the position were tried a moment ago.
        while let Some(edit) = edits(&best).into_iter().nth(position) {
            if attempts == attempts_max {
                return best;
            }
            let smaller = edit.applied_to(&best);
            let is_new = boring.insert(smaller.to_string());
            attempts += usize::from(is_new);
            if is_new && is_interesting(&smaller) {
                best = smaller;
                has_shrunk = true;
            } else {
                position += 1;
            }
        }
        if !has_shrunk {
            return best;
        }
    }
}

/// One way to make a tree smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Edit {
    /// Which piece of which piece.
    path: Vec<usize>,
    change: Change,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Change {
    /// Leave out some items of a list.
    Drop(Range<usize>),
    /// Put a piece of the same sort in its place: the path to it.
    Raise(Vec<usize>),
    /// Put a plain text in its place.
    Replace(&'static str),
}

/// All edits of a tree: first those that take much away at once.
fn edits(tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    collect(tree, &mut Vec::new(), &mut edits);
    edits.sort_by_key(|edit| (edit.path.len(), std::cmp::Reverse(edit.dropped())));
    edits
}

fn collect(tree: &Tree, path: &mut Vec<usize>, edits: &mut Vec<Edit>) {
    let mut add = |change| edits.push(Edit { path: path.clone(), change });
    if let Node::List(List { items, .. }) = &tree.node {
        let mut size = items.len();
        while size > 0 {
            for start in (0..items.len()).step_by(size) {
                add(Change::Drop(start..(start + size).min(items.len())));
            }
            size /= 2;
        }
    }
    if tree.sort == Sort::Expression && !matches!(&tree.node, Node::Text(text) if text == "0" || text == "1") {
        add(Change::Replace("0"));
        add(Change::Replace("1"));
    }
    if tree.sort != Sort::Other {
        let mut found = Vec::new();
        nearest(tree, tree.sort, &mut Vec::new(), &mut found);
        found.into_iter().for_each(|path| add(Change::Raise(path)));
    }
    for (index, piece) in tree.pieces().iter().enumerate() {
        path.push(index);
        collect(piece, path, edits);
        path.pop();
    }
}

/// The topmost pieces of a sort within a tree.
fn nearest(tree: &Tree, sort: Sort, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    for (index, piece) in tree.pieces().iter().enumerate() {
        path.push(index);
        if piece.sort == sort {
            found.push(path.clone());
        } else {
            nearest(piece, sort, path, found);
        }
        path.pop();
    }
}

impl Edit {
    fn dropped(&self) -> usize {
        if let Change::Drop(range) = &self.change { range.len() } else { 0 }
    }

    fn applied_to(&self, tree: &Tree) -> Tree {
        let mut changed = tree.clone();
        let Some(place) = at(&mut changed, &self.path) else { return changed };
        match &self.change {
            Change::Drop(range) => {
                if let Node::List(list) = &mut place.node {
                    list.items.drain(range.clone());
                }
            }
            Change::Raise(path) => {
                if let Some(piece) = at(place, path) {
                    *place = piece.clone();
                }
            }
            Change::Replace(plain) => *place = text(*plain).with(place.sort),
        }
        changed
    }
}

fn at<'t>(tree: &'t mut Tree, path: &[usize]) -> Option<&'t mut Tree> {
    path.iter().try_fold(tree, |tree, &index| tree.pieces_mut().get_mut(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promela::tree::{block, expression, guarded, row, sequence, statement};

    fn program() -> Tree {
        let condition = expression(vec![text("("), text("x").with(Sort::Expression), text(" == 3)")]);
        let option = guarded(vec![condition, text("a"), text("b")]);
        let choice = statement(vec![text("if :: "), option, text(" fi")]);
        let braces = statement(vec![text("atomic {"), block(sequence(vec![choice, text("c")])), text("}")]);
        row(vec![text("P() { "), sequence(vec![text("p"), braces, text("q")]), text(" }")])
    }

    fn smallest(interesting: impl Fn(&str) -> bool) -> String {
        shrink(program(), 1_000, |tree| interesting(&tree.to_string())).to_string().replace('\n', " ")
    }

    #[test]
    fn what_does_not_matter_goes() {
        assert_eq!(smallest(|text| text.contains('b')), "P() { b } ");
        assert_eq!(smallest(|text| text.contains("fi")), "P() { if :: skip fi } ");
        assert_eq!(smallest(|text| text.contains("p") && text.contains('c')), "P() { p; c } ");
        assert_eq!(smallest(|_| true), "P() { skip } ");
    }

    #[test]
    fn expressions_become_their_pieces() {
        assert_eq!(smallest(|text| text.contains("x")), "P() { x } ");
        assert_eq!(smallest(|text| text.contains("if") && text.contains("->")), "P() { if :: a -> b fi } ");
    }

    #[test]
    fn attempts_are_counted() {
        let mut asked = 0;
        let shrunk = shrink(program(), 3, |_| {
            asked += 1;
            false
        });
        assert_eq!((asked, shrunk), (3, program()));
    }
}
