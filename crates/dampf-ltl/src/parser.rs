//! Formulas from text, with SPIN's operators and precedences.
//!
//! From tight to loose: negation and the unary temporal operators; `U`, `W` and `V`; `&&`; `||`; `->` and `<->`. All
//! binary operators group to the left, `->` too: `p -> q -> r` is `(p -> q) -> r`. That is how SPIN reads `ltl` blocks.
//! Its option `-f` has one level for all Boolean operators ([`Reading::Option`]): there `p || q && r` is
//! `(p || q) && r`, unless in parentheses without temporal operators.
//!
//! Propositions are expressions of the model's language, which is not known here. Where an operand is expected and no
//! operator of the logic stands, the longest balanced piece of text up to the next such operator is a proposition. A
//! group in parentheses is a formula, unless the expression goes on behind it: `(x + 1) > 3`. A negation before an
//! expression with operators belongs to the expression, as it does in Promela and C: `!x == 3` is a proposition.

use crate::formula::Formula;
use crate::tokens::{ALSO_NAMES, Binary, Piece, Token, Unary, is_word, tokens};
use dampf_core::problem::{Checked, Problem};
use dampf_core::{Diagnostic, Source, Span};
use std::sync::Arc;

/// Deeper formulas are refused: nobody writes them, and every part of this crate descends into them.
const DEPTH_MAX: usize = 200;
/// So are longer ones, for chains of operators nest to the left.
const OPERATORS_MAX: usize = 1_000;
/// More temporal operators are refused: the tableau has a set of marks for them, and would not end either.
const TEMPORAL_OPERATORS_MAX: usize = 100;

/// A formula, and the expressions that its propositions stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    pub formula: Formula,
    /// By number, in the order of the text.
    pub propositions: Vec<Proposition>,
}

/// An expression of the model's language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// As it was first written, with single spaces for white space.
    pub text: String,
    /// Where it was first written.
    pub span: Span,
}

/// Whose precedences count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reading {
    /// Those of `ltl` blocks in Promela: `&&` binds tighter than `||`, and both tighter than `->` and `<->`.
    #[default]
    Block,
    /// Those of `spin -f`: all Boolean operators are on one level.
    Option,
}

/// Reads a formula as SPIN reads it in an `ltl` block.
pub fn parse(text: &str) -> Result<Parsed, Diagnostic> {
    parse_as(text, Reading::Block)
}

pub fn parse_as(text: &str, reading: Reading) -> Result<Parsed, Diagnostic> {
    parse_source(&Source::new("formula", text), reading)
}

/// Reads a formula whose text has a name: a file, an option of the command line.
pub fn parse_source(source: &Arc<Source>, reading: Reading) -> Result<Parsed, Diagnostic> {
    read(&source.text, reading).map_err(|problem| Diagnostic {
        source: Arc::clone(source),
        span: problem.span,
        message: problem.message,
        label: problem.label,
        help: problem.help,
    })
}

/// Whether SPIN reads the text differently in an `ltl` block and behind `-f`, so that parentheses would be good.
pub fn is_read_differently(text: &str) -> bool {
    match (parse_as(text, Reading::Block), parse_as(text, Reading::Option)) {
        (Ok(block), Ok(option)) => block.formula != option.formula,
        _ => false,
    }
}

fn read(text: &str, reading: Reading) -> Checked<Parsed> {
    let tokens = tokens(text)?;
    let whole = Span::new(0, text.len());
    if tokens.is_empty() {
        return Err(Problem::new(whole, "there is no formula", "empty").help("an example: `[] (request -> <> reply)`"));
    }
    let mut parser =
        Parser { text, tokens, at: 0, reading, depth: 0, operators: 0, propositions: Vec::new(), keys: Vec::new() };
    let formula = parser.level(0)?;
    if let Some(token) = parser.peek() {
        // Closing brackets have partners, so nothing but an operand without an operator can be left.
        return Err(parser.missing_operator(token));
    }
    let mut temporal = 0;
    formula.any(&mut |part| {
        temporal += usize::from(part.is_temporal_operator());
        false
    });
    if temporal > TEMPORAL_OPERATORS_MAX {
        let message = format!("the formula has {temporal} temporal operators, more than {TEMPORAL_OPERATORS_MAX}");
        return Err(Problem::new(whole, message, "too large").help("check its parts one by one"));
    }
    Ok(Parsed { formula, propositions: parser.propositions })
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    reading: Reading,
    depth: usize,
    operators: usize,
    propositions: Vec<Proposition>,
    /// The texts of the propositions without the white space that does not matter.
    keys: Vec<String>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The level of a binary operator: on a higher one it binds tighter.
    fn level_of(&self, operator: Binary) -> usize {
        match (operator, self.reading) {
            (Binary::Until | Binary::WeakUntil | Binary::Release, _) => 3,
            (Binary::And, Reading::Block) => 2,
            (Binary::Or, Reading::Block) => 1,
            _ => 0,
        }
    }

    fn level(&mut self, level: usize) -> Checked<Formula> {
        if level > 3 {
            return self.operand();
        }
        let mut left = self.level(level + 1)?;
        while let Some(Token { piece: Piece::Binary(operator), .. }) = self.peek()
            && self.level_of(operator) == level
        {
            self.operators += 1;
            if self.operators > OPERATORS_MAX {
                let message = format!("the formula has more than {OPERATORS_MAX} binary operators");
                return Err(
                    Problem::new(self.tokens[self.at].span, message, "too many").help("check its parts one by one")
                );
            }
            self.at += 1;
            let right = self.level(level + 1)?;
            left = binary(operator, left, right);
        }
        Ok(left)
    }

    fn operand(&mut self) -> Checked<Formula> {
        let Some(token) = self.peek() else {
            let before = self.tokens[self.at - 1].span;
            let message = format!("nothing follows `{}`", self.slice(before));
            return Err(Problem::new(before, message, "an operand is missing"));
        };
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            let message = format!("the formula is nested more than {DEPTH_MAX} deep");
            return Err(Problem::new(token.span, message, "too deep"));
        }
        let formula = match token.piece {
            Piece::Unary(operator) => {
                self.at += 1;
                let inner = Arc::new(self.operand()?);
                match operator {
                    Unary::Always => Formula::Always(inner),
                    Unary::Eventually => Formula::Eventually(inner),
                    Unary::Next => Formula::Next(inner),
                }
            }
            Piece::Negation => self.negation()?,
            Piece::Constant(value) if self.ends_operand(self.at + 1) => {
                self.at += 1;
                if value { Formula::True } else { Formula::False }
            }
            Piece::Open(b'(', close) if self.ends_operand(close + 1) => self.group(close)?,
            Piece::Open(b'{', close) => self.forced(token.span, close)?,
            Piece::Quoted => self.forced(token.span, self.at)?,
            Piece::Binary(_) if !ALSO_NAMES.contains(&self.slice(token.span)) => {
                let operator = self.slice(token.span);
                return Err(Problem::new(token.span, format!("`{operator}` has no left operand"), "an operator")
                    .help(format!("if `{operator}` is a name of the model, quote it: `\"{operator}\"`")));
            }
            Piece::Close(_) => {
                let message = format!("an operand is missing before `{}`", self.slice(token.span));
                return Err(Problem::new(token.span, message, "nothing stands before this"));
            }
            _ => {
                let end = self.expression_end(self.at)?;
                self.expression(end)?
            }
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn group(&mut self, close: usize) -> Checked<Formula> {
        let reading = self.reading;
        if self.is_promela(self.at + 1, close) {
            self.reading = Reading::Block;
        }
        self.at += 1;
        let formula = self.level(0)?;
        if self.at != close {
            return Err(self.missing_operator(self.tokens[self.at]));
        }
        self.reading = reading;
        self.at = close + 1;
        Ok(formula)
    }

    /// Whether a group has no operator of the logic but those of Promela. `spin -f` does not take such a group apart:
    /// Promela reads it, with Promela's precedences.
    fn is_promela(&self, begin: usize, end: usize) -> bool {
        self.tokens[begin..end].iter().all(|token| match token.piece {
            Piece::Unary(_) => false,
            Piece::Binary(operator) => matches!(operator, Binary::And | Binary::Or),
            _ => true,
        })
    }

    /// A proposition whose extent somebody forced, from here to the token `last`.
    fn forced(&mut self, first: Span, last: usize) -> Checked<Formula> {
        let whole = first.to(self.tokens[last].span);
        let inner = Span { start: whole.start + 1, end: whole.end - 1 };
        if self.slice(inner).trim().is_empty() {
            return Err(Problem::new(whole, "a proposition has no text", "empty"));
        }
        if !self.ends_operand(last + 1) {
            return Err(Problem::new(whole, "an expression goes on behind a proposition", "a whole proposition")
                .help("put all of the expression between the quotes"));
        }
        self.at = last + 1;
        Ok(self.proposition(inner))
    }

    /// A negation, of a formula or as the beginning of an expression.
    fn negation(&mut self) -> Checked<Formula> {
        let begin = self.at;
        let mut operand = begin;
        while matches!(self.tokens.get(operand), Some(Token { piece: Piece::Negation, .. })) {
            operand += 1;
        }
        let starts_expression = match self.tokens.get(operand).map(|token| token.piece) {
            Some(Piece::Open(b'(', close)) if self.ends_operand(close + 1) => false,
            Some(Piece::Word | Piece::Symbol | Piece::Constant(_) | Piece::Open(b'(' | b'[', _)) => true,
            Some(Piece::Binary(_)) => ALSO_NAMES.contains(&self.slice(self.tokens[operand].span)),
            _ => false,
        };
        if starts_expression {
            let end = self.expression_end(operand)?;
            if self.has_operators(operand, end) {
                return self.expression(end);
            }
        }
        self.at += 1;
        Ok(Formula::Not(Arc::new(self.operand()?)))
    }

    /// Whether an operand can end before a token: the text ends, a bracket closes, or an operator of the logic stands.
    fn ends_operand(&self, at: usize) -> bool {
        match self.tokens.get(at) {
            None => true,
            Some(token) => matches!(token.piece, Piece::Binary(_) | Piece::Close(_)),
        }
    }

    /// Where the expression ends that begins at a token.
    fn expression_end(&self, begin: usize) -> Checked<usize> {
        let mut at = begin;
        // Words of the logic are names where the expression needs an operand.
        let mut needs_operand = true;
        while let Some(token) = self.tokens.get(at) {
            let is_also_name = needs_operand && ALSO_NAMES.contains(&self.slice(token.span));
            match token.piece {
                _ if at > begin && self.is_part_of_name(at) => needs_operand = false,
                Piece::Close(_) => break,
                Piece::Binary(_) if !is_also_name => break,
                Piece::Unary(_) => return Err(self.inside_expression(*token)),
                Piece::Open(_, close) => {
                    self.check_inside(at + 1, close)?;
                    at = close;
                    needs_operand = false;
                }
                Piece::Symbol | Piece::Negation => needs_operand = true,
                Piece::Word | Piece::Constant(_) | Piece::Quoted | Piece::Binary(_) => {
                    let before = self.tokens[at.max(begin + 1) - 1];
                    let is_operator = ["run", "sizeof"].contains(&self.slice(before.span));
                    if at > begin && matches!(before.piece, Piece::Word | Piece::Constant(_)) && !is_operator {
                        return Err(self.missing_operator(*token));
                    }
                    needs_operand = false;
                }
            }
            at += 1;
        }
        Ok(at)
    }

    /// Whether a word goes on with a name, whatever it means elsewhere: `item.next`, `P@U`.
    fn is_part_of_name(&self, at: usize) -> bool {
        let before = self.tokens[at - 1];
        [".", ":", "::", "@"].contains(&self.slice(before.span))
            && self.slice(self.tokens[at].span).starts_with(is_word)
    }

    /// No temporal operator may stand inside the brackets of an expression.
    fn check_inside(&self, begin: usize, end: usize) -> Checked<()> {
        let is_operand = |token: Option<&Token>| {
            token.is_some_and(|token| {
                matches!(token.piece, Piece::Word | Piece::Constant(_) | Piece::Open(..) | Piece::Close(_))
            })
        };
        for at in begin..end {
            let token = self.tokens[at];
            let is_temporal = match token.piece {
                _ if self.is_part_of_name(at) => false,
                Piece::Unary(Unary::Next) => at + 1 < end && is_operand(self.tokens.get(at + 1)),
                Piece::Unary(_) => true,
                Piece::Binary(Binary::Until | Binary::WeakUntil | Binary::Release) => {
                    at > begin && is_operand(self.tokens.get(at - 1)) && is_operand(self.tokens.get(at + 1))
                }
                _ => false,
            };
            if is_temporal {
                return Err(self.inside_expression(token));
            }
        }
        Ok(())
    }

    /// Whether an expression is more than a name with indices, fields and arguments.
    fn has_operators(&self, begin: usize, end: usize) -> bool {
        let mut at = begin;
        while at < end {
            match self.tokens[at].piece {
                Piece::Open(_, close) => at = close,
                Piece::Symbol => {
                    // `a.b`, `P:x` and `P[1]@cs` are names, and nobody negates the channel of `c?[msg]`.
                    let symbol = self.slice(self.tokens[at].span);
                    let next = self.tokens.get(at + 1).map_or("", |token| self.slice(token.span));
                    let is_poll = symbol == "?" && ["?", "["].contains(&next);
                    if ![".", ":", "::", "@"].contains(&symbol) && !is_poll {
                        return true;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// The proposition from here to a token, which is not part of it.
    fn expression(&mut self, end: usize) -> Checked<Formula> {
        let span = self.tokens[self.at].span.to(self.tokens[end - 1].span);
        self.at = end;
        Ok(self.proposition(span))
    }

    fn proposition(&mut self, span: Span) -> Formula {
        let slice = self.slice(span);
        let (text, key) = (slice.split_whitespace().collect::<Vec<_>>().join(" "), key(slice));
        let number = self.keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.keys.push(key);
            self.propositions.push(Proposition { text, span });
            self.propositions.len() - 1
        });
        Formula::Proposition(number as u32)
    }

    fn missing_operator(&self, token: Token) -> Box<Problem> {
        let message = format!("an operator is missing before `{}`", self.slice(token.span));
        Problem::new(token.span, message, "not expected here")
    }

    fn inside_expression(&self, token: Token) -> Box<Problem> {
        let operator = self.slice(token.span);
        let message = format!("`{operator}` stands inside an expression of the model");
        let problem = Problem::new(token.span, message, "a temporal operator");
        problem.help(match operator {
            "<>" => "inequality is `!=`; `<>` is `eventually` and needs an operator before it",
            "[]" => "`[]` is `always` and needs an operator before it; an index is missing if an array was meant",
            _ => "temporal operators combine whole propositions; quote the expression if a name of the model was meant",
        })
    }
}

fn binary(operator: Binary, left: Formula, right: Formula) -> Formula {
    let (left, right) = (Arc::new(left), Arc::new(right));
    match operator {
        Binary::And => Formula::And(left, right),
        Binary::Or => Formula::Or(left, right),
        Binary::Implies => Formula::Implies(left, right),
        Binary::Equivalent => Formula::Equivalent(left, right),
        Binary::Until => Formula::Until(left, right),
        Binary::WeakUntil => Formula::WeakUntil(left, right),
        Binary::Release => Formula::Release(left, right),
    }
}

/// A text without the white space that separates nothing: it stays between two words, and between two marks, which
/// could be one together.
fn key(text: &str) -> String {
    let mut key = String::new();
    let (mut pending, mut quote) = (false, None);
    for letter in text.chars() {
        if quote.is_none() && letter.is_whitespace() {
            pending = true;
            continue;
        }
        if pending && let Some(before) = key.chars().next_back() {
            let stands_alone = |letter: char| "()[]{},".contains(letter);
            let would_join = is_word(before) == is_word(letter) && !stands_alone(before) && !stands_alone(letter);
            if would_join {
                key.push(' ');
            }
        }
        pending = false;
        quote = match quote {
            None if letter == '"' || letter == '\'' => Some(letter),
            Some(open) if open == letter => None,
            unchanged => unchanged,
        };
        key.push(letter);
    }
    key
}
