//! `dampf certify`: invariants that a proof left behind, checked again.
//!
//! The input is read anew, and for every transition it is decided that no step from where the one invariant holds leads
//! to where the other does not. With `false` at the error location that is a proof, however the invariants were found.
//! Whoever does not trust the solver here has another one decide the same (`--smtlib`).

use super::{CertifyOptions, read};
use crate::failure::Failure;
use crate::output_file::OutputFile;
use crate::source::read_source;
use crate::terminal::{Terminal, print};
use dampf_cegar::certificate::{Defect, certify, obligations_as_smtlib};
use dampf_cegar::input::certificate::{Certificate, text_hash};
use dampf_cegar::input::show;
use dampf_cegar::simplify::simplified;
use dampf_cegar::{Formula, System, TransitionId};

pub fn run(options: &CertifyOptions, terminal: &Terminal) -> Result<u8, Failure> {
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
    let checked = certify(&system, &certificate.invariants);
    let fits = !matches!(checked, Err(Defect::Count | Defect::ForeignSymbol));
    if let Some(path) = options.smtlib.as_ref().filter(|_| fits) {
        let file = OutputFile::reserve("--smtlib", path, &[&options.input, &options.certificate])?;
        let text = obligations_as_smtlib(&system, &certificate.invariants);
        let text = text.map_err(|_| Failure::Unknown("a coefficient exceeds 128 bits".to_owned()))?;
        file.write(|out| out.write_all(text.as_bytes()))?;
    }
    let palette = terminal.palette;
    let refused = |reason: String| {
        print(|out| writeln!(out, "{}: {reason}", palette.bad("refused")))?;
        Ok(1)
    };
    match checked {
        Ok(()) if certificate.invariants[system.error.0 as usize] != Formula::False => {
            return refused("the error location is not excluded".to_owned());
        }
        Ok(()) => {}
        Err(Defect::Count | Defect::ForeignSymbol) => {
            return Err(Failure::new(format!(
                "`{shown}` does not fit the locations and variables of `{}`",
                source.path
            )));
        }
        Err(Defect::Broken(id)) => return refused(format!("a step breaks the invariants: {}", told(&system, id))),
        Err(Defect::Undecided(id)) => {
            return Err(Failure::Unknown(format!("a step is out of the solver's reach: {}", told(&system, id))));
        }
        Err(Defect::Overflow) => return Err(Failure::Unknown("a coefficient exceeds 128 bits".to_owned())),
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

fn told(system: &System, id: TransitionId) -> String {
    let transition = system.transition(id);
    let (from, to) = (&system.location(transition.from).name, &system.location(transition.to).name);
    format!("{from} -> {to}: {}", show::shown_relation(system, transition))
}
