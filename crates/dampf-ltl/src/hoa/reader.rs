//! Reads automata in the HOA format.

use super::lexer::{Piece, Token, tokens};
use crate::degeneralize::degeneralize;
use crate::generalized::{Edge, Generalized, Marks};
use crate::guards::{ALWAYS, Guard, Guards, NEVER};
use crate::translation::finished;
use dampf_core::problem::{Checked, Problem};
use dampf_core::{Automaton, Diagnostic, Literal, Source, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// More states, or propositions that labels leave out, are refused before room is made for them.
const STATES_MAX: u32 = 1_000_000;
const IMPLICIT_PROPOSITIONS_MAX: usize = 16;

/// An automaton and the names of its propositions, from a text in the HOA format.
pub fn parse_hoa(text: &str) -> Result<(Automaton, Vec<String>), Diagnostic> {
    let source = Source::new("automaton", text);
    read(text).map_err(|problem| Diagnostic {
        source: Arc::clone(&source),
        span: problem.span,
        message: problem.message,
        label: problem.label,
        help: problem.help,
    })
}

fn read(text: &str) -> Checked<(Automaton, Vec<String>)> {
    let end = Span::new(text.trim_end().len(), text.len());
    let mut reader = Reader { tokens: tokens(text)?, at: 0, end, guards: Guards::default(), ..Reader::empty() };
    reader.header()?;
    reader.body()?;
    reader.automaton()
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    /// Where the text ends, for what is missing.
    end: Span,
    guards: Guards,
    name: String,
    starts: Vec<(u32, Span)>,
    propositions: Option<Vec<String>>,
    aliases: HashMap<String, Guard>,
    /// The number of sets, once the header has it.
    sets: Option<u32>,
    states: Vec<Option<State>>,
    declared: Option<u32>,
}

#[derive(Clone)]
struct State {
    name: String,
    edges: Vec<Edge>,
    /// For targets that do not exist.
    spans: Vec<Span>,
    /// Whether all edges have the marks of the state and none of their own.
    is_uniform: bool,
    marks: Marks,
}

impl Reader {
    fn empty() -> Self {
        Reader {
            tokens: Vec::new(),
            at: 0,
            end: Span::default(),
            guards: Guards::default(),
            name: String::new(),
            starts: Vec::new(),
            propositions: None,
            aliases: HashMap::new(),
            sets: None,
            states: Vec::new(),
            declared: None,
        }
    }

    fn peek(&self) -> Option<&Piece> {
        self.tokens.get(self.at).map(|token| &token.piece)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    fn expected<T>(&self, what: &str) -> Checked<T> {
        Err(Problem::new(self.span(), format!("{what} is expected"), "not this"))
    }

    fn number(&mut self, what: &str) -> Checked<u32> {
        match self.peek() {
            Some(Piece::Number(number)) => {
                let number = *number;
                self.at += 1;
                Ok(number)
            }
            _ => self.expected(what),
        }
    }

    fn text(&mut self) -> Option<String> {
        let Some(Piece::Text(text)) = self.peek() else { return None };
        let text = text.clone();
        self.at += 1;
        Some(text)
    }

    fn symbol(&mut self, symbol: char) -> bool {
        let is_there = self.peek() == Some(&Piece::Symbol(symbol));
        self.at += usize::from(is_there);
        is_there
    }

    fn close(&mut self, symbol: char) -> Checked<()> {
        if self.symbol(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    fn header(&mut self) -> Checked<()> {
        if self.peek() != Some(&Piece::Header("HOA".to_owned())) {
            return Err(Problem::new(self.span(), "an automaton in the HOA format begins with `HOA: v1`", "not this"));
        }
        self.at += 1;
        if self.peek() != Some(&Piece::Name("v1".to_owned())) {
            return Err(Problem::new(self.span(), "only version `v1` of the HOA format is read", "another version"));
        }
        self.at += 1;
        loop {
            let span = self.span();
            match self.peek().cloned() {
                Some(Piece::Section(name)) if name == "BODY" => break,
                Some(Piece::Header(name)) => {
                    self.at += 1;
                    self.item(&name, span)?;
                }
                _ => return self.expected("an item of the header, or `--BODY--`,"),
            }
        }
        if self.sets.is_none() {
            return Err(Problem::new(self.span(), "the header has no `Acceptance:`", "the header ends here"));
        }
        self.at += 1;
        Ok(())
    }

    fn item(&mut self, name: &str, span: Span) -> Checked<()> {
        match name {
            "States" => {
                let count = self.number("the number of states")?;
                if count > STATES_MAX {
                    return Err(Problem::new(span, format!("more than {STATES_MAX} states are not read"), "too many"));
                }
                self.declared = Some(count);
            }
            "Start" => {
                let start = (self.number("the number of a state")?, span);
                self.refuse_universal()?;
                self.starts.push(start);
            }
            "AP" => {
                let count = self.number("the number of propositions")? as usize;
                let mut names = Vec::new();
                while let Some(name) = self.text() {
                    names.push(name);
                }
                if names.len() != count {
                    let message = format!("{count} propositions are announced, and {} are named", names.len());
                    return Err(Problem::new(span, message, "announced here"));
                }
                self.propositions = Some(names);
            }
            "Alias" => {
                let Some(Piece::Alias(alias)) = self.peek().cloned() else { return self.expected("a name like `@a`") };
                self.at += 1;
                let label = self.label()?;
                self.aliases.insert(alias, label);
            }
            "Acceptance" => self.acceptance(span)?,
            "name" => self.name = self.text().unwrap_or_default(),
            // What else a header says does not change the language. Upper case would mean that it does.
            other if other.starts_with(|letter: char| letter.is_ascii_uppercase()) => {
                let message = format!("`{other}:` is not supported, and the automaton may depend on it");
                return Err(Problem::new(span, message, "an item of the header"));
            }
            _ => {
                while !matches!(self.peek(), None | Some(Piece::Header(_) | Piece::Section(_))) {
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    /// `2 Inf(0) & Inf(1)`, `0 t`.
    fn acceptance(&mut self, span: Span) -> Checked<()> {
        let sets = self.number("the number of acceptance sets")?;
        if sets > Marks::BITS {
            return Err(self.no_buchi(span));
        }
        let mut used = vec![false; sets as usize];
        self.conjunction(&mut used)?;
        if !matches!(self.peek(), None | Some(Piece::Header(_) | Piece::Section(_))) {
            return Err(self.no_buchi(span.to(self.span())));
        }
        // A set that the condition does not name asks for nothing, and nobody writes one.
        if used.contains(&false) {
            return Err(self.no_buchi(span));
        }
        self.sets = Some(sets);
        Ok(())
    }

    fn conjunction(&mut self, used: &mut [bool]) -> Checked<()> {
        loop {
            let span = self.span();
            if self.symbol('(') {
                self.conjunction(used)?;
                self.close(')')?;
            } else {
                match self.peek().cloned() {
                    Some(Piece::Name(name)) if name == "t" => self.at += 1,
                    Some(Piece::Name(name)) if name == "Inf" => {
                        self.at += 1;
                        self.close('(')?;
                        let Some(Piece::Number(set)) = self.peek().cloned() else { return Err(self.no_buchi(span)) };
                        self.at += 1;
                        self.close(')')?;
                        match used.get_mut(set as usize) {
                            Some(used) => *used = true,
                            None => return Err(Problem::new(span, format!("there is no set {set}"), "used here")),
                        }
                    }
                    _ => return Err(self.no_buchi(span)),
                }
            }
            if !self.symbol('&') {
                return Ok(());
            }
        }
    }

    fn no_buchi(&self, span: Span) -> Box<Problem> {
        Problem::new(span, "the acceptance condition is not supported", "not a Büchi condition").help(
            "supported are `t`, `Inf(0)` and conjunctions `Inf(0)&Inf(1)&…`; `autfilt -B` of Spot converts others",
        )
    }

    fn refuse_universal(&self) -> Checked<()> {
        match self.peek() {
            Some(Piece::Symbol('&')) => {
                Err(Problem::new(self.span(), "alternating automata are not supported", "several targets at once"))
            }
            _ => Ok(()),
        }
    }

    /// A Boolean function of propositions: disjunction of conjunctions.
    fn label(&mut self) -> Checked<Guard> {
        let mut label = self.factors()?;
        while self.symbol('|') {
            let other = self.factors()?;
            label = self.guards.or(label, other);
        }
        Ok(label)
    }

    fn factors(&mut self) -> Checked<Guard> {
        let mut label = self.factor()?;
        while self.symbol('&') {
            let other = self.factor()?;
            label = self.guards.and(label, other);
        }
        Ok(label)
    }

    fn factor(&mut self) -> Checked<Guard> {
        let span = self.span();
        let mut is_negated = false;
        while self.symbol('!') {
            is_negated = !is_negated;
        }
        let guard = match self.peek().cloned() {
            Some(Piece::Symbol('(')) => {
                self.at += 1;
                let label = self.label()?;
                self.close(')')?;
                label
            }
            Some(Piece::Name(name)) if name == "t" || name == "f" => {
                self.at += 1;
                if name == "t" { ALWAYS } else { NEVER }
            }
            Some(Piece::Number(proposition)) => {
                self.at += 1;
                let known = self.propositions.as_ref().map_or(0, Vec::len);
                if proposition as usize >= known {
                    let message = format!("there is no proposition {proposition}");
                    return Err(Problem::new(span, message, "used here").help(format!("`AP:` announces {known}")));
                }
                self.guards.literal(Literal { proposition, is_positive: true })
            }
            Some(Piece::Alias(alias)) => {
                self.at += 1;
                *self.aliases.get(&alias).ok_or_else(|| {
                    Problem::new(span, format!("the alias `@{alias}` is not defined"), "used here")
                        .help("aliases are defined by `Alias:` before they are used")
                })?
            }
            _ => return self.expected("a label"),
        };
        Ok(if is_negated { self.guards.not(guard) } else { guard })
    }

    fn bracketed_label(&mut self) -> Checked<Option<Guard>> {
        if !self.symbol('[') {
            return Ok(None);
        }
        let label = self.label()?;
        self.close(']')?;
        Ok(Some(label))
    }

    fn marks(&mut self) -> Checked<Option<Marks>> {
        if !self.symbol('{') {
            return Ok(None);
        }
        let mut marks = 0;
        while let Some(Piece::Number(set)) = self.peek().cloned() {
            if set >= self.sets.unwrap_or(0) {
                return Err(Problem::new(self.span(), format!("there is no acceptance set {set}"), "used here"));
            }
            marks |= 1 << set;
            self.at += 1;
        }
        self.close('}')?;
        Ok(Some(marks))
    }

    fn body(&mut self) -> Checked<()> {
        loop {
            match self.peek().cloned() {
                Some(Piece::Section(name)) if name == "END" => break,
                Some(Piece::Section(name)) if name == "ABORT" => {
                    return Err(Problem::new(self.span(), "whoever wrote the automaton gave up", "`--ABORT--`"));
                }
                Some(Piece::Header(name)) if name == "State" => self.state()?,
                _ => return self.expected("`State:` or `--END--`"),
            }
        }
        self.at += 1;
        if self.at < self.tokens.len() {
            return Err(Problem::new(self.span(), "something follows the automaton", "not expected here")
                .help("one automaton per file is read"));
        }
        Ok(())
    }

    fn state(&mut self) -> Checked<()> {
        self.at += 1;
        let state_label = self.bracketed_label()?;
        let span = self.span();
        let number = self.number("the number of a state")?;
        if number > STATES_MAX || self.declared.is_some_and(|count| number >= count) {
            return Err(Problem::new(span, format!("there is no state {number}"), "more than `States:` announces"));
        }
        let name = self.text().unwrap_or_default();
        let state_marks = self.marks()?.unwrap_or(0);
        let mut state = State { name, edges: Vec::new(), spans: Vec::new(), is_uniform: true, marks: state_marks };
        let mut without_label = 0;
        while matches!(self.peek(), Some(Piece::Number(_) | Piece::Symbol('['))) {
            let span = self.span();
            let label = self.bracketed_label()?;
            if label.is_some() && (state_label.is_some() || without_label > 0) {
                let message = "labels stand at a state or at all of its edges";
                return Err(Problem::new(span, message, "a label at an edge"));
            }
            let target = self.number("the number of a state")?;
            self.refuse_universal()?;
            let marks = self.marks()?;
            let guard = match label.or(state_label) {
                Some(guard) => guard,
                None if state.edges.len() != without_label => return self.expected("a label"),
                None => {
                    without_label += 1;
                    self.implicit(without_label - 1, span)?
                }
            };
            state.is_uniform &= marks.is_none_or(|marks| marks & !state_marks == 0);
            state.edges.push(Edge { target: target as usize, marks: marks.unwrap_or(0) | state_marks, guard });
            state.spans.push(span);
        }
        let letters = 1_usize << self.propositions.as_ref().map_or(0, Vec::len).min(IMPLICIT_PROPOSITIONS_MAX);
        if without_label > 0 && without_label != letters {
            let message = format!("{without_label} edges have no label, and there are {letters} letters");
            return Err(Problem::new(span, message, "edges of this state")
                .help("without labels, there is one edge for each letter"));
        }
        let place = number as usize;
        if self.states.len() <= place {
            self.states.resize(place + 1, None);
        }
        if self.states[place].is_some() {
            return Err(Problem::new(span, format!("state {number} is defined twice"), "again here"));
        }
        self.states[place] = Some(state);
        Ok(())
    }

    /// The guard of the edge with an index among edges that have no labels: its letter.
    fn implicit(&mut self, index: usize, span: Span) -> Checked<Guard> {
        let count = self.propositions.as_ref().map_or(0, Vec::len);
        if count > IMPLICIT_PROPOSITIONS_MAX || index >= 1 << count {
            return Err(Problem::new(span, "an edge without a label stands for no letter", "too many edges")
                .help("without labels, there is one edge for each letter"));
        }
        let literal = |bit: usize| Literal { proposition: bit as u32, is_positive: index >> bit & 1 == 1 };
        let letter: Vec<Literal> = (0..count).map(literal).collect();
        Ok(self.guards.cube(&letter))
    }

    fn automaton(mut self) -> Checked<(Automaton, Vec<String>)> {
        let count = self.declared.map_or(self.states.len(), |count| count as usize).max(self.states.len());
        self.states.resize(count, None);
        let nothing = State { name: String::new(), edges: Vec::new(), spans: Vec::new(), is_uniform: true, marks: 0 };
        let mut states: Vec<State> =
            self.states.drain(..).map(|state| state.unwrap_or_else(|| nothing.clone())).collect();
        for state in &states {
            if let Some(place) = state.edges.iter().position(|edge| edge.target >= count) {
                let message = format!("there is no state {}", state.edges[place].target);
                return Err(Problem::new(state.spans[place], message, "an edge leads there"));
            }
        }
        if let Some((start, span)) = self.starts.iter().find(|(start, _)| *start as usize >= count) {
            return Err(Problem::new(*span, format!("there is no state {start}"), "the automaton starts there"));
        }
        let initial = match self.starts[..] {
            [(start, _)] => start as usize,
            // Several beginnings are one that has the edges of all; no beginning has none.
            _ => {
                let edges = self.starts.iter().flat_map(|(start, _)| states[*start as usize].edges.clone()).collect();
                states.push(State { edges, is_uniform: false, ..nothing });
                states.len() - 1
            }
        };
        let sets = self.sets.unwrap_or(0);
        let marks = Marks::MAX.checked_shr(Marks::BITS - sets).unwrap_or(0);
        // The place of a run's beginning has no say in what it passes again and again.
        let is_fresh = states.len() > count;
        if is_fresh && let Some(state) = states.last_mut() {
            state.is_uniform = true;
            state.edges.iter_mut().for_each(|edge| edge.marks = 0);
        }
        let by_state = sets <= 1 && states.iter().all(|state| state.is_uniform || state.edges.is_empty());
        let names: Vec<String> = states.iter().map(|state| state.name.clone()).collect();
        let mut locations: Vec<Vec<Edge>> = states.iter().map(|state| state.edges.clone()).collect();
        let accepting: Vec<bool> = (0..states.len())
            .map(|state| (sets == 0 && !(is_fresh && state == count)) || states[state].marks != 0)
            .collect();
        let mut automaton = if by_state {
            for (edges, is_accepting) in locations.iter_mut().zip(&accepting) {
                edges.iter_mut().for_each(|edge| edge.marks = Marks::from(*is_accepting));
            }
            finished(&Generalized { locations, initial, marks: 1 }, &mut self.guards, false)
        } else {
            let order: Vec<Marks> = (0..sets).map(|set| 1 << set).collect();
            let split = degeneralize(&Generalized { locations, initial, marks }, &order);
            finished(&split, &mut self.guards, false)
        };
        if by_state {
            for ((location, name), is_accepting) in automaton.locations.iter_mut().zip(names).zip(accepting) {
                location.is_accepting = is_accepting;
                if !name.is_empty() {
                    location.name = name;
                }
            }
        }
        automaton.name = self.name;
        Ok((automaton, self.propositions.unwrap_or_default()))
    }
}
