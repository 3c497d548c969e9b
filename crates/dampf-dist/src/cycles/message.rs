//! What ranks say to each other while they look for cycles.

use super::rounds::Tally;
use crate::wire::{Garbled, Reader, Write};
use dampf_core::Action;
use dampf_net::Rank;

#[derive(Debug)]
pub(crate) enum CycleMessage<'b> {
    /// States that steps lead to, for their owner.
    States {
        round: u64,
        states: &'b [u8],
    },
    RoundEnd {
        round: u64,
        tally: Tally,
    },
    /// From these states of the receiver an end can be reached.
    Ending {
        numbers: Vec<u32>,
    },
    /// By which step does the state of this number lead to this one? That is the step of this number, counted from the
    /// end of the cycle; the rank `home` collects them.
    Retrace {
        number: u32,
        step: u64,
        home: Rank,
        target: &'b [u8],
    },
    /// By this one.
    Retraced {
        step: u64,
        action: Action,
        is_first: bool,
    },
    /// The cycle is known.
    Concluded,
}

impl CycleMessage<'_> {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            CycleMessage::States { round, states } => {
                out.reserve(states.len() + 8);
                out.push(0);
                out.number(*round);
                out.extend_from_slice(states);
            }
            CycleMessage::RoundEnd { round, tally } => {
                out.push(1);
                out.number(*round);
                tally.write(&mut out);
            }
            CycleMessage::Retrace { number, step, home, target } => {
                out.push(2);
                [u64::from(*number), *step, u64::from(*home)].into_iter().for_each(|number| out.number(number));
                out.extend_from_slice(target);
            }
            CycleMessage::Retraced { step, action, is_first } => {
                out.push(3);
                [*step, action.0, u64::from(*is_first)].into_iter().for_each(|number| out.number(number));
            }
            CycleMessage::Concluded => out.push(4),
            CycleMessage::Ending { numbers } => {
                out.push(5);
                out.number(numbers.len() as u64);
                // They are sorted, so what is between two neighbours is small.
                let mut before = 0;
                for &number in numbers {
                    out.number(u64::from(number - before));
                    before = number;
                }
            }
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<CycleMessage<'_>, Garbled> {
        let (&kind, rest) = bytes.split_first().ok_or(Garbled)?;
        let mut reader = Reader::new(rest);
        Ok(match kind {
            0 => CycleMessage::States { round: reader.number()?, states: reader.rest() },
            1 => CycleMessage::RoundEnd { round: reader.number()?, tally: Tally::read(&mut reader)? },
            2 => CycleMessage::Retrace {
                number: reader.word()?,
                step: reader.number()?,
                home: reader.word()?,
                target: reader.rest(),
            },
            3 => CycleMessage::Retraced {
                step: reader.number()?,
                action: Action(reader.number()?),
                is_first: reader.number()? != 0,
            },
            4 => CycleMessage::Concluded,
            5 => {
                let (mut numbers, mut before) = (Vec::new(), 0u32);
                for _ in 0..reader.count()? {
                    before = before.checked_add(reader.word()?).ok_or(Garbled)?;
                    numbers.push(before);
                }
                CycleMessage::Ending { numbers }
            }
            _ => return Err(Garbled),
        })
    }
}
