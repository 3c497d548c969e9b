//! A rank's part of a checkpoint, and the way back from one to an exploration.

use crate::checkpoint::Manifest;
use crate::discovery::{Discovery, FaultPlace};
use crate::exploration::Exploration;
use crate::parcel::{Companion, UNKNOWN_PARENT, pack_one, unpack_one};
use crate::parcel_file::read_piece;
use crate::partition::Owner;
use crate::queue::Stored;
use crate::report::Report;
use crate::saving::KeptStates;
use crate::visited::parent_of_bits;
use crate::wire::{Garbled, Reader, Write};
use crate::{Distributable, RankStore};
use dampf_core::Word;
use dampf_net::Rank;
use dampf_search::StopReason;
use dampf_search::checkpoint::{CheckpointProblem, MANIFEST};
use dampf_store::Inserted;
use std::path::Path;

impl<M: Distributable, S: RankStore> Exploration<'_, M, S> {
    /// What this rank has counted and met, for a checkpoint.
    pub fn account(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let assignments: Vec<_> = self.share.delivery.partitioner.assignments().collect();
        out.number(assignments.len() as u64);
        for (bucket, owner) in assignments {
            out.number(bucket);
            out.number(u64::from(owner));
        }
        let report = Report {
            statistics: self.statistics(),
            traffic: self.traffic(),
            judgement: self.judgement.clone(),
            // Places by reference mean nothing to another process; the states follow by their contents.
            discoveries: self.discoveries.list().to_vec(),
            ..Report::default()
        };
        out.bytes(&report.encode());
        for discovery in &report.discoveries {
            if let FaultPlace::State { state, .. } = discovery.place {
                out.bytes(&pack_one(self.model, &self.words_of(state)));
            }
        }
        let faults = self.share.ranking.as_ref().map_or_else(Vec::new, |ranking| ranking.pending_faults());
        out.bytes(&Report { discoveries: faults, ..Report::default() }.encode());
        out
    }

    /// Takes over this rank's share of what a checkpoint has. Returns why the search need not go on, if it need not.
    pub fn restore(&mut self, manifest: &Manifest, folder: &Path) -> Result<Option<StopReason>, CheckpointProblem> {
        let garbled = |Garbled| CheckpointProblem::Damaged { file: folder.join(MANIFEST) };
        for account in &manifest.accounts {
            self.restore_assignments(&mut Reader::new(account)).map_err(garbled)?;
        }
        let ending = self.begin(false);
        let (model, format) = (self.model, manifest.format);
        let mut level_size = 0;
        for (rank, piece) in &manifest.stored {
            read_piece(model, format, folder, piece, |state, companion| {
                let companion = in_this_process(state, companion);
                level_size += u64::from(u64::from(companion.depth) == manifest.level);
                self.restore_stored(*rank, state, companion);
            })?;
        }
        let (mut states, mut discoveries) = (0, Vec::new());
        for (rank, account) in manifest.accounts.iter().enumerate() {
            states += self.restore_account(rank as Rank, account, &mut discoveries).map_err(garbled)?;
        }
        // Of a fault that several ranks have met, the first place counts.
        discoveries.sort_by_key(|discovery| discovery.place.order());
        discoveries.into_iter().for_each(|discovery| self.discoveries.note(discovery));
        self.share.delivery.level = manifest.level;
        if let Some(ranking) = &mut self.share.ranking {
            ranking.restored(manifest.level, level_size, states);
            self.share.push_ranked(manifest.level);
            return Ok(ending);
        }
        for (rank, piece) in &manifest.waiting {
            read_piece(model, format, folder, piece, |state, companion| {
                self.restore_waiting(*rank, state, companion);
            })?;
        }
        for (rank, piece) in &manifest.found {
            read_piece(model, format, folder, piece, |state, companion| {
                if self.owns(*rank, state, companion.depth) {
                    self.restore_found(state, in_this_process(state, companion));
                }
            })?;
        }
        Ok(ending)
    }

    /// This rank's share of the states that a search for cycles had kept at a checkpoint.
    pub fn restore_kept(&mut self, manifest: &Manifest, folder: &Path) -> Result<KeptStates, CheckpointProblem> {
        let mut kept = Vec::new();
        for (rank, piece) in &manifest.kept {
            read_piece(self.model, manifest.format, folder, piece, |state, companion| {
                if self.owns(*rank, state, 0) {
                    let (Inserted::New(name) | Inserted::Known(name)) = self.share.visited.insert(state, None);
                    kept.push((name, companion.depth));
                }
            })?;
        }
        Ok(kept)
    }

    /// Whether a state of a checkpoint is this rank's.
    fn owns(&mut self, rank: Rank, state: &[Word], depth: u32) -> bool {
        let delivery = &mut self.share.delivery;
        if delivery.partitioner.depends_on_depth() {
            // Where a state was found at two depths it is stored twice; each copy stays with somebody.
            return rank % delivery.ranks == delivery.rank;
        }
        match delivery.partitioner.owner(state, depth) {
            Owner::Rank(owner) => owner == delivery.rank,
            Owner::Unassigned(bucket) => {
                // All ranks read the same files in the same order, so all come to this.
                let owner = (bucket % u64::from(delivery.ranks)) as Rank;
                delivery.partitioner.assign(bucket, owner);
                owner == delivery.rank
            }
        }
    }

    fn restore_stored(&mut self, rank: Rank, state: &[Word], companion: Companion) {
        if !self.owns(rank, state, companion.depth) {
            return;
        }
        // Copies of a state that lay on several ranks may become one here, and the parents of one copy may lead in a
        // circle through another.
        let is_one_of_several = self.share.delivery.partitioner.depends_on_depth();
        let parent = if companion.depth == 0 || is_one_of_several { None } else { parent_of_bits(companion.parent) };
        let (Inserted::New(state) | Inserted::Known(state)) = self.share.visited.insert(state, parent);
        if let Some(ranking) = &mut self.share.ranking {
            ranking.restore(u64::from(companion.depth), state, companion);
        }
    }

    fn restore_waiting(&mut self, rank: Rank, state: &[Word], companion: Companion) {
        if self.owns(rank, state, companion.depth) {
            let (Inserted::New(stored) | Inserted::Known(stored)) = self.share.visited.insert(state, None);
            self.wait(Stored { state: stored, depth: companion.depth, label: companion.label }, state);
        }
    }

    /// A state that waited for its owner, or to be looked up.
    fn restore_found(&mut self, state: &[Word], companion: Companion) {
        if self.share.frontier.keeps_whole {
            self.share.frontier.push_whole_now(state, companion);
            return;
        }
        if let Inserted::New(stored) = self.share.visited.insert(state, None) {
            self.share.visited.states += 1;
            self.share.visited.note_unsaved(stored, companion);
            self.wait(Stored { state: stored, depth: companion.depth, label: companion.label }, state);
        }
    }

    fn wait(&mut self, stored: Stored, state: &[Word]) {
        let partitioner = &mut self.share.delivery.partitioner;
        self.share.frontier.push_now(stored, || partitioner.estimate(state));
    }

    fn restore_assignments(&mut self, reader: &mut Reader) -> Result<(), Garbled> {
        let delivery = &mut self.share.delivery;
        for _ in 0..reader.count()? {
            let (bucket, owner) = (reader.number()?, reader.word()?);
            delivery.partitioner.assign(bucket, owner % delivery.ranks);
        }
        Ok(())
    }

    /// Takes over what a rank counted and met. Returns the number of states it counted.
    fn restore_account(
        &mut self,
        rank: Rank,
        account: &[u8],
        discoveries: &mut Vec<Discovery>,
    ) -> Result<u64, Garbled> {
        let is_first = self.share.delivery.rank == 0;
        let mut reader = Reader::new(account);
        self.restore_assignments(&mut reader)?;
        let report = Report::decode(reader.bytes()?)?;
        if is_first {
            let visited = &mut self.share.visited;
            visited.states += report.statistics.states;
            visited.depth = visited.depth.max(report.statistics.depth);
            self.transitions += report.statistics.transitions;
            self.share.delivery.outbox.traffic.add(&report.traffic);
            self.judgement.absorb(report.judgement);
        }
        for discovery in report.discoveries {
            let place = match discovery.place {
                FaultPlace::State { distance, .. } => {
                    let state = unpack_one(self.model, reader.bytes()?)?;
                    if !self.owns(rank, &state, distance.unwrap_or(0) as u32) {
                        continue;
                    }
                    // It is in the files of stored states too, and counted there.
                    let (Inserted::New(state) | Inserted::Known(state)) = self.share.visited.insert(&state, None);
                    FaultPlace::State { state, distance }
                }
                place if is_first => place,
                _ => continue,
            };
            discoveries.push(Discovery { place, ..discovery });
        }
        let pending = Report::decode(reader.bytes()?)?.discoveries;
        if let (true, Some(ranking)) = (is_first, &mut self.share.ranking) {
            ranking.restore_faults(pending);
        }
        Ok(report.statistics.states)
    }
}

/// What a companion says in another process than the one that wrote it. References to states of more than two words are
/// a process's own.
fn in_this_process(state: &[Word], companion: Companion) -> Companion {
    let parent = if state.len() > 2 { UNKNOWN_PARENT } else { companion.parent };
    Companion { parent, ..companion }
}
