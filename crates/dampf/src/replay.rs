//! `dampf replay`: shows a kept run again.

use crate::failure::Failure;
use crate::input::{Input, read_source};
use crate::options::ReplayOptions;
use crate::program::{self, ProgramInput};
use crate::promela::{self, PromelaInput};
use crate::terminal::{Terminal, print};
use dampf_core::Describe;
use dampf_gcl::model::{Backend, GclModel};
use dampf_report::{Excerpt, Origin, Palette, Run, TrailFile, grouped, write_fault, write_run};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub fn run(options: &ReplayOptions, terminal: &Terminal) -> Result<u8, Failure> {
    let kept = read(&options.trail)?;
    let model = match &options.model {
        Some(path) => path.clone(),
        None => find_model(&kept.origin.model, &options.trail)?,
    };
    follow(&kept, &model, options.allow_changed_model, terminal)?;
    Ok(0)
}

/// Reads a trail file.
pub fn read(path: &Path) -> Result<TrailFile, Failure> {
    let source = read_source(path)?;
    TrailFile::from_json(&source.text).map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}

/// The model of a trail: where the path leads from here, or else from the folder of the trail.
fn find_model(model: &str, trail: &Path) -> Result<PathBuf, Failure> {
    let from_here = PathBuf::from(model);
    let beside = trail.parent().map(|folder| folder.join(model));
    match beside {
        _ if from_here.exists() => Ok(from_here),
        Some(beside) if beside.exists() => Ok(beside),
        _ => Err(Failure::with_help(
            format!("`{}` is a trail of the model `{model}`, which is not there", trail.display()),
            "`--model FILE` says where the model is now",
        )),
    }
}

/// Runs a kept trail on the model at `path` and shows it. Returns whether it ends in a fault.
pub fn follow(kept: &TrailFile, path: &Path, changes_allowed: bool, terminal: &Terminal) -> Result<bool, Failure> {
    if program::is_program(path) {
        let input = ProgramInput::read(path, kept.origin.clone())?;
        check_unchanged(kept, &input.origin, path, changes_allowed)?;
        return follow_on(kept, &input.model(), input.deadlocks, path, terminal);
    }
    if promela::is_promela(path) {
        let mut input = PromelaInput::read(path, kept.origin.clone())?;
        check_unchanged(kept, &input.origin(), path, changes_allowed)?;
        return follow_on(kept, &input.same_model()?, input.deadlocks, path, terminal);
    }
    let input = Input::read(path, kept.origin.clone())?;
    check_unchanged(kept, &input.origin, path, changes_allowed)?;
    let model = GclModel::new(input.program, Backend::Interpreter)?;
    follow_on(kept, &model, input.deadlocks, path, terminal)
}

fn check_unchanged(kept: &TrailFile, origin: &Origin, path: &Path, changes_allowed: bool) -> Result<(), Failure> {
    let changed = origin.model_hash != kept.origin.model_hash;
    if changed && !changes_allowed {
        return Err(Failure::with_help(
            format!(
                "`{}` has changed since the trail was written: its steps may mean something else now",
                path.display()
            ),
            "check the model again, or replay with --allow-changed-model",
        ));
    }
    let executable_hash = |origin: &Origin| origin.program.as_ref().and_then(|program| program.executable_hash.clone());
    // Trails of earlier versions do not know, and of a source that was moved the names differ that it is compiled with.
    let comparable = origin.model == kept.origin.model && executable_hash(&kept.origin).is_some();
    let rebuilt_otherwise = comparable && executable_hash(origin) != executable_hash(&kept.origin);
    if rebuilt_otherwise && !changes_allowed {
        return Err(Failure::with_help(
            format!(
                "`{}` is as it was, but is compiled to another program than the one that the trail was written for: \
                 a header, a library or the compiler has changed since",
                path.display()
            ),
            "check the program again, or replay with --allow-changed-model",
        ));
    }
    Ok(())
}

fn follow_on<M: Describe>(
    kept: &TrailFile,
    model: &M,
    deadlocks: bool,
    path: &Path,
    terminal: &Terminal,
) -> Result<bool, Failure> {
    let run = Run::replay(model, kept.trail.clone(), deadlocks)
        .map_err(|error| Failure::new(format!("the trail is no run of `{}`: {error}", path.display())))?;
    check_end(kept, &run, path)?;
    print(|out| show(out, terminal.palette, &run, path))?;
    Ok(run.fault().is_some())
}

/// A trail tells of a fault; a run that ends otherwise is not the run it tells of.
fn check_end<M: Describe>(kept: &TrailFile, run: &Run<'_, M>, path: &Path) -> Result<(), Failure> {
    let Some((kind, message)) = &kept.fault else { return Ok(()) };
    let recorded = format!("{kind}: {message}");
    match run.fault() {
        Some(fault) if fault.to_string() == recorded => Ok(()),
        Some(fault) => Err(Failure::new(format!(
            "on `{}` the trail ends in `{fault}`, but it was written for `{recorded}`",
            path.display()
        ))),
        None => Err(Failure::new(format!(
            "on `{}` the trail ends without a fault, but it was written for `{recorded}`",
            path.display()
        ))),
    }
}

fn show<M: Describe>(out: &mut dyn Write, palette: Palette, run: &Run<'_, M>, path: &Path) -> io::Result<()> {
    let steps = if run.len() == 1 { "1 step".to_owned() } else { format!("{} steps", grouped(run.len() as u64)) };
    writeln!(out, "{}\n", palette.heading(format!("a run of {} in {steps}", path.display())))?;
    write_run(out, palette, run, Excerpt::Whole)?;
    writeln!(out)?;
    match run.fault() {
        Some(fault) => write_fault(out, palette, fault),
        None => writeln!(out, "the run ends without a fault"),
    }
}
