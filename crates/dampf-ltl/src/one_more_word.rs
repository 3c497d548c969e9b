//! What layers have in common whose states are the model's with one more word, a number, at the end.

/// Has such a layer, with a field `model` over models that know so much, pass on how states move to other ranks and are
/// cut into sections. The number travels as it is, and states that differ in it alone are in the same sections.
macro_rules! passes_parts_on {
    ($layer:ident, $($knowledge:ident)+) => {
        impl<M: $($knowledge +)+ dampf_core::Transfer> dampf_core::Transfer for $layer<'_, M> {
            fn has_parts(&self) -> bool {
                self.model.has_parts()
            }
            fn parts_of_state(&self, state: &[dampf_core::Word], visit: &mut dyn FnMut(usize, dampf_core::Part)) {
                self.model.parts_of_state(self.own(state), visit);
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

        impl<M: $($knowledge +)+ dampf_core::Sections> dampf_core::Sections for $layer<'_, M> {
            fn section(&self, name: &str) -> Option<Vec<dampf_core::Word>> {
                let mut section = self.model.section(name)?;
                section.push(0);
                Some(section)
            }
            fn sections(&self) -> Vec<String> {
                self.model.sections()
            }
        }
    };
}

pub(crate) use passes_parts_on;
