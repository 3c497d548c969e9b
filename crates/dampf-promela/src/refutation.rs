//! What a step of a model refutes: the processes that there can be, or the values that were assumed.
//!
//! A refutation travels from the worker that meets it to the front end that makes the next model, possibly through
//! other processes, as the facts of a [`Revise`](dampf_core::Revise).

use crate::assumptions::{Site, Subject};
use crate::lower::Instance;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refutation {
    /// A process is started that the model has no instance for.
    Process(Instance),
    /// Values of these subjects go beyond what was assumed.
    Values(Vec<Subject>),
    /// A statement of a process uses a channel, or starts a process, that it was not expected to.
    Choice(Instance, Site, u32),
}

const PROCESS: u32 = 0;
const VALUES: u32 = 1;
const CHOICE: u32 = 2;
const NONE: u32 = u32::MAX;

impl Refutation {
    pub fn encode(&self) -> Vec<u8> {
        let number = |value: Option<usize>| value.map_or(NONE, |value| value as u32);
        let words: Vec<u32> = match self {
            Refutation::Process(Instance { pid, proctype, channels }) => {
                vec![PROCESS, *pid, *proctype as u32, *channels]
            }
            Refutation::Values(subjects) => {
                let subject =
                    |subject: &Subject| [number(subject.proctype), subject.variable as u32, number(subject.field)];
                std::iter::once(VALUES).chain(subjects.iter().flat_map(subject)).collect()
            }
            Refutation::Choice(Instance { pid, proctype, channels }, site, choice) => {
                let Site { state, edge, alternative, .. } = *site;
                let place = [state, edge, alternative].map(|number| number as u32);
                [CHOICE, *pid, *proctype as u32, *channels].into_iter().chain(place).chain([*choice]).collect()
            }
        };
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    /// None for facts that are not of a Promela model.
    pub fn decode(facts: &[u8]) -> Option<Refutation> {
        let words: Vec<u32> =
            facts.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        let number = |word: u32| (word != NONE).then_some(word as usize);
        match words.as_slice() {
            &[PROCESS, pid, proctype, channels] => {
                Some(Refutation::Process(Instance { pid, proctype: proctype as usize, channels }))
            }
            &[CHOICE, pid, proctype, channels, state, edge, alternative, choice] => {
                let proctype = proctype as usize;
                let [state, edge, alternative] = [state, edge, alternative].map(|word| word as usize);
                let site = Site { proctype, state, edge, alternative };
                Some(Refutation::Choice(Instance { pid, proctype, channels }, site, choice))
            }
            [VALUES, subjects @ ..] => {
                let subject = |words: &[u32]| Subject {
                    proctype: number(words[0]),
                    variable: words[1] as usize,
                    field: number(words[2]),
                };
                Some(Refutation::Values(subjects.chunks_exact(3).map(subject).collect()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assumptions::ROOM;

    #[test]
    fn a_refutation_reads_back_as_it_was_written() {
        let subject = |proctype, field| Subject { proctype, variable: 7, field };
        let values = vec![subject(None, None), subject(Some(3), Some(ROOM)), subject(Some(0), Some(1))];
        for refutation in [
            Refutation::Process(Instance { pid: 4, proctype: 2, channels: 9 }),
            Refutation::Values(values),
            Refutation::Values(Vec::new()),
            Refutation::Choice(
                Instance { pid: 4, proctype: 2, channels: 9 },
                Site { proctype: 2, state: 5, edge: 0, alternative: 1 },
                77,
            ),
        ] {
            assert_eq!(Refutation::decode(&refutation.encode()), Some(refutation));
        }
        assert_eq!(Refutation::decode(&[]), None);
        assert_eq!(Refutation::decode(b"something else"), None);
    }
}
