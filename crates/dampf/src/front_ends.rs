//! The registry: which front ends there are, and which of them reads a file. No other place of the command line names
//! one.

mod guarded;
mod guarded_info;
mod program;
mod program_info;
mod program_surroundings;
mod promela;
mod promela_info;
mod reference;

use crate::check;
use crate::cluster::Ranks;
use crate::failure::Failure;
use crate::front_end::{FrontEnd, Offer};
use crate::options::{CheckOptions, InfoOptions, SimulateOptions};
use crate::plan::PlanOptions;
use crate::replay::Replayed;

use crate::terminal::Terminal;
use crate::{info, plan, replay, simulate};
use dampf_report::{Origin, TrailFile};
use std::marker::PhantomData;
use std::path::Path;

/// All commands over one front end. Everything that implements [`FrontEnd`] is one.
pub(crate) trait Language {
    fn reads(&self, path: &Path) -> bool;
    fn called(&self) -> &'static str;
    fn all_called(&self) -> &'static str;
    fn offers(&self, offer: Offer) -> bool;
    fn check(
        &self,
        options: &CheckOptions,
        resumed: Option<&Origin>,
        ranks: &mut Ranks,
        terminal: &Terminal,
    ) -> Result<u8, Failure>;
    fn simulate(&self, options: &SimulateOptions, terminal: &Terminal) -> Result<u8, Failure>;
    fn plan(&self, options: &PlanOptions, terminal: &Terminal) -> Result<u8, Failure>;
    fn follow(&self, kept: &TrailFile, path: &Path, shown: Replayed<'_>, terminal: &Terminal) -> Result<bool, Failure>;
    fn info(&self, options: &InfoOptions, terminal: &Terminal) -> Result<u8, Failure>;
}

struct Commands<F>(PhantomData<F>);

impl<F: FrontEnd> Language for Commands<F> {
    fn reads(&self, path: &Path) -> bool {
        F::reads(path)
    }

    fn called(&self) -> &'static str {
        F::CALLED
    }

    fn all_called(&self) -> &'static str {
        F::ALL_CALLED
    }

    fn offers(&self, offer: Offer) -> bool {
        F::OFFERS.contains(&offer)
    }

    fn check(
        &self,
        options: &CheckOptions,
        resumed: Option<&Origin>,
        ranks: &mut Ranks,
        terminal: &Terminal,
    ) -> Result<u8, Failure> {
        check::check::<F>(options, resumed, ranks, terminal)
    }

    fn simulate(&self, options: &SimulateOptions, terminal: &Terminal) -> Result<u8, Failure> {
        simulate::simulate::<F>(options, terminal)
    }

    fn plan(&self, options: &PlanOptions, terminal: &Terminal) -> Result<u8, Failure> {
        plan::plan_input::<F>(options, terminal)
    }

    fn follow(&self, kept: &TrailFile, path: &Path, shown: Replayed<'_>, terminal: &Terminal) -> Result<bool, Failure> {
        replay::follow::<F>(kept, path, shown, terminal)
    }

    fn info(&self, options: &InfoOptions, terminal: &Terminal) -> Result<u8, Failure> {
        info::info::<F>(options, terminal)
    }
}

/// The front ends that a command line knows, in the order in which they are asked about a file.
pub struct Registry {
    languages: Vec<Box<dyn Language>>,
}

impl Registry {
    /// The front ends of Dampf.
    pub fn new() -> Registry {
        let registry = Registry { languages: Vec::new() };
        registry
            .with::<promela::Promela>()
            .with::<guarded::Guarded<guarded::Dve>>()
            .with::<guarded::Guarded<guarded::Dmc>>()
            .with::<program::Program>()
            .with::<reference::Reference>()
    }

    /// One more.
    #[must_use]
    pub fn with<F: FrontEnd>(mut self) -> Registry {
        self.languages.push(Box::new(Commands::<F>(PhantomData)));
        self
    }

    /// The front end that reads a file.
    pub(crate) fn of(&self, path: &Path) -> Result<&dyn Language, Failure> {
        if let Some(language) = self.languages.iter().find(|language| language.reads(path)) {
            return Ok(&**language);
        }
        let shown = path.display();
        Err(match path.metadata() {
            _ if path.is_dir() => Failure::new(format!("`{shown}` is a directory, not a model")),
            Err(error) => Failure::new(format!("cannot read `{shown}`: {error}")),
            Ok(_) => Failure::with_help(
                format!("`{shown}` is no input that Dampf knows"),
                "programs are executables or .c, .cc or .cpp sources; models are .pml (Promela), .dve (DVE) or .dmc (DMC) files",
            ),
        })
    }

    /// Refuses options that mean nothing to the front end of an input: they must not be given in vain.
    pub(crate) fn refuse_unoffered(
        &self,
        language: &dyn Language,
        input: &Path,
        asked: &[(&str, bool, Offer)],
    ) -> Result<(), Failure> {
        let vain = asked.iter().find(|(_, is_given, offer)| *is_given && !language.offers(*offer));
        let Some((option, _, offer)) = vain else { return Ok(()) };
        let offering = self.languages.iter().filter(|language| language.offers(*offer));
        let offering: Vec<&str> = offering.map(|language| language.all_called()).collect();
        Err(Failure::new(format!(
            "{option} goes with {}; `{}` is {}",
            listed(&offering),
            input.display(),
            language.called()
        )))
    }
}

/// Names as one says them: `these, those and others`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

impl Default for Registry {
    fn default() -> Self {
        Registry::new()
    }
}
