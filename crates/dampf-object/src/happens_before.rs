//! What the operations of a program do to the [`history`](crate::history), where there is one.

use crate::history::{Entry, History, Order, SECTIONS, SYSTEM, end_of, place};
use crate::hooks::{Hook, Object, Visible, Ways};
use crate::layout::slot_of;
use crate::machine::Machine;
use crate::premise::Premise;
use crate::race::PendingAccess;
use crate::run_end::RunEnd;
use crate::segments;
use crate::sharing::{Fact, FactKind, SHARED_LINE_BYTES};
use crate::side_access::MemoryAccess;
use crate::step::Next;
use crate::thread::Status;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

const A0: usize = 10;

/// Threads are told apart by so many bits.
pub const HISTORY_SLOTS_MAX: usize = 64;

impl Machine<'_> {
    #[inline]
    pub fn has_history(&self) -> bool {
        self.system.has_history
    }

    /// The history, where there is one and something in it: nobody learns anything from an empty one, and a process
    /// that is not touched is not written anew.
    fn history_mut(&mut self) -> Option<&mut History> {
        let is_empty = !self.has_history() || self.process.history.is_empty();
        (!is_empty).then(|| &mut self.process.change().history)
    }

    /// An atomic operation of the running thread reads or writes or updates a variable. Refutes that all such
    /// operations order everything, if that was assumed.
    pub fn order_atomic(&mut self, access: MemoryAccess, reads: bool, order: Order) -> Result<(), RunEnd> {
        let MemoryAccess { address, bytes, writes } = access;
        if !self.has_segments() || !self.step.others {
            return Ok(());
        }
        if !self.has_history() {
            let is_weak = reads && !order.acquires || writes && !order.releases;
            if is_weak && self.system.may_have_history() && self.is_visible(address, bytes, writes)? {
                return Err(self.refute(Fact::new(FactKind::WeakOrders, 0_u64)));
            }
            return Ok(());
        }
        let slot = self.threads.running;
        if slot_of(address) == Some(slot) {
            // What is left there others would find at theirs.
            self.tell_apart_running();
        }
        self.check_history(access, 0)?;
        let fences = self.system.sharing.has_fences();
        let Some(history) = self.history_mut() else { return Ok(()) };
        if reads {
            history.load(slot, place(address, bytes), order, fences);
        }
        if writes {
            history.store(slot, place(address, bytes), order, reads);
        }
        Ok(())
    }

    /// The same for an access that is atomic, or may be, by a single instruction.
    fn order_instruction(&mut self, access: PendingAccess) -> Result<(), RunEnd> {
        let PendingAccess { address, bytes, writes, .. } = access;
        self.order_atomic(MemoryAccess { address, bytes, writes }, true, Order::FULL)
    }

    /// The instruction that the running thread stands before is about to access memory, atomically or in a way that may
    /// be.
    pub fn order_next_access(&mut self, hart: &Hart) -> Result<(), RunEnd> {
        let access = self.instruction_access(self.threads.running, hart.pc, |register| hart.x[register]);
        access.filter(|access| access.atomic).map_or(Ok(()), |access| self.order_instruction(access))
    }

    /// A fence.
    pub fn fence(&mut self, order: Order, next: Next) -> Result<Next, RunEnd> {
        if self.has_history() && self.step.others {
            if !self.system.sharing.has_fences() {
                return Err(self.refute(Fact::new(FactKind::FencesUsed, 0_u64)));
            }
            let slot = self.threads.running;
            self.process.change().history.fence(slot, order);
        }
        Ok(next)
    }

    /// Refuses an access that races with an earlier one.
    fn check_history(&mut self, access: MemoryAccess, pc: u64) -> Result<(), RunEnd> {
        let MemoryAccess { address, bytes, writes } = access;
        let slot = self.threads.running;
        match self.process.history.conflict(slot, address, bytes, writes).cloned() {
            None => Ok(()),
            Some(earlier) if !earlier.is_tracked() => Err(self.refute_locks(&earlier, address)),
            Some(earlier) => Err(self.told_unordered(PendingAccess::plain(slot, access, pc), &earlier)),
        }
    }

    fn told_unordered(&mut self, access: PendingAccess, earlier: &Entry) -> RunEnd {
        let other = pending(earlier);
        let place = self.place_name(access.address.max(other.address));
        let (me, owner) = (self.thread_name(access.slot), self.thread_name(other.slot));
        let there = self.told_place(other);
        let message = format!("{me} {} {place} while {owner} {} it{there}", access.told(), other.told());
        match access.pc {
            0 => RunEnd::fault(FaultKind::DataRace, message),
            pc => RunEnd::fault_of(FaultKind::DataRace, message, pc),
        }
    }

    /// The running thread makes a plain access.
    pub fn remember_access(&mut self, access: PendingAccess) -> Result<(), RunEnd> {
        let PendingAccess { slot, address, bytes, writes, pc, .. } = access;
        let access = MemoryAccess { address, bytes, writes };
        self.check_history(access, pc)?;
        let is_tracked = self.is_tracked(address, bytes);
        if !self.process.change().history.access(slot, access, pc as u32, is_tracked) {
            self.premises.note(Premise::ForgottenAccesses);
        }
        Ok(())
    }

    /// Whether all that orders accesses to this memory is tracked, and not locks alone.
    fn is_tracked(&mut self, address: u64, bytes: u64) -> bool {
        let sharing = &self.system.sharing;
        sharing.are_tracked_lines(address, bytes)
            || sharing.has_tracked_sites()
                && self.block_at(address).is_some_and(|(_, block)| self.system.sharing.is_tracked_site(block.site))
    }

    /// Locks do not order an access behind an earlier one, as was assumed.
    pub fn refute_locks(&mut self, earlier: &Entry, address: u64) -> RunEnd {
        let address = address.max(earlier.address);
        let fact = match self.block_at(address) {
            Some((_, block)) => Fact::new(FactKind::TrackedSite, block.site),
            None => Fact::new(FactKind::TrackedLine, address / SHARED_LINE_BYTES),
        };
        self.refute(fact)
    }

    /// The running thread has taken a lock.
    pub fn hold_in_history(&mut self, lock: u64) {
        if self.has_history() {
            let slot = self.threads.running;
            self.process.change().history.hold(slot, lock);
        }
    }

    /// The running thread is about to perform an operation: what it knows is left where others will find it.
    pub fn leave_knowledge(&mut self, hook: Hook, hart: &Hart) {
        if !self.has_history() || self.process.history.is_empty() || !self.step.others {
            return;
        }
        let slot = self.threads.running;
        match (hook.object, hook.visible) {
            // What waits for its object releases nothing, but for mutexes, which tell themselves.
            (Object::Synchronisation { .. }, _) if !matches!(hook.ways, Ways::Waits(_)) => {
                self.process.change().history.release(slot, hart.x[A0]);
            }
            (Object::None, Visible::Always) => {
                for other in self.threads.alive_slots() {
                    self.process.change().history.tell(slot, other);
                }
            }
            (Object::None, Visible::AsSection) => self.process.change().history.acquire(slot, SECTIONS),
            _ => {}
        }
    }

    /// The running thread has performed an operation: it knows what others left there.
    pub fn take_knowledge(&mut self, hook: Hook, object: u64) {
        let slot = self.threads.running;
        let takes = matches!(hook.object, Object::Synchronisation { .. }) && hook.visible != Visible::AsRelease;
        if takes && let Some(history) = self.history_mut() {
            history.acquire(slot, object);
        }
    }

    /// A mutex was acquired or given back, by whatever operation.
    pub fn order_mutex(&mut self, mutex: u64, acquires: bool) {
        let slot = self.threads.running;
        let Some(history) = self.history_mut() else { return };
        if acquires { history.acquire(slot, mutex) } else { history.release(slot, mutex) }
    }

    /// An atomic section has ended.
    pub fn order_section_end(&mut self) {
        let slot = self.threads.running;
        if let Some(history) = self.history_mut() {
            history.release(slot, SECTIONS);
        }
    }

    /// A system call that others can notice.
    pub fn order_system_call(&mut self) {
        let slot = self.threads.running;
        if let Some(history) = self.history_mut() {
            history.release(slot, SYSTEM);
            history.acquire(slot, SYSTEM);
        }
    }

    /// Another thread goes on because of what the running one did.
    pub fn tell_history(&mut self, to: u32) {
        let slot = self.threads.running;
        if let Some(history) = self.history_mut() {
            history.tell(slot, to);
        }
    }

    /// The running thread has created another.
    pub fn begin_history(&mut self, created: u32) {
        let slot = self.threads.running;
        if let Some(history) = self.history_mut() {
            history.begin(slot, created);
        }
    }

    /// The running thread ends.
    pub fn end_history(&mut self) {
        let slot = self.threads.running;
        if let Some(history) = self.history_mut() {
            history.release(slot, end_of(slot));
        }
    }

    /// The running thread has joined another.
    pub fn join_history(&mut self, joined: u32) {
        let slot = self.threads.running;
        if let Some(history) = self.history_mut() {
            history.acquire(slot, end_of(joined));
            history.clear(end_of(joined));
        }
    }

    /// Refuses to take memory away that another thread has accessed, if nothing orders the two. What was done to it
    /// does not matter any more.
    pub fn end_in_history(&mut self, address: u64, bytes: u64, kind: FaultKind, told: &str) -> Result<(), RunEnd> {
        if !self.has_history() || self.process.history.is_empty() {
            return Ok(());
        }
        let slot = self.threads.running;
        if let Some(earlier) = self.process.history.conflict(slot, address, bytes, true).cloned() {
            if !earlier.is_tracked() {
                return Err(self.refute_locks(&earlier, address));
            }
            return Err(self.told_taken(pending(&earlier), address, kind, told));
        }
        self.process.change().history.forget(address, bytes);
        Ok(())
    }

    /// A thread has run: what all know is forgotten, and so is what was done to memory that is no more.
    pub fn settle_history(&mut self) -> Result<(), RunEnd> {
        if !self.has_history() || self.process.ended.is_some() {
            return Ok(());
        }
        let running = self.threads.running;
        for entry in self.process.history.entries().to_vec() {
            let access = segments::SegmentAccess {
                address: entry.address,
                bytes: entry.bytes,
                writes: entry.writes,
                pc: entry.pc,
            };
            self.threads.running = entry.slot;
            let is_there = self.is_still_there(&access);
            self.threads.running = running;
            if is_there {
                continue;
            }
            if !entry.is_known_to(running) {
                if !entry.is_tracked() {
                    return Err(self.refute_locks(&entry, entry.address));
                }
                self.threads.running = entry.slot;
                let fault = self.ended_under(entry.slot, access);
                self.threads.running = running;
                return Err(fault);
            }
            self.process.change().history.forget_entry(&entry);
        }
        if !self.process.history.is_empty() {
            let alive = self.threads.alive_slots();
            self.foresee_joins(&alive);
            self.process.change().history.settle(alive.into_iter());
        }
        Ok(())
    }

    /// Lets threads that wait for ends know what they will know before anything else. A signal or a cancellation may
    /// have them do something else.
    fn foresee_joins(&mut self, alive: &[u32]) {
        if self.system.sharing.signals_sent() || self.system.sharing.threads_cancelled() {
            return;
        }
        let joins: Vec<(u32, u32)> = alive.iter().filter_map(|&slot| Some((slot, self.awaited_end(slot)?))).collect();
        let history = &mut self.process.change().history;
        // Threads may wait for threads that wait.
        while joins.iter().fold(false, |is_news, &(joiner, joined)| history.foresee(joiner, joined) | is_news) {}
    }

    /// The thread for whose end another waits, if it does nothing else before.
    fn awaited_end(&self, slot: u32) -> Option<u32> {
        let thread = &self.threads[slot as usize];
        let hook = self.system.program.hook(thread.pc).filter(|_| thread.status == Status::Running)?;
        let joined =
            self.slot_of_handle(self.threads.register(slot, A0)).filter(|_| hook.visible == Visible::AsJoin)?;
        // Whoever waits for a class waits for all of it, whichever of them it names.
        let is_alone = !self.is_member(joined);
        (is_alone && joined != slot && self.threads[joined as usize].status != Status::Absent).then_some(joined)
    }
}

/// An access of the history, as one that a thread stands before.
pub fn pending(entry: &Entry) -> PendingAccess {
    let memory = MemoryAccess { address: entry.address, bytes: entry.bytes.into(), writes: entry.writes };
    PendingAccess::plain(entry.slot, memory, entry.pc.into())
}
