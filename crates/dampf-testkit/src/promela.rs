//! Random programs in Promela, for comparison with SPIN.
//!
//! They mean nothing, but SPIN takes most of them, and their state spaces are small by construction: code that may be
//! repeated computes modulo small numbers, channels are short, and processes are started in numbers. Where the language
//! leaves the result to the order of a search (hidden variables that are read, say), programs keep away from it.
//!
//! A program is a [`Tree`], so that one on which two checkers disagree can be made small with [`shrink`].

mod claim;
mod expression;
mod feature;
mod message;
mod plan;
mod process;
mod shrink;
mod statement;
mod tree;

pub use feature::Feature;
pub use shrink::shrink;
pub use tree::Tree;

use crate::random::Random;
use plan::{Channel, Mtype, Number, Plan, Record, Signature, Ty, Variable};
use tree::{list, row, text};

/// The program of a seed; it does without some parts of the language.
pub fn random_model(seed: u64, without: &[Feature]) -> Tree {
    generator(seed, without).model()
}

/// The same with a formula about its runs, called `property`.
pub fn random_model_with_claim(seed: u64, without: &[Feature]) -> Tree {
    let mut generator = generator(seed, without);
    let model = generator.model();
    let claim = generator.claim();
    row(vec![model, text("\n"), claim])
}

fn generator(seed: u64, without: &[Feature]) -> Generator {
    let mut random = Random::new(seed);
    let features = Feature::some(&mut random, without);
    Generator {
        random,
        features,
        records: Vec::new(),
        mtypes: Vec::new(),
        signatures: Vec::new(),
        globals: Vec::new(),
        channels: Vec::new(),
        hidden: None,
        plans: Vec::new(),
        inlines: 0,
        late: 0,
        macros: 0,
        current: None,
        labels: Vec::new(),
        end_labels: 0,
        locals: Vec::new(),
        is_quiet: false,
        is_near: false,
        is_fixed: false,
    }
}

struct Generator {
    random: Random,
    features: Vec<Feature>,
    records: Vec<Record>,
    mtypes: Vec<Mtype>,
    signatures: Vec<Signature>,
    globals: Vec<Variable>,
    /// The global ones.
    channels: Vec<Channel>,
    hidden: Option<String>,
    plans: Vec<Plan>,
    /// How many `inline` definitions there are, called `step0`, `step1`, ….
    inlines: usize,
    /// How many variables are declared among statements, called `d0`, `d1`, ….
    late: usize,
    /// How many macros there are, called `M0`, `M1`, ….
    macros: usize,
    /// The process that is being written; none while global text is.
    current: Option<usize>,
    /// Of that process, and whether they stand somewhere and are used.
    labels: Vec<Label>,
    /// How many of its labels say that it may end there.
    end_labels: usize,
    /// Of that process, parameters included.
    locals: Vec<Variable>,
    /// Conditions do not look at channels for now.
    is_quiet: bool,
    /// Conditions do not look at other processes for now.
    is_near: bool,
    /// Indices are constants for now.
    is_fixed: bool,
}

struct Label {
    name: String,
    is_placed: bool,
    is_used: bool,
}

impl Generator {
    fn model(&mut self) -> Tree {
        let mut declarations = self.types();
        declarations.extend(self.global_declarations());
        declarations.extend(self.definitions());
        self.plan();
        let processes = (0..self.plans.len()).map(|index| self.process(index)).collect();
        row(vec![list(declarations, "\n", ""), text("\n"), list(processes, "\n", "")])
    }

    // Choices.

    fn may(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound.max(1) as u64) as usize
    }

    /// A number between two, both included.
    fn some(&mut self, least: usize, greatest: usize) -> usize {
        least + self.below(greatest.max(least) - least + 1)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { Some(from[self.below(from.len())].clone()) }
    }

    /// One of several, by weight.
    fn weighted<T: Copy>(&mut self, from: &[(usize, T)]) -> Option<T> {
        let total: usize = from.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total);
        from.iter()
            .find(|(weight, _)| {
                if at < *weight {
                    true
                } else {
                    at -= weight;
                    false
                }
            })
            .map(|(_, choice)| *choice)
    }

    // Declarations.

    /// Sets of names, records, and the kinds of messages.
    fn types(&mut self) -> Vec<Tree> {
        let mut declarations = Vec::new();
        if self.may(Feature::Mtype) {
            self.mtypes.push(Mtype { kind: None, names: ["red", "green", "blue"].map(str::to_owned).to_vec() });
            if self.chance(50) {
                self.mtypes.push(Mtype {
                    kind: Some("fruit".to_owned()),
                    names: ["apple", "pear"].map(str::to_owned).to_vec(),
                });
            }
            let declaration = |mtype: &Mtype| text(format!("{} = {{ {} }};", mtype.keyword(), mtype.names.join(", ")));
            declarations.extend(self.mtypes.iter().map(declaration));
        }
        if self.may(Feature::Record) {
            for index in 0..self.some(1, 2) {
                let record = self.record(index);
                declarations.push(record.declaration());
                self.records.push(record);
            }
        }
        if self.may(Feature::Channel) {
            for index in 0..self.some(1, 2) {
                let signature = self.signature(index);
                self.signatures.push(signature);
            }
        }
        declarations
    }

    fn record(&mut self, index: usize) -> Record {
        let mut fields = Vec::new();
        for number in 0..self.some(1, 2) {
            let len = (self.may(Feature::Array) && self.chance(30)).then_some(2);
            fields.push(Variable { name: format!("f{number}"), ty: Ty::Number(self.number_type()), len });
        }
        if index > 0 && self.chance(70) {
            let len = self.chance(40).then_some(2);
            fields.push(Variable { name: "inner".to_owned(), ty: Ty::Record(index - 1), len });
        }
        Record { name: format!("Record{index}"), fields }
    }

    fn signature(&mut self, index: usize) -> Signature {
        let mut fields = vec![match self.mtypes.is_empty() || self.chance(60) {
            true => Ty::Number(self.number_type()),
            false => Ty::Mtype(self.below(self.mtypes.len())),
        }];
        if self.chance(35) {
            fields.push(Ty::Number(self.number_type()));
        }
        if index > 0 && self.may(Feature::ChannelMessage) {
            fields.push(Ty::Channel(index - 1));
        }
        let carried: Vec<usize> = (0..self.records.len()).filter(|&index| self.can_be_sent(index)).collect();
        if self.may(Feature::RecordMessage)
            && let Some(record) = self.pick(&carried)
        {
            if self.chance(40) {
                fields.clear();
            }
            fields.push(Ty::Record(record));
        }
        Signature { fields }
    }

    /// SPIN takes neither arrays nor fields of so many bits in a message.
    fn can_be_sent(&self, record: usize) -> bool {
        self.records[record].fields.iter().all(|field| {
            let is_plain = match field.ty {
                Ty::Number(number) => !matches!(number, Number::Unsigned(_)),
                Ty::Record(inner) => self.can_be_sent(inner),
                Ty::Mtype(_) | Ty::Channel(_) => false,
            };
            is_plain && field.len.is_none()
        })
    }

    fn number_type(&mut self) -> Number {
        const TYPES: &[(usize, Number)] = &[
            (4, Number::Bit),
            (3, Number::Bool),
            (8, Number::Byte),
            (2, Number::Short),
            (3, Number::Int),
            (2, Number::Unsigned(2)),
            (2, Number::Unsigned(3)),
            (1, Number::Unsigned(12)),
            (1, Number::Pid),
        ];
        self.weighted(TYPES).unwrap_or(Number::Byte)
    }

    /// A type that variables have, without channels.
    fn plain_type(&mut self) -> Ty {
        if !self.mtypes.is_empty() && self.chance(25) {
            return Ty::Mtype(self.below(self.mtypes.len()));
        }
        if !self.records.is_empty() && self.chance(35) {
            return Ty::Record(self.below(self.records.len()));
        }
        Ty::Number(self.number_type())
    }

    fn variable(&mut self, name: String) -> Variable {
        let ty = self.plain_type();
        let len = (self.may(Feature::Array) && self.chance(30)).then(|| self.some(1, 3));
        Variable { name, ty, len }
    }

    fn global_declarations(&mut self) -> Vec<Tree> {
        let mut declarations = Vec::new();
        for index in 0..self.some(1, 3) {
            let variable = self.variable(format!("g{index}"));
            let prefix = if self.may(Feature::Hidden) && self.chance(20) { "show " } else { "" };
            declarations.push(row(vec![text(prefix), self.declaration(&variable)]));
            self.globals.push(variable);
        }
        if self.may(Feature::Hidden) {
            declarations.push(text("hidden byte scratch;"));
            self.hidden = Some("scratch".to_owned());
            if self.chance(50) {
                let variable = Variable { name: "own".to_owned(), ty: Ty::Number(Number::Byte), len: None };
                declarations.push(text("local byte own;"));
                self.globals.push(variable);
            }
        }
        for index in 0..self.signatures.len() {
            for number in 0..self.some(1, 2) {
                let len = (self.may(Feature::ChannelArray) && self.chance(50)).then_some(2);
                let channel = self.new_channel(format!("c{index}{number}"), index, len);
                declarations.push(self.channel_declaration(&channel));
                self.channels.push(channel);
            }
        }
        declarations
    }

    fn new_channel(&mut self, name: String, signature: usize, len: Option<usize>) -> Channel {
        let is_rendezvous = self.may(Feature::Rendezvous) && self.chance(50);
        let capacity = if is_rendezvous { 0 } else { self.some(1, 2) };
        Channel { name, signature, len, capacity: Some(capacity) }
    }

    fn channel_declaration(&self, channel: &Channel) -> Tree {
        let fields: Vec<String> =
            self.signatures[channel.signature].fields.iter().map(|ty| self.type_name(ty)).collect();
        let len = channel.len.map_or_else(String::new, |len| format!("[{len}]"));
        let capacity = channel.capacity.unwrap_or(1);
        text(format!("chan {}{len} = [{capacity}] of {{ {} }};", channel.name, fields.join(", ")))
    }

    fn type_name(&self, ty: &Ty) -> String {
        match ty {
            // A field of a message has no width of its own.
            Ty::Number(Number::Unsigned(_)) => "byte".to_owned(),
            Ty::Number(number) => number.name().to_owned(),
            Ty::Mtype(index) => self.mtypes[*index].keyword(),
            Ty::Record(index) => self.records[*index].name.clone(),
            Ty::Channel(_) => "chan".to_owned(),
        }
    }

    /// `byte x[2] = 1;`
    fn declaration(&mut self, variable: &Variable) -> Tree {
        let len = variable.len.map_or_else(String::new, |len| format!("[{len}]"));
        let name = &variable.name;
        let (before, initial) = match &variable.ty {
            Ty::Number(number) => (number.declared(name, &len), self.initial(*number, variable.len)),
            Ty::Mtype(index) => {
                let chosen = self.pick(&self.mtypes[*index].names.clone()).filter(|_| self.chance(60));
                (format!("{} {name}{len}", self.mtypes[*index].keyword()), chosen)
            }
            other => {
                // SPIN reads an initial value of a record, and does not use it.
                let is_given = matches!(other, Ty::Record(_)) && self.may(Feature::RecordParameter) && self.chance(30);
                (format!("{} {name}{len}", self.type_name(other)), is_given.then(|| self.below(3).to_string()))
            }
        };
        let initial = initial.map_or_else(|| text(""), |initial| tree::optional(text(format!(" = {initial}"))));
        row(vec![text(before), initial, text(";")])
    }

    fn initial(&mut self, number: Number, len: Option<usize>) -> Option<String> {
        if !self.chance(45) {
            return None;
        }
        let greatest = if number.is_small() { 1 } else { 3 };
        match len {
            Some(len) if self.chance(40) => {
                let values: Vec<String> = (0..len).map(|_| self.below(greatest + 1).to_string()).collect();
                Some(format!("{{ {} }}", values.join(", ")))
            }
            _ if self.may(Feature::Truncation) && self.chance(30) => Some(self.wide_number().to_string()),
            _ => Some(self.below(greatest + 1).to_string()),
        }
    }

    /// What stands between two pieces of text that nothing has to stand between: perhaps a line break.
    fn gap(&mut self, usual: &str) -> Tree {
        if !self.may(Feature::Layout) || !self.chance(20) {
            return text(usual);
        }
        let odd = self.pick(&["\n", " ", " /* */ ", " /* a\n b */ ", " \\\n ", " // a\n"]);
        text(odd.unwrap_or(usual))
    }

    /// `inline` definitions and macros.
    fn definitions(&mut self) -> Vec<Tree> {
        let mut definitions = Vec::new();
        if self.may(Feature::Macro) {
            let (value, condition) = (self.value(1), self.condition(1));
            definitions.push(row(vec![text("#define M0(x) (("), value, text(") + (x))")]));
            definitions.push(row(vec![text("#define M1 ("), condition, text(")")]));
            self.macros = 2;
        }
        if self.may(Feature::Inline) {
            definitions.push(self.inline_definition());
            self.inlines = 1;
        }
        definitions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_one_program() {
        for seed in 0..200 {
            let program = random_model(seed, &[]).to_string();
            assert_eq!(program, random_model(seed, &[]).to_string());
            assert!(program.contains("proctype") || program.contains("init"), "seed {seed}: {program}");
        }
    }

    #[test]
    fn refused_features_are_not_used() {
        for seed in 0..200 {
            let without = [Feature::Unless, Feature::DStep, Feature::Channel];
            let program = random_model(seed, &without).to_string();
            assert!(["unless", "d_step", "chan "].iter().all(|word| !program.contains(word)), "seed {seed}: {program}");
        }
    }
}
