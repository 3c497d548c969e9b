//! Facts that refute what a model assumes, on their way from the access that met them to whoever explores.

use crate::futures::Futures;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, write_facts};
use dampf_core::Revise;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What a machine has refuted since it was last asked. It notes facts wherever it meets them, in threads that it only
/// looks at, too: whether the step at hand comes to an end does not matter for what is known.
#[derive(Default)]
pub struct Refuted {
    facts: RefCell<BTreeSet<Fact>>,
    futures: Futures,
}

/// What was assumed of futures.
const UNFORESEEN: &str = "a thread does something that it was not seen to do there";

impl Machine<'_> {
    /// Notes a fact that refutes an assumption.
    pub fn refute(&self, fact: Fact) -> RunEnd {
        self.refute_all([fact])
    }

    pub fn refute_all(&self, facts: impl IntoIterator<Item = Fact>) -> RunEnd {
        self.refuted.facts.borrow_mut().extend(facts);
        RunEnd::Refuted
    }

    /// What was refuted since this was last asked for.
    #[inline]
    pub fn take_refuted(&mut self) -> Option<Revise> {
        let facts = self.refuted.facts.get_mut();
        if facts.is_empty() && self.refuted.futures.is_empty() {
            return None;
        }
        let what = facts.first().map_or(UNFORESEEN, |fact| fact.kind.what()).to_owned();
        let mut text = write_facts(std::mem::take(facts));
        std::mem::take(&mut self.refuted.futures).write(&mut text);
        Some(Revise { what, facts: text.into_bytes() })
    }

    /// Notes that a thread did what no thread was seen to do there.
    pub fn refute_futures(&mut self, news: &Futures) {
        self.refuted.futures.merge(news);
    }
}
