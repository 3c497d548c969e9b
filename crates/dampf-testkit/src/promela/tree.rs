//! The text of a program as a tree: what may be left out, and what may stand for what.
//!
//! The tree knows nothing of Promela. It knows lists, whose items may go, and sorts: a piece of text may be replaced by
//! a piece of the same sort within it. That is enough to make programs smaller; whoever reads the result decides
//! whether it is still a program.

use std::fmt;

/// A piece of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    pub sort: Sort,
    pub node: Node,
}

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Other,
    /// A statement, or several with separators between them.
    Statement,
    Expression,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    Text(String),
    /// Pieces that belong together.
    Row(Vec<Tree>),
    /// Any of these may be left out.
    List(List),
    /// On lines of its own, further right.
    Block(Box<Tree>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List {
    pub items: Vec<Tree>,
    /// Between the first and the second.
    pub first_separator: &'static str,
    pub separator: &'static str,
    /// What stands there when nothing is left.
    pub empty: &'static str,
}

pub fn text(text: impl Into<String>) -> Tree {
    Tree { sort: Sort::Other, node: Node::Text(text.into()) }
}

pub fn row(pieces: Vec<Tree>) -> Tree {
    Tree { sort: Sort::Other, node: Node::Row(pieces) }
}

pub fn block(tree: Tree) -> Tree {
    Tree { sort: Sort::Other, node: Node::Block(Box::new(tree)) }
}

pub fn list(items: Vec<Tree>, separator: &'static str, empty: &'static str) -> Tree {
    Tree { sort: Sort::Other, node: Node::List(List { items, first_separator: separator, separator, empty }) }
}

/// What may be left out altogether.
pub fn optional(tree: Tree) -> Tree {
    list(vec![tree], "", "")
}

/// Statements, one below the other.
pub fn sequence(items: Vec<Tree>) -> Tree {
    list(items, ";\n", "skip").with(Sort::Statement)
}

/// Statements behind a guard.
pub fn guarded(items: Vec<Tree>) -> Tree {
    let list = List { items, first_separator: " ->\n", separator: ";\n", empty: "skip" };
    Tree { sort: Sort::Statement, node: Node::List(list) }
}

/// A statement from its pieces.
pub fn statement(pieces: Vec<Tree>) -> Tree {
    row(pieces).with(Sort::Statement)
}

/// An expression from its pieces.
pub fn expression(pieces: Vec<Tree>) -> Tree {
    row(pieces).with(Sort::Expression)
}

impl Tree {
    pub fn with(mut self, sort: Sort) -> Tree {
        self.sort = sort;
        self
    }

    /// The pieces directly within this one.
    pub fn pieces(&self) -> &[Tree] {
        match &self.node {
            Node::Text(_) => &[],
            Node::Row(pieces) => pieces,
            Node::List(list) => &list.items,
            Node::Block(tree) => std::slice::from_ref(tree),
        }
    }

    pub fn pieces_mut(&mut self) -> &mut [Tree] {
        match &mut self.node {
            Node::Text(_) => &mut [],
            Node::Row(pieces) => pieces,
            Node::List(list) => &mut list.items,
            Node::Block(tree) => std::slice::from_mut(tree),
        }
    }

    fn write(&self, indentation: usize, out: &mut String) {
        match &self.node {
            Node::Text(text) => push(text, indentation, out),
            Node::Row(pieces) => pieces.iter().for_each(|piece| piece.write(indentation, out)),
            Node::List(list) if list.items.is_empty() => push(list.empty, indentation, out),
            Node::List(list) => {
                for (index, item) in list.items.iter().enumerate() {
                    match index {
                        0 => {}
                        1 => push(list.first_separator, indentation, out),
                        _ => push(list.separator, indentation, out),
                    }
                    item.write(indentation, out);
                }
            }
            Node::Block(tree) => {
                push("\n", indentation + 1, out);
                tree.write(indentation + 1, out);
                push("\n", indentation, out);
            }
        }
    }
}

/// Adds text; lines that begin in it are moved to the right.
fn push(text: &str, indentation: usize, out: &mut String) {
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(&"  ".repeat(indentation));
        }
        out.push_str(line);
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(0, &mut out);
        for line in out.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_moved_to_the_right() {
        let inner = guarded(vec![text("a"), text("b"), text("c")]);
        let tree = sequence(vec![row(vec![text("{"), block(inner), text("}")]), text("d")]);
        assert_eq!(tree.to_string(), "{\n  a ->\n  b;\n  c\n};\nd\n");
    }

    #[test]
    fn an_empty_list_has_something_to_say() {
        assert_eq!(row(vec![text("x: "), sequence(Vec::new()), optional(text("!"))]).to_string(), "x: skip!\n");
    }
}
