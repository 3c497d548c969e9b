//! The reference model: a space whose shape is set by knobs, to measure what a search gains by more cores (Holzmann and
//! Bošnački, *The design of a multicore extension of the SPIN model checker*, §5.2 and appendix B).
//!
//! A file `NAME.reference` has lines `KNOB = NUMBER`, and `-D KNOB=NUMBER` sets a knob from outside. It is a front end
//! like any other, and so goes through every engine, store and output: what is measured is what users run.
//!
//! - `states`: how many there are. A state is its number, and the last one is a valid end.
//! - `branch`: how many steps leave a state.
//! - `bytes`: of every state, beside its number. They are always zero, as in the paper.
//! - `delay`: a step computes `2^delay` additions on so many bytes.
//! - `meet`: 1 as in the paper, where all steps of a state lead to the next one. SPIN takes a step, goes deeper, and
//!   takes the other steps when it comes back: they are work for one core while the next goes on. A worker here
//!   delivers all steps of a state at once, so that this space is a chain, and no search gains anything. With 0, the
//!   default, states lie in layers of `branch`, and each step leads to another state of the next layer: of a layer, one
//!   state leads deeper, and the others are work for who comes back. That is the paper's space with expansions in the
//!   place of steps.

use super::guarded::definitions;
use crate::failure::Failure;
use crate::front_end::{FrontEnd, Hashes, Made, Making, Offer};
use crate::options::ModelOptions;
use crate::source::{has_extension, read_source};
use dampf_core::{
    Acceptance, Action, Agents, Binding, Describe, Model, Movers, Observations, Propositions, Restore, Sections, Step,
    Successors, Transfer, Unsupported, Word, Worker,
};
use dampf_report::{Knowledge, Palette, text_hash};
use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;

/// The knobs, with their names, their defaults and the most they can be.
const KNOBS: [(&str, u32, u32); 5] =
    [("states", 500_000, u32::MAX), ("branch", 8, 1024), ("bytes", 200, 1 << 16), ("delay", 9, 40), ("meet", 0, 1)];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Knobs {
    states: u32,
    branch: u32,
    bytes: u32,
    delay: u32,
    meet: bool,
}

impl Knobs {
    /// Reads the lines of a file, and what is set from outside.
    fn read(name: &str, text: &str, definitions: &[(String, i64)]) -> Result<Knobs, Failure> {
        let mut values = KNOBS.map(|(_, usual, _)| usual);
        let mut set = |knob: &str, value: Option<i64>| {
            let at = KNOBS.iter().position(|(name, ..)| *name == knob).ok_or_else(|| {
                let names = KNOBS.map(|(name, ..)| name).join(", ");
                format!("there is no knob `{knob}`; there are {names}")
            })?;
            let (least, most) = (i64::from(at < 2), i64::from(KNOBS[at].2));
            let value = value.filter(|value| (least..=most).contains(value));
            values[at] = value.ok_or_else(|| format!("`{knob}` is a number from {least} to {most}"))? as u32;
            Ok(())
        };
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (knob, value) = line.split_once('=').unwrap_or((line, ""));
            let read = set(knob.trim(), value.trim().parse().ok());
            read.map_err(|problem: String| Failure::new(format!("{name}:{}: {problem}", number + 1)))?;
        }
        for (knob, value) in definitions {
            set(knob, Some(*value)).map_err(|problem| Failure::new(format!("-D {knob}={value}: {problem}")))?;
        }
        let [states, branch, bytes, delay, meet] = values;
        Ok(Knobs { states, branch, bytes, delay, meet: meet == 1 })
    }
}

/// A file of knobs.
pub struct Reference {
    knobs: Knobs,
    hash: String,
}

impl FrontEnd for Reference {
    const CALLED: &'static str = "a reference model";
    const ALL_CALLED: &'static str = "reference models";
    const OFFERS: &'static [Offer] = &[Offer::Definitions];

    type Model = ReferenceModel;

    fn reads(path: &Path) -> bool {
        has_extension(path, &["reference"])
    }

    fn load(path: &Path, options: &ModelOptions, _: Option<&Knowledge>) -> Result<Self, Failure> {
        let source = read_source(path)?;
        let knobs = Knobs::read(&path.display().to_string(), &source.text, &definitions(&options.definitions)?)?;
        Ok(Reference { knobs, hash: text_hash(&source.text) })
    }

    fn hashes(&self) -> Hashes {
        Hashes { input: self.hash.clone(), build: None }
    }

    fn model(&self, _: &Making) -> Result<Made<ReferenceModel>, Unsupported> {
        let searched = ReferenceModel { knobs: self.knobs };
        Ok(Made { searched, reference: None, backend: "built-in", reduction: "none" })
    }

    fn write_info(self, out: &mut dyn Write, palette: Palette) -> Result<io::Result<()>, Failure> {
        let Knobs { states, branch, bytes, delay, meet } = self.knobs;
        let rows = [("states", states), ("branch", branch), ("bytes", bytes), ("delay", delay), ("meet", meet.into())];
        let mut rows = rows.iter().map(|(knob, value)| (palette.aside(format!("{knob:<12}")), value));
        Ok(rows.try_for_each(|(knob, value)| writeln!(out, "{knob} {value}")))
    }
}

/// The space that the knobs make.
pub struct ReferenceModel {
    knobs: Knobs,
}

/// One thread's steps.
pub struct ReferenceWorker {
    knobs: Knobs,
    /// A state, whose bytes are zero.
    state: Vec<Word>,
    /// What a step computes with.
    scratch: Vec<u8>,
}

impl Model for ReferenceModel {
    type Worker<'m> = ReferenceWorker;

    fn width(&self) -> usize {
        1 + self.knobs.bytes.div_ceil(4) as usize
    }

    fn worker(&self) -> ReferenceWorker {
        let (state, scratch) = (vec![0; self.width()], vec![0; self.knobs.bytes.max(1) as usize]);
        ReferenceWorker { knobs: self.knobs, state, scratch }
    }
}

impl ReferenceWorker {
    /// Takes as long as a step is to take.
    fn compute(&mut self) {
        let bytes = self.scratch.len();
        for number in 0..1_usize << self.knobs.delay {
            let byte = &mut self.scratch[number % bytes];
            *byte = byte.wrapping_add(number as u8);
        }
        // Somebody might look at it.
        black_box(&mut self.scratch);
    }
}

impl Worker for ReferenceWorker {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        self.state[0] = 0;
        out.push(Action(0), &self.state);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        let Knobs { states, branch, meet, .. } = self.knobs;
        let number = u64::from(state[0]);
        // The first state is a layer of its own.
        let layer = number.div_ceil(u64::from(branch));
        let next = if meet { number + 1 } else { 1 + layer * u64::from(branch) };
        for step in 0..u64::from(branch) {
            let target = if meet { next } else { next + step };
            if target < u64::from(states) {
                self.compute();
                self.state[0] = target as Word;
                out.push(Action(step), &self.state);
            }
        }
        out.set_valid_end(true);
    }
}

impl Describe for ReferenceModel {
    fn describe_state(&self, state: &[Word]) -> Vec<Binding> {
        vec![Binding { name: "count".to_owned(), value: state[0].to_string() }]
    }

    fn describe_step(&self, _: &[Word], action: Action) -> Step {
        let process = format!("ref {}", action.front_end());
        Step { process, function: "ref".to_owned(), location: None, text: "counts".to_owned() }
    }

    fn describe_blocked(&self, _: &[Word]) -> Vec<String> {
        Vec::new()
    }
}

impl Transfer for ReferenceModel {}
impl Restore for ReferenceModel {}
impl Sections for ReferenceModel {}
impl Propositions for ReferenceModel {}
impl Acceptance for ReferenceModel {}

impl Agents for ReferenceModel {}
impl Movers for ReferenceModel {}
impl Observations for ReferenceModel {}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(knobs: Knobs, number: Word) -> Vec<Word> {
        let model = ReferenceModel { knobs };
        let mut out = Successors::new(model.width());
        let mut state = vec![0; model.width()];
        state[0] = number;
        model.worker().successors(&state, &mut out);
        out.states().map(|state| state[0]).collect()
    }

    #[test]
    fn knobs_are_lines_and_definitions() {
        let read = |text: &str, definitions: &[(String, i64)]| Knobs::read("x.reference", text, definitions);
        let knobs = Knobs { states: 10, branch: 3, bytes: 0, delay: 1, meet: false };
        let text = "states = 10 # few\n\nbranch=3\nbytes = 0\ndelay = 7\n";
        assert_eq!(read(text, &[("delay".to_owned(), 1)]).ok(), Some(knobs));
        for bad in ["branch = 0", "branch", "meet = 2", "colour = 3", "delay = x", "states = 99999999999"] {
            assert!(read(bad, &[]).is_err(), "{bad}");
        }
        assert!(read("", &[("colour".to_owned(), 1)]).is_err());
    }

    #[test]
    fn layers_lead_to_all_of_the_next_layer() {
        let knobs = Knobs { states: 9, branch: 3, bytes: 5, delay: 0, meet: false };
        assert_eq!(targets(knobs, 0), [1, 2, 3]);
        assert_eq!([1, 2, 3].map(|number| targets(knobs, number)), [[4, 5, 6], [4, 5, 6], [4, 5, 6]]);
        assert_eq!(targets(knobs, 4), [7, 8]);
        assert!(targets(knobs, 7).is_empty());
    }

    #[test]
    fn in_the_papers_model_all_steps_meet() {
        let knobs = Knobs { states: 3, branch: 2, bytes: 5, delay: 0, meet: true };
        assert_eq!([0, 1].map(|number| targets(knobs, number)), [[1, 1], [2, 2]]);
        assert!(targets(knobs, 2).is_empty());
    }
}
