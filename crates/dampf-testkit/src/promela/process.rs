//! Processes: who there is, who starts whom, and the frame around the statements.

use super::plan::{Channel, Number, Plan, Ty, Variable};
use super::statement::Context;
use super::tree::{Sort, Tree, block, expression, list, optional, row, sequence, statement, text};
use super::{Feature, Generator, Label};

/// No more processes than this are there from the start.
const ACTIVE_MAX: usize = 3;

impl Generator {
    /// Decides who there is.
    pub(super) fn plan(&mut self) {
        let has_init = self.may(Feature::Init);
        let count = self.some(if has_init { 1 } else { 2 }, 3);
        let mut active_left = ACTIVE_MAX;
        for index in 0..count {
            // One alone has nobody to meet.
            let must_run = index < 2 && !has_init;
            let is_active = must_run || self.chance(if has_init || self.may(Feature::Run) { 40 } else { 100 });
            let active = if is_active && active_left > 0 { self.some(1, active_left.min(2)) } else { 0 };
            active_left -= active;
            let plan = self.process_plan(format!("P{index}"), active);
            self.plans.push(plan);
        }
        if has_init {
            let init = self.process_plan(String::new(), 1);
            let position = if self.chance(50) { 0 } else { self.plans.len() };
            self.plans.insert(position, init);
        }
        let mut pid = 0;
        for plan in &mut self.plans {
            plan.first_pid = pid;
            pid += plan.active;
        }
    }

    fn process_plan(&mut self, name: String, active: usize) -> Plan {
        let is_init = name.is_empty();
        let is_recursive = active == 0 && self.may(Feature::Recursion) && self.chance(50);
        let mut parameters = Vec::new();
        if !is_init && (active == 0 || self.chance(10)) {
            for _ in 0..self.below(3) {
                let ty = self.parameter_type(active == 0);
                parameters.push(Variable { name: format!("p{}", parameters.len()), ty, len: None });
            }
        }
        // SPIN takes `P[0]:x` for a variable of the process that looks, if that has one of this name.
        let letter = ["x", "y", "z", "w"][self.plans.len().min(3)];
        let mut locals: Vec<Variable> =
            (0..self.below(3)).map(|index| self.variable(format!("{letter}{index}"))).collect();
        let mut channels = Vec::new();
        if !self.signatures.is_empty() {
            let signature = self.below(self.signatures.len());
            if self.may(Feature::LocalChannel) && self.chance(60) {
                let len = (self.may(Feature::ChannelArray) && self.chance(15)).then_some(2);
                channels.push(Channel { capacity: Some(1), ..self.new_channel("l0".to_owned(), signature, len) });
            }
            if self.may(Feature::ChannelMessage) && self.chance(60) {
                locals.push(Variable { name: "h0".to_owned(), ty: Ty::Channel(0), len: None });
            }
        }
        let landmark = self.may(Feature::RemoteLabel).then(|| "here".to_owned());
        Plan { name, active, first_pid: 0, parameters, locals, channels, landmark, is_recursive }
    }

    fn parameter_type(&mut self, with_channels: bool) -> Ty {
        match self.below(10) {
            0..=3 if with_channels && !self.signatures.is_empty() => Ty::Channel(self.below(self.signatures.len())),
            4 | 5 if !self.mtypes.is_empty() => Ty::Mtype(self.below(self.mtypes.len())),
            6 | 7 if self.may(Feature::RecordParameter) => {
                let carried: Vec<usize> = (0..self.records.len()).filter(|&index| self.can_be_sent(index)).collect();
                self.pick(&carried).map_or(Ty::Number(Number::Byte), Ty::Record)
            }
            _ => Ty::Number(self.carried_type()),
        }
    }

    /// The text of a process.
    pub(super) fn process(&mut self, index: usize) -> Tree {
        let plan = self.plans[index].clone();
        self.current = Some(index);
        self.end_labels = 0;
        self.locals = plan.parameters.iter().chain(&plan.locals).cloned().collect();
        self.labels = (0..if self.may(Feature::Goto) { self.some(1, 2) } else { 0 })
            .map(|number| Label { name: format!("L{number}"), is_placed: false, is_used: false })
            .collect();
        let body = self.body(&plan);
        let declarations = self.local_declarations(&plan);
        let inner = row(vec![list(declarations, "\n", ""), text("\n"), body]);
        let head = self.head(&plan);
        self.current = None;
        self.locals.clear();
        row(vec![head, text(" {"), block(inner), text("}")])
    }

    /// `active [2] proctype P(byte p0; chan p1) provided (…)`
    fn head(&mut self, plan: &Plan) -> Tree {
        if plan.name.is_empty() {
            return text("init");
        }
        let active = match plan.active {
            0 => text(""),
            1 => optional(text("active ")),
            count => row(vec![text("active ["), text(count.to_string()).with(Sort::Expression), text("] ")]),
        };
        let parameter = |variable: &Variable| text(format!("{} {}", self.type_name(&variable.ty), variable.name));
        let mut parameters: Vec<Tree> = plan.parameters.iter().map(parameter).collect();
        if plan.is_recursive {
            parameters.insert(0, text("byte more"));
        }
        let provided = if self.may(Feature::Provided) && self.chance(60) {
            // Neither its own variables nor those of others are in sight there.
            self.locals.clear();
            let current = self.current.take();
            let (one, other) = (self.condition(0), self.condition(0));
            self.current = current;
            optional(row(vec![text(" provided ("), one, text(" || "), other, text(")")]))
        } else {
            text("")
        };
        row(vec![active, text(format!("proctype {}(", plan.name)), list(parameters, "; ", ""), text(")"), provided])
    }

    fn local_declarations(&mut self, plan: &Plan) -> Vec<Tree> {
        let mut declarations: Vec<Tree> = Vec::new();
        for variable in &plan.locals {
            let from_parameter = plan.parameters.iter().find(|one| matches!(one.ty, Ty::Number(_)));
            match (&variable.ty, from_parameter) {
                (Ty::Number(number), Some(parameter)) if variable.len.is_none() && self.chance(25) => {
                    declarations.push(text(format!("{} = {};", number.declared(&variable.name, ""), parameter.name)));
                }
                _ => declarations.push(self.declaration(variable)),
            }
        }
        if self.may(Feature::For) || self.may(Feature::Select) {
            declarations.push(text("byte k0, k1, k2, k3, k_3;"));
        }
        declarations.extend(plan.channels.iter().map(|channel| self.channel_declaration(channel)));
        declarations
    }

    fn body(&mut self, plan: &Plan) -> Tree {
        let context = Context { depth: 3, repeats: plan.active == 0, is_outermost: true, ..Context::default() };
        let is_init = plan.name.is_empty();
        let mut statements = if is_init { self.starts() } else { Vec::new() };
        if is_init {
            statements.extend(self.statements(context, 0, 1));
        } else if self.may(Feature::Loop) && self.chance(65) {
            statements.extend(self.statements(context, 0, 1));
            let repeated = self.repetition(context, 2, 3);
            statements.push(self.labelled(context, repeated));
            statements.extend(self.statements(context, 0, 1));
        } else {
            statements.extend(self.statements(context, 2, 5));
        }
        if plan.is_recursive {
            let again = self.run_with(plan, "more - 1");
            let choice = vec![text("if\n:: more > 0 -> "), again, text("\n:: else\nfi")];
            let position = self.below(statements.len() + 1);
            statements.insert(position, statement(choice));
        }
        if let Some(landmark) = &plan.landmark {
            let position = self.below(statements.len() + 1);
            let landing = self.assignment(context).unwrap_or_else(|| text("skip"));
            statements.insert(position, statement(vec![optional(text(format!("{landmark}: "))), landing]));
        }
        // A label that somebody goes to has to be somewhere.
        for label in &mut self.labels {
            if label.is_used && !label.is_placed {
                label.is_placed = true;
                statements.push(text(format!("{}: skip", label.name)).with(Sort::Statement));
            }
        }
        sequence(statements)
    }

    /// What `init` does first: it starts those who are not there yet.
    fn starts(&mut self) -> Vec<Tree> {
        let waiting: Vec<Plan> =
            self.plans.iter().filter(|plan| plan.active == 0 && !plan.name.is_empty()).cloned().collect();
        let mut statements = Vec::new();
        for plan in &waiting {
            for _ in 0..self.some(1, 2) {
                statements.push(self.run_plainly(plan));
                if self.chance(15) {
                    // Whoever comes next has the number of one that is gone.
                    let alone: usize = self.plans.iter().map(|plan| plan.active).sum();
                    statements.push(statement(vec![text(format!("_nr_pr <= {alone}"))]));
                }
            }
        }
        if self.may(Feature::Atomic) && self.chance(60) && !statements.is_empty() {
            return vec![statement(vec![text("atomic {"), block(sequence(statements)), text("}")])];
        }
        statements
    }

    /// Starts one of those that come after this one, so that nobody starts those that start him.
    pub(super) fn run(&mut self, context: Context) -> Option<Tree> {
        let current = self.current?;
        let later: Vec<Plan> =
            self.plans.iter().skip(current + 1).filter(|plan| !plan.name.is_empty()).cloned().collect();
        let plan = self.pick(&later)?;
        let run = self.run_plainly(&plan);
        if !context.repeats && !self.chance(30) {
            return Some(run);
        }
        let bound = self.some(3, 4);
        let guard = expression(vec![text(format!("(_nr_pr < {bound})"))]);
        if context.is_atomic || !self.may(Feature::Atomic) || self.chance(30) {
            return Some(sequence(vec![guard, run]));
        }
        Some(statement(vec![text("atomic {"), block(sequence(vec![guard, run])), text("}")]))
    }

    fn run_plainly(&mut self, plan: &Plan) -> Tree {
        let more = self.some(1, 2).to_string();
        self.run_with(plan, &more)
    }

    /// Starts a process that may start itself, so often.
    fn run_with(&mut self, plan: &Plan, more: &str) -> Tree {
        let mut arguments = if plan.is_recursive { vec![text(more)] } else { Vec::new() };
        arguments.extend(plan.parameters.iter().map(|parameter| self.run_argument(&parameter.ty)));
        let mut pieces = vec![text(format!("run {}(", plan.name))];
        for (index, argument) in arguments.into_iter().enumerate() {
            pieces.push(text(if index > 0 { ", " } else { "" }));
            pieces.push(argument);
        }
        pieces.push(text(")"));
        match self.plain_number() {
            Some(name) if self.chance(20) => {
                pieces.insert(0, text(format!("{name} = ")));
                statement(pieces)
            }
            _ => statement(pieces),
        }
    }

    fn run_argument(&mut self, ty: &Ty) -> Tree {
        match ty {
            Ty::Number(_) if self.chance(50) => text(self.below(3).to_string()).with(Sort::Expression),
            Ty::Number(_) => self.bounded_value(),
            Ty::Mtype(mtype) => self.name_of(*mtype),
            Ty::Channel(signature) => {
                let found = self.channel(|channel| channel.signature == *signature);
                found.map_or_else(|| text("0"), |(channel, _)| channel)
            }
            Ty::Record(record) => match self.record_variable(*record) {
                Some(variable) if self.chance(70) => variable,
                // Its fields, one by one.
                _ => text((0..self.leaves(*record)).map(|_| self.below(2).to_string()).collect::<Vec<_>>().join(", ")),
            },
        }
    }
}
