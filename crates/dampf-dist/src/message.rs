//! What ranks say to each other.

use crate::levels::LevelEnd;
use crate::partition::Bucket;
use crate::progress::Progress;
use crate::report::{read_actions, write_actions};
use crate::wire::{Garbled, Reader, Write};
use dampf_core::Action;
use dampf_net::Rank;
use dampf_search::StopReason;
use dampf_search::safra::Token;
use dampf_store::{Prefix, StateRef};

/// A message, read. Long contents stay in the bytes they came in.
#[derive(Debug)]
pub enum Message<'b> {
    /// States for their owner, found at the end of this level.
    States {
        level: u64,
        states: &'b [u8],
    },
    /// The sender has explored its part of this level, and has sent what it found.
    LevelEnd {
        level: u64,
        end: LevelEnd,
    },
    /// Places of states of the next level, to be sorted.
    Places(&'b [u8]),
    /// Their positions.
    Positions(&'b [u8]),
    Token(Token),
    /// The detection of 2007: the sender has run out of work, or got new.
    Idle(bool),
    /// The search has ended everywhere.
    Ended,
    /// The search is to end, for this reason.
    Halt(StopReason),
    /// How far the sender is.
    Progress(Progress),
    /// Who owns this bucket?
    AskOwner(Bucket),
    Assigned(Bucket, Rank),
    /// States that their home counts, each once.
    Census(&'b [u8]),
    /// The sender has sent all its states for the census.
    CensusEnd,
    /// A checkpoint is due: everything that the sender sent before this belongs to it.
    Mark,
    /// The sender has saved itself.
    Saved(&'b [u8]),
    /// What the sender found out.
    Report(&'b [u8]),
    /// Let all ranks look for the parent of a state of yours.
    Ask {
        question: u64,
        state: StateRef,
    },
    /// The state that was asked about is the initial state with this number.
    IsInitial {
        question: u64,
        initial: u64,
    },
    /// Which of your states with such references lead to this one?
    Seek {
        question: u64,
        prefix: Prefix,
        state: &'b [u8],
    },
    /// These do, by these steps; so many were tried.
    Found {
        question: u64,
        tried: u64,
        parents: Vec<(StateRef, Vec<Action>)>,
    },
    /// Who has the state at this position of this level, and what is the label of this step of it?
    Where {
        level: u64,
        position: u64,
        step: u32,
    },
    /// This is; and the state was found by this step of the level before, or is the initial state of this number.
    Whence {
        action: Action,
        level: u64,
        origin: (u64, u32),
    },
    /// Of the search for cycles.
    Cycle(&'b [u8]),
    /// The result, for everybody.
    Finish(&'b [u8]),
    /// The last message of the sender, who leaves this search.
    Leaves,
}

impl Message<'_> {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Message::States { level, states } => {
                out.reserve(states.len() + 8);
                out.push(0);
                out.number(*level);
                out.extend_from_slice(states);
            }
            Message::LevelEnd { level, end } => {
                out.push(1);
                out.number(*level);
                let LevelEnd { explored, faults, faulty_steps, refuted, save } = *end;
                let numbers = [explored, faults, faulty_steps, u64::from(refuted), u64::from(save)];
                numbers.into_iter().for_each(|number| out.number(number));
            }
            Message::Token(token) => {
                out.push(2);
                // Zigzag: small numbers of either sign are short.
                out.number((token.balance << 1 ^ token.balance >> 63) as u64);
                out.number(u64::from(token.tainted));
            }
            Message::Idle(is_idle) => out.extend([3, u8::from(*is_idle)]),
            Message::Ended => out.push(4),
            Message::Halt(stop) => out.extend([5, *stop as u8]),
            Message::Progress(progress) => {
                out.push(6);
                let Progress { states, transitions, waiting, depth, faults } = *progress;
                [states, transitions, waiting, depth, faults].into_iter().for_each(|number| out.number(number));
            }
            Message::AskOwner(bucket) => {
                out.push(7);
                out.number(*bucket);
            }
            Message::Assigned(bucket, owner) => {
                out.push(8);
                out.number(*bucket);
                out.number(u64::from(*owner));
            }
            Message::Census(states) => {
                out.push(9);
                out.extend_from_slice(states);
            }
            Message::CensusEnd => out.push(10),
            Message::Report(report) => {
                out.push(11);
                out.extend_from_slice(report);
            }
            Message::Ask { question, state } => {
                out.push(12);
                out.number(*question);
                out.number(state.0);
            }
            Message::Seek { question, prefix, state } => {
                out.push(13);
                out.number(*question);
                out.number(prefix.value);
                out.number(u64::from(prefix.bits));
                out.extend_from_slice(state);
            }
            Message::Found { question, tried, parents } => {
                out.push(14);
                out.number(*question);
                out.number(*tried);
                out.number(parents.len() as u64);
                for (state, actions) in parents {
                    out.number(state.0);
                    write_actions(&mut out, actions);
                }
            }
            Message::Finish(outcome) => {
                out.push(15);
                out.extend_from_slice(outcome);
            }
            Message::Leaves => out.push(16),
            Message::Cycle(message) => {
                out.push(24);
                out.extend_from_slice(message);
            }
            Message::Mark => out.push(22),
            Message::Saved(part) => {
                out.push(23);
                out.extend_from_slice(part);
            }
            Message::Places(places) => {
                out.push(17);
                out.extend_from_slice(places);
            }
            Message::Positions(positions) => {
                out.push(18);
                out.extend_from_slice(positions);
            }
            Message::IsInitial { question, initial } => {
                out.push(19);
                out.number(*question);
                out.number(*initial);
            }
            Message::Where { level, position, step } => {
                out.push(20);
                [*level, *position, u64::from(*step)].into_iter().for_each(|number| out.number(number));
            }
            Message::Whence { action, level, origin: (position, step) } => {
                out.push(21);
                [action.0, *level, *position, u64::from(*step)].into_iter().for_each(|number| out.number(number));
            }
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<Message<'_>, Garbled> {
        let (&kind, rest) = bytes.split_first().ok_or(Garbled)?;
        let mut reader = Reader::new(rest);
        Ok(match kind {
            0 => {
                let level = reader.number()?;
                Message::States { level, states: reader.rest() }
            }
            1 => Message::LevelEnd {
                level: reader.number()?,
                end: LevelEnd {
                    explored: reader.number()?,
                    faults: reader.number()?,
                    faulty_steps: reader.number()?,
                    refuted: reader.number()? != 0,
                    save: reader.number()? != 0,
                },
            },
            2 => {
                let balance = reader.number()?;
                let balance = (balance >> 1) as i64 ^ -((balance & 1) as i64);
                Message::Token(Token { balance, tainted: reader.number()? != 0 })
            }
            3 => Message::Idle(reader.number()? != 0),
            4 => Message::Ended,
            5 => Message::Halt(StopReason::from_code(reader.number()? as u8).ok_or(Garbled)?),
            6 => Message::Progress(Progress {
                states: reader.number()?,
                transitions: reader.number()?,
                waiting: reader.number()?,
                depth: reader.number()?,
                faults: reader.number()?,
            }),
            7 => Message::AskOwner(reader.number()?),
            8 => Message::Assigned(reader.number()?, reader.word()?),
            9 => Message::Census(rest),
            10 => Message::CensusEnd,
            11 => Message::Report(rest),
            12 => Message::Ask { question: reader.number()?, state: StateRef(reader.number()?) },
            13 => {
                let question = reader.number()?;
                let prefix = Prefix { value: reader.number()?, bits: reader.word()?.min(63) };
                Message::Seek { question, prefix, state: reader.rest() }
            }
            14 => {
                let (question, tried) = (reader.number()?, reader.number()?);
                let count = reader.count()?;
                let parent = |_| Ok((StateRef(reader.number()?), read_actions(&mut reader)?));
                let parents = (0..count).map(parent).collect::<Result<_, Garbled>>()?;
                Message::Found { question, tried, parents }
            }
            15 => Message::Finish(rest),
            16 => Message::Leaves,
            22 => Message::Mark,
            23 => Message::Saved(rest),
            24 => Message::Cycle(rest),
            17 => Message::Places(rest),
            18 => Message::Positions(rest),
            19 => Message::IsInitial { question: reader.number()?, initial: reader.number()? },
            20 => Message::Where { level: reader.number()?, position: reader.number()?, step: reader.word()? },
            21 => Message::Whence {
                action: Action(reader.number()?),
                level: reader.number()?,
                origin: (reader.number()?, reader.word()?),
            },
            _ => return Err(Garbled),
        })
    }
}
