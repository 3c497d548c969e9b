//! The process of the state that a step goes through, and whether the step has changed it.

use crate::process::Process;
use crate::system::System;
use dampf_core::{ComponentId, Word};
use std::ops::Deref;

pub struct LoadedProcess<'m> {
    system: &'m System,
    process: Process,
    /// The word of the process in the state this step began in.
    stored: Word,
    changed: bool,
}

impl Deref for LoadedProcess<'_> {
    type Target = Process;

    #[inline]
    fn deref(&self) -> &Process {
        &self.process
    }
}

impl<'m> LoadedProcess<'m> {
    pub fn new(system: &'m System) -> LoadedProcess<'m> {
        LoadedProcess { system, process: Process::default(), stored: 0, changed: false }
    }

    /// Loads the process from its word in a state, unless it is there already.
    pub fn load(&mut self, word: Word) {
        if self.stored != word || self.changed || word == 0 {
            self.process = match word.checked_sub(1) {
                None => Process::default(),
                Some(id) => Process::decode(self.system.components.get(ComponentId(id))),
            };
        }
        self.stored = word;
        self.changed = false;
    }

    /// The process, to be changed.
    pub fn change(&mut self) -> &mut Process {
        self.changed = true;
        &mut self.process
    }

    pub fn is_changed(&self) -> bool {
        self.changed
    }
}
