//! Reads a model by the extension of its file, with what is to be checked of it.

use crate::failure::Failure;
use crate::options::{ModelOptions, Reduce, StepSize};
use crate::values;
use dampf_core::{Diagnostic, FaultKind, Source};
use dampf_gcl::ir::{Check, Expr, Process, Program};
use dampf_report::{Origin, text_hash};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A file beyond this size is no model that anybody wrote.
const SOURCE_BYTES_MAX: u64 = 256 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Dve,
    Dmc,
}

impl Language {
    /// The language of a file, by its extension.
    pub fn of(path: &Path) -> Result<Language, Failure> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("dve") => Ok(Language::Dve),
            Some("dmc") => Ok(Language::Dmc),
            _ if path.is_dir() => Err(Failure::new(format!("`{}` is a directory, not a model", path.display()))),
            _ => match path.metadata() {
                Err(error) => Err(Failure::new(format!("cannot read `{}`: {error}", path.display()))),
                Ok(_) => Err(Failure::with_help(
                    format!("`{}` is no input that Dampf knows", path.display()),
                    "programs are executables or .c, .cc or .cpp sources; models are .pml (Promela), .dve (DVE) or .dmc (DMC) files",
                )),
            },
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Language::Dve => "DVE",
            Language::Dmc => "DMC",
        }
    }

    fn parse_expression(self, program: &Program, text: &str) -> Result<Expr, Diagnostic> {
        match self {
            Language::Dve => dampf_dve::parse_expression(program, text),
            Language::Dmc => dampf_dmc::parse_expression(program, text),
        }
    }
}

/// A model that was read and understood.
pub struct Input {
    pub language: Language,
    /// With the invariants and goals among its checks.
    pub program: Program,
    /// Whether a deadlock is a fault.
    pub deadlocks: bool,
    /// How to read the same model again.
    pub origin: Origin,
}

impl Input {
    /// Reads the model that the options name.
    pub fn load(options: &ModelOptions) -> Result<Input, Failure> {
        refuse_program_options(options)?;
        let origin = Origin {
            model: options.input.display().to_string(),
            model_hash: String::new(),
            definitions: definitions(&options.definitions)?,
            invariants: options.invariants.clone(),
            goals: options.goals.clone(),
            deadlocks: !options.no_deadlock,
            program: None,
            promela: None,
        };
        Input::read(&options.input, origin)
    }

    /// Reads the model at `path` as `origin` says; the origin's path and hash become those of the file.
    pub fn read(path: &Path, origin: Origin) -> Result<Input, Failure> {
        let language = Language::of(path)?;
        check_definitions(language, &origin.definitions)?;
        let source = read_source(path)?;
        let origin = Origin { model: source.path.clone(), model_hash: text_hash(&source.text), ..origin };
        let mut program = match language {
            Language::Dve => dampf_dve::parse(source)?,
            Language::Dmc => dampf_dmc::parse_with(source, &origin.definitions)?,
        };
        for (kind, texts) in [(FaultKind::Invariant, &origin.invariants), (FaultKind::Goal, &origin.goals)] {
            for text in texts {
                let condition = language.parse_expression(&program, text)?;
                program.checks.push(Check { kind, condition, text: text.clone(), span: None });
            }
        }
        Ok(Input { language, program, deadlocks: origin.deadlocks, origin })
    }

    /// Reads a Büchi automaton that watches this model.
    pub fn read_buchi(&self, path: &Path) -> Result<Process, Failure> {
        if self.language != Language::Dmc {
            return Err(Failure::with_help(
                format!(
                    "--buchi goes with DMC models, and `{}` is a {} model",
                    self.origin.model,
                    self.language.name()
                ),
                "a DVE model names its property automaton itself, with `system async property NAME;`",
            ));
        }
        Ok(dampf_dmc::parse_buchi(&self.program, read_source(path)?)?)
    }
}

/// Options that only programs have must not be given in vain.
pub fn refuse_program_options(options: &ModelOptions) -> Result<(), Failure> {
    let program = &options.program;
    let given = [
        ("--cflags", !program.cflags.is_empty()),
        ("--step", program.step != StepSize::Visible),
        ("--reduce", program.reduce != Reduce::Lgc),
        ("--spurious-wakeups", program.spurious_wakeups),
        ("--leaks", program.leaks),
        ("--uninitialised", program.uninitialised),
        ("--no-races", program.no_races),
        ("arguments after `--`", !program.arguments.is_empty()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            Err(Failure::new(format!("{option} goes with programs; `{}` is a model", options.input.display())))
        }
        None => Ok(()),
    }
}

/// The constants that `-D` sets in a model.
fn definitions(texts: &[String]) -> Result<Vec<(String, i64)>, Failure> {
    let read = |text: &String| values::definition(text).map_err(|error| Failure::new(format!("-D {text}: {error}")));
    texts.iter().map(read).collect()
}

fn check_definitions(language: Language, definitions: &[(String, i64)]) -> Result<(), Failure> {
    if language != Language::Dmc && !definitions.is_empty() {
        return Err(Failure::with_help(
            format!("-D sets constants of DMC models; a {} model has none to set", language.name()),
            "change the constant in the model's text",
        ));
    }
    for (index, (name, _)) in definitions.iter().enumerate() {
        if definitions[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(Failure::new(format!("-D sets `{name}` more than once")));
        }
    }
    Ok(())
}

/// Reads a text file whole.
pub fn read_source(path: &Path) -> Result<Arc<Source>, Failure> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| Failure::new(format!("cannot read `{shown}`: {error}"));
    if path.is_dir() {
        return Err(Failure::new(format!("cannot read `{shown}`: it is a directory")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(SOURCE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > SOURCE_BYTES_MAX {
        return Err(Failure::new(format!("cannot read `{shown}`: it is larger than {} MiB", SOURCE_BYTES_MAX >> 20)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(shown.to_string(), text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
            Err(Failure::new(format!("`{shown}` is no text: line {line} is not UTF-8")))
        }
    }
}
