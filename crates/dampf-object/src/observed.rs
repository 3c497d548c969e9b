//! Operations that notice what is assumed to go unnoticed: that a lock is still held, that its memory is still there,
//! that a thread has not ended yet.
//!
//! Why each of them may be assumed away, until it is met, is told in [`sharing`](crate::sharing).

use crate::hooks::{Hook, Observes, Visible};
use crate::layout::Region;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind, LockPlace, SHARED_LINE_BYTES, UNIT_BYTES};
use crate::thread::Status;
use crate::touched::Mode;
use dampf_rv::machine::Hart;

const SP: usize = 2;
const A0: usize = 10;

impl Machine<'_> {
    /// Whether other threads may notice when a lock at this address is released. If they may not, then the lock is one
    /// of those that nobody accesses like a variable: [`check_unreleased`](Self::check_unreleased).
    pub fn is_visible_release(&mut self, address: u64, bytes: u64) -> Result<bool, RunEnd> {
        // What was accessed before must not seem to be accessed behind the release.
        if self.system.sharing.locks_observed() || self.has_accessed() {
            return Ok(true);
        }
        let is_noticed = match Region::of(address, self.slots()) {
            Some(Region::Shared(_)) => {
                let block = self.block_at(address);
                block.is_some_and(|(_, block)| self.system.sharing.is_freed_site(block.site))
            }
            // What a thread releases on its own stack it leaves later itself.
            Some(Region::Stack(slot) | Region::Tls(slot)) if slot != self.threads.running => {
                self.system.sharing.is_left_unit(address / UNIT_BYTES)
            }
            _ => false,
        };
        if is_noticed || self.system.seen.is_some() {
            return Ok(is_noticed);
        }
        let Some(place) = self.lock_place(address, bytes) else { return Ok(true) };
        match self.system.sharing.is_released(place) {
            true => Ok(false),
            false => Err(self.refute(Fact::new(FactKind::ReleasedLock, place))),
        }
    }

    /// Takes note in random runs that a lock is released while others may look at it.
    pub fn see_release(&mut self, hook: Hook, hart: &Hart) {
        let is_release = matches!(hook.visible, Visible::AsRelease) && self.step.others;
        if let Some(seen) = self.system.seen.as_ref().filter(|_| is_release)
            && let Some((bytes, _)) = hook.object_access()
            && let Some(place) = self.lock_place(hart.x[A0], bytes)
        {
            seen.lock().expect("nothing panics under this lock").released.insert(place);
        }
    }

    /// Where a lock lies: in blocks of a call site, or at an address. None where that cannot be told in one number.
    fn lock_place(&mut self, address: u64, bytes: u64) -> Option<LockPlace> {
        match self.block_at(address) {
            Some((region, block)) => {
                let offset = address - region.base(0) - u64::from(block.offset);
                LockPlace::in_blocks(block.site, offset, bytes)
            }
            None => LockPlace::at(address, bytes),
        }
    }

    /// Whether bytes are part of a lock whose release nobody notices.
    pub fn is_of_released(&mut self, address: u64, bytes: u64) -> bool {
        let sharing = &self.system.sharing;
        if sharing.locks_observed() || !sharing.has_released() {
            return false;
        }
        // A lock that ends in these bytes may begin before them.
        let last = address.saturating_add(bytes).saturating_sub(1);
        match self.block_at(last) {
            Some((region, block)) => {
                let start = region.base(0) + u64::from(block.offset);
                let place = LockPlace::in_blocks(block.site, last - start, 0);
                place.is_some_and(|last| sharing.is_of_released(last, address.saturating_sub(start)))
            }
            None => LockPlace::at(last, 0).is_some_and(|last| sharing.is_of_released(last, address)),
        }
    }

    /// Whoever accesses a lock like a variable may notice when it is released. That includes releases by threads that
    /// have ended since, if nobody has joined them; of those that were detached nothing is known any more.
    pub fn check_unreleased(&mut self, address: u64, bytes: u64) -> Result<(), RunEnd> {
        match self.is_of_released(address, bytes) {
            true => Err(self.refute(Fact::new(FactKind::LocksObserved, 0_u64))),
            false => Ok(()),
        }
    }

    /// Whether the running thread is alone, and threads have ended that nobody has joined.
    pub fn is_left_alone(&self) -> bool {
        self.step.alone && self.threads.iter().any(|thread| matches!(thread.status, Status::Exited { .. }))
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
