//! `dampf resume`: goes on with a search from its last checkpoint.
//!
//! A checkpoint keeps the command line, the folder it was given in, and what was known of the model. The search is set
//! up from these, and what the command line says now comes on top.

use crate::check;
use crate::earlier_properties::EarlierProperties;
use crate::failure::Failure;
use crate::front_ends::Registry;
use crate::options::{Arguments, CheckOptions, Command, ResumeOptions};
use crate::store_options::Store;
use crate::terminal::Terminal;
use clap::Parser;
use dampf_core::Trail;
use dampf_report::{Origin, TrailFile};
use dampf_search::checkpoint::{self, CheckpointProblem};
use std::path::{Path, PathBuf};

const SEPARATOR: char = '\u{1f}';
const END: char = '\u{1e}';

/// What a checkpoint keeps beside the states. `earlier` is of properties that were looked at before.
pub fn description(origin: &Origin, earlier: &str) -> Result<String, Failure> {
    let kept = |text: std::ffi::OsString| {
        text.into_string().map_err(|text| {
            Failure::with_help(
                format!("`{}` is no text in UTF-8, so the search could not be resumed", text.display()),
                "give the file or folder another name",
            )
        })
    };
    let folder = kept(std::env::current_dir().unwrap_or_default().into_os_string())?;
    let arguments = std::env::args_os().map(kept).collect::<Result<Vec<_>, _>>()?.join(&SEPARATOR.to_string());
    Ok(format!("{folder}{END}{arguments}{END}{}{END}{earlier}", identity(origin)))
}

/// The same command, with what is known of the model by now.
pub fn with_origin(description: &str, origin: &Origin, earlier: &str) -> String {
    let command: Vec<&str> = description.split(END).take(2).collect();
    format!("{}{END}{}{END}{earlier}", command.join(&END.to_string()), identity(origin))
}

/// What a description says of properties that were looked at before.
pub fn earlier(description: &str) -> Option<EarlierProperties> {
    description.split(END).nth(3).and_then(EarlierProperties::from_json)
}

/// What of an origin tells one search from another.
pub fn identity(origin: &Origin) -> String {
    TrailFile::new(origin.clone(), Trail::default(), None).to_json()
}

struct Kept {
    folder: PathBuf,
    arguments: Vec<String>,
    origin: Origin,
}

/// What a folder keeps beside the states, whichever search wrote it.
pub fn kept(folder: &Path) -> Result<String, Failure> {
    checkpoint::description(folder).map_err(|problem| Failure::new(problem.to_string()))
}

/// Whether there is something to go on from.
pub fn is_possible(folder: &Path) -> bool {
    kept(folder).is_ok()
}

fn read(folder: &Path) -> Result<Kept, Failure> {
    let text = checkpoint::description(folder).map_err(|problem| match &problem {
        CheckpointProblem::NoCheckpoint { .. } => Failure::with_help(
            problem.to_string(),
            "a search that ends before its first checkpoint leaves none: `dampf check` tells its result again",
        ),
        _ => Failure::new(problem.to_string()),
    })?;
    let damaged = || Failure::new(format!("the checkpoint in `{}` was not written by this Dampf", folder.display()));
    let mut fields = text.split(END);
    let (Some(place), Some(arguments), Some(origin)) = (fields.next(), fields.next(), fields.next()) else {
        return Err(damaged());
    };
    let origin = TrailFile::from_json(origin).map_err(|_| damaged())?.origin;
    Ok(Kept {
        folder: PathBuf::from(place),
        arguments: arguments.split(SEPARATOR).map(str::to_owned).collect(),
        origin,
    })
}

pub fn run(options: &ResumeOptions, registry: &Registry, terminal: &Terminal) -> Result<u8, Failure> {
    let kept = read(&options.folder)?;
    let parsed = Arguments::try_parse_from(crate::options::with_compiler_flags(
        kept.arguments.iter().map(std::ffi::OsString::from),
    ));
    let folder = absolute(&options.folder)?;
    let mut check = match parsed.map(|arguments| arguments.command) {
        Ok(Command::Check(check)) => *check,
        _ => return Err(Failure::new(format!("the checkpoint in `{}` is of no check", options.folder.display()))),
    };
    override_options(&mut check, options, &folder)?;
    // The model, its includes and the compiler's flags are named as seen from there.
    std::env::set_current_dir(&kept.folder).map_err(|error| {
        Failure::new(format!("the search was begun in `{}`, which cannot be entered: {error}", kept.folder.display()))
    })?;
    check::run(&mut check, Some(&kept.origin), registry, terminal)
}

fn override_options(check: &mut CheckOptions, options: &ResumeOptions, folder: &Path) -> Result<(), Failure> {
    if check.store == Store::Disk {
        check.disk = Some(folder.to_owned());
        check.max_disk = options.max_disk;
        if options.ranks.is_some() {
            return Err(Failure::new("--ranks: a search on disk has one rank"));
        }
    } else {
        check.cluster.checkpoint = Some(folder.to_owned());
    }
    check.cluster.checkpoint_every = options.checkpoint_every.unwrap_or(check.cluster.checkpoint_every);
    // Those that started the first run are no longer there.
    check.cluster.ranks = options.ranks.or(check.cluster.ranks.filter(|_| dampf_net::ranks_of_environment().is_none()));
    check.threads = options.threads.unwrap_or(check.threads);
    check.max_time = options.max_time;
    // To a search on disk it is the size of its buffers, not what ended it.
    check.max_memory = options.max_memory.or(check.max_memory.filter(|_| check.store == Store::Disk));
    check.max_states = options.max_states;
    check.progress = options.progress;
    check.json = options.json.as_deref().map(absolute).transpose()?;
    check.trail = options.trail.as_deref().map(absolute).transpose()?;
    Ok(())
}

/// A path as seen from everywhere. `-` is none.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    if path == Path::new("-") {
        return Ok(path.to_owned());
    }
    std::path::absolute(path).map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}
