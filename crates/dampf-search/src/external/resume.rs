//! From a manifest back to a space.

use super::DiskSettings;
use super::SearchOptions;
use super::disk::{Disk, DiskTrouble, Finished};
use super::levels::{LevelFile, Levels};
use super::manifest::{LevelsNamed, Manifest, Named};
use super::merging::{Merger, Range};
use super::packing::Packing;
use super::plan::Plan;
use super::run::{Part, Resident, Run};
use super::section::{Section, SectionFile};
use super::space::Space;
use super::visited::Visited;
use crate::checkpoint::{CheckpointProblem, MANIFEST};
use std::path::Path;
use std::sync::Arc;

/// Refuses to resume what was begun as something else.
pub(crate) fn check_fit(
    begun: &Manifest,
    folder: &Path,
    options: &SearchOptions,
    settings: &DiskSettings,
    width: usize,
) -> Result<(), CheckpointProblem> {
    let folder = folder.to_owned();
    if begun.identity != settings.identity || begun.width != width {
        return Err(CheckpointProblem::OtherSearch { folder });
    }
    let same = [
        (begun.deadlocks == options.deadlocks, "deadlocks"),
        (begun.keep_going == options.keep_going, "keep going"),
        (begun.deterministic == options.deterministic, "deterministic"),
    ];
    match same.into_iter().find(|(is_same, _)| !is_same) {
        Some((_, option)) => Err(CheckpointProblem::OtherOption { folder, option }),
        None => Ok(()),
    }
}

/// The space as the manifest describes it. What the manifest does not name is deleted.
pub(crate) fn space(begun: &Manifest, disk: Arc<Disk>, plan: Plan) -> Result<Space, CheckpointProblem> {
    let kept: Vec<Finished> = begun.files().map(Finished::from).collect();
    disk.keep_only(&kept.iter().collect::<Vec<_>>())?;
    let damaged = || CheckpointProblem::Damaged { file: disk.path(MANIFEST) };
    let files = begun.levels.iter().map(|LevelsNamed { file, first, last }| LevelFile {
        file: file.into(),
        first: *first,
        last: *last,
    });
    let levels = Levels::in_files(files.collect(), begun.level_count);
    if !levels.is_complete() || begun.visited_levels > begun.level_count {
        return Err(damaged());
    }
    let open =
        |file: &Named| only_section(&disk, &file.into(), begun.width).map(|section| Part::Disk(Arc::new(section)));
    let run = |files: &Vec<Named>| Ok(Run { parts: files.iter().map(open).collect::<Result<_, DiskTrouble>>()? });
    let on_disk = begun.visited.iter().map(run).collect::<Result<Vec<Run>, DiskTrouble>>()?;
    let spills = begun.spills.iter().map(|file| only_section(&disk, &file.into(), begun.width).map(Arc::new));
    let spills = spills.collect::<Result<Vec<_>, DiskTrouble>>()?;
    let frontier = match begun.level_count {
        0 => Run::default(),
        count => levels.open(&disk, count - 1, begun.width)?,
    };
    let is_inside = |&(begin, end): &(u64, u64)| begin < end && end <= frontier.states();
    if !begun.unexpanded.iter().all(is_inside) {
        return Err(damaged());
    }
    let parts = on_disk.iter().chain([&frontier]).flat_map(|run| &run.parts).map(|part| part.packing());
    let packings = parts.chain(spills.iter().map(|spill| &spill.packing));
    let packing = packings.fold(Packing::narrowest(begun.width), |all, packing| all.united(packing));
    let visited = Visited::on_disk(on_disk, begun.visited_levels);
    let mut space = Space { disk, plan, packing: Arc::new(packing), levels, visited, spills, frontier };
    recall(&mut space, begun)?;
    Ok(space)
}

/// Takes the levels into memory that no merged run has.
fn recall(space: &mut Space, begun: &Manifest) -> Result<(), DiskTrouble> {
    for level in begun.visited_levels..begun.level_count {
        let run = space.levels.open(&space.disk, level, begun.width)?;
        let mut merger = Merger::new(&[run], &space.packing, false, Range::default());
        let (mut chunk, mut records) = (Vec::new(), Vec::new());
        while merger.next(&mut chunk)? {
            records.extend_from_slice(&chunk);
        }
        let resident = Resident { packing: Arc::clone(&space.packing), hints: false, records };
        let run = Run { parts: vec![Part::Memory(Arc::new(resident))] };
        space.visited.add_resident(run, &space.packing)?;
    }
    Ok(())
}

/// Opens a file of one section.
fn only_section(disk: &Disk, file: &Finished, width: usize) -> Result<Section, DiskTrouble> {
    let file = SectionFile::open(disk, file, width)?;
    match &file.entries[..] {
        [entry] => file.section(entry),
        _ => Err(DiskTrouble::Damaged { file: disk.path(&file.file.name) }),
    }
}

impl Space {
    /// Says where everything lies. All levels are in files.
    pub fn describe(&self, manifest: &mut Manifest) {
        let levels = self.levels.files.iter();
        manifest.levels = levels
            .map(|LevelFile { file, first, last }| LevelsNamed { file: file.into(), first: *first, last: *last })
            .collect();
        manifest.level_count = self.levels.count();
        let named = |run: &Run| run.sections().map(|section| Named::from(&section.file)).collect();
        manifest.visited = self.visited.on_disk.iter().map(named).collect();
        manifest.visited_levels = self.visited.levels_on_disk;
        manifest.spills = self.spills.iter().map(|spill| Named::from(&spill.file)).collect();
    }
}
