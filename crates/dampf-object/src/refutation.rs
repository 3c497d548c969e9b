//! Facts that refute what a model assumes, on their way from the access that met them to whoever explores.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, write_facts};
use dampf_core::Revise;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What a machine has refuted since it was last asked. It notes facts wherever it meets them, in threads that it only
/// looks at, too: whether the step at hand comes to an end does not matter for what is known.
#[derive(Default)]
pub struct Refuted(RefCell<BTreeSet<Fact>>);

impl Machine<'_> {
    /// Notes a fact that refutes an assumption.
    pub fn refute(&self, fact: Fact) -> RunEnd {
        self.refute_all([fact])
    }

    pub fn refute_all(&self, facts: impl IntoIterator<Item = Fact>) -> RunEnd {
        self.refuted.0.borrow_mut().extend(facts);
        RunEnd::Refuted
    }

    /// What was refuted since this was last asked for.
    #[inline]
    pub fn take_refuted(&mut self) -> Option<Revise> {
        let facts = self.refuted.0.get_mut();
        let what = facts.first()?.kind.what().to_owned();
        Some(Revise { what, facts: write_facts(std::mem::take(facts)).into_bytes() })
    }
}
