//! What the definitions of the command line answer by themselves: help, complaints about usage, completions
//! and manual pages.

use crate::failure::Failure;
use crate::options::Color;
use crate::terminal::{Terminal, complain, print};
use clap::error::ErrorKind;
use std::io::Write;
use std::process::ExitCode;

/// Prints help or the version, or says what is wrong with the arguments.
pub fn answer(error: &clap::Error) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    // The arguments were not understood, so there is no `--color` to go by.
    let terminal = Terminal::new(Color::Auto);
    let coloured = if asked_for { terminal.palette.is_on() } else { terminal.error_palette.is_on() };
    let text = error.render();
    let text = if coloured { text.ansi().to_string() } else { text.to_string() };
    if asked_for {
        return printed(text.as_bytes(), &terminal);
    }
    complain(&text);
    ExitCode::from(2)
}

fn printed(text: &[u8], terminal: &Terminal) -> ExitCode {
    match print(|out| out.write_all(text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.draw(terminal);
            ExitCode::from(failure.exit_status())
        }
    }
}

/// Prints a completion script.
pub fn completions(mut command: clap::Command, shell: clap_complete::Shell) -> Result<u8, Failure> {
    // The generator panics where it cannot write, so it writes into memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "dampf", &mut script);
    print(|out| out.write_all(&script))?;
    Ok(0)
}

/// Prints the manual page of Dampf, or of one of its commands.
pub fn manual(command: clap::Command, of: Option<&str>) -> Result<u8, Failure> {
    let mut command = command;
    command.build();
    let page = match of {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
                return Err(Failure::with_help(
                    format!("there is no command `{name}`"),
                    format!("the commands are {}", names.join(", ")),
                ));
            }
        },
    };
    print(|out: &mut dyn Write| clap_mangen::Man::new(page).render(&mut &mut *out))?;
    Ok(0)
}
