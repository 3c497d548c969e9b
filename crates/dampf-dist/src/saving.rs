//! A rank's part in a checkpoint.
//!
//! *By levels*: the first rank says at the end of a level that one is due. Whoever has heard the ends of all ranks has
//! all states of the next level, so a rank saves itself before it explores the first of them, and waits for nobody.
//!
//! *Without levels*: the first rank sends a mark. Whoever gets the first mark sends what it has buffered, then marks to
//! everybody, and explores nothing until it has marks from all. Then every state that was sent before has arrived, and
//! it saves itself. What arrives too early from a rank that goes on already is found again after a resumption, and
//! known then.
//!
//! *Looking for cycles*: all ranks decide alike what comes next (`cycles/rounds.rs`), so at the end of a round they
//! save themselves alike, before anything of the next round is taken in. Everything was explored then, and what is
//! saved beside the states is which of them OWCTY has kept.

use crate::checkpoint::{Checkpoints, FOUND, KEPT, Manifest, Prepared, STORED, WAITING};
use crate::cycles::CycleProgress;
use crate::exploration::Exploration;
use crate::mail::Mail;
use crate::message::Message;
use crate::parcel::{Companion, Format};
use crate::parcel_file::{ParcelFile, Piece};
use crate::queue::Stored;
use crate::wire::{Garbled, Reader, Write};
use crate::{Distributable, RankStore};
use dampf_net::Rank;
use dampf_search::checkpoint::Folder;
use dampf_store::StateRef;
use std::io;
use std::time::{Duration, Instant};

/// Batches between two checkpoints where they are to be as frequent as possible.
const BATCHES_AT_LEAST: u32 = 4;
/// A checkpoint is due early when the time since the last is so many times what that one took: whatever ends the search
/// then, little is lost.
const PAUSE_FACTOR: u32 = 20;
/// But not sooner than this.
const PAUSE_MIN: Duration = Duration::from_millis(200);
/// More states than these are written before a checkpoint is due: they take memory.
const UNSAVED_MAX: usize = 1 << 16;

pub(crate) struct Saving {
    checkpoints: Checkpoints,
    pub folder: Folder,
    width: usize,
    format: Format,
    generation: u64,
    sequence: u64,
    last: Instant,
    /// How long it took to write the last one.
    cost: Duration,
    batches: u32,
    pub is_resumed: bool,
    /// Files of earlier runs.
    earlier: Vec<(Rank, Piece)>,
    log: ParcelFile,
    /// Marks that have come, while some are awaited.
    marks: Option<u32>,
    /// The first rank's: what the ranks have said.
    saved: Vec<Option<Saved>>,
    /// How far the search for cycles had come at the checkpoint that is being written.
    cycles: Option<CycleProgress>,
    /// Why nothing is saved any more.
    pub trouble: Option<String>,
}

/// What a rank says when it has saved itself.
struct Saved {
    stored: Piece,
    waiting: Piece,
    found: Piece,
    /// States that may lie on cycles, where these are looked for.
    kept: Piece,
    account: Vec<u8>,
}

/// States that OWCTY has kept, with the number of steps that lead to each from others of them.
pub(crate) type KeptStates = Vec<(StateRef, u32)>;

impl Saved {
    fn read(part: &[u8]) -> Result<Saved, Garbled> {
        let mut reader = Reader::new(part);
        let mut piece = || Ok(Piece { name: reader.text()?, bytes: reader.number()? });
        let (stored, waiting, found, kept) = (piece()?, piece()?, piece()?, piece()?);
        Ok(Saved { stored, waiting, found, kept, account: reader.bytes()?.to_vec() })
    }
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
        // Files hold depths always: a resumed search may go in another order.
        let format = Format { depths: true, positions: format.places, accepting: false, ..format };
        Saving {
            checkpoints: checkpoints.clone(),
            folder,
            width,
            format,
            generation,
            sequence: 0,
            last: Instant::now(),
            cost: Duration::ZERO,
            batches: 0,
            is_resumed: manifest.is_some(),
            earlier: manifest.map_or_else(Vec::new, |manifest| manifest.stored),
            log: ParcelFile::new(log, width, format),
            marks: None,
            saved: (0..ranks).map(|_| None).collect(),
            cycles: None,
            trouble: None,
        }
    }

    pub fn is_due(&self) -> bool {
        self.batches >= BATCHES_AT_LEAST && self.is_due_by_time()
    }

    /// The same where states are not explored any more.
    pub fn is_due_by_time(&self) -> bool {
        self.trouble.is_none()
            && self.saved.iter().all(Option::is_none)
            && self.last.elapsed() >= self.checkpoints.every.min(PAUSE_MIN.max(self.cost * PAUSE_FACTOR))
    }

    /// Whether marks are awaited. The rank explores nothing and sends nothing then: nobody would save what it sends.
    pub fn is_waiting(&self) -> bool {
        self.marks.is_some()
    }

    /// A batch was explored. Writes down what has become much.
    pub fn after_batch<M: Distributable, S: RankStore>(&mut self, exploration: &mut Exploration<'_, M, S>) {
        self.batches += 1;
        if exploration.share.visited.unsaved() >= UNSAVED_MAX
            && let Err(error) = self.write_unsaved(exploration)
        {
            self.give_up(exploration, &error);
        }
    }

    /// Begins a checkpoint of a search without levels.
    pub fn mark<M: Distributable, S: RankStore>(&mut self, exploration: &mut Exploration<'_, M, S>, mail: &mut Mail) {
        exploration.share.delivery.flush(mail, false);
        mail.broadcast(&Message::Mark);
        self.marks = Some(1);
        self.save_if_marked(exploration, mail);
    }

    pub fn take_mark<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        mail: &mut Mail,
    ) {
        if !self.is_waiting() {
            self.mark(exploration, mail);
        }
        if let Some(marks) = &mut self.marks {
            *marks += 1;
        }
        self.save_if_marked(exploration, mail);
    }

    /// Saves this rank once all marks have come.
    fn save_if_marked<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        mail: &mut Mail,
    ) {
        if self.marks.take_if(|marks| *marks == mail.ranks).is_some() {
            self.save(exploration, mail);
            exploration.share.release_all(mail);
        }
    }

    /// Writes what this rank has, and tells the first rank.
    pub fn save<M: Distributable, S: RankStore>(&mut self, exploration: &mut Exploration<'_, M, S>, mail: &mut Mail) {
        self.save_all(exploration, mail, Vec::new());
    }

    /// The same between two rounds of a search for cycles.
    pub fn save_cycles<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        mail: &mut Mail,
        progress: CycleProgress,
        kept: KeptStates,
    ) {
        self.cycles = Some(progress);
        self.save_all(exploration, mail, kept);
    }

    fn save_all<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        mail: &mut Mail,
        kept: KeptStates,
    ) {
        if self.trouble.is_some() {
            return;
        }
        let start = Instant::now();
        let written = self.write(exploration, mail.rank, kept);
        self.last = Instant::now();
        self.cost = start.elapsed();
        self.batches = 0;
        match written {
            Ok(pieces) => {
                let mut part = Vec::new();
                for piece in &pieces {
                    part.text(&piece.name);
                    part.number(piece.bytes);
                }
                part.bytes(&exploration.account());
                mail.send(0, &Message::Saved(&part));
            }
            Err(error) => self.give_up(exploration, &error),
        }
    }

    /// The search goes on without checkpoints; the last one stays.
    fn give_up<M: Distributable, S: RankStore>(&mut self, exploration: &mut Exploration<'_, M, S>, error: &io::Error) {
        self.trouble.get_or_insert_with(|| error.to_string());
        exploration.share.visited.forget_unsaved();
    }

    /// Appends the states that were found since the last time to this rank's file.
    fn write_unsaved<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
    ) -> io::Result<()> {
        let visited = &mut exploration.share.visited;
        let mut words = vec![0; self.width];
        for (state, companion) in visited.take_unsaved() {
            visited.load(state, &mut words);
            self.log.push(exploration.model, &words, &companion)?;
        }
        Ok(())
    }

    fn write<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        rank: Rank,
        kept: KeptStates,
    ) -> io::Result<[Piece; 4]> {
        self.write_unsaved(exploration)?;
        let stored = self.log.sync()?;
        self.sequence += 1;
        let file = |kind: &str| {
            let name = format!("{}-{rank}-{}.{kind}", self.generation, self.sequence);
            ParcelFile::new(self.folder.file(&name), self.width, self.format)
        };
        let (mut waiting, mut found, mut keeping) = (file(WAITING), file(FOUND), file(KEPT));
        let (model, share) = (exploration.model, &mut exploration.share);
        let mut words = vec![0; self.width];
        for Stored { state, depth, label } in share.frontier.stored_now() {
            share.visited.load(state, &mut words);
            waiting.push(model, &words, &Companion { depth, label, ..Companion::default() })?;
        }
        for (state, count) in kept {
            share.visited.load(state, &mut words);
            keeping.push(model, &words, &Companion { depth: count, ..Companion::default() })?;
        }
        let mut result = Ok(());
        let mut write = |state: &[_], companion| {
            if result.is_ok() {
                result = found.push(model, state, &companion);
            }
        };
        share.frontier.for_each_whole(&mut write);
        share.delivery.for_each_held(&mut write);
        result?;
        Ok([stored, waiting.sync()?, found.sync()?, keeping.sync()?])
    }

    /// The first rank's: a rank has saved itself. When all have, the checkpoint counts.
    pub fn take_saved<M: Distributable, S: RankStore>(
        &mut self,
        exploration: &mut Exploration<'_, M, S>,
        from: Rank,
        part: &[u8],
    ) {
        let saved = Saved::read(part).expect("what another rank saved can be read");
        self.saved[from as usize] = Some(saved);
        if !self.saved.iter().all(Option::is_some) {
            return;
        }
        let (mut stored, mut waiting, mut found) = (self.earlier.clone(), Vec::new(), Vec::new());
        let (mut kept, mut accounts) = (Vec::new(), Vec::new());
        for (rank, saved) in (0..).zip(self.saved.iter_mut().filter_map(Option::take)) {
            stored.push((rank, saved.stored));
            waiting.push((rank, saved.waiting));
            found.push((rank, saved.found));
            kept.push((rank, saved.kept));
            accounts.push(saved.account);
        }
        let (generation, format, cycles) = (self.generation, self.format, self.cycles);
        // A predictable search that goes on from a level explores the states of that level: here there are none.
        let level = exploration.share.delivery.level + u64::from(cycles.is_some());
        let manifest = Manifest { generation, level, format, stored, waiting, found, cycles, kept, accounts };
        match manifest.write(&self.folder, &self.checkpoints) {
            Ok(()) => manifest.remove_earlier_waiting(&self.folder),
            Err(error) => self.give_up(exploration, &error),
        }
    }
}
