//! Expressions over a program's global variables and over where its threads are: what propositions are made of.
//!
//! They are written as in C: numbers, names of global and static variables, members, elements with constant indices,
//! and C's operators with C's precedences, over the integers (nothing overflows in practice: there are 128 bits).
//! `at(file:line)` says that some thread stands at a line, `in(function)` that some thread is within a call. A name
//! that is no variable's may be that of a `PROP` annotation, or of an enumerator of a variable that is mentioned too.
//!
//! Everything is looked up when the expression is read; what is left has addresses.

use crate::machine::Machine;
use crate::program::Program;
use crate::watch::{CodePlace, PLACES_MAX, Watch, is_name_of};
use dampf_rv::debug::{TypeId, ValueKind};

/// Deeper expressions are refused.
const DEPTH_MAX: usize = 100;

/// What stands before the name of a `PROP` annotation's variable.
const ANNOTATED: &str = "__dampf_prop_";

/// An expression that was understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    Number(i128),
    Memory {
        address: u64,
        bytes: u64,
        is_signed: bool,
    },
    /// Whether some thread is at a watched place.
    Place(usize),
    /// Whether the thread in a slot waits while others can go on; not for the end of another thread.
    Waits(u32),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Not,
    Negate,
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    pub fn is_comparison(self) -> bool {
        use Binary::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Unequal};
        matches!(self, Equal | Unequal | Less | LessOrEqual | Greater | GreaterOrEqual)
    }
}

/// Spelling, meaning and level, longer spellings before those they begin with. Higher levels bind tighter.
const BINARY: &[(&str, Binary, usize)] = &[
    ("||", Binary::Or, 0),
    ("&&", Binary::And, 1),
    ("==", Binary::Equal, 5),
    ("!=", Binary::Unequal, 5),
    ("<<", Binary::ShiftLeft, 7),
    (">>", Binary::ShiftRight, 7),
    ("<=", Binary::LessOrEqual, 6),
    (">=", Binary::GreaterOrEqual, 6),
    ("|", Binary::BitOr, 2),
    ("^", Binary::BitXor, 3),
    ("&", Binary::BitAnd, 4),
    ("<", Binary::Less, 6),
    (">", Binary::Greater, 6),
    ("+", Binary::Add, 8),
    ("-", Binary::Subtract, 8),
    ("*", Binary::Multiply, 9),
    ("/", Binary::Divide, 9),
    ("%", Binary::Remainder, 9),
];

/// Reads an expression. What it looks at is watched from then on.
pub fn read_expression(program: &Program, text: &str, watch: &mut Watch) -> Result<Expression, String> {
    let mut reader = Reader { program, text, at: 0, depth: 0, watch, enumerators: Vec::new() };
    let raw = reader.level(0)?;
    reader.skip_spaces();
    if reader.at < text.len() {
        return Err(format!("`{}` is not understood", &text[reader.at..]));
    }
    let enumerators = std::mem::take(&mut reader.enumerators);
    raw.resolved(program, &enumerators)
}

/// An expression with names that may be enumerators'.
enum Raw {
    Known(Expression),
    Name(String),
    Unary(Unary, Box<Raw>),
    Binary(Binary, Box<Raw>, Box<Raw>),
}

impl Raw {
    fn resolved(self, program: &Program, enumerators: &[(String, i128)]) -> Result<Expression, String> {
        Ok(match self {
            Raw::Known(expression) => expression,
            Raw::Name(name) => match enumerators.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => Expression::Number(*value),
                None => return Err(unknown(program, &name)),
            },
            Raw::Unary(operator, operand) => {
                Expression::Unary(operator, Box::new(operand.resolved(program, enumerators)?))
            }
            Raw::Binary(operator, left, right) => {
                let [left, right] = [left.resolved(program, enumerators)?, right.resolved(program, enumerators)?];
                Expression::Binary(operator, Box::new(left), Box::new(right))
            }
        })
    }
}

fn unknown(program: &Program, name: &str) -> String {
    if program.debug.is_empty() {
        return format!("there is no debug information, so `{name}` is not known; compile with -g");
    }
    format!("there is no global variable `{name}`")
}

struct Reader<'a> {
    program: &'a Program,
    text: &'a str,
    at: usize,
    depth: usize,
    watch: &'a mut Watch,
    /// Of the types of variables that were mentioned.
    enumerators: Vec<(String, i128)>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn takes(&mut self, spelling: &str) -> bool {
        self.skip_spaces();
        let is_there = self.rest().starts_with(spelling);
        self.at += if is_there { spelling.len() } else { 0 };
        is_there
    }

    fn level(&mut self, level: usize) -> Result<Raw, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("it is nested more than {DEPTH_MAX} times"));
        }
        let mut left = self.operand()?;
        loop {
            self.skip_spaces();
            let next = BINARY.iter().find(|(spelling, ..)| self.rest().starts_with(spelling));
            let Some(&(spelling, operator, tightness)) = next.filter(|(_, _, tightness)| *tightness >= level) else {
                break;
            };
            self.at += spelling.len();
            let right = self.level(tightness + 1)?;
            left = Raw::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Raw, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("it is nested more than {DEPTH_MAX} times"));
        }
        for (spelling, operator) in [("!", Unary::Not), ("-", Unary::Negate), ("~", Unary::Complement)] {
            if self.takes(spelling) {
                let operand = self.operand()?;
                self.depth -= 1;
                return Ok(Raw::Unary(operator, Box::new(operand)));
            }
        }
        self.depth -= 1;
        if self.takes("(") {
            let inner = self.level(0)?;
            return if self.takes(")") { Ok(inner) } else { Err("`)` is missing".to_owned()) };
        }
        self.skip_spaces();
        match self.rest().chars().next() {
            Some(first) if first.is_ascii_digit() => self.number().map(|number| Raw::Known(Expression::Number(number))),
            Some(first) if is_name(first) => self.named(),
            Some(other) => Err(format!("`{other}` is no part of an expression here")),
            None => Err("an operand is missing".to_owned()),
        }
    }

    fn word(&mut self) -> &'a str {
        self.skip_spaces();
        let rest = self.rest();
        let length = rest.find(|letter: char| !is_name(letter)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn number(&mut self) -> Result<i128, String> {
        let word = self.word();
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let number = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        number.map_err(|_| format!("`{word}` is no number"))
    }

    fn named(&mut self) -> Result<Raw, String> {
        let mut name = self.word().to_owned();
        while self.takes("::") {
            name = format!("{name}::{}", self.word());
        }
        let known = |expression| Ok(Raw::Known(expression));
        match name.as_str() {
            "true" => return known(Expression::Number(1)),
            "false" => return known(Expression::Number(0)),
            "at" | "in" if self.takes("(") => {
                let end = self.rest().find(')').ok_or("`)` is missing")?;
                let place = self.rest()[..end].trim();
                self.at += end + 1;
                return known(Expression::Place(self.place(&name, place)?));
            }
            _ => {}
        }
        match self.variable(&name)? {
            Some((ty, address)) => known(self.value(&name, ty, address)?),
            None => Ok(Raw::Name(name)),
        }
    }

    /// The type and the address of a variable.
    fn variable(&self, name: &str) -> Result<Option<(TypeId, u64)>, String> {
        let program = self.program;
        let variables =
            || program.debug.globals().iter().filter(|variable| program.globals.contains(&variable.address));
        let exact = variables().find(|variable| variable.name == name && !variable.thread_local);
        let ends_with = |ending: &str| -> Vec<&dampf_rv::debug::Variable> {
            let ending = format!("::{ending}");
            variables().filter(|variable| !variable.thread_local && variable.name.ends_with(&ending)).collect()
        };
        let found = match exact {
            Some(exact) => vec![exact],
            None => [name.to_owned(), format!("{ANNOTATED}{name}")]
                .iter()
                .map(|name| ends_with(name))
                .find(|found| !found.is_empty())
                .unwrap_or_default(),
        };
        match found.as_slice() {
            [] if variables().any(|variable| variable.thread_local && variable.name == name) => {
                Err(format!("`{name}` is a thread-local variable, of which each thread has its own"))
            }
            [] => Ok(None),
            [only] => Ok(Some((only.ty, only.address))),
            [first, second, ..] => Err(format!("`{name}` may be `{}` or `{}`, at least", first.name, second.name)),
        }
    }

    /// The number at a place in a variable, after members and elements.
    fn value(&mut self, name: &str, ty: TypeId, address: u64) -> Result<Expression, String> {
        let debug = &self.program.debug;
        let (mut ty, mut address, mut told) = (ty, address, name.to_owned());
        // The dimensions of an array that are not indexed yet.
        let mut dimensions: Option<(TypeId, Vec<Option<u64>>)> = None;
        loop {
            let (kind, offset) = match dimensions.take() {
                Some((element, lengths)) if !lengths.is_empty() => (ValueKind::Array { element, lengths }, 0),
                _ => debug.value_kind(ty),
            };
            if self.takes(".") {
                let member = self.word();
                let found = debug.member_named(ty, member).filter(|_| !matches!(kind, ValueKind::Array { .. }));
                let (inner, offset) =
                    found.ok_or_else(|| format!("`{told}` has no member `{member}` that has a place"))?;
                (ty, address, told) = (inner, address + offset, format!("{told}.{member}"));
                continue;
            }
            address += offset;
            match kind {
                ValueKind::Array { element, lengths } => {
                    if !self.takes("[") {
                        return Err(format!("`{told}` is an array; an element of it has a value: `{told}[0]`"));
                    }
                    self.skip_spaces();
                    let index = self.number().map_err(|_| format!("an index of `{told}` has to be a number"))?;
                    if !self.takes("]") {
                        return Err("`]` is missing".to_owned());
                    }
                    let length = lengths[0];
                    let index = u64::try_from(index).ok().filter(|index| length.is_none_or(|length| *index < length));
                    let index = index.ok_or_else(|| format!("`{told}` has no such element"))?;
                    let inner: u64 = lengths[1..].iter().map(|length| length.unwrap_or(0)).product();
                    address += index * inner * debug.size_of(element);
                    told = format!("{told}[{index}]");
                    ty = element;
                    dimensions = Some((element, lengths[1..].to_vec()));
                }
                ValueKind::Number { bytes, is_signed } if (1..=8).contains(&bytes) => {
                    self.watch.add_bytes(address, bytes);
                    return Ok(Expression::Memory { address, bytes, is_signed });
                }
                ValueKind::Enumeration { bytes, is_signed, names } if (1..=8).contains(&bytes) => {
                    self.enumerators.extend(names);
                    self.watch.add_bytes(address, bytes);
                    return Ok(Expression::Memory { address, bytes, is_signed });
                }
                _ => {
                    let ty = debug.type_name(ty);
                    return Err(format!("`{told}` is no integer but `{ty}`; its members may be: `{told}.member`"));
                }
            }
        }
    }

    fn place(&mut self, kind: &str, text: &str) -> Result<usize, String> {
        let program = self.program;
        let place = if kind == "in" {
            let mut symbols = program.image.symbols().iter();
            if !symbols.any(|symbol| is_name_of(text, &dampf_rv::image::demangle(&symbol.name))) {
                return Err(format!("there is no function `{text}`"));
            }
            CodePlace::Function { name: text.to_owned() }
        } else {
            let parts = text.rsplit_once(':').and_then(|(file, line)| Some((file.trim(), line.trim().parse().ok()?)));
            let (file, line) = parts.ok_or_else(|| format!("`{text}` is no place; `at(file.c:12)` is one"))?;
            let place = CodePlace::Line { file: file.to_owned(), line };
            let mut starts = program.debug.line_starts().into_iter().filter(|&pc| program.is_user_code(pc));
            if !starts.any(|pc| place.is_told_for(&program.debug.frames(pc))) {
                return Err(format!("there is no code at {file}:{line}"));
            }
            place
        };
        let number = self.watch.add_place(place);
        number.ok_or_else(|| format!("not more than {PLACES_MAX} places can be looked at"))
    }
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

impl Machine<'_> {
    /// The value of an expression in the state that is loaded.
    pub fn value_of(&mut self, expression: &Expression) -> i128 {
        match expression {
            Expression::Number(number) => *number,
            Expression::Memory { address, bytes, is_signed } => {
                let value = self.memory.peek_value(*address, *bytes as usize);
                let unused = 64 - 8 * *bytes as u32;
                match is_signed {
                    true => i128::from((value << unused) as i64 >> unused),
                    false => i128::from(value),
                }
            }
            Expression::Place(number) => i128::from(self.is_somebody_at(*number)),
            Expression::Waits(slot) => i128::from(self.waits_beside_others(*slot)),
            Expression::Unary(operator, operand) => {
                let value = self.value_of(operand);
                match operator {
                    Unary::Not => i128::from(value == 0),
                    Unary::Negate => value.wrapping_neg(),
                    Unary::Complement => !value,
                }
            }
            Expression::Binary(Binary::Or, left, right) => {
                i128::from(self.value_of(left) != 0 || self.value_of(right) != 0)
            }
            Expression::Binary(Binary::And, left, right) => {
                i128::from(self.value_of(left) != 0 && self.value_of(right) != 0)
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.value_of(left), self.value_of(right));
                applied(*operator, left, right)
            }
        }
    }
}

/// What an operator makes of two numbers. A division by zero is zero: there is nobody to blame for it.
fn applied(operator: Binary, left: i128, right: i128) -> i128 {
    let truth = i128::from;
    match operator {
        Binary::Or => truth(left != 0 || right != 0),
        Binary::And => truth(left != 0 && right != 0),
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::BitAnd => left & right,
        Binary::Equal => truth(left == right),
        Binary::Unequal => truth(left != right),
        Binary::Less => truth(left < right),
        Binary::LessOrEqual => truth(left <= right),
        Binary::Greater => truth(left > right),
        Binary::GreaterOrEqual => truth(left >= right),
        Binary::ShiftLeft => left.wrapping_shl(right as u32),
        Binary::ShiftRight => left.wrapping_shr(right as u32),
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide => left.checked_div(right).unwrap_or(0),
        Binary::Remainder => left.checked_rem(right).unwrap_or(0),
    }
}
