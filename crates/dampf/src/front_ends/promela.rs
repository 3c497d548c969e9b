//! Promela models: a text, the files it includes, and the macros given on the command line.

use super::guarded::{estimate, made, offered_estimates};
use super::promela_info;
use crate::failure::Failure;
use crate::front_end::{AskedEstimate, FrontEnd, Hashes, LookedAt, Made, Making, Observed, Offer, OwnProperty};
use crate::options::ModelOptions;
use crate::source::{has_extension, read_source, text_of};
use dampf_core::{Automaton, FaultKind, Revise, Trail, Unsupported};
use dampf_gcl::Estimate;
use dampf_gcl::model::Backend;
use dampf_promela::{Asked, PromelaModel, Property};
use dampf_reduce::{Reduced, Symmetric};
use dampf_report::{Knowledge, Palette, text_hash};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// Of what is kept in trails and checkpoints.
const KNOWLEDGE_VERSION: u32 = 2;

/// A Promela model that was read and understood.
pub struct Promela {
    promela: dampf_promela::Promela,
    hash: String,
    estimates: Vec<Estimate>,
}

impl FrontEnd for Promela {
    const CALLED: &'static str = "a Promela model";
    const ALL_CALLED: &'static str = "Promela models";
    const OFFERS: &'static [Offer] = &[
        Offer::Definitions,
        Offer::Expressions,
        Offer::Formulas,
        Offer::Progress,
        Offer::AcceptanceLabels,
        Offer::Backends,
        Offer::Interleavings,
        Offer::Symmetry,
    ];

    type Model = Symmetric<Reduced<PromelaModel>>;

    fn reads(path: &Path) -> bool {
        has_extension(path, &["pml", "pm", "pr", "prom", "promela", "spin"])
    }

    fn load(path: &Path, options: &ModelOptions, known: Option<&Knowledge>) -> Result<Self, Failure> {
        let source = read_source(path)?;
        let macros: Vec<(String, String)> = options
            .definitions
            .iter()
            .map(|text| match text.split_once('=') {
                Some((name, text)) => (name.to_owned(), text.to_owned()),
                None => (text.clone(), "1".to_owned()),
            })
            .collect();
        let mut include = |name: &str, from: &Path| {
            let beside = from.parent().map_or_else(|| Path::new(name).to_path_buf(), |folder| folder.join(name));
            let bytes = std::fs::read(&beside).map_err(|error| error.to_string())?;
            Ok((beside.display().to_string(), text_of(bytes)))
        };
        let model = dampf_promela::read(source, &macros, &mut include)?;
        let mut asked = Vec::new();
        for (kind, texts) in [(FaultKind::Invariant, &options.invariants), (FaultKind::Goal, &options.goals)] {
            asked.extend(texts.iter().map(|text| Asked { kind, text }));
        }
        let mut promela = dampf_promela::Promela::asked(&model, &asked)?;
        if let Some(known) = known {
            if known.version != KNOWLEDGE_VERSION {
                return Err(Failure::other_knowledge(path));
            }
            promela.recall(&known.text);
        }
        Ok(Promela { promela, hash: text_hash(&model.source.text), estimates: Vec::new() })
    }

    fn hashes(&self) -> Hashes {
        Hashes { input: self.hash.clone(), build: None }
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge { version: KNOWLEDGE_VERSION, text: self.promela.to_text() }
    }

    fn preview(&mut self, _: Option<Instant>) -> Result<(), Failure> {
        Ok(self.promela.explore()?)
    }

    fn model(&self, making: &Making) -> Result<Made<Self::Model>, Unsupported> {
        made(making, |backend| Ok(self.promela.model(backend, making.keep_going)?.estimating(&self.estimates)))
    }

    fn lifted(made: &Made<Self::Model>, trail: &Trail) -> Option<Trail> {
        dampf_reduce::lifted(&made.searched, made.bare(), trail)
    }

    fn learn(&mut self, refuted: &[Revise]) -> bool {
        self.promela.learn(refuted)
    }

    fn properties(&self) -> Vec<OwnProperty> {
        let checked = self.checked_properties().map(|property| match property {
            Property::Formula { name, text } => OwnProperty { name, formula: Some(text), called: "the formula" },
            Property::Never { name } => OwnProperty { name, formula: None, called: "the never claim" },
            Property::Trace { .. } => unreachable!("those were left out"),
        });
        checked.collect()
    }

    fn automaton(&mut self, property: usize) -> Result<Automaton, Failure> {
        let name = self.properties().swap_remove(property).name;
        Ok(self.promela.claim(name.as_deref())?)
    }

    fn non_progress(&mut self) -> Result<Automaton, Failure> {
        Ok(self.promela.non_progress()?)
    }

    fn observe(&mut self, expressions: &[Observed]) -> Result<u32, Failure> {
        let texts: Vec<String> = expressions.iter().map(|expression| expression.text.clone()).collect();
        Ok(self.promela.observe(&texts)?)
    }

    fn estimate_by(&mut self, asked: &AskedEstimate) -> Result<usize, Failure> {
        let estimate = match asked {
            AskedEstimate::Distance(text) => Estimate::Value(self.promela.estimate_by(std::slice::from_ref(text))?),
            asked => {
                let model = self.promela.model(Backend::Interpreter, false)?;
                estimate(asked, model.gcl().program(), Self::ALL_CALLED)?
            }
        };
        self.estimates.push(estimate);
        Ok(self.estimates.len() - 1)
    }

    fn offered_estimates(&self) -> Vec<(String, String)> {
        let model = self.promela.model(Backend::Interpreter, false);
        model.map(|model| offered_estimates(model.gcl().program())).unwrap_or_default()
    }

    fn reservation(&self, looked_at: LookedAt) -> Option<String> {
        let has_trace = self.promela.properties().iter().any(|property| matches!(property, Property::Trace { .. }));
        if has_trace && looked_at.claims {
            let reason = "all else holds, but the trace assertion is not checked (--no-claims leaves such claims out)";
            return Some(reason.to_owned());
        }
        let labels = self.promela.acceptance(looked_at.fair).err().filter(|_| looked_at.runs);
        labels.map(|unsupported| unsupported.to_string())
    }

    fn write_info(mut self, out: &mut dyn Write, palette: Palette) -> Result<io::Result<()>, Failure> {
        self.promela.explore()?;
        let model = self.promela.model(Backend::Interpreter, false)?;
        Ok(promela_info::write(out, palette, &model))
    }
}

impl Promela {
    /// The properties that are looked at where it is not said which.
    fn checked_properties(&self) -> impl Iterator<Item = Property> {
        self.promela.properties().into_iter().filter(|property| !matches!(property, Property::Trace { .. }))
    }
}
