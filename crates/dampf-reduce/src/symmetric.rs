//! Symmetry: a layer in which states that differ by an exchange of what is interchangeable are one.
//!
//! The states that steps lead to are brought into a canonical form, by what the model knows about itself
//! ([`Symmetry`]). So the search sees one state of each orbit, whatever the engine, the store and the number of ranks.
//! The labels of steps are those of the bare model, but behind a step the processes may have changed places: a trail is
//! a run of the bare model only after it was [`lifted`].

use crate::companions::passes_companions_on;
use crate::layer::Reduced;
use dampf_core::{Interleaving, Model, Successors, Symmetry, Trail, Word, Worker};

/// A model with states in canonical form, or the model as it is.
pub struct Symmetric<M> {
    model: M,
    is_on: bool,
}

impl<M: Symmetry> Symmetric<M> {
    /// The model as it is.
    pub fn bare(model: M) -> Self {
        Symmetric { model, is_on: false }
    }

    /// The model with states in canonical form, if it knows one.
    pub fn new(model: M) -> Self {
        let is_on = model.is_symmetric();
        Symmetric { model, is_on }
    }

    /// The model inside.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// Whether there is a canonical form.
    pub fn is_on(&self) -> bool {
        self.is_on
    }
}

impl<M: Symmetry> Model for Symmetric<M> {
    type Worker<'m>
        = SymmetricWorker<'m, M>
    where
        M: 'm;

    fn width(&self) -> usize {
        self.model.width()
    }

    fn worker(&self) -> SymmetricWorker<'_, M> {
        SymmetricWorker { model: self, worker: self.model.worker() }
    }
}

pub struct SymmetricWorker<'m, M: Symmetry + 'm> {
    model: &'m Symmetric<M>,
    worker: M::Worker<'m>,
}

impl<M: Symmetry> SymmetricWorker<'_, M> {
    #[inline]
    fn canonicalise(&self, out: &mut Successors) {
        if self.model.is_on {
            for index in 0..out.len() {
                if out.leads_on(index) {
                    self.model.model.canonicalise(out.state_mut(index));
                }
            }
        }
    }
}

impl<M: Symmetry> Worker for SymmetricWorker<'_, M> {
    fn initial(&mut self, out: &mut Successors) {
        self.worker.initial(out);
        self.canonicalise(out);
    }

    #[inline]
    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.worker.successors(state, out);
        self.canonicalise(out);
    }

    fn left_out(&mut self, state: &[Word], out: &mut Successors) {
        self.worker.left_out(state, out);
        self.canonicalise(out);
    }
}

/// A run of a model with reductions as a run of the bare one, which lays its states out alike. What a step stands for
/// is told by the reduction; where states are in canonical form, the step is looked for whose canonical form is the
/// next state of the run. None where there is no such step, which is an error of ours.
pub fn lifted<M: Interleaving + Symmetry>(
    searched: &Symmetric<Reduced<M>>,
    bare: &Symmetric<Reduced<M>>,
    trail: &Trail,
) -> Option<Trail> {
    if !searched.is_on && !searched.model.passes_through() {
        return Some(trail.clone());
    }
    let (mut worker, mut out) = (searched.worker(), Successors::new(searched.width()));
    let (mut bare_worker, mut bare_out) = (bare.worker(), Successors::new(bare.width()));
    let initial = trail.initial as usize;
    worker.initial(&mut out);
    bare_worker.initial(&mut bare_out);
    if initial >= out.len() || initial >= bare_out.len() {
        return None;
    }
    let (mut kept, mut state) = (out.state(initial).to_vec(), bare_out.state(initial).to_vec());
    let canonical = |state: &[Word]| {
        let mut state = state.to_vec();
        if searched.is_on {
            searched.model.canonicalise(&mut state);
        }
        state
    };
    let mut stem = Vec::with_capacity(trail.stem.len());
    for &label in &trail.stem {
        let steps = worker.worker.steps_of(&kept, label);
        for step in &steps {
            bare_worker.successors(&state, &mut bare_out);
            let reached = step.reached.as_deref().map(canonical);
            let is_such = |index: &usize| {
                let index = *index;
                let is_there =
                    |reached: &Vec<Word>| bare_out.leads_on(index) && canonical(bare_out.state(index)) == *reached;
                bare_out.fault(index).map(|fault| fault.kind) == step.fault
                    && (searched.is_on || bare_out.action(index) == step.label)
                    && reached.as_ref().is_none_or(is_there)
            };
            let found = (0..bare_out.len()).find(is_such)?;
            stem.push(bare_out.action(found));
            state = bare_out.state(found).to_vec();
        }
        kept = steps.last()?.reached.as_deref().map(canonical).unwrap_or_default();
    }
    Some(Trail::ending(trail.initial, stem))
}

passes_companions_on!(Symmetric, Symmetry);
