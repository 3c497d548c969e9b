//! What a layer says of its model as the model does: states and steps are the model's own.

/// Has a layer with a field `model`, over models with some knowledge, pass on how states and steps are told, observed,
/// moved to other ranks, kept and cut into sections.
macro_rules! passes_companions_on {
    ($layer:ident, $knowledge:path) => {
        impl<M: $knowledge + dampf_core::Describe> dampf_core::Describe for $layer<M> {
            fn describe_state(&self, state: &[dampf_core::Word]) -> Vec<dampf_core::Binding> {
                self.model.describe_state(state)
            }
            fn describe_step(&self, before: &[dampf_core::Word], action: dampf_core::Action) -> dampf_core::Step {
                self.model.describe_step(before, action)
            }
            fn describe_parts(&self, before: &[dampf_core::Word], action: dampf_core::Action) -> Vec<dampf_core::Step> {
                self.model.describe_parts(before, action)
            }
            fn describe_changes(
                &self,
                before: &[dampf_core::Word],
                after: &[dampf_core::Word],
            ) -> Option<Vec<dampf_core::Change>> {
                self.model.describe_changes(before, after)
            }
            fn describe_library_calls(
                &self,
                before: &[dampf_core::Word],
                action: dampf_core::Action,
            ) -> Vec<(String, dampf_core::SourceLocation)> {
                self.model.describe_library_calls(before, action)
            }
            fn describe_blocked(&self, state: &[dampf_core::Word]) -> Vec<String> {
                self.model.describe_blocked(state)
            }
            fn describe_stacks(
                &self,
                state: &[dampf_core::Word],
                faulty: Option<dampf_core::Action>,
            ) -> Vec<dampf_core::CallStack> {
                self.model.describe_stacks(state, faulty)
            }
        }

        impl<M: $knowledge + dampf_core::Propositions> dampf_core::Propositions for $layer<M> {
            fn proposition_count(&self) -> usize {
                self.model.proposition_count()
            }
            fn proposition_name(&self, proposition: usize) -> &str {
                self.model.proposition_name(proposition)
            }
            fn holds(
                worker: &mut Self::Worker<'_>,
                proposition: usize,
                state: &[dampf_core::Word],
            ) -> Result<bool, dampf_core::Fault> {
                M::holds(&mut worker.worker, proposition, state)
            }
            fn holding(&self, state: &[dampf_core::Word]) -> Option<u64> {
                self.model.holding(state)
            }
            fn is_of_steps(&self, proposition: usize) -> bool {
                self.model.is_of_steps(proposition)
            }
        }

        impl<M: $knowledge + dampf_core::Acceptance> dampf_core::Acceptance for $layer<M> {
            fn is_accepting(&self, state: &[dampf_core::Word]) -> bool {
                self.model.is_accepting(state)
            }
        }

        impl<M: $knowledge + dampf_core::Movers> dampf_core::Movers for $layer<M> {
            fn mover_count(&self) -> usize {
                self.model.mover_count()
            }
            fn movers(&self, state: &[dampf_core::Word], action: dampf_core::Action, visit: &mut dyn FnMut(usize)) {
                self.model.movers(state, action, visit);
            }
        }

        // Agents are threads of programs, whose models have no such layers.
        impl<M: $knowledge + dampf_core::Agents> dampf_core::Agents for $layer<M> {}

        impl<M: $knowledge + dampf_core::Observations> dampf_core::Observations for $layer<M> {
            fn observe(
                worker: &mut Self::Worker<'_>,
                state: &[dampf_core::Word],
                standings: &mut Vec<dampf_core::Standing>,
            ) {
                M::observe(&mut worker.worker, state, standings);
            }
            fn accesses(
                worker: &mut Self::Worker<'_>,
                state: &[dampf_core::Word],
                action: dampf_core::Action,
                footprint: &mut dampf_core::Footprint,
            ) {
                M::accesses(&mut worker.worker, state, action, footprint);
            }
            fn estimate(worker: &mut Self::Worker<'_>, estimate: usize, state: &[dampf_core::Word]) -> u32 {
                M::estimate(&mut worker.worker, estimate, state)
            }
            fn branches(
                worker: &mut Self::Worker<'_>,
                state: &[dampf_core::Word],
                action: dampf_core::Action,
                branches: &mut Vec<u64>,
            ) {
                M::branches(&mut worker.worker, state, action, branches);
            }
            fn differences(&self, one: &[dampf_core::Word], other: &[dampf_core::Word]) -> u32 {
                self.model.differences(one, other)
            }
            fn location_distance(
                worker: &mut Self::Worker<'_>,
                from: &[dampf_core::Word],
                to: &[dampf_core::Word],
            ) -> u32 {
                M::location_distance(&mut worker.worker, from, to)
            }
        }

        impl<M: $knowledge + dampf_core::Transfer> dampf_core::Transfer for $layer<M> {
            fn has_parts(&self) -> bool {
                self.model.has_parts()
            }
            fn parts_of_state(&self, state: &[dampf_core::Word], visit: &mut dyn FnMut(usize, dampf_core::Part)) {
                self.model.parts_of_state(state, visit);
            }
            fn part(
                &self,
                part: dampf_core::Part,
                words: &mut Vec<dampf_core::Word>,
                visit: &mut dyn FnMut(usize, dampf_core::Part),
            ) {
                self.model.part(part, words, visit);
            }
            fn name_of(&self, kind: u32, contents: &[dampf_core::Word]) -> dampf_core::Word {
                self.model.name_of(kind, contents)
            }
        }

        impl<M: $knowledge + dampf_core::Restore> dampf_core::Restore for $layer<M> {
            fn tables(&self) -> Vec<u32> {
                self.model.tables()
            }
            fn entry(&self, table: usize, number: u32, words: &mut Vec<dampf_core::Word>) {
                self.model.entry(table, number, words);
            }
            fn restore(&self, table: usize, number: u32, contents: &[dampf_core::Word]) -> bool {
                self.model.restore(table, number, contents)
            }
        }

        impl<M: $knowledge + dampf_core::Sections> dampf_core::Sections for $layer<M> {
            fn section(&self, name: &str) -> Option<Vec<dampf_core::Word>> {
                self.model.section(name)
            }
            fn sections(&self) -> Vec<String> {
                self.model.sections()
            }
        }
    };
}

pub(crate) use passes_companions_on;
