//! A rank's part in a checkpoint.
//!
//! *By levels*: the first rank says at the end of a level that one is due. Whoever has heard the ends of all ranks has all states of the next level, so
//! a rank saves itself before it explores the first of them, and waits for nobody.
//!
//! *Without levels*: the first rank sends a mark. Whoever gets the first mark sends what it has buffered, then marks to everybody, and
//! explores nothing until it has marks from all. Then every state that was sent before has arrived, and it saves itself. What arrives too
//! early from a rank that goes on already is found again after a resumption, and known then.

use super::explore::parent_of_bits;
use super::{Node, Phase};
use crate::Distributable;
use crate::checkpoint::{Checkpoints, FOUND, Manifest, Prepared, STORED, WAITING, prepare_folder};
use crate::message::Message;
use crate::parcel::{Companion, Format, UNKNOWN_PARENT};
use crate::parcel_file::{ParcelFile, Piece, read_piece};
use crate::partition::Owner;
use crate::queue::Stored;
use crate::report::{Discovery, FaultPlace, Report};
use crate::wire::{Garbled, Reader, Write};
use dampf_core::Word;
use dampf_net::{Rank, Transport};
use dampf_search::checkpoint::{CheckpointProblem, Folder, MANIFEST};
use dampf_store::{Inserted, Session, StateRef};
use std::io;
use std::time::{Duration, Instant};

/// Batches between two checkpoints where they are to be as frequent as possible.
const BATCHES_AT_LEAST: u32 = 4;
/// A checkpoint is due early when the time since the last is so many times what that one took: whatever ends the search then, little is lost.
const PAUSE_FACTOR: u32 = 20;
/// But not sooner than this.
const PAUSE_MIN: Duration = Duration::from_millis(200);
/// More states than these are written before a checkpoint is due: they take memory.
const SINCE_MAX: usize = 1 << 16;

pub(super) struct Saving {
    checkpoints: Checkpoints,
    generation: u64,
    sequence: u64,
    last: Instant,
    /// How long it took to write the last one.
    cost: Duration,
    batches: u32,
    is_resumed: bool,
    /// Files of earlier runs.
    earlier: Vec<(Rank, Piece)>,
    log: ParcelFile,
    /// States that were found since the last checkpoint, and what is known of the way to each.
    since: Vec<(StateRef, Companion)>,
    /// Marks that have come, while some are awaited.
    marks: Option<u32>,
    /// The first rank's: what the ranks have said.
    saved: Vec<Option<Saved>>,
    pub trouble: Option<String>,
    folder: Folder,
}

/// What a rank says when it has saved itself.
struct Saved {
    stored: Piece,
    waiting: Piece,
    found: Piece,
    account: Vec<u8>,
}

impl Saving {
    pub fn new(
        checkpoints: &Checkpoints,
        prepared: Prepared,
        (rank, ranks): (Rank, Rank),
        (width, format): (usize, Format),
    ) -> Self {
        let Prepared { folder, manifest, generation } = prepared;
        let log = folder.file(&format!("{generation}-{rank}.{STORED}"));
        Saving {
            checkpoints: checkpoints.clone(),
            generation,
            sequence: 0,
            last: Instant::now(),
            cost: Duration::ZERO,
            batches: 0,
            is_resumed: manifest.is_some(),
            earlier: manifest.map_or_else(Vec::new, |manifest| manifest.stored),
            log: ParcelFile::new(log, width, format),
            since: Vec::new(),
            marks: None,
            saved: (0..ranks).map(|_| None).collect(),
            trouble: None,
            folder,
        }
    }

    #[inline]
    pub fn note(&mut self, state: StateRef, companion: Companion) {
        if self.trouble.is_none() {
            self.since.push((state, companion));
        }
    }

    pub fn is_due(&self) -> bool {
        self.trouble.is_none()
            && self.saved.iter().all(Option::is_none)
            && self.batches >= BATCHES_AT_LEAST
            && self.last.elapsed() >= self.checkpoints.every.min(PAUSE_MIN.max(self.cost * PAUSE_FACTOR))
    }

    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    pub fn is_waiting(&self) -> bool {
        self.marks.is_some()
    }
}

impl<M: Distributable> Node<'_, M> {
    /// Files hold depths always: a resumed search may go in another order.
    pub(super) fn file_format(&self) -> Format {
        Format { depths: true, positions: self.format.places, ..self.format }
    }

    /// Takes over what a checkpoint says, where there is one.
    pub(super) fn begin_saving(&mut self) -> Result<(), CheckpointProblem> {
        let Some(checkpoints) = &self.settings.checkpoints else {
            self.begin();
            return Ok(());
        };
        let prepared = prepare_folder(checkpoints, self.rank == 0)?;
        let manifest = prepared.manifest.clone();
        let ranks = (self.rank, self.ranks);
        let states = (self.model.width(), self.file_format());
        self.saving = Some(Saving::new(checkpoints, prepared, ranks, states));
        match manifest {
            None => self.begin(),
            Some(manifest) => {
                if let (0, Some(saving)) = (self.rank, &self.saving) {
                    manifest.remove_unnamed(&saving.folder);
                }
                self.restore(&manifest, checkpoints)?;
            }
        }
        Ok(())
    }

    fn restore(&mut self, manifest: &Manifest, checkpoints: &Checkpoints) -> Result<(), CheckpointProblem> {
        let folder = &checkpoints.folder;
        let garbled = |Garbled| CheckpointProblem::Damaged { file: folder.join(MANIFEST) };
        for account in &manifest.accounts {
            self.restore_assignments(&mut Reader::new(account)).map_err(garbled)?;
        }
        self.find_initial();
        let mut level_size = 0;
        for (rank, piece) in &manifest.stored {
            read_piece(self.model, manifest.format, folder, piece, |state, companion| {
                let companion = in_this_process(state, companion);
                level_size += u64::from(u64::from(companion.depth) == manifest.level);
                self.restore_state(*rank, state, companion);
            })?;
        }
        for (rank, account) in manifest.accounts.iter().enumerate() {
            self.restore_account(rank as Rank, account).map_err(garbled)?;
        }
        if let Some(levels) = &mut self.levels {
            levels.level = manifest.level;
        }
        if let Some(ranking) = &mut self.ranking {
            ranking.restored(manifest.level, level_size);
            let depth = manifest.level as u32;
            ranking.current().iter().for_each(|&state| self.queue.push(Stored::new(state, depth), || 0));
            return Ok(());
        }
        for (rank, piece) in &manifest.waiting {
            read_piece(self.model, manifest.format, folder, piece, |state, companion| {
                self.restore_waiting(*rank, state, companion);
            })?;
        }
        for (rank, piece) in &manifest.found {
            read_piece(self.model, manifest.format, folder, piece, |state, companion| {
                if self.owns(*rank, state, companion.depth) {
                    self.restore_found(state, in_this_process(state, companion));
                }
            })?;
        }
        Ok(())
    }

    /// Whether a state of a checkpoint is this rank's.
    fn owns(&mut self, rank: Rank, state: &[Word], depth: u32) -> bool {
        if self.partitioner.depends_on_depth() {
            // Where a state was found at two depths it is stored twice; each copy stays with somebody.
            return rank % self.ranks == self.rank;
        }
        match self.partitioner.owner(state, depth) {
            Owner::Rank(owner) => owner == self.rank,
            Owner::Unassigned(bucket) => {
                // All ranks read the same files in the same order, so all come to this.
                let owner = (bucket % u64::from(self.ranks)) as Rank;
                self.partitioner.assign(bucket, owner);
                owner == self.rank
            }
        }
    }

    fn restore_state(&mut self, rank: Rank, state: &[Word], companion: Companion) {
        if !self.owns(rank, state, companion.depth) {
            return;
        }
        let hash = self.session.prepare(state);
        // Copies of a state that lay on several ranks may become one here, and the parents of one copy may lead in a circle through another.
        let is_one_of_several = self.partitioner.depends_on_depth();
        let parent = if companion.depth == 0 || is_one_of_several { None } else { parent_of_bits(companion.parent) };
        if let (Inserted::New(state) | Inserted::Known(state), Some(ranking)) =
            (self.session.commit(hash, state, parent), &mut self.ranking)
        {
            ranking.restore(u64::from(companion.depth), state, companion);
        }
    }

    fn restore_waiting(&mut self, rank: Rank, state: &[Word], companion: Companion) {
        if !self.owns(rank, state, companion.depth) {
            return;
        }
        let hash = self.session.prepare(state);
        let (Inserted::New(stored) | Inserted::Known(stored)) = self.session.commit(hash, state, None);
        let partitioner = &mut self.partitioner;
        let stored = Stored { state: stored, depth: companion.depth, label: companion.label };
        self.queue.push(stored, || partitioner.estimate(state));
    }

    /// A state that waited for its owner, or to be looked up.
    fn restore_found(&mut self, state: &[Word], companion: Companion) {
        if self.waits_raw() {
            self.raw.push(state, companion);
            return;
        }
        let hash = self.session.prepare(state);
        if let Inserted::New(stored) = self.session.commit(hash, state, None) {
            self.statistics.states += 1;
            if let Some(saving) = &mut self.saving {
                saving.note(stored, companion);
            }
            let partitioner = &mut self.partitioner;
            let stored = Stored { state: stored, depth: companion.depth, label: companion.label };
            self.queue.push(stored, || partitioner.estimate(state));
        }
    }

    /// Begins a checkpoint of a search without levels, where one is due; writes down what has become much.
    pub(super) fn save_some(&mut self, network: &mut impl Transport) {
        if let Some(mut saving) = self.saving.take_if(|saving| saving.since.len() >= SINCE_MAX) {
            let written = self.write_since(&mut saving);
            self.saving = Some(saving);
            written.unwrap_or_else(|error| self.give_up_saving(&error));
        }
        if let Some(saving) = &mut self.saving {
            saving.batches += 1;
        }
        let is_due = self.saving.as_ref().is_some_and(|saving| saving.is_due() && !saving.is_waiting());
        if is_due && self.levels.is_none() && self.rank == 0 {
            self.mark(network);
        }
    }

    fn mark(&mut self, network: &mut impl Transport) {
        self.flush(network, false);
        self.broadcast(network, &Message::Mark);
        if let Some(saving) = &mut self.saving {
            saving.marks = Some(1);
        }
        self.save_if_marked(network);
    }

    pub(super) fn take_mark(&mut self, network: &mut impl Transport) {
        // A rank that was halted takes no states in any more: what it would save lacks those that were sent to it.
        if self.phase != Phase::Searching {
            return;
        }
        if self.saving.as_ref().is_some_and(|saving| !saving.is_waiting()) {
            self.mark(network);
        }
        if let Some(marks) = self.saving.as_mut().and_then(|saving| saving.marks.as_mut()) {
            *marks += 1;
        }
        self.save_if_marked(network);
    }

    /// Saves this rank once all marks have come.
    fn save_if_marked(&mut self, network: &mut impl Transport) {
        let ranks = self.ranks;
        let marks = self.saving.as_mut().and_then(|saving| saving.marks.take_if(|marks| *marks == ranks));
        if marks.is_some() {
            self.save(network);
            self.release_all(network);
        }
    }

    /// Writes what this rank has, and tells the first rank.
    pub(super) fn save(&mut self, network: &mut impl Transport) {
        let Some(mut saving) = self.saving.take() else { return };
        let start = Instant::now();
        let written = if saving.trouble.is_none() { self.write_state(&mut saving) } else { Err(io::Error::other("")) };
        saving.last = Instant::now();
        saving.cost = start.elapsed();
        saving.batches = 0;
        self.saving = Some(saving);
        match written {
            Ok(pieces) => {
                let account = self.account();
                let mut part = Vec::new();
                for piece in &pieces {
                    part.text(&piece.name);
                    part.number(piece.bytes);
                }
                part.bytes(&account);
                self.say(network, 0, &Message::Saved(&part));
            }
            Err(error) => self.give_up_saving(&error),
        }
    }

    /// The search goes on without checkpoints; the last one stays.
    fn give_up_saving(&mut self, error: &io::Error) {
        if let Some(saving) = &mut self.saving {
            saving.trouble.get_or_insert_with(|| error.to_string());
            saving.since = Vec::new();
        }
    }

    fn write_since(&mut self, saving: &mut Saving) -> io::Result<()> {
        for (state, companion) in std::mem::take(&mut saving.since) {
            self.load(state);
            saving.log.push(self.model, &self.words, &companion)?;
        }
        Ok(())
    }

    fn write_state(&mut self, saving: &mut Saving) -> io::Result<[Piece; 3]> {
        self.write_since(saving)?;
        let stored = saving.log.sync()?;
        saving.sequence += 1;
        let (width, format) = (self.model.width(), self.file_format());
        let file = |kind: &str| {
            let name = format!("{}-{}-{}.{kind}", saving.generation, self.rank, saving.sequence);
            ParcelFile::new(saving.folder.file(&name), width, format)
        };
        let (mut waiting_file, mut found_file) = (file(WAITING), file(FOUND));
        let mut waiting = Vec::new();
        self.queue.for_each(&mut |stored| waiting.push(stored));
        for Stored { state, depth, label } in waiting {
            self.load(state);
            waiting_file.push(self.model, &self.words, &Companion { depth, label, ..Companion::default() })?;
        }
        let mut whole = Vec::new();
        self.raw.for_each(|state, companion| whole.push((state.to_vec(), companion)));
        let held = self.held.values().flatten().map(|held| (held.state.clone(), held.companion));
        whole.extend(held);
        for (state, companion) in &whole {
            found_file.push(self.model, state, companion)?;
        }
        Ok([stored, waiting_file.sync()?, found_file.sync()?])
    }

    /// The first rank's: a rank has saved itself. When all have, the checkpoint counts.
    pub(super) fn take_saved(&mut self, from: Rank, part: &[u8]) {
        let saved = read_saved(part).expect("what another rank saved can be read");
        let level = self.levels.as_ref().map_or(0, |levels| levels.level);
        let format = self.file_format();
        let Some(saving) = &mut self.saving else { return };
        saving.saved[from as usize] = Some(saved);
        if !saving.saved.iter().all(Option::is_some) {
            return;
        }
        let all: Vec<Saved> = saving.saved.iter_mut().filter_map(Option::take).collect();
        let mut stored = saving.earlier.clone();
        stored.extend(all.iter().enumerate().map(|(rank, saved)| (rank as Rank, saved.stored.clone())));
        let manifest = Manifest {
            generation: saving.generation,
            level,
            format,
            stored,
            waiting: all.iter().enumerate().map(|(rank, saved)| (rank as Rank, saved.waiting.clone())).collect(),
            found: all.iter().enumerate().map(|(rank, saved)| (rank as Rank, saved.found.clone())).collect(),
            accounts: all.into_iter().map(|saved| saved.account).collect(),
        };
        match manifest.write(&saving.folder, &saving.checkpoints) {
            Ok(()) => manifest.remove_earlier_waiting(&saving.folder),
            Err(error) => self.give_up_saving(&error),
        }
    }

    /// What this rank has counted and met.
    fn account(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let assignments: Vec<_> = self.partitioner.assignments().collect();
        out.number(assignments.len() as u64);
        for (bucket, owner) in assignments {
            out.number(bucket);
            out.number(u64::from(owner));
        }
        let discoveries = self.discoveries.clone();
        let report = Report {
            statistics: self.statistics,
            traffic: self.outbox.traffic,
            truncated: self.truncated,
            unsupported: self.unsupported.clone(),
            // Places by reference mean nothing to another process; the states follow by their contents.
            discoveries: discoveries.clone(),
            ..Report::default()
        };
        out.bytes(&report.encode());
        for discovery in &discoveries {
            if let FaultPlace::State { state, .. } = discovery.place {
                self.load(state);
                out.bytes(&crate::parcel::pack_one(self.model, &self.words));
            }
        }
        let faults = self.ranking.as_ref().map_or_else(Vec::new, |ranking| ranking.pending_faults());
        out.bytes(&Report { discoveries: faults, ..Report::default() }.encode());
        out
    }

    fn restore_assignments(&mut self, reader: &mut Reader) -> Result<(), Garbled> {
        let count = reader.count()?;
        for _ in 0..count {
            let (bucket, owner) = (reader.number()?, reader.word()?);
            self.partitioner.assign(bucket, owner % self.ranks);
        }
        Ok(())
    }

    fn restore_account(&mut self, rank: Rank, account: &[u8]) -> Result<(), Garbled> {
        let mut reader = Reader::new(account);
        self.restore_assignments(&mut reader)?;
        let report = Report::decode(reader.bytes()?)?;
        if self.rank == 0 {
            let (sum, saved) = (&mut self.statistics, &report.statistics);
            sum.states += saved.states;
            sum.transitions += saved.transitions;
            sum.depth = sum.depth.max(saved.depth);
            sum.faults += saved.faults;
            self.outbox.traffic.add(&report.traffic);
            self.truncated |= report.truncated;
            self.note_unsupported(report.unsupported.clone());
        }
        for discovery in report.discoveries {
            let place = match discovery.place {
                FaultPlace::State { distance, .. } => {
                    let state = crate::parcel::unpack_one(self.model, reader.bytes()?)?;
                    let depth = distance.unwrap_or(0) as u32;
                    if !self.owns(rank, &state, depth) {
                        continue;
                    }
                    let hash = self.session.prepare(&state);
                    // It is in the files of stored states too, and counted there.
                    let (Inserted::New(state) | Inserted::Known(state)) = self.session.commit(hash, &state, None);
                    FaultPlace::State { state, distance }
                }
                place if self.rank == 0 => place,
                _ => continue,
            };
            self.discoveries.push(Discovery { place, ..discovery });
        }
        let pending = Report::decode(reader.bytes()?)?.discoveries;
        if let (0, Some(ranking)) = (self.rank, &mut self.ranking) {
            ranking.restore_faults(pending);
        }
        Ok(())
    }
}

/// What a companion says in another process than the one that wrote it. References to states of more than two words are a process's own.
fn in_this_process(state: &[Word], companion: Companion) -> Companion {
    let parent = if state.len() > 2 { UNKNOWN_PARENT } else { companion.parent };
    Companion { parent, ..companion }
}

fn read_saved(part: &[u8]) -> Result<Saved, Garbled> {
    let mut reader = Reader::new(part);
    let mut piece = || Ok(Piece { name: reader.text()?, bytes: reader.number()? });
    let (stored, waiting, found) = (piece()?, piece()?, piece()?);
    Ok(Saved { stored, waiting, found, account: reader.bytes()?.to_vec() })
}
