//! Statements, where they may stand.

use super::expression::Scalar;
use super::plan::{Channel, Number, Ty, Variable};
use super::tree::{Sort, Tree, block, guarded, list, optional, row, sequence, statement, text};
use super::{Feature, Generator};

/// Where a statement stands.
#[derive(Clone, Copy, Default, Debug)]
pub struct Context {
    /// How many blocks may still be put into one another.
    pub depth: usize,
    pub is_atomic: bool,
    pub is_d_step: bool,
    /// There is a loop to leave, and nothing between that must not be left.
    pub in_loop: bool,
    /// It may be executed more than once.
    pub repeats: bool,
    /// Among the statements of the process itself.
    pub is_outermost: bool,
}

impl Context {
    fn inner(self) -> Context {
        Context { depth: self.depth.saturating_sub(1), is_outermost: false, ..self }
    }
}

/// The kinds of statements.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Assign,
    Condition,
    Communicate,
    ChannelMessage,
    Assert,
    Print,
    Goto,
    Break,
    Run,
    Inline,
    Select,
    Declare,
    If,
    Do,
    For,
    Atomic,
    DStep,
    Unless,
    Braces,
    Hide,
}

impl Kind {
    /// Whether control may leave it from several places.
    fn is_compound(self) -> bool {
        matches!(
            self,
            Kind::If | Kind::Do | Kind::For | Kind::Unless | Kind::Select | Kind::Inline | Kind::Braces | Kind::Atomic
        )
    }
}

impl Generator {
    /// Some statements, perhaps with labels.
    pub(super) fn statements(&mut self, context: Context, least: usize, most: usize) -> Vec<Tree> {
        let mut statements: Vec<Tree> = Vec::new();
        let mut was_compound = false;
        for number in 0..self.some(least, most) {
            let (kind, mut next) = self.statement(context);
            if matches!(kind, Kind::DStep) {
                // Whoever leaves the statement before must not jump into the `d_step`.
                if was_compound || number == 0 {
                    next = sequence(vec![text("skip").with(Sort::Statement), next]);
                }
            } else if (number > 0 || context.is_outermost)
                && !matches!(kind, Kind::Goto | Kind::Braces | Kind::Unless | Kind::Declare)
            {
                next = self.labelled(context, next);
            }
            was_compound = kind.is_compound();
            statements.push(next);
        }
        statements
    }

    /// Puts a label before a statement, where one is to be placed. The first statement of a block has none.
    pub(super) fn labelled(&mut self, context: Context, plain: Tree) -> Tree {
        if context.is_d_step {
            return plain;
        }
        let place = self.chance(30);
        if let Some(label) = self.labels.iter_mut().find(|label| !label.is_placed).filter(|_| place) {
            label.is_placed = true;
            return statement(vec![optional(text(format!("{}: ", label.name))), plain]);
        }
        if self.may(Feature::EndLabel) && self.chance(15) {
            self.end_labels += 1;
            return statement(vec![optional(text(format!("end{}: ", self.end_labels))), plain]);
        }
        plain
    }

    fn statement(&mut self, context: Context) -> (Kind, Tree) {
        for _ in 0..6 {
            let Some(kind) = self.weighted(&self.kinds(context)) else { break };
            if let Some(statement) = self.statement_of(kind, context) {
                return (kind, statement);
            }
        }
        (Kind::Print, text("skip").with(Sort::Statement))
    }

    /// What may stand here, by weight.
    fn kinds(&self, context: Context) -> Vec<(usize, Kind)> {
        let can_nest = context.depth > 0;
        let is_free = !context.is_d_step;
        let mut kinds = vec![(25, Kind::Assign), (2, Kind::Print)];
        let mut add = |is_possible: bool, feature: Feature, weight: usize, kind: Kind| {
            if is_possible && self.may(feature) {
                kinds.push((weight, kind));
            }
        };
        add(is_free, Feature::Channel, 10, Kind::Communicate);
        add(is_free, Feature::ChannelMessage, 5, Kind::ChannelMessage);
        add(true, Feature::Assert, 5, Kind::Assert);
        add(is_free, Feature::Goto, if context.is_atomic { 3 } else { 6 }, Kind::Goto);
        add(context.in_loop && is_free, Feature::Loop, 4, Kind::Break);
        add(is_free, Feature::Run, 6, Kind::Run);
        add(is_free, Feature::Inline, 5, Kind::Inline);
        add(is_free, Feature::Select, 6, Kind::Select);
        add(true, Feature::LateDeclaration, 8, Kind::Declare);
        add(can_nest && is_free, Feature::Loop, 10, Kind::Do);
        add(can_nest, Feature::For, 6, Kind::For);
        add(can_nest && is_free && !context.is_atomic, Feature::Atomic, 14, Kind::Atomic);
        add(can_nest && is_free, Feature::DStep, 10, Kind::DStep);
        add(can_nest && is_free, Feature::Unless, 8, Kind::Unless);
        // What a deterministic step stores there, SPIN does not take back.
        add(is_free, Feature::Hidden, 4, Kind::Hide);
        if can_nest {
            kinds.push((if context.is_d_step { 8 } else { 12 }, Kind::If));
        }
        if is_free || self.may(Feature::WildStep) {
            kinds.push((3, Kind::Condition));
        }
        if can_nest && is_free {
            kinds.push((1, Kind::Braces));
        }
        kinds
    }

    fn statement_of(&mut self, kind: Kind, context: Context) -> Option<Tree> {
        match kind {
            Kind::Assign => self.assignment(context),
            Kind::Condition => Some(statement(vec![self.condition(2)])),
            Kind::Communicate => self.communication(),
            Kind::ChannelMessage => self.channel_message(),
            Kind::Assert => {
                let condition = self.condition(1);
                Some(statement(vec![text("assert("), condition, text(")")]))
            }
            Kind::Print if !self.mtypes.is_empty() && self.chance(50) => {
                let name = self.name_of(0);
                Some(statement(vec![text("printm("), name, text(")")]))
            }
            Kind::Print => {
                let value = self.value(1);
                Some(statement(vec![text("printf(\"%d\\n\", "), value, text(")")]))
            }
            Kind::Goto => {
                let label = self.below(self.labels.len());
                let label = self.labels.get_mut(label)?;
                label.is_used = true;
                Some(statement(vec![text(format!("goto {}", label.name))]))
            }
            Kind::Break => Some(statement(vec![text("break")])),
            Kind::Run => self.run(context),
            Kind::Inline => {
                self.current?;
                (self.inlines > 0).then_some(())?;
                let name = self.plain_number()?;
                Some(statement(vec![text(format!("step0({name})"))]))
            }
            Kind::Select => {
                self.current?;
                let name = if self.chance(70) { "k3" } else { "k_3" };
                let (place, ..) = self.number_place()?;
                let chosen = self.selection(name);
                Some(sequence(vec![chosen, statement(vec![place, text(format!(" = {name}"))])]))
            }
            Kind::Declare => Some(self.late_declaration()),
            Kind::If => Some(self.choice(context)),
            Kind::Do => Some(self.repetition(context, 1, 2)),
            Kind::For => self.counted_loop(context),
            Kind::Atomic => Some(self.atomic(context)),
            Kind::DStep => Some(self.d_step(context)),
            Kind::Unless => Some(self.unless(context)),
            Kind::Braces => {
                let inner = sequence(self.statements(context.inner(), 1, 3));
                Some(statement(vec![text("{"), block(inner), text("}")]))
            }
            Kind::Hide => {
                let (name, value) = (self.hidden.clone()?, self.bounded_value());
                Some(statement(vec![text(format!("{name} = ")), value]))
            }
        }
    }

    // Plain statements.

    pub(super) fn assignment(&mut self, context: Context) -> Option<Tree> {
        match self.place(|_| true)? {
            (place, Scalar::Mtype(index)) => {
                let name = self.name_of(index);
                Some(statement(vec![place, text(" = "), name]))
            }
            (place, Scalar::Number { number, is_element }) => {
                let comes_round = number.is_small() && !is_element;
                if self.chance(25) && (comes_round || !context.repeats) {
                    let step = if self.chance(60) { "++" } else { "--" };
                    return Some(statement(vec![place, text(step)]));
                }
                if self.chance(20) && matches!(number, Number::Byte | Number::Int) {
                    // A counter that stops.
                    let bound = self.some(2, 3);
                    let counted = row(vec![text("("), place.clone(), text(format!(" + 1) % {bound}"))]);
                    return Some(statement(vec![place, text(" = "), counted]));
                }
                let value = if context.repeats || self.chance(60) { self.bounded_value() } else { self.value(2) };
                Some(statement(vec![place, text(" = "), value]))
            }
        }
    }

    /// `select (k3 : 0 .. 2)`, which SPIN reads in different ways, as it is written.
    fn selection(&mut self, name: &str) -> Tree {
        let (low, high) = (self.below(2), if self.chance(4) { 34 } else { self.some(1, 2) });
        let (low, high) = match self.below(8) {
            0 => (format!("({low})"), high.to_string()),
            1 => (low.to_string(), format!("{high} + 0")),
            _ => (low.to_string(), high.to_string()),
        };
        let pieces = ["select", "(", name, ":", &low, "..", &high, ")"];
        let mut written = Vec::new();
        for piece in pieces {
            written.extend([text(piece), self.gap(" ")]);
        }
        written.pop();
        statement(written)
    }

    /// A variable that nobody uses: its declaration is a step.
    fn late_declaration(&mut self) -> Tree {
        self.late += 1;
        let name = format!("d{}", self.late);
        if !self.records.is_empty() && self.chance(60) {
            let record = self.below(self.records.len());
            return statement(vec![text(format!("{} {name}", self.records[record].name))]);
        }
        statement(vec![text(format!("byte {name} = ")), self.bounded_value()])
    }

    /// The definition of `step0`. It knows global variables only.
    pub(super) fn inline_definition(&mut self) -> Tree {
        let bound = self.some(2, 3);
        let first = statement(vec![text(format!("v = (v + 1) % {bound}"))]);
        let context = Context { depth: 1, repeats: true, ..Context::default() };
        let mut statements = vec![first];
        for _ in 0..self.some(0, 2) {
            if let Some(statement) = if self.chance(60) { self.assignment(context) } else { self.communication() } {
                statements.push(statement);
            }
        }
        if self.may(Feature::Select) && self.chance(50) {
            statements.push(self.selection("v"));
        }
        row(vec![text("inline step0(v) {"), block(sequence(statements)), text("}")])
    }

    // Choices and loops.

    fn choice(&mut self, context: Context) -> Tree {
        let inner = context.inner();
        let with_else = context.is_d_step || self.may(Feature::Else) && self.chance(50);
        let count = if with_else { self.some(1, 2) } else { self.some(2, 3) };
        let mut options: Vec<Tree> = (0..count).map(|_| self.option(inner, with_else)).collect();
        if with_else {
            options.push(self.else_option(inner));
        }
        statement(vec![text("if\n"), list(options, "\n", ":: skip"), text("\nfi")])
    }

    /// `:: guard -> …`. Next to `else` nobody may send or receive.
    fn option(&mut self, context: Context, with_else: bool) -> Tree {
        let mut statements = vec![self.guard(context, with_else)];
        statements.extend(self.statements(context, 0, 2));
        row(vec![text(":: "), guarded(statements)])
    }

    fn else_option(&mut self, context: Context) -> Tree {
        let mut statements = vec![text("else").with(Sort::Statement)];
        statements.extend(self.statements(context, 0, 1));
        row(vec![text(":: "), guarded(statements)])
    }

    fn guard(&mut self, context: Context, with_else: bool) -> Tree {
        let may_communicate = !with_else && !context.is_d_step;
        let guard = match self.below(12) {
            0..=3 if may_communicate => self.communication(),
            4 | 5 if !with_else => self.assignment(context),
            6 if self.may(Feature::Timeout) && !with_else && !context.is_d_step => {
                Some(statement(vec![text("timeout")]))
            }
            7 if !with_else => Some(text("skip").with(Sort::Statement)),
            _ => None,
        };
        if let Some(guard) = guard {
            return guard;
        }
        self.is_quiet = with_else;
        let condition = self.condition(1);
        self.is_quiet = false;
        statement(vec![condition])
    }

    pub(super) fn repetition(&mut self, context: Context, least: usize, most: usize) -> Tree {
        let inner = Context { in_loop: true, repeats: true, ..context.inner() };
        let leaves = || statement(vec![text("break")]);
        let mut options = Vec::new();
        let with_else = self.may(Feature::Else) && self.chance(25);
        for _ in 0..self.some(least, most) {
            let mut statements = vec![self.guard(inner, with_else)];
            statements.extend(self.statements(inner, 0, 2));
            if context.is_atomic {
                // States within an atomic sequence are not stored, so a loop there would not end.
                statements.push(leaves());
            } else if statements.len() == 1 {
                // SPIN refuses loops that certainly do nothing.
                statements.extend(self.assignment(inner));
            }
            options.push(row(vec![text(":: "), guarded(statements)]));
        }
        if with_else {
            options.push(row(vec![text(":: "), guarded(vec![text("else").with(Sort::Statement), leaves()])]));
        } else if self.chance(60) {
            let mut statements = vec![self.guard(inner, with_else)];
            statements.push(leaves());
            options.push(row(vec![text(":: "), guarded(statements)]));
        }
        statement(vec![text("do\n"), list(options, "\n", ":: break"), text("\nod")])
    }

    fn counted_loop(&mut self, context: Context) -> Option<Tree> {
        self.current?;
        // Every depth has a counter of its own, so that every loop ends.
        let counter = format!("k{}", context.depth.min(3) - 1);
        let repeated = Context { repeats: true, in_loop: false, ..context.inner() };
        let body = sequence(self.statements(Context { in_loop: !context.is_d_step, ..repeated }, 1, 2));
        let arrays: Vec<Variable> =
            self.globals.iter().chain(&self.locals).filter(|variable| variable.len.is_some()).cloned().collect();
        let range = match self.pick(&arrays) {
            Some(array) if self.chance(40) => format!("{counter} in {}", array.name),
            _ => format!("{counter} : {} .. {}", self.below(2), self.some(1, 2)),
        };
        if let Some(over_messages) = self.message_loop().filter(|_| !context.is_d_step) {
            return Some(over_messages);
        }
        Some(statement(vec![text(format!("for ({range}) {{")), block(body), text("}")]))
    }

    /// `for (r in c)`: over the messages of a channel that are records.
    fn message_loop(&mut self) -> Option<Tree> {
        let is_record = |ty: &[Ty]| matches!(ty, [Ty::Record(_)]);
        let fitting: Vec<usize> =
            (0..self.signatures.len()).filter(|&index| is_record(&self.signatures[index].fields)).collect();
        let signature = self.pick(&fitting)?;
        let Some(Ty::Record(record)) = self.signatures[signature].fields.first().cloned() else { return None };
        let variable = self.record_variable(record)?;
        let (channel, _) = self.channel(|channel| channel.signature == signature && channel.is_buffered())?;
        Some(statement(vec![text("for ("), variable, text(" in "), channel, text(") { skip }")]))
    }

    // Blocks.

    fn atomic(&mut self, context: Context) -> Tree {
        let inner = Context { is_atomic: true, ..context.inner() };
        let mut statements = self.statements(inner, 1, 3);
        if self.chance(60) {
            let first = if self.may(Feature::Channel) && self.chance(40) { self.communication() } else { None };
            statements.insert(0, first.unwrap_or_else(|| statement(vec![self.condition(1)])));
        }
        statement(vec![text("atomic {"), block(sequence(statements)), text("}")])
    }

    fn d_step(&mut self, context: Context) -> Tree {
        let inner = Context { is_d_step: true, in_loop: false, ..context.inner() };
        self.is_near = true;
        let mut statements = Vec::new();
        match self.below(4) {
            0 | 1 => statements.push(statement(vec![self.condition(1)])),
            // A message that is there, or has room, does not block.
            2 => {
                if let Some((first, second)) = self.sure_communication() {
                    statements.extend([first, second]);
                }
            }
            _ => {}
        }
        statements.extend(self.statements(inner, 1, 3));
        self.is_near = false;
        statement(vec![text("d_step {"), block(sequence(statements)), text("}")])
    }

    /// A look whether there is room, and a message into it.
    fn sure_communication(&mut self) -> Option<(Tree, Tree)> {
        let (_, channel) = self.channel(|channel| channel.is_buffered() && channel.len.is_none())?;
        let name = channel.name.clone();
        let fits = move |other: &Channel| other.name == name;
        let look = statement(vec![text(format!("nfull({})", channel.name))]);
        Some((look, self.send(fits)?))
    }

    fn unless(&mut self, context: Context) -> Tree {
        let inner = context.inner();
        let main = sequence(self.statements(inner, 1, 3));
        let mut escape = vec![self.guard(inner, false)];
        escape.extend(self.statements(inner, 0, 2));
        let mut escape = guarded(escape);
        if self.may(Feature::Atomic) && self.chance(25) && !context.is_atomic {
            escape = statement(vec![text("atomic {"), block(escape), text("}")]);
        }
        statement(vec![text("{"), block(main), text("} unless {"), block(escape), text("}")])
    }
}
