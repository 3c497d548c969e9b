//! What a rank found out, and what follows for all: as values and as bytes.

use crate::cycles::CycleCounts;
use crate::discovery::{Discovery, FaultPlace};
use crate::outbox::Traffic;
use crate::wire::{Garbled, Reader, Write};
use dampf_core::{Action, Fault, FaultKind, Finding, Revise, SourceLocation, Statistics, Trail, Unsupported};
use dampf_search::{Judgement, StopReason};
use dampf_store::StateRef;

/// What one rank found out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub statistics: Statistics,
    pub traffic: Traffic,
    /// States that were explored more than once, on different ranks or by local searches.
    pub redundant: u64,
    pub judgement: Judgement,
    pub stopped: Option<StopReason>,
    pub discoveries: Vec<Discovery>,
    pub cycles: CycleCounts,
    /// Why this rank saves no checkpoints any more.
    pub checkpoint_trouble: Option<String>,
}

/// What all ranks know at the end.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub statistics: Statistics,
    /// The states of the rank that has most.
    pub largest_share: u64,
    pub traffic: Traffic,
    pub redundant: u64,
    /// What judging states came to, on all ranks together. If anything was refuted, nothing else counts.
    pub judgement: Judgement,
    pub stopped: Option<StopReason>,
    pub findings: Vec<Finding>,
    pub cycles: CycleCounts,
    /// Why checkpoints could not be written, where that was so.
    pub checkpoint_trouble: Option<String>,
}

fn write_statistics(out: &mut Vec<u8>, statistics: &Statistics) {
    let Statistics { states, transitions, depth, store_bytes, frontier, faults } = *statistics;
    [states, transitions, depth, store_bytes, frontier, faults].into_iter().for_each(|number| out.number(number));
}

fn read_statistics(reader: &mut Reader) -> Result<Statistics, Garbled> {
    Ok(Statistics {
        states: reader.number()?,
        transitions: reader.number()?,
        depth: reader.number()?,
        store_bytes: reader.number()?,
        frontier: reader.number()?,
        faults: reader.number()?,
    })
}

fn write_traffic(out: &mut Vec<u8>, traffic: &Traffic) {
    let Traffic { states, messages, bytes, part_bytes, filed_bytes, cross_transitions } = *traffic;
    [states, messages, bytes, part_bytes, filed_bytes, cross_transitions]
        .into_iter()
        .for_each(|number| out.number(number));
}

fn read_traffic(reader: &mut Reader) -> Result<Traffic, Garbled> {
    Ok(Traffic {
        states: reader.number()?,
        messages: reader.number()?,
        bytes: reader.number()?,
        part_bytes: reader.number()?,
        filed_bytes: reader.number()?,
        cross_transitions: reader.number()?,
    })
}

fn write_cycles(out: &mut Vec<u8>, cycles: &CycleCounts) {
    let CycleCounts { iterations, rounds, followed, states_sent, messages, left, on_the_fly } = *cycles;
    [iterations, rounds, followed, states_sent, messages, left, u64::from(on_the_fly)]
        .into_iter()
        .for_each(|number| out.number(number));
}

fn read_cycles(reader: &mut Reader) -> Result<CycleCounts, Garbled> {
    Ok(CycleCounts {
        iterations: reader.number()?,
        rounds: reader.number()?,
        followed: reader.number()?,
        states_sent: reader.number()?,
        messages: reader.number()?,
        left: reader.number()?,
        on_the_fly: reader.number()? != 0,
    })
}

fn write_fault(out: &mut Vec<u8>, fault: &Fault) {
    out.text(fault.kind.name());
    out.text(&fault.message);
    match &fault.location {
        None => out.number(0),
        Some(location) => {
            out.number(1);
            out.text(&location.file);
            out.number(u64::from(location.line));
            out.number(u64::from(location.column));
        }
    }
}

fn read_fault(reader: &mut Reader) -> Result<Fault, Garbled> {
    let kind = FaultKind::from_name(&reader.text()?).ok_or(Garbled)?;
    let message = reader.text()?;
    let location = match reader.number()? {
        0 => None,
        _ => Some(SourceLocation { file: reader.text()?, line: reader.word()?, column: reader.word()? }),
    };
    Ok(Fault { kind, message, location })
}

pub fn write_actions(out: &mut Vec<u8>, actions: &[Action]) {
    out.number(actions.len() as u64);
    actions.iter().for_each(|action| out.number(action.0));
}

pub fn read_actions(reader: &mut Reader) -> Result<Vec<Action>, Garbled> {
    let count = reader.count()?;
    (0..count).map(|_| reader.number().map(Action)).collect()
}

fn write_trail(out: &mut Vec<u8>, trail: &Trail) {
    out.number(trail.initial);
    write_actions(out, &trail.stem);
    write_actions(out, &trail.cycle);
}

fn read_trail(reader: &mut Reader) -> Result<Trail, Garbled> {
    Ok(Trail { initial: reader.number()?, stem: read_actions(reader)?, cycle: read_actions(reader)? })
}

fn write_judgement(out: &mut Vec<u8>, judgement: &Judgement) {
    // Ranks send no scouts.
    let Judgement { faults, unsupported, refuted, truncated, premises, met_end, found_ahead: _ } = judgement;
    out.number(*faults);
    out.number(u64::from(unsupported.is_some()));
    unsupported.iter().for_each(|unsupported| out.text(&unsupported.what));
    out.number(refuted.len() as u64);
    for revise in refuted {
        out.text(&revise.what);
        out.bytes(&revise.facts);
    }
    out.number(u64::from(*truncated));
    out.number(premises.len() as u64);
    premises.iter().for_each(|premise| out.text(premise));
    out.number(u64::from(*met_end));
}

fn read_judgement(reader: &mut Reader) -> Result<Judgement, Garbled> {
    let faults = reader.number()?;
    let unsupported = match reader.number()? {
        0 => None,
        _ => Some(Unsupported { what: reader.text()? }),
    };
    let count = reader.count()?;
    let revise = |_| Ok(Revise { what: reader.text()?, facts: reader.bytes()?.to_vec() });
    let refuted = (0..count).map(revise).collect::<Result<_, Garbled>>()?;
    let truncated = reader.number()? != 0;
    let count = reader.count()?;
    let premises = (0..count).map(|_| reader.text()).collect::<Result<_, Garbled>>()?;
    let met_end = reader.number()? != 0;
    Ok(Judgement { faults, unsupported, refuted, truncated, premises, met_end, found_ahead: false })
}

fn write_stopped(out: &mut Vec<u8>, stopped: Option<StopReason>) {
    out.number(stopped.map_or(0, |stop| stop as u64));
}

fn read_stopped(reader: &mut Reader) -> Result<Option<StopReason>, Garbled> {
    Ok(StopReason::from_code(reader.number()? as u8))
}

impl Discovery {
    fn write(&self, out: &mut Vec<u8>) {
        write_fault(out, &self.fault);
        match &self.place {
            FaultPlace::Initial(number) => {
                out.number(0);
                out.number(*number);
            }
            FaultPlace::State { state, distance } => {
                out.number(1);
                out.number(state.0);
                out.number(distance.map_or(0, |distance| distance + 1));
            }
            FaultPlace::Placed { level, position, step, of_state } => {
                out.number(2);
                [*level, *position, u64::from(*step), u64::from(*of_state)]
                    .into_iter()
                    .for_each(|number| out.number(number));
            }
        }
        write_actions(out, &self.steps);
        write_actions(out, &self.cycle);
    }

    fn read(reader: &mut Reader) -> Result<Discovery, Garbled> {
        let fault = read_fault(reader)?;
        let place = match reader.number()? {
            0 => FaultPlace::Initial(reader.number()?),
            1 => FaultPlace::State { state: StateRef(reader.number()?), distance: reader.number()?.checked_sub(1) },
            _ => FaultPlace::Placed {
                level: reader.number()?,
                position: reader.number()?,
                step: reader.word()?,
                of_state: reader.number()? != 0,
            },
        };
        Ok(Discovery { fault, place, steps: read_actions(reader)?, cycle: read_actions(reader)? })
    }
}

impl Report {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_statistics(&mut out, &self.statistics);
        write_traffic(&mut out, &self.traffic);
        out.number(self.redundant);
        write_judgement(&mut out, &self.judgement);
        write_stopped(&mut out, self.stopped);
        out.number(self.discoveries.len() as u64);
        self.discoveries.iter().for_each(|discovery| discovery.write(&mut out));
        write_cycles(&mut out, &self.cycles);
        out.text(self.checkpoint_trouble.as_deref().unwrap_or_default());
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<Report, Garbled> {
        let mut reader = Reader::new(bytes);
        let statistics = read_statistics(&mut reader)?;
        let traffic = read_traffic(&mut reader)?;
        let redundant = reader.number()?;
        let (judgement, stopped) = (read_judgement(&mut reader)?, read_stopped(&mut reader)?);
        let count = reader.count()?;
        let discoveries = (0..count).map(|_| Discovery::read(&mut reader)).collect::<Result<_, _>>()?;
        let cycles = read_cycles(&mut reader)?;
        let checkpoint_trouble = Some(reader.text()?).filter(|trouble| !trouble.is_empty());
        Ok(Report { statistics, traffic, redundant, judgement, stopped, discoveries, cycles, checkpoint_trouble })
    }
}

impl Summary {
    /// Adds up what the ranks report, but for their discoveries.
    pub(crate) fn of(reports: &[Report]) -> Summary {
        let mut all = Summary::default();
        for report in reports {
            let (sum, of_rank) = (&mut all.statistics, &report.statistics);
            sum.states += of_rank.states;
            // A rank that takes off what others explored again may be below zero; the sum is not.
            sum.transitions = sum.transitions.wrapping_add(of_rank.transitions);
            sum.depth = sum.depth.max(of_rank.depth);
            sum.store_bytes += of_rank.store_bytes;
            sum.frontier += of_rank.frontier;
            sum.faults += of_rank.faults;
            all.largest_share = all.largest_share.max(of_rank.states);
            all.traffic.add(&report.traffic);
            all.redundant += report.redundant;
            all.cycles.add(&report.cycles);
            all.judgement.absorb(report.judgement.clone());
            all.checkpoint_trouble = all.checkpoint_trouble.take().or(report.checkpoint_trouble.clone());
        }
        all.stopped = reports.iter().find_map(|report| report.stopped);
        all
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_statistics(&mut out, &self.statistics);
        out.number(self.largest_share);
        write_traffic(&mut out, &self.traffic);
        out.number(self.redundant);
        write_judgement(&mut out, &self.judgement);
        write_stopped(&mut out, self.stopped);
        out.number(self.findings.len() as u64);
        for finding in &self.findings {
            write_fault(&mut out, &finding.fault);
            write_trail(&mut out, &finding.trail);
        }
        write_cycles(&mut out, &self.cycles);
        out.text(self.checkpoint_trouble.as_deref().unwrap_or_default());
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<Summary, Garbled> {
        let mut reader = Reader::new(bytes);
        let statistics = read_statistics(&mut reader)?;
        let largest_share = reader.number()?;
        let traffic = read_traffic(&mut reader)?;
        let redundant = reader.number()?;
        let (judgement, stopped) = (read_judgement(&mut reader)?, read_stopped(&mut reader)?);
        let count = reader.count()?;
        let finding = |_| Ok(Finding { fault: read_fault(&mut reader)?, trail: read_trail(&mut reader)? });
        let findings = (0..count).map(finding).collect::<Result<_, Garbled>>()?;
        let cycles = read_cycles(&mut reader)?;
        let checkpoint_trouble = Some(reader.text()?).filter(|trouble| !trouble.is_empty());
        Ok(Summary {
            statistics,
            largest_share,
            traffic,
            redundant,
            judgement,
            stopped,
            findings,
            cycles,
            checkpoint_trouble,
        })
    }
}
