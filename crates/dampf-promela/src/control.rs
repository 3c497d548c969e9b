//! The control structure of a proctype, as SPIN builds it.
//!
//! Which places in a body are states, and which are passed without notice, decides how many states a model has. This is
//! therefore not a translation of one's own but SPIN's: statements become *elements* that are linked into *sequences*;
//! selections, loops and blocks are elements with sequences of their own; jumps and the ends of selections are elements
//! that are skipped when a transition looks for its target, unless that would leave an atomic sequence unnoticed.
//!
//! The builder is used by the resolver, which walks over a body and adds what it finds.

mod marks;

use crate::typed::{Alternative, Control, Edge, State, Statement};
use dampf_core::Span;
use marks::{ACCEPT, END, Marks, PROGRESS};
use std::collections::{BTreeMap, HashMap, HashSet};

pub type ElementId = usize;
pub type SequenceId = usize;

/// Within an atomic sequence, and not its last statement.
const ATOMIC: u8 = 1;
/// The last statement of an atomic sequence.
const LAST_ATOMIC: u8 = 2;
/// Within a deterministic step.
const DETERMINISTIC: u8 = 4;
/// Was turned into transitions.
const DONE: u8 = 8;

/// Beyond this number of jumps from one to the next, there is a circle of them.
const JUMPS_MAX: usize = 500;

#[derive(Clone, Debug)]
enum Kind {
    Statement(Statement),
    /// To a label, with the blocks that the jump is in.
    Goto(Target),
    /// The end of a selection or of an `unless`.
    Join,
    /// The end of a loop.
    LoopEnd,
    Choice,
    Unless,
    Atomic(SequenceId),
    Deterministic(SequenceId),
    Block(SequenceId),
    Else,
    End,
}

#[derive(Clone, Debug)]
enum Target {
    Label { name: String, scope: Vec<u32> },
    LoopEnd(usize),
}

#[derive(Clone, Debug)]
struct Element {
    kind: Kind,
    next: Option<ElementId>,
    /// The options of a choice; the two parts of an `unless`.
    sub: Vec<SequenceId>,
    /// The escapes that can interrupt it, the outermost first.
    escapes: Vec<SequenceId>,
    status: u8,
    span: Span,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sequence {
    first: Option<ElementId>,
    last: Option<ElementId>,
    /// The last element before what was added when the sequence became part of another.
    extent: Option<ElementId>,
}

#[derive(Clone, Debug)]
struct Label {
    name: String,
    scope: Vec<u32>,
    element: ElementId,
}

/// What is wrong with a control structure.
pub struct Misplaced {
    pub span: Span,
    pub message: String,
    pub help: Option<&'static str>,
}

impl Misplaced {
    fn new(span: Span, message: impl Into<String>) -> Self {
        Misplaced { span, message: message.into(), help: None }
    }
}

/// A body under construction.
pub struct Builder {
    elements: Vec<Element>,
    sequences: Vec<Sequence>,
    open: Vec<SequenceId>,
    labels: Vec<Label>,
    /// Where each loop is left to, and those that are open.
    loop_ends: Vec<Option<ElementId>>,
    open_loops: Vec<usize>,
    transitions: BTreeMap<ElementId, Raw>,
}

/// What leaves an element, before choices are flattened.
#[derive(Clone, Debug)]
enum Raw {
    Choice(Vec<ElementId>),
    Single(RawEdge),
}

#[derive(Clone, Debug)]
struct RawEdge {
    element: ElementId,
    target: Option<ElementId>,
    holds: bool,
    escapes: Vec<ElementId>,
    escape: u32,
}

impl Builder {
    pub fn new() -> Self {
        let mut builder = Builder {
            elements: Vec::new(),
            sequences: Vec::new(),
            open: Vec::new(),
            labels: Vec::new(),
            loop_ends: Vec::new(),
            open_loops: Vec::new(),
            transitions: BTreeMap::new(),
        };
        builder.open_sequence();
        builder
    }

    pub fn open_sequence(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(self.sequences.len() - 1);
    }

    /// Ends the innermost open sequence; none if it is empty.
    pub fn close_sequence(&mut self) -> Option<SequenceId> {
        let id = self.open.pop().expect("a sequence is open");
        self.sequences[id].extent = self.sequences[id].last;
        self.sequences[id].first.map(|_| id)
    }

    fn new_element(&mut self, kind: Kind, span: Span) -> ElementId {
        self.elements.push(Element { kind, next: None, sub: Vec::new(), escapes: Vec::new(), status: 0, span });
        self.elements.len() - 1
    }

    fn current(&self) -> SequenceId {
        *self.open.last().expect("a sequence is open")
    }

    fn append(&mut self, element: ElementId, sequence: SequenceId) {
        if matches!(self.elements[element].kind, Kind::Goto(_)) && self.has_special_label(element) {
            // A jump is no state, but a place to end or to make progress is.
            let skip = self.new_element(Kind::Statement(Statement::Skip), self.elements[element].span);
            if let Some(label) = self.labels.iter_mut().rev().find(|label| label.element == element) {
                label.element = skip;
            }
            self.append(skip, sequence);
        }
        let sequence = &mut self.sequences[sequence];
        match sequence.last {
            Some(last) => self.elements[last].next = Some(element),
            None => sequence.first = Some(element),
        }
        sequence.last = Some(element);
    }

    fn add(&mut self, kind: Kind, span: Span, labels: &[(String, Vec<u32>)]) -> ElementId {
        let element = self.new_element(kind, span);
        self.label(element, labels);
        let current = self.current();
        self.append(element, current);
        element
    }

    fn label(&mut self, element: ElementId, labels: &[(String, Vec<u32>)]) {
        // The innermost label is set first.
        for (name, scope) in labels.iter().rev() {
            self.labels.push(Label { name: name.clone(), scope: scope.clone(), element });
        }
    }

    pub fn statement(&mut self, statement: Statement, span: Span, labels: &[(String, Vec<u32>)]) {
        let kind = match statement {
            Statement::Else => Kind::Else,
            Statement::End => Kind::End,
            statement => Kind::Statement(statement),
        };
        self.add(kind, span, labels);
    }

    pub fn goto(&mut self, name: String, scope: Vec<u32>, span: Span, labels: &[(String, Vec<u32>)]) {
        self.add(Kind::Goto(Target::Label { name, scope }), span, labels);
    }

    /// Jumps behind the innermost loop; false if there is none.
    pub fn break_loop(&mut self, span: Span, labels: &[(String, Vec<u32>)]) -> bool {
        let Some(&innermost) = self.open_loops.last() else { return false };
        self.add(Kind::Goto(Target::LoopEnd(innermost)), span, labels);
        true
    }

    pub fn begin_loop(&mut self) {
        self.loop_ends.push(None);
        self.open_loops.push(self.loop_ends.len() - 1);
    }

    /// A selection, or a loop that was begun, with its options.
    pub fn choice(
        &mut self,
        mut options: Vec<SequenceId>,
        is_loop: bool,
        span: Span,
        labels: &[(String, Vec<u32>)],
    ) -> Result<(), Misplaced> {
        options.iter().for_each(|option| self.prune_skips(*option));
        let choice = self.new_element(Kind::Choice, span);
        let join = self.new_element(Kind::Join, span);
        let is_else = |builder: &Builder, option: &SequenceId| {
            let first = builder.sequences[*option].first;
            first.is_some_and(|first| matches!(builder.elements[first].kind, Kind::Else))
        };
        if options.iter().filter(|option| is_else(self, option)).count() > 1 {
            return Err(Misplaced::new(span, "more than one `else` in a selection"));
        }
        if let Some(at) = options.iter().position(|option| is_else(self, option)) {
            let option = options.remove(at);
            options.push(option);
        }
        options.iter().for_each(|option| self.append(join, *option));
        self.elements[choice].sub = options;
        let current = self.current();
        if is_loop {
            self.append(join, current);
            let end = self.new_element(Kind::LoopEnd, span);
            let number = self.open_loops.pop().expect("the loop was begun");
            self.loop_ends[number] = Some(end);
            self.append(choice, current);
            self.append(end, current);
        } else {
            self.append(choice, current);
            self.append(join, current);
        }
        self.label(choice, labels);
        Ok(())
    }

    /// Takes out what SPIN takes out: a skip behind another, within an option.
    fn prune_skips(&mut self, option: SequenceId) {
        let Sequence { first, last, extent } = self.sequences[option];
        let (mut previous, mut current, mut count) = (None, first, 0);
        while let Some(element) = current {
            let next = self.elements[element].next;
            let is_skip = matches!(self.elements[element].kind, Kind::Statement(Statement::Skip));
            let is_print = matches!(self.elements[element].kind, Kind::Statement(Statement::Print(_)));
            let is_labelled = self.labels.iter().any(|label| label.element == element);
            let mut is_removed = false;
            if (is_skip || is_print) && !is_labelled {
                count += 1;
                let is_inner = [first, last, extent].iter().all(|end| *end != Some(element));
                if let (true, true, Some(previous)) = (count > 1 && is_skip, is_inner, previous) {
                    let previous: &mut Element = &mut self.elements[previous];
                    previous.next = next;
                    is_removed = true;
                }
            } else {
                count = 0;
            }
            if !is_removed {
                previous = Some(element);
            }
            current = next;
        }
    }

    /// A block: `{ … }`.
    pub fn block(&mut self, inner: SequenceId, span: Span, labels: &[(String, Vec<u32>)]) {
        self.add(Kind::Block(inner), span, labels);
    }

    pub fn atomic(&mut self, inner: SequenceId, span: Span, labels: &[(String, Vec<u32>)]) {
        self.make_atomic(inner, 0);
        self.add(Kind::Atomic(inner), span, labels);
    }

    pub fn deterministic(&mut self, inner: SequenceId, span: Span, labels: &[(String, Vec<u32>)]) {
        self.make_atomic(inner, DETERMINISTIC);
        self.add(Kind::Deterministic(inner), span, labels);
    }

    /// `main unless escape`.
    pub fn unless(&mut self, main: SequenceId, escape: SequenceId, span: Span, labels: &[(String, Vec<u32>)]) {
        let unless = self.new_element(Kind::Unless, span);
        let join = self.new_element(Kind::Join, span);
        self.append(join, main);
        self.append(join, escape);
        self.elements[unless].sub = vec![main, escape];
        self.attach_escape(main, escape);
        let current = self.current();
        self.append(unless, current);
        self.append(join, current);
        self.label(unless, labels);
    }

    fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        let Sequence { first, extent, .. } = self.sequences[sequence];
        let mut current = first;
        while let Some(element) = current {
            self.escape_element(element, escape);
            if Some(element) == extent {
                break;
            }
            current = self.elements[element].next;
        }
    }

    fn escape_element(&mut self, element: ElementId, escape: SequenceId) {
        if self.elements[element].escapes.contains(&escape) {
            return;
        }
        for inner in self.elements[element].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[element].escapes.insert(0, escape);
        match self.elements[element].kind.clone() {
            Kind::Unless => self.attach_escape(self.elements[element].sub[0], escape),
            Kind::Choice => {
                for option in self.elements[element].sub.clone() {
                    self.attach_escape(option, escape);
                }
            }
            Kind::Deterministic(inner) => {
                if let Some(first) = self.sequences[inner].first {
                    self.escape_element(first, escape);
                }
            }
            Kind::Atomic(inner) | Kind::Block(inner) => self.attach_escape(inner, escape),
            _ => {}
        }
    }

    fn make_atomic(&mut self, sequence: SequenceId, added: u8) {
        self.walk_atomic(sequence, added);
        let Some(last) = self.sequences[sequence].last else { return };
        match self.elements[last].kind {
            Kind::Block(inner) | Kind::Atomic(inner) => self.make_atomic(inner, added),
            Kind::Unless => self.make_atomic(self.elements[last].sub[0], added),
            _ => {
                self.elements[last].status &= !ATOMIC;
                self.elements[last].status |= LAST_ATOMIC;
            }
        }
    }

    fn walk_atomic(&mut self, sequence: SequenceId, added: u8) {
        let Sequence { first, last, .. } = self.sequences[sequence];
        let mut current = first;
        while let Some(element) = current {
            self.elements[element].status |= ATOMIC | added;
            let inner = match self.elements[element].kind {
                Kind::Deterministic(_) if added == 0 => None,
                Kind::Atomic(inner) | Kind::Deterministic(inner) | Kind::Block(inner) => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                // Atomic within atomic is nothing new.
                self.elements[element].kind = Kind::Block(inner);
                self.walk_atomic(inner, added);
            }
            for option in self.elements[element].sub.clone() {
                self.walk_atomic(option, added);
            }
            if Some(element) == last {
                break;
            }
            current = self.elements[element].next;
        }
    }

    fn has_special_label(&self, element: ElementId) -> bool {
        let is_special =
            |name: &str| name.starts_with("accept") || name.starts_with("end") || name.starts_with("progress");
        self.labels.iter().any(|label| label.element == element && is_special(&label.name))
    }

    /// The element that a jump leads to.
    fn destination(&self, target: &Target, span: Span) -> Result<ElementId, Misplaced> {
        match target {
            Target::LoopEnd(number) => Ok(self.loop_ends[*number].expect("the loop was closed")),
            Target::Label { name, scope } => {
                let mut best = None;
                for label in self.labels.iter().rev().filter(|label| label.name == *name) {
                    if label.scope == *scope {
                        return Ok(label.element);
                    }
                    if scope.starts_with(&label.scope) || best.is_none() {
                        best = Some(label.element);
                    }
                }
                best.ok_or_else(|| Misplaced::new(span, format!("there is no label `{name}`")))
            }
        }
    }

    pub fn has_label(&self, name: &str) -> bool {
        self.labels.iter().any(|label| label.name == name)
    }

    /// The number of the state that has a label, for remote references. A label of a jump becomes a state.
    pub fn labelled_state(&mut self, name: &str) -> Option<u32> {
        let element = self.labels.iter().rev().find(|label| label.name == name)?.element;
        if let Kind::Goto(_) = self.elements[element].kind {
            let jump = self.elements[element].clone();
            self.elements.push(jump);
            self.elements[element].kind = Kind::Statement(Statement::Skip);
            self.elements[element].next = Some(self.elements.len() - 1);
        }
        Some(number(element))
    }

    /// Where control goes on from an element, skipping what is no state.
    fn hunt(&self, from: ElementId, status: u8) -> Result<ElementId, Misplaced> {
        let mut element = from;
        for _ in 0..JUMPS_MAX {
            let next = match &self.elements[element].kind {
                Kind::Goto(target) => {
                    let destination = self.destination(target, self.elements[element].span)?;
                    if destination == element {
                        return Err(Misplaced::new(self.elements[element].span, "a jump to itself"));
                    }
                    destination
                }
                Kind::Join | Kind::LoopEnd => match self.elements[element].next {
                    Some(next) => next,
                    None => return Ok(element),
                },
                Kind::Unless => {
                    let first = self.sequences[self.elements[element].sub[0]].first;
                    self.hunt(first.expect("a sequence has a statement"), status)?
                }
                _ => return Ok(element),
            };
            if status & ATOMIC != 0 && self.elements[next].status & ATOMIC == 0 {
                return Ok(element);
            }
            element = next;
        }
        Err(Misplaced::new(self.elements[from].span, "a circle of jumps"))
    }

    /// Where a choice begins.
    fn hunt_start(&self, from: ElementId) -> ElementId {
        let mut element = from;
        for _ in 0..JUMPS_MAX {
            element = match (&self.elements[element].kind, self.elements[element].next) {
                (Kind::Join, Some(next)) => next,
                (Kind::Unless, _) => match self.sequences[self.elements[element].sub[0]].first {
                    Some(first) => first,
                    None => return element,
                },
                _ => return element,
            };
        }
        element
    }

    /// Makes jumps out of atomic sequences end them, and jumps between them keep them.
    fn patch_atomic(&mut self, sequence: SequenceId) -> Result<(), Misplaced> {
        let Sequence { first, extent, .. } = self.sequences[sequence];
        let mut current = first;
        while let Some(element) = current {
            if let Kind::Goto(target) = self.elements[element].kind.clone() {
                let destination = self.destination(&target, self.elements[element].span)?;
                let there = self.elements[destination].status & (ATOMIC | LAST_ATOMIC) != 0;
                let status = &mut self.elements[element].status;
                if *status & (ATOMIC | LAST_ATOMIC) != 0 && !there {
                    *status = *status & !ATOMIC | LAST_ATOMIC;
                }
                if *status & LAST_ATOMIC != 0 && there {
                    *status = *status & !LAST_ATOMIC | ATOMIC;
                }
            } else {
                for option in self.elements[element].sub.clone() {
                    self.patch_atomic(option)?;
                }
            }
            if Some(element) == extent {
                break;
            }
            current = self.elements[element].next;
        }
        Ok(())
    }

    /// Turns the elements of a sequence into transitions.
    fn put_sequence(&mut self, sequence: SequenceId) -> Result<(), Misplaced> {
        let mut current = self.sequences[sequence].first;
        while let Some(element) = current {
            if self.elements[element].status & DONE == 0 {
                self.elements[element].status |= DONE;
                self.put_element(element)?;
            }
            if Some(element) == self.sequences[sequence].last {
                break;
            }
            current = self.elements[element].next;
        }
        Ok(())
    }

    fn put_element(&mut self, element: ElementId) -> Result<(), Misplaced> {
        match self.elements[element].kind.clone() {
            Kind::Unless => self.put_sequence(self.elements[element].sub[0]),
            Kind::Choice => {
                let options = self.elements[element].sub.clone();
                let starts = options.iter().filter_map(|option| self.sequences[*option].first);
                let starts = starts.map(|first| self.hunt_start(first)).collect();
                self.transitions.insert(element, Raw::Choice(starts));
                options.into_iter().try_for_each(|option| self.put_sequence(option))
            }
            Kind::Atomic(inner) | Kind::Block(inner) => {
                self.patch_atomic(inner)?;
                self.link_end(inner, element);
                let first = self.sequences[inner].first.expect("a sequence has a statement");
                self.transitions.insert(element, Raw::Choice(vec![self.hunt_start(first)]));
                self.put_sequence(inner)
            }
            Kind::Deterministic(inner) => {
                self.patch_atomic(inner)?;
                self.link_end(inner, element);
                self.link_inner_blocks(inner);
                self.put_single(element)
            }
            _ => self.put_single(element),
        }
    }

    /// What follows a block follows its last statement.
    fn link_end(&mut self, inner: SequenceId, block: ElementId) {
        if let Some(last) = self.sequences[inner].last {
            self.elements[last].next = self.elements[block].next;
        }
    }

    fn link_inner_blocks(&mut self, sequence: SequenceId) {
        let Sequence { first, last, .. } = self.sequences[sequence];
        let mut current = first;
        while let Some(element) = current {
            if let Kind::Block(inner) = self.elements[element].kind {
                self.link_end(inner, element);
                self.link_inner_blocks(inner);
            }
            for option in self.elements[element].sub.clone() {
                self.link_inner_blocks(option);
            }
            if Some(element) == last {
                break;
            }
            current = self.elements[element].next;
        }
    }

    fn put_single(&mut self, element: ElementId) -> Result<(), Misplaced> {
        let Element { kind, next, status, span, .. } = self.elements[element].clone();
        let target = match (&kind, next) {
            (Kind::Goto(target), _) => {
                let destination = self.destination(target, span)?;
                Some(self.hunt(destination, status)?)
            }
            (_, Some(next)) => Some(self.hunt(next, status)?),
            (_, None) => None,
        };
        let mut escapes = Vec::new();
        if !matches!(kind, Kind::Join) {
            for escape in self.elements[element].escapes.clone() {
                let first = self.sequences[escape].first.expect("a sequence has a statement");
                escapes.push(self.hunt(first, status)?);
            }
        }
        let holds = status & ATOMIC != 0;
        self.transitions.insert(element, Raw::Single(RawEdge { element, target, holds, escapes, escape: 0 }));
        if !matches!(kind, Kind::Join) {
            for escape in self.elements[element].escapes.clone() {
                self.put_sequence(escape)?;
            }
        }
        Ok(())
    }

    /// The edges of an element, with choices within choices flattened.
    fn edges(&self, element: ElementId, depth: usize) -> Result<Vec<RawEdge>, Misplaced> {
        if depth > JUMPS_MAX {
            return Err(Misplaced::new(self.elements[element].span, "a selection that begins with itself"));
        }
        match self.transitions.get(&element) {
            None => Ok(Vec::new()),
            Some(Raw::Single(edge)) => Ok(vec![edge.clone()]),
            Some(Raw::Choice(starts)) => {
                let edges: Result<Vec<_>, _> = starts.iter().map(|start| self.edges(*start, depth + 1)).collect();
                Ok(edges?.concat())
            }
        }
    }

    /// Ends the body with the death of the process.
    pub fn end(&mut self, span: Span) {
        self.add(Kind::End, span, &[]);
    }

    /// Makes states and edges of a body that was ended.
    pub fn finish(mut self) -> Result<Control, Misplaced> {
        let body = self.close_sequence().expect("a body has an end");
        self.put_sequence(body)?;
        let mut edges: BTreeMap<ElementId, Vec<RawEdge>> = BTreeMap::new();
        for &element in self.transitions.keys() {
            edges.insert(element, self.edges(element, 0)?);
        }
        let marks = Marks::new(&self);
        self.add_escapes(&mut edges);
        let first = self.sequences[body].first.expect("a body has an end");
        let initial = self.hunt(first, 0)?;
        let states = Vec::new();
        States { builder: &self, marks, edges: &edges, numbers: HashMap::new(), states, pending: Vec::new() }
            .collect(initial)
    }

    /// Puts the edges of escapes before those they interrupt.
    fn add_escapes(&self, edges: &mut BTreeMap<ElementId, Vec<RawEdge>>) {
        let states: Vec<ElementId> = edges.keys().copied().collect();
        for state in states {
            let mut all = edges[&state].clone();
            for edge in edges[&state].clone() {
                for &escape in edge.escapes.iter().rev() {
                    for interrupting in edges.get(&escape).cloned().unwrap_or_default() {
                        if all.iter().all(|edge| edge.element != interrupting.element) {
                            all.insert(0, RawEdge { escape: number(escape), ..interrupting });
                        }
                    }
                }
            }
            edges.insert(state, all);
        }
    }
}

/// Numbers start at 1, as in SPIN.
fn number(element: ElementId) -> u32 {
    element as u32 + 1
}

/// Collects the states that can be reached.
struct States<'b> {
    builder: &'b Builder,
    marks: Marks,
    edges: &'b BTreeMap<ElementId, Vec<RawEdge>>,
    /// States are elements; those within a deterministic step know where it ends, and whether the process holds the
    /// system then.
    numbers: HashMap<(ElementId, Option<Exit>), usize>,
    states: Vec<State>,
    pending: Vec<(ElementId, Option<Exit>)>,
}

/// What is behind a deterministic step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Exit {
    step: ElementId,
    target: ElementId,
    holds: bool,
}

impl States<'_> {
    fn collect(mut self, initial: ElementId) -> Result<Control, Misplaced> {
        let initial = self.number(initial, None);
        while let Some((element, exit)) = self.pending.pop() {
            let at = self.numbers[&(element, exit)];
            let edges = match exit {
                None => self.edges_of(element)?,
                Some(exit) => {
                    let inside = self.inside(exit.step);
                    let alternatives = self.alternatives(element, exit, &inside)?;
                    alternatives
                        .into_iter()
                        .map(|alternative| Edge { alternatives: vec![alternative], escape: 0 })
                        .collect()
                }
            };
            self.states[at].edges = edges;
        }
        Ok(Control { states: self.states, initial })
    }

    fn number(&mut self, element: ElementId, exit: Option<Exit>) -> usize {
        if let Some(number) = self.numbers.get(&(element, exit)) {
            return *number;
        }
        let labels = || self.builder.labels.iter().filter(|label| label.element == element);
        let Element { kind, span, .. } = &self.builder.elements[element];
        let name = labels().next_back().map(|label| label.name.clone());
        let is_final = matches!(kind, Kind::End);
        self.states.push(State {
            number: number(element),
            name: name.unwrap_or_else(|| if is_final { "-end-".to_owned() } else { String::new() }),
            edges: Vec::new(),
            is_end: is_final || exit.is_none() && self.marks.of(element) & END != 0,
            is_accepting: exit.is_none() && self.marks.of(element) & ACCEPT != 0,
            is_progress: exit.is_none() && self.marks.of(element) & PROGRESS != 0,
            is_deterministic: exit.is_some(),
            span: *span,
        });
        self.numbers.insert((element, exit), self.states.len() - 1);
        self.pending.push((element, exit));
        self.states.len() - 1
    }

    fn edges_of(&mut self, element: ElementId) -> Result<Vec<Edge>, Misplaced> {
        let mut edges = Vec::new();
        for raw in self.edges.get(&element).cloned().unwrap_or_default() {
            let Element { kind, span, .. } = self.builder.elements[raw.element].clone();
            // Whoever has nowhere to go stays.
            let target = raw.target.unwrap_or(element);
            let alternatives = match kind {
                Kind::Deterministic(inner) => {
                    let exit = Exit { step: raw.element, target, holds: raw.holds };
                    let inside = self.inside(raw.element);
                    let first = self.builder.sequences[inner].first.expect("a sequence has a statement");
                    match self.settle(first, &inside)? {
                        Some(first) => self.alternatives(first, exit, &inside)?,
                        None => Vec::new(),
                    }
                }
                kind => {
                    let target = self.number(target, None);
                    vec![Alternative { statement: statement_of(kind), target, holds: raw.holds, span }]
                }
            };
            edges.push(Edge { alternatives, escape: raw.escape });
        }
        Ok(edges)
    }

    /// The elements of a deterministic step.
    fn inside(&self, step: ElementId) -> HashSet<ElementId> {
        let mut inside = HashSet::new();
        if let Kind::Deterministic(inner) = self.builder.elements[step].kind {
            self.gather(inner, &mut inside);
        }
        inside
    }

    fn gather(&self, sequence: SequenceId, inside: &mut HashSet<ElementId>) {
        let Sequence { first, last, .. } = self.builder.sequences[sequence];
        let mut current = first;
        while let Some(element) = current {
            if inside.insert(element) {
                if let Kind::Block(inner) = self.builder.elements[element].kind {
                    self.gather(inner, inside);
                }
                self.builder.elements[element].sub.iter().for_each(|option| self.gather(*option, inside));
            }
            if Some(element) == last {
                break;
            }
            current = self.builder.elements[element].next;
        }
    }

    /// The statement or choice that control comes to within a deterministic step; none behind it.
    fn settle(&self, from: ElementId, inside: &HashSet<ElementId>) -> Result<Option<ElementId>, Misplaced> {
        let mut current = Some(from);
        for _ in 0..JUMPS_MAX {
            let Some(element) = current.filter(|element| inside.contains(element)) else { return Ok(None) };
            let Element { kind, next, sub, span, .. } = &self.builder.elements[element];
            current = match kind {
                Kind::Goto(target) => Some(self.builder.destination(target, *span)?),
                Kind::Join | Kind::LoopEnd => *next,
                Kind::Block(inner) => self.builder.sequences[*inner].first,
                Kind::Unless => self.builder.sequences[sub[0]].first,
                _ => return Ok(Some(element)),
            };
        }
        Err(Misplaced::new(self.builder.elements[from].span, "a circle of jumps"))
    }

    /// What can be done first at an element of a deterministic step, in the order in which it is tried.
    fn alternatives(
        &mut self,
        element: ElementId,
        exit: Exit,
        inside: &HashSet<ElementId>,
    ) -> Result<Vec<Alternative>, Misplaced> {
        let Element { kind, next, sub, span, .. } = self.builder.elements[element].clone();
        if let Kind::Choice = kind {
            let mut alternatives = Vec::new();
            for option in sub {
                let first = self.builder.sequences[option].first.expect("a sequence has a statement");
                match &self.builder.elements[first].kind {
                    // A jump is a choice of its own.
                    Kind::Goto(target) => {
                        let destination = self.builder.destination(target, self.builder.elements[first].span)?;
                        let settled = self.settle(destination, inside)?;
                        alternatives.push(self.step_to(Statement::Skip, settled, exit, span));
                    }
                    _ => {
                        if let Some(first) = self.settle(first, inside)? {
                            alternatives.extend(self.alternatives(first, exit, inside)?);
                        }
                    }
                }
            }
            return Ok(alternatives);
        }
        let settled = match next {
            Some(next) => self.settle(next, inside)?,
            None => None,
        };
        Ok(vec![self.step_to(statement_of(kind), settled, exit, span)])
    }

    fn step_to(&mut self, statement: Statement, settled: Option<ElementId>, exit: Exit, span: Span) -> Alternative {
        match settled {
            Some(element) => Alternative { statement, target: self.number(element, Some(exit)), holds: true, span },
            None => Alternative { statement, target: self.number(exit.target, None), holds: exit.holds, span },
        }
    }
}

fn statement_of(kind: Kind) -> Statement {
    match kind {
        Kind::Statement(statement) => statement,
        Kind::Else => Statement::Else,
        Kind::End => Statement::End,
        _ => Statement::Skip,
    }
}
