//! Messages: sending, receiving, looking.
//!
//! When SPIN takes a receive back, it puts into the channel what the variables hold, and finds both by evaluating their
//! indices again. So programs receive only what the variables hold entirely, at places that the receive itself does
//! not move; everything else would compare with an accident.

use super::expression::Scalar;
use super::plan::{Channel, Number, Ty, Variable};
use super::tree::{Sort, Tree, expression, list, row, sequence, statement, text};
use super::{Feature, Generator};

impl Generator {
    /// A statement that sends or receives.
    pub(super) fn communication(&mut self) -> Option<Tree> {
        if self.chance(50) { self.send(|_| true) } else { self.receive(|_| true) }
    }

    pub(super) fn send(&mut self, fits: impl Fn(&Channel) -> bool) -> Option<Tree> {
        let (place, channel) = self.channel(fits)?;
        let fields = self.signatures[channel.signature].fields.clone();
        let mut values = Vec::new();
        for field in &fields {
            values.push(self.sent(field)?);
        }
        self.spoil(&mut values, "0");
        let operator =
            if channel.is_buffered() && self.may(Feature::SortedSend) && self.chance(40) { "!!" } else { "!" };
        let gap = self.gap("");
        Some(statement(vec![place, text(operator), gap, self.message(values)]))
    }

    /// Takes a field from a message, or adds one, in a program that may have the wrong number of them.
    fn spoil(&mut self, fields: &mut Vec<Tree>, more: &str) {
        if self.may(Feature::WildFields) && self.chance(15) {
            match self.chance(50) && fields.len() > 1 {
                true => drop(fields.pop()),
                false => fields.push(text(more)),
            }
        }
    }

    /// The fields with commas between them, or the first as a name with the others in parentheses.
    fn message(&mut self, mut fields: Vec<Tree>) -> Tree {
        if fields.len() > 1 && self.chance(25) {
            let first = fields.remove(0);
            return row(vec![first, text("("), comma_separated(fields), self.gap(""), text(")")]);
        }
        comma_separated(fields)
    }

    /// What is sent for a field.
    fn sent(&mut self, field: &Ty) -> Option<Tree> {
        match field {
            // Alone in a message, a bit is kept in a byte, and a variable that takes it out may be too small.
            Ty::Number(Number::Bit | Number::Bool) => match self.chance(50) {
                true => Some(text(self.below(2).to_string()).with(Sort::Expression)),
                false => Some(self.comparison_of_values()),
            },
            Ty::Number(_) if self.chance(40) => Some(text(self.below(3).to_string()).with(Sort::Expression)),
            Ty::Number(_) => Some(self.bounded_value()),
            Ty::Mtype(index) => Some(self.name_of(*index)),
            Ty::Channel(signature) => Some(self.channel(|channel| channel.signature == *signature)?.0),
            Ty::Record(index) => self.record_variable(*index),
        }
    }

    /// How many values a record is made of.
    pub(super) fn leaves(&self, record: usize) -> usize {
        let leaves = |field: &Variable| match field.ty {
            Ty::Record(inner) => self.leaves(inner),
            _ => 1,
        };
        self.records[record].fields.iter().map(leaves).sum()
    }

    /// A variable that is a whole record.
    pub(super) fn record_variable(&mut self, record: usize) -> Option<Tree> {
        let is_record = |variable: &&Variable| variable.ty == Ty::Record(record) && variable.len.is_none();
        let variables: Vec<Variable> = self.globals.iter().chain(&self.locals).filter(is_record).cloned().collect();
        self.pick(&variables).map(|variable| text(variable.name))
    }

    pub(super) fn receive(&mut self, fits: impl Fn(&Channel) -> bool) -> Option<Tree> {
        self.is_fixed = true;
        let receive = self.fixed_receive(fits);
        self.is_fixed = false;
        receive
    }

    /// A receive at places that do not depend on what is received.
    fn fixed_receive(&mut self, fits: impl Fn(&Channel) -> bool) -> Option<Tree> {
        let (place, channel) = self.channel(fits)?;
        let is_random = channel.is_buffered() && self.may(Feature::RandomReceive) && self.chance(40);
        let is_copy = channel.is_buffered() && self.may(Feature::CopyReceive) && self.chance(30);
        let arguments = self.arguments(&channel, true)?;
        // A question mark, a question mark and a bracket are something else to a C preprocessor.
        let operator = if is_random { "??" } else { "?" };
        let (open, close) = if is_copy { ("<", ">") } else { ("", "") };
        Some(statement(vec![place, text(format!("{operator}{open}")), arguments, text(close)]))
    }

    /// What a receive or a poll names for each field. A poll takes nothing, so it names no variables.
    fn arguments(&mut self, channel: &Channel, takes: bool) -> Option<Tree> {
        let fields = self.signatures[channel.signature].fields.clone();
        let mut arguments = Vec::new();
        for field in &fields {
            let argument = self.argument(field, takes)?;
            // SPIN does not take two values into one variable.
            let is_taken = takes && arguments.contains(&argument);
            arguments.push(if is_taken { text("_") } else { argument });
        }
        if takes {
            self.part_targets(&mut arguments);
        }
        let more = if self.chance(50) { "_" } else { "1" };
        self.spoil(&mut arguments, more);
        Some(self.message(arguments))
    }

    /// Nothing is received into a part of a record that is received as a whole, and values that are compared with do
    /// not depend on what is received.
    fn part_targets(&self, arguments: &mut [Tree]) {
        let texts: Vec<String> = arguments.iter().map(|argument| argument.to_string().trim().to_owned()).collect();
        let base = |text: &str| text.split(['.', '[']).next().unwrap_or_default().to_owned();
        let is_target = |text: &&String| {
            text.starts_with(|letter: char| letter.is_ascii_alphabetic()) && !text.starts_with("eval(")
        };
        let targets: Vec<&String> = texts.iter().filter(is_target).collect();
        for (argument, own) in arguments.iter_mut().zip(&texts) {
            let is_part = targets.iter().any(|target| *target != own && **target == base(own));
            let is_moved = own.starts_with("eval(") && targets.iter().any(|target| own.contains(&base(target)));
            if is_part || is_moved {
                *argument = text("_");
            }
        }
    }

    /// A value that a field is compared with.
    fn compared_value(&mut self) -> Tree {
        match self.below(4) {
            0 => text(self.below(3).to_string()),
            1 => text("_pid"),
            _ => self.number_place().map_or_else(|| text("1"), |(place, ..)| place),
        }
    }

    fn argument(&mut self, field: &Ty, takes: bool) -> Option<Tree> {
        match field {
            Ty::Number(number) => Some(match self.below(10) {
                0 if takes => text("_"),
                1 => text(self.below(3).to_string()),
                2 if self.may(Feature::Eval) => row(vec![text("eval("), self.compared_value(), text(")")]),
                5 if takes && self.hidden.is_some() && Number::Byte.holds(*number) => {
                    text(self.hidden.clone().unwrap_or_default())
                }
                _ if takes => {
                    let holds = |scalar| matches!(scalar, Scalar::Number { number: own, .. } if own.holds(*number));
                    self.place(holds).map_or_else(|| text("_"), |(place, _)| place)
                }
                _ => text(self.below(2).to_string()),
            }),
            Ty::Mtype(index) => Some(match self.below(10) {
                0..=2 => self.name_of(*index),
                3 if takes => text("_"),
                _ if takes => {
                    let found = self.place(|scalar| scalar == Scalar::Mtype(*index));
                    found.map_or_else(|| text("_"), |(place, _)| place)
                }
                _ => self.name_of(*index),
            }),
            Ty::Channel(signature) if takes => {
                let is_holder =
                    |variable: &&Variable| variable.ty == Ty::Channel(*signature) && variable.name.starts_with('h');
                let holders: Vec<Variable> = self.locals.iter().filter(is_holder).cloned().collect();
                Some(self.pick(&holders).map_or_else(|| text("_"), |variable| text(variable.name)))
            }
            Ty::Channel(signature) => {
                let (channel, _) = self.channel(|channel| channel.signature == *signature)?;
                Some(row(vec![text("eval("), channel, text(")")]))
            }
            Ty::Record(index) if takes => self.record_variable(*index),
            Ty::Record(_) => None,
        }
    }

    /// Receives a channel and uses it.
    pub(super) fn channel_message(&mut self) -> Option<Tree> {
        let holders: Vec<Variable> = self
            .locals
            .iter()
            .filter(|variable| matches!(variable.ty, Ty::Channel(_)) && variable.name.starts_with('h'))
            .cloned()
            .collect();
        let holder = self.pick(&holders)?;
        let Ty::Channel(signature) = holder.ty else { return None };
        let taken = match self.chance(60) {
            true => self.receive_holder(signature)?,
            false => {
                let (channel, _) = self.channel(|channel| channel.signature == signature)?;
                statement(vec![text(format!("{} = ", holder.name)), channel])
            }
        };
        let fields = self.signatures[signature].fields.clone();
        let mut values = Vec::new();
        for field in &fields {
            values.push(self.sent(field)?);
        }
        let sent = statement(vec![text(format!("{}!", holder.name)), comma_separated(values)]);
        let is_wild = self.may(Feature::WildChannel);
        Some(if is_wild && self.chance(50) { sent } else { sequence(vec![taken, sent]) })
    }

    /// Takes a channel for messages of a kind out of a message.
    fn receive_holder(&mut self, signature: usize) -> Option<Tree> {
        let carriers: Vec<usize> = (0..self.signatures.len())
            .filter(|&index| self.signatures[index].fields.contains(&Ty::Channel(signature)))
            .collect();
        let carrier = self.pick(&carriers)?;
        self.receive(|channel| channel.signature == carrier)
    }

    // Looking.

    pub(super) fn channel_query(&mut self) -> Option<Tree> {
        let query = self.pick(&["empty", "full", "nempty", "nfull", "len"])?;
        let (place, _) = self.channel(|channel| channel.capacity != Some(0))?;
        let compared = if query == "len" { format!(" == {}", self.below(3)) } else { String::new() };
        Some(expression(vec![text(format!("{query}(")), place, text(format!("){compared}"))]))
    }

    pub(super) fn poll(&mut self) -> Option<Tree> {
        let (place, channel) = self.channel(Channel::is_buffered)?;
        let operator = if self.may(Feature::RandomReceive) && self.chance(40) { "??" } else { "?" };
        let arguments = self.arguments(&channel, false)?;
        Some(expression(vec![place, text(format!("{operator}[")), arguments, text("]")]))
    }

    /// A number type that a parameter or a message may have.
    pub(super) fn carried_type(&mut self) -> Number {
        match self.number_type() {
            Number::Unsigned(_) => Number::Byte,
            number => number,
        }
    }
}

fn comma_separated(fields: Vec<Tree>) -> Tree {
    let mut pieces = Vec::new();
    for (index, field) in fields.into_iter().enumerate() {
        if index > 0 {
            pieces.push(text(", "));
        }
        pieces.push(field);
    }
    if pieces.is_empty() { list(Vec::new(), "", "0") } else { row(pieces) }
}
