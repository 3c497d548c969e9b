//! Promela models as inputs: a text, the files it includes, and the macros given on the command line.

use crate::failure::Failure;
use crate::input::{read_source, refuse_program_options};
use crate::options::ModelOptions;
use dampf_gcl::model::Backend;
use dampf_promela::{Instance, Promela, PromelaModel};
use dampf_report::{Origin, PromelaOrigin, text_hash};
use std::path::Path;

/// A Promela model that was read and understood.
pub struct PromelaInput {
    pub promela: Promela,
    pub deadlocks: bool,
    origin: Origin,
}

/// Whether a file is a Promela model, by its extension.
pub fn is_promela(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("pml" | "pm" | "prom" | "promela" | "spin"))
}

impl PromelaInput {
    /// Reads the model that the options name.
    pub fn load(options: &ModelOptions) -> Result<PromelaInput, Failure> {
        refuse_program_options(options)?;
        for (option, given) in [("--invariant", &options.invariants), ("--goal", &options.goals)] {
            if !given.is_empty() {
                return Err(Failure::with_help(
                    format!("{option} goes with DVE and DMC models; `{}` is Promela", options.input.display()),
                    "write an assertion in the model",
                ));
            }
        }
        let macros = options.definitions.iter().map(|text| match text.split_once('=') {
            Some((name, text)) => (name.to_owned(), text.to_owned()),
            None => (text.clone(), "1".to_owned()),
        });
        let promela = PromelaOrigin { macros: macros.collect(), ..PromelaOrigin::default() };
        let origin = Origin { deadlocks: !options.no_deadlock, promela: Some(promela), ..Origin::default() };
        PromelaInput::read(&options.input, origin)
    }

    /// Reads the model at `path` as `origin` says; the origin's path and hash become those of the file.
    pub fn read(path: &Path, origin: Origin) -> Result<PromelaInput, Failure> {
        let source = read_source(path)?;
        let kept = origin.promela.clone().unwrap_or_default();
        let mut include = |name: &str, from: &Path| {
            let beside = from.parent().map_or_else(|| Path::new(name).to_path_buf(), |folder| folder.join(name));
            let text = std::fs::read_to_string(&beside).map_err(|error| error.to_string())?;
            Ok((beside.display().to_string(), text))
        };
        let model = dampf_promela::read(source, &kept.macros, &mut include)?;
        let mut promela = Promela::new(&model)?;
        let known = kept.processes.iter().map(|&(pid, proctype, channels)| Instance { pid, proctype, channels });
        promela.prepare_for(known.collect());
        let origin = Origin { model: path.display().to_string(), model_hash: text_hash(&model.source.text), ..origin };
        Ok(PromelaInput { promela, deadlocks: origin.deadlocks, origin })
    }

    /// The model as it is prepared now. `goes_on` is for searches that keep going after faults.
    pub fn model(&mut self, backend: Backend, goes_on: bool) -> Result<PromelaModel, Failure> {
        if let Some(promela) = &mut self.origin.promela {
            promela.goes_on = goes_on;
        }
        Ok(self.promela.model(backend, goes_on)?)
    }

    /// The model of a kept trail.
    pub fn same_model(&mut self) -> Result<PromelaModel, Failure> {
        let goes_on = self.origin.promela.as_ref().is_some_and(|promela| promela.goes_on);
        self.model(Backend::Interpreter, goes_on)
    }

    /// How to read the same model again, with the processes that it is prepared for now.
    pub fn origin(&self) -> Origin {
        let processes = self.promela.instances().iter();
        let processes = processes.map(|instance| (instance.pid, instance.proctype, instance.channels));
        let mut origin = self.origin.clone();
        if let Some(promela) = &mut origin.promela {
            promela.processes = processes.collect();
        }
        origin
    }
}
