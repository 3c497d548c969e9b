//! `dampf certify`: invariants that a proof left behind, checked again.
//!
//! For every transition: no step from where the one invariant holds leads to where the other does not. With `false` at
//! the error location that is a proof, however the invariants were found. Each check is a path of three steps, decided
//! by the exact solver.

use super::{CertifyOptions, SPLITS_MAX, read};
use crate::failure::Failure;
use crate::interrupt;
use crate::source::read_source;
use crate::terminal::{Terminal, print};
use dampf_cegar::input::certificate::{Certificate, text_hash};
use dampf_cegar::input::show;
use dampf_cegar::path::{PathAnswer, PathFormula};
use dampf_cegar::patience::Patience;
use dampf_cegar::simplify::{eliminate::visit, simplified};
use dampf_cegar::{Formula, Location, LocationId, Origin, Symbol, System, Transition, TransitionId};

pub fn run(options: &CertifyOptions, terminal: &Terminal) -> Result<u8, Failure> {
    interrupt::watch(None)?;
    let (source, input) = read(&options.input)?;
    let certificate = Certificate::parse(&read_source(&options.certificate)?)?;
    let shown = options.certificate.display();
    if certificate.text_hash != text_hash(&source.text) {
        return Err(Failure::with_help(
            format!("`{shown}` certifies another text than `{}`", source.path),
            "prove the input again with --certificate",
        ));
    }
    let system = if certificate.is_simplified { simplified(&input.system).system } else { input.system };
    if certificate.invariants.len() != system.locations.len() || !speaks_of(&system, &certificate.invariants) {
        return Err(Failure::new(format!("`{shown}` does not fit the locations and variables of `{}`", source.path)));
    }
    let palette = terminal.palette;
    let refused = |reason: String| {
        print(|out| writeln!(out, "{}: {reason}", palette.bad("refused")))?;
        Ok(1)
    };
    if certificate.invariants[system.error.0 as usize] != Formula::False {
        return refused("the error location is not excluded".to_owned());
    }
    for id in system.transition_ids() {
        if interrupt::is_pressed() {
            return Err(Failure::Unknown("interrupted".to_owned()));
        }
        let transition = system.transition(id);
        let step = || {
            let (from, to) = (&system.location(transition.from).name, &system.location(transition.to).name);
            format!("{from} -> {to}: {}", show::shown_relation(&system, transition))
        };
        match kept(&system, transition, &certificate.invariants)? {
            PathAnswer::Refuted(_) => {}
            PathAnswer::Run(_) => return refused(format!("a step breaks the invariants: {}", step())),
            PathAnswer::GaveUp => {
                return Err(Failure::Unknown(format!("a step is out of the solver's reach: {}", step())));
            }
        }
    }
    let of = if certificate.is_simplified { " of the simplified system" } else { "" };
    print(|out| {
        writeln!(
            out,
            "{}: the invariants hold initially and are kept by all {} transitions{of}",
            palette.good("certified"),
            system.transitions.len(),
        )?;
        input
            .assumptions
            .iter()
            .try_for_each(|assumption| writeln!(out, "  {} {assumption}", palette.aside("assuming:")))
    })?;
    Ok(0)
}

/// Whether every invariant speaks of its location's variables only.
fn speaks_of(system: &System, invariants: &[Formula]) -> bool {
    system.locations.iter().zip(invariants).all(|(location, invariant)| {
        let mut fits = true;
        visit(invariant, &mut |symbol| {
            fits &= matches!(symbol, Symbol::Before(index) if (index as usize) < location.variables.len());
        });
        fits
    })
}

/// Whether a transition leads from where an invariant holds to where the next one does not.
fn kept(system: &System, transition: &Transition, invariants: &[Formula]) -> Result<PathAnswer, Failure> {
    let bare = |name: &str| Location { name: name.to_owned(), variables: Vec::new() };
    let end = |id: LocationId| system.location(id).clone();
    let edge = |from: u32, to: u32, relation: Formula| Transition {
        from: LocationId(from),
        to: LocationId(to),
        relation,
        auxiliaries: Vec::new(),
        origin: Origin::default(),
    };
    let before = invariants[transition.from.0 as usize].renamed(&mut |symbol| match symbol {
        Symbol::Before(index) => Symbol::After(index),
        other => other,
    });
    // There is no state before the initial location, whatever a certificate says of it.
    let before = if transition.from == system.initial { Formula::True } else { before };
    let broken = invariants[transition.to.0 as usize].negated();
    let broken = broken.map_err(|overflow| Failure::Unknown(overflow.to_string()))?;
    let path = System {
        locations: vec![bare("initial"), end(transition.from), end(transition.to), bare("error")],
        transitions: vec![
            edge(0, 1, before),
            Transition { from: LocationId(1), to: LocationId(2), ..transition.clone() },
            edge(2, 3, broken),
        ],
        initial: LocationId(0),
        error: LocationId(3),
    };
    let steps: Vec<TransitionId> = path.transition_ids().collect();
    Ok(PathFormula::new(&path, &steps, &[])
        .decide(SPLITS_MAX, Patience { deadline: None, interrupted: Some(interrupt::flag()) }))
}
