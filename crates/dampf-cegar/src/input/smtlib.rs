//! SMT-LIB 2 texts as trees: what a parenthesis holds and where it stands, without any meaning.
//!
//! The tree lies in one array and is read without recursion, so that neither reading nor dropping a text that is nested
//! a hundred thousand times needs a deep stack. A quoted symbol `|x|` is the same symbol as `x`.

use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeId(u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    Symbol(String),
    /// `:status`, without its colon.
    Keyword(String),
    /// Digits, with a point where it is a decimal.
    Number(String),
    /// `#b01`, `#xff`: bit-vectors, which linear arithmetic has no use for.
    BitVector,
    Text,
    List(Vec<NodeId>),
}

/// All expressions of a text.
#[derive(Default, Debug)]
pub struct Tree {
    nodes: Vec<(Node, Span)>,
    /// The expressions outside of all parentheses: the commands.
    pub roots: Vec<NodeId>,
}

impl Tree {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize].0
    }

    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.0 as usize].1
    }

    pub fn symbol(&self, id: NodeId) -> Option<&str> {
        match self.node(id) {
            Node::Symbol(name) => Some(name),
            _ => None,
        }
    }

    pub fn list(&self, id: NodeId) -> Option<&[NodeId]> {
        match self.node(id) {
            Node::List(parts) => Some(parts),
            _ => None,
        }
    }

    /// The name and the arguments of `(name argument …)`.
    pub fn application(&self, id: NodeId) -> Option<(&str, &[NodeId])> {
        let (first, arguments) = self.list(id)?.split_first()?;
        Some((self.symbol(*first)?, arguments))
    }

    fn add(&mut self, node: Node, span: Span) -> NodeId {
        self.nodes.push((node, span));
        NodeId(self.nodes.len() as u32 - 1)
    }
}

/// Reads a whole text.
pub fn read(text: &str) -> Checked<Tree> {
    let mut tree = Tree::default();
    // The lists that are open, innermost last: where each begins and what it has so far.
    let mut open: Vec<(usize, Vec<NodeId>)> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let start = at;
        let node = match first {
            c if c.is_whitespace() || c == '\u{feff}' => {
                at += c.len_utf8();
                continue;
            }
            ';' => {
                at = text[at..].find('\n').map_or(text.len(), |length| at + length);
                continue;
            }
            '(' => {
                at += 1;
                open.push((start, Vec::new()));
                continue;
            }
            ')' => {
                at += 1;
                let Some((begin, parts)) = open.pop() else {
                    return Err(Problem::new(Span::new(start, at), "a `)` without its `(`", "closes nothing"));
                };
                let id = tree.add(Node::List(parts), Span::new(begin, at));
                open.last_mut().map_or(&mut tree.roots, |(_, parts)| parts).push(id);
                continue;
            }
            '|' => quoted_symbol(text, &mut at)?,
            '"' => string(text, &mut at)?,
            _ => word(text, &mut at)?,
        };
        let id = tree.add(node, Span::new(start, at));
        open.last_mut().map_or(&mut tree.roots, |(_, parts)| parts).push(id);
    }
    match open.pop() {
        Some((begin, _)) => {
            Err(Problem::new(Span::new(begin, begin + 1), "a `(` is not closed", "opens here")
                .help("close it with `)`"))
        }
        None => Ok(tree),
    }
}

fn quoted_symbol(text: &str, at: &mut usize) -> Checked<Node> {
    let start = *at;
    let Some(length) = text[start + 1..].find('|') else {
        let span = Span::new(start, start + 1);
        return Err(Problem::new(span, "a quoted symbol is not closed", "begins here").help("close it with `|`"));
    };
    *at = start + 1 + length + 1;
    Ok(Node::Symbol(text[start + 1..start + 1 + length].to_owned()))
}

/// A string ends with a quote that no other quote follows.
fn string(text: &str, at: &mut usize) -> Checked<Node> {
    let start = *at;
    *at += 1;
    loop {
        match text[*at..].find('"') {
            None => {
                return Err(Problem::new(Span::new(start, start + 1), "a string is not closed", "begins here"));
            }
            Some(length) if text[*at + length + 1..].starts_with('"') => *at += length + 2,
            Some(length) => {
                *at += length + 1;
                return Ok(Node::Text);
            }
        }
    }
}

fn word(text: &str, at: &mut usize) -> Checked<Node> {
    let start = *at;
    let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '"' | '|');
    let word = &text[start..];
    let word = &word[..word.find(ends).unwrap_or(word.len())];
    *at = start + word.len();
    Ok(match word.as_bytes()[0] {
        b':' => Node::Keyword(word[1..].to_owned()),
        b'#' => Node::BitVector,
        b'0'..=b'9' => {
            let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
            let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            if !digits(whole) || !digits(fraction) {
                return Err(Problem::new(
                    Span::new(start, *at),
                    format!("`{word}` is no number"),
                    "begins with a digit",
                ));
            }
            Node::Number(word.to_owned())
        }
        _ => Node::Symbol(word.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_tree_with_places() {
        let text = "(a |b c| ; not this\n :key 1.5 \"x\"\"y\" #b1) z";
        let tree = read(text).unwrap();
        assert_eq!(tree.roots.len(), 2);
        let parts = tree.list(tree.roots[0]).unwrap();
        let kinds: Vec<&Node> = parts.iter().map(|&part| tree.node(part)).collect();
        assert_eq!(*kinds[1], Node::Symbol("b c".into()));
        assert_eq!(*kinds[2], Node::Keyword("key".into()));
        assert_eq!(*kinds[3], Node::Number("1.5".into()));
        assert_eq!(*kinds[5], Node::BitVector);
        assert_eq!(tree.span(parts[1]), Span::new(3, 8));
    }

    #[test]
    fn what_is_not_closed_is_told_with_its_place() {
        let message = |text: &str| read(text).unwrap_err().message;
        assert_eq!(message("(a"), "a `(` is not closed");
        assert_eq!(message("a)"), "a `)` without its `(`");
        assert_eq!(message("|a"), "a quoted symbol is not closed");
        assert_eq!(message("\"a"), "a string is not closed");
        assert_eq!(message("12x"), "`12x` is no number");
    }

    #[test]
    fn deep_texts_need_no_deep_stack() {
        let text = "(".repeat(200_000) + &")".repeat(200_000);
        assert_eq!(read(&text).unwrap().roots.len(), 1);
    }
}
