//! Values, conditions, and the places where values are kept.

use super::plan::{Channel, Number, Ty, Variable};
use super::tree::{Sort, Tree, expression, row, text};
use super::{Feature, Generator};

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Number {
        number: Number,
        /// Arrays of bits are kept in bytes, so they come round late.
        is_element: bool,
    },
    Mtype(usize),
}

fn constant(value: impl ToString) -> Tree {
    text(value.to_string()).with(Sort::Expression)
}

impl Generator {
    // Places.

    /// The variables in sight.
    fn variables(&self) -> Vec<Variable> {
        self.globals.iter().chain(&self.locals).cloned().collect()
    }

    /// A place of a variable in sight that fits.
    pub(super) fn place(&mut self, fits: impl Fn(Scalar) -> bool) -> Option<(Tree, Scalar)> {
        let variables = self.variables();
        for _ in 0..8 {
            let variable = self.pick(&variables)?;
            if let Some((place, scalar)) = self.place_in(&variable)
                && fits(scalar)
            {
                return Some((place, scalar));
            }
        }
        None
    }

    /// A place within a variable; none within a channel.
    fn place_in(&mut self, variable: &Variable) -> Option<(Tree, Scalar)> {
        let mut pieces = vec![text(variable.name.clone())];
        let mut ty = variable.ty.clone();
        let mut len = variable.len;
        loop {
            if let Some(len) = len {
                pieces.extend([text("["), self.index(len), text("]")]);
            }
            match ty {
                Ty::Number(number) => {
                    return Some((row(pieces), Scalar::Number { number, is_element: len.is_some() }));
                }
                Ty::Mtype(index) => return Some((row(pieces), Scalar::Mtype(index))),
                Ty::Channel(_) => return None,
                Ty::Record(index) => {
                    let field = self.pick(&self.records[index].fields.clone())?;
                    pieces.push(text(format!(".{}", field.name)));
                    (ty, len) = (field.ty, field.len);
                }
            }
        }
    }

    /// A place for a number.
    pub(super) fn number_place(&mut self) -> Option<(Tree, Number, bool)> {
        match self.place(|scalar| matches!(scalar, Scalar::Number { .. }))? {
            (place, Scalar::Number { number, is_element }) => Some((place, number, is_element)),
            (_, Scalar::Mtype(_)) => None,
        }
    }

    /// A plain variable that holds a number, by name.
    pub(super) fn plain_number(&mut self) -> Option<String> {
        let is_plain = |variable: &Variable| variable.len.is_none() && matches!(variable.ty, Ty::Number(_));
        let plain: Vec<Variable> = self.variables().into_iter().filter(is_plain).collect();
        self.pick(&plain).map(|variable| variable.name)
    }

    fn index(&mut self, len: usize) -> Tree {
        // Nothing stands for a constant index: another might be out of bounds.
        if self.may(Feature::WildIndex) && self.chance(8) {
            return text((len + self.below(2)).to_string());
        }
        if len == 1 || self.is_fixed || self.chance(50) {
            return text(self.below(len).to_string());
        }
        let is_natural = |variable: &Variable| {
            let is_natural = matches!(variable.ty, Ty::Number(number) if !number.is_negative_possible());
            variable.len.is_none() && is_natural
        };
        let natural: Vec<Variable> = self.variables().into_iter().filter(is_natural).collect();
        match self.pick(&natural) {
            Some(variable) if self.chance(75) => constant(format!("{} % {len}", variable.name)),
            _ if self.current.is_some() => constant(format!("_pid % {len}")),
            _ => text(self.below(len).to_string()),
        }
    }

    /// A channel that fits.
    pub(super) fn channel(&mut self, fits: impl Fn(&Channel) -> bool) -> Option<(Tree, Channel)> {
        let mut channels = self.channels.clone();
        if let Some(current) = self.current {
            channels.extend(self.plans[current].channels.iter().cloned());
        }
        let parameters = self.locals.iter().filter_map(|variable| match variable.ty {
            Ty::Channel(signature) if variable.name.starts_with('p') => {
                Some(Channel { name: variable.name.clone(), signature, len: None, capacity: None })
            }
            _ => None,
        });
        channels.extend(parameters);
        channels.retain(fits);
        let channel = self.pick(&channels)?;
        let place = match channel.len {
            Some(len) => row(vec![text(format!("{}[", channel.name)), self.index(len), text("]")]),
            None => text(channel.name.clone()),
        };
        Some((place, channel))
    }

    // Values.

    /// A number that many types cannot hold.
    pub(super) fn wide_number(&mut self) -> i64 {
        const WIDE: &[i64] = &[2, 3, 5, 9, 255, 256, 257, -1, -2, -129, 32_767, 32_768, 65_537, 70_000, -40_000];
        self.pick(WIDE).unwrap_or(256)
    }

    /// A number, computed.
    pub(super) fn value(&mut self, depth: usize) -> Tree {
        if depth == 0 || self.chance(30) {
            return self.leaf();
        }
        match self.below(10) {
            0..=5 => {
                const OPERATIONS: &[&str] = &["+", "-", "*", "&", "|", "^", "==", "<", "&&", "||", ">="];
                let operation = self.pick(OPERATIONS).unwrap_or("+");
                let (left, right) = (self.value(depth - 1), self.value(depth - 1));
                expression(vec![text("("), left, text(format!(" {operation} ")), right, text(")")])
            }
            6 => {
                // By a number that is not 0, and not too far.
                const OPERATIONS: &[&str] = &["/", "%", "<<", ">>"];
                let operation = self.pick(OPERATIONS).unwrap_or("%");
                let (left, right) = (self.value(depth - 1), self.some(1, 3));
                expression(vec![text("("), left, text(format!(" {operation} {right})"))])
            }
            7 => {
                const OPERATIONS: &[&str] = &["-", "!", "~"];
                let operation = self.pick(OPERATIONS).unwrap_or("-");
                expression(vec![text(format!("({operation}(")), self.value(depth - 1), text("))")])
            }
            8 => {
                // The grammar has no place here for `empty` and the like.
                let was_quiet = std::mem::replace(&mut self.is_quiet, true);
                let condition = self.condition(depth - 1);
                self.is_quiet = was_quiet;
                let (one, other) = (self.value(depth - 1), self.value(depth - 1));
                expression(vec![text("("), condition, text(" -> "), one, text(" : "), other, text(")")])
            }
            _ if self.macros > 0 => expression(vec![text("M0("), self.value(depth - 1), text(")")]),
            _ => self.leaf(),
        }
    }

    fn leaf(&mut self) -> Tree {
        match self.below(12) {
            0..=3 => constant(self.below(4)),
            4 if self.current.is_some() => constant("_pid"),
            8 if self.chance(20) => constant(if self.chance(50) { "true" } else { "false" }),
            5 if self.may(Feature::ProcessCount) => constant("_nr_pr"),
            5 if self.may(Feature::Last) => constant("_last"),
            6 if self.may(Feature::ChannelQuery) && !self.is_quiet => match self.channel(|_| true) {
                Some((channel, _)) => expression(vec![text("len("), channel, text(")")]),
                None => constant(1),
            },
            7 | 9 if self.may(Feature::RemoteVariable) && !self.is_near => {
                self.remote_variable().unwrap_or_else(|| constant(0))
            }
            _ => match self.number_place() {
                Some((place, ..)) => place.with(Sort::Expression),
                None => constant(self.below(3)),
            },
        }
    }

    /// A number that stays small, however often it is computed.
    pub(super) fn bounded_value(&mut self) -> Tree {
        match self.below(10) {
            0..=4 => constant(self.below(3)),
            5 if self.may(Feature::Truncation) => constant(self.wide_number()),
            6 if self.may(Feature::Truncation) => {
                let (value, wide) = (self.value(1), self.wide_number());
                let modulus = self.some(2, 3);
                expression(vec![text("("), value, text(format!(" % {modulus} + {wide})"))])
            }
            _ => {
                let (value, modulus) = (self.value(2), self.some(2, 3));
                expression(vec![text("("), value, text(format!(" % {modulus})"))])
            }
        }
    }

    /// A name of a set.
    pub(super) fn name_of(&mut self, mtype: usize) -> Tree {
        let names = self.mtypes[mtype].names.clone();
        constant(self.pick(&names).unwrap_or_default())
    }

    // Conditions.

    /// A condition, mostly one that is sometimes true.
    pub(super) fn condition(&mut self, depth: usize) -> Tree {
        if depth > 0 && self.chance(25) {
            let operation = if self.chance(50) { "&&" } else { "||" };
            let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
            return expression(vec![text("("), left, text(format!(" {operation} ")), right, text(")")]);
        }
        match self.below(16) {
            0 if self.may(Feature::ProcessCount) => {
                constant(format!("(_nr_pr {} {})", self.comparison(), self.some(1, 3)))
            }
            1 if self.may(Feature::Last) => constant(format!("(_last {} {})", self.comparison(), self.below(3))),
            2 if self.may(Feature::Enabled) => self.enabled().unwrap_or_else(|| constant("true")),
            3 if self.may(Feature::PcValue) => self.position(),
            4 | 5 if self.may(Feature::ChannelQuery) && !self.is_quiet => {
                self.channel_query().unwrap_or_else(|| constant("true"))
            }
            6 | 7 if self.may(Feature::Poll) && !self.is_quiet => self.poll().unwrap_or_else(|| constant("true")),
            8 | 9 if self.may(Feature::RemoteLabel) && !self.is_near => {
                self.remote_label().unwrap_or_else(|| constant("true"))
            }
            10 if self.macros > 1 => constant("M1"),
            11 => {
                let value = self.value(1);
                expression(vec![text("("), value, text(format!(" {} {})", self.comparison(), self.below(3)))])
            }
            _ => self.compared_place(),
        }
    }

    /// A value that is 0 or 1. No piece of it stands for the whole, as that might be something else.
    pub(super) fn comparison_of_values(&mut self) -> Tree {
        let (left, comparison, right) = (self.value(1), self.comparison(), self.value(0));
        row(vec![text("("), left, text(format!(" {comparison} ")), right, text(")")])
    }

    fn comparison(&mut self) -> &'static str {
        // Variables begin with small values, and what is never true is of little interest.
        const COMPARISONS: &[(usize, &str)] = &[(3, "=="), (4, "!="), (2, "<"), (4, "<="), (2, ">"), (2, ">=")];
        self.weighted(COMPARISONS).unwrap_or("==")
    }

    /// What a place holds, compared.
    fn compared_place(&mut self) -> Tree {
        match self.place(|_| true) {
            Some((place, Scalar::Mtype(index))) => {
                let (equal, name) = (if self.chance(60) { "==" } else { "!=" }, self.name_of(index));
                expression(vec![text("("), place, text(format!(" {equal} ")), name, text(")")])
            }
            Some((place, Scalar::Number { .. })) => {
                let comparison = self.comparison();
                let bound = if comparison == "<" { self.some(1, 2) } else { self.below(3) };
                expression(vec![text("("), place, text(format!(" {comparison} {bound})"))])
            }
            None => constant("true"),
        }
    }

    fn position(&mut self) -> Tree {
        let (one, other) = (self.below(3), self.below(3));
        if self.chance(50) {
            constant(format!("(pc_value({one}) == pc_value({other}))"))
        } else {
            constant(format!("(pc_value({one}) > {})", self.some(1, 5)))
        }
    }

    // Other processes.

    /// Whether a process can move. Nobody may ask that of himself.
    fn enabled(&mut self) -> Option<Tree> {
        let plan = &self.plans[self.current?];
        let own = plan.first_pid..plan.first_pid + plan.active;
        let others: Vec<usize> = (0..4).filter(|pid| plan.active > 0 && !own.contains(pid)).collect();
        self.pick(&others).map(|pid| constant(format!("enabled({pid})")))
    }

    /// Another process that is there from the start, has been declared before this one, and the number of one of them.
    fn other_process(&mut self, fits: impl Fn(&super::Plan) -> bool) -> Option<(super::Plan, usize)> {
        let current = self.current?;
        let others = self.plans.iter().enumerate();
        let others: Vec<super::Plan> = others
            .filter(|(index, plan)| *index < current && plan.active > 0 && !plan.name.is_empty() && fits(plan))
            .map(|(_, plan)| plan.clone())
            .collect();
        let plan = self.pick(&others)?;
        let pid = plan.first_pid + self.below(plan.active);
        Some((plan, pid))
    }

    fn remote_label(&mut self) -> Option<Tree> {
        let (plan, pid) = self.other_process(|plan| plan.landmark.is_some())?;
        Some(constant(format!("({}[{pid}]@{})", plan.name, plan.landmark?)))
    }

    fn remote_variable(&mut self) -> Option<Tree> {
        let is_plain = |variable: &&Variable| variable.len.is_none() && matches!(variable.ty, Ty::Number(_));
        let (plan, pid) = self.other_process(|plan| plan.locals.iter().any(|variable| is_plain(&variable)))?;
        let variables: Vec<Variable> = plan.locals.iter().filter(is_plain).cloned().collect();
        let variable = self.pick(&variables)?;
        Some(constant(format!("{}[{pid}]:{}", plan.name, variable.name)))
    }
}
