//! Operations that notice what is assumed to go unnoticed: that a lock is still held, that its memory is still there,
//! that a thread has not ended yet.
//!
//! Why each of them may be assumed away, until it is met, is told in [`sharing`](crate::sharing).

use crate::hooks::{Hook, Observes, Visible};
use crate::layout::Region;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind, SHARED_LINE_BYTES, UNIT_BYTES};
use crate::thread::Status;
use crate::touched::Mode;
use dampf_rv::machine::Hart;

const SP: usize = 2;
const A0: usize = 10;

impl Machine<'_> {
    /// Whether other threads may notice when a lock at this address is released.
    pub fn is_visible_release(&mut self, address: u64) -> bool {
        // What was accessed before must not seem to be accessed behind the release.
        if self.system.sharing.locks_observed() || self.has_accessed() {
            return true;
        }
        match Region::of(address, self.slots()) {
            Some(Region::Shared(_)) => {
                let block = self.block_at(address);
                block.is_some_and(|(_, block)| self.system.sharing.is_freed_site(block.site))
            }
            // What a thread releases on its own stack it leaves later itself.
            Some(Region::Stack(slot) | Region::Tls(slot)) if slot != self.threads.running => {
                self.system.sharing.is_left_unit(address / UNIT_BYTES)
            }
            _ => false,
        }
    }

    /// Takes note in random runs that a lock among the globals is released while others may look at it.
    pub fn see_release(&self, hook: Hook, hart: &Hart) {
        let lock = hart.x[A0];
        let is_release = matches!(hook.visible, Visible::AsRelease) && self.step.others;
        if let Some(seen) = self.system.seen.as_ref().filter(|_| is_release)
            && let Some((bytes, _)) = hook.object_access()
            && self.system.program.globals.contains(&lock)
        {
            seen.lock().expect("nothing panics under this lock").released.insert(lock, bytes);
        }
    }

    /// Whether a thread has ended that nobody has joined.
    pub fn has_ended(&self, handle: u64) -> bool {
        let slot = self.slot_of_handle(handle);
        slot.is_some_and(|slot| matches!(self.threads[slot as usize].status, Status::Exited { .. }))
    }

    /// Learns that an operation notices what others do, where there are others.
    pub fn learn_observed(&mut self, hook: Hook, hart: &Hart) -> Result<(), RunEnd> {
        if !self.threads.has_others() {
            return Ok(());
        }
        if hook.observes == Observes::SlotsAndFrames {
            self.learn_left(self.threads.running, hart.x[SP])?;
        }
        let sharing = &self.system.sharing;
        let object = hart.x[A0];
        let refuted = match hook.observes {
            Observes::Nothing => None,
            Observes::Ends => (!sharing.ends_observed()).then(|| Fact::new(FactKind::EndsObserved, 0_u64)),
            Observes::Slots | Observes::SlotsAndFrames => {
                let is_observed = self.threads.running != 0 && !sharing.joins_observed();
                is_observed.then(|| Fact::new(FactKind::JoinsObserved, 0_u64))
            }
            Observes::EndOfDetached => {
                let is_observed = !sharing.ends_observed() && self.has_ended(object);
                is_observed.then(|| Fact::new(FactKind::EndsObserved, 0_u64))
            }
            Observes::Blocks if sharing.locks_observed() => None,
            Observes::Blocks => {
                let site = self.block_at(object).map(|(_, block)| block.site);
                match site.filter(|site| !self.system.sharing.is_freed_site(*site)) {
                    Some(site) if self.is_visible_block(object)? => Some(Fact::new(FactKind::FreedSite, site)),
                    _ => None,
                }
            }
            Observes::Locks if sharing.locks_observed() => None,
            Observes::Locks => {
                let (bytes, writes) = hook.object_access().expect("an operation that observes a lock is about one");
                self.is_visible(object, bytes, writes)?.then(|| Fact::new(FactKind::LocksObserved, 0_u64))
            }
        };
        refuted.map_or(Ok(()), |fact| Err(self.refute(fact)))
    }

    /// Whether other threads use what lies on the running thread's stack, in frames that it may leave.
    pub fn has_shared_frames(&self, sp: u64) -> bool {
        let sharing = &self.system.sharing;
        let top = Region::Stack(self.threads.running).base(0);
        let mut frames = sharing.shared_lines(sp / SHARED_LINE_BYTES..top.max(sp).div_ceil(SHARED_LINE_BYTES));
        self.step.others && !sharing.everything && frames.next().is_some()
    }

    /// Learns that the running thread has left a part of its stack that others use, now that its stack pointer has this
    /// value. True if others can notice.
    pub fn learn_left(&mut self, slot: u32, after: u64) -> Result<bool, RunEnd> {
        let before = std::mem::replace(&mut self.step.sp_before, after);
        let system = self.system;
        let sharing = &system.sharing;
        if sharing.shared_lines(0..u64::MAX).next().is_none()
            || self.process.ended.is_some()
            || !self.threads.has_others()
        {
            return Ok(false);
        }
        let after = if self.threads[slot as usize].is_alive() { after } else { Region::Stack(slot).base(0) };
        if after <= before {
            return Ok(false);
        }
        let mut noticed = false;
        let mut news = Vec::new();
        for line in sharing.shared_lines(before / SHARED_LINE_BYTES..after.div_ceil(SHARED_LINE_BYTES)) {
            let (start, end) = ((line * SHARED_LINE_BYTES).max(before), ((line + 1) * SHARED_LINE_BYTES).min(after));
            if self.is_end_noticed(start, end - start)? {
                noticed = true;
                self.note_touched(start, end - start, Mode::WRITE);
            }
            let units = start / UNIT_BYTES..end / UNIT_BYTES;
            news.extend(units.filter(|unit| !sharing.locks_observed() && !sharing.is_left_unit(*unit)));
        }
        if news.is_empty() {
            return Ok(noticed);
        }
        Err(self.refute_all(news.into_iter().map(|unit| Fact::new(FactKind::LeftUnit, unit))))
    }
}
