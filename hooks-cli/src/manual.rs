//! `hooks completions` and `hooks man`: what shells and `man` want to know of the command line.

use std::io::{self, Write};

use clap::{Command, CommandFactory};

use crate::cli::{Cli, Completions, Manual};
use crate::failure::{Failure, Status};

/// Prints the script by which a shell completes the command line.
pub(crate) fn completions(asked: &Completions) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut Cli::command(), "hooks", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Status::Well)
}

/// Prints the page of the program, or of one of its commands.
pub(crate) fn man(asked: &Manual) -> Result<Status, Failure> {
    let mut program = Cli::command();
    program.build();
    let mut page = &program;
    for name in &asked.command {
        page = page.find_subcommand(name).ok_or_else(|| unknown(page, name))?;
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone()).render(&mut text)?;
    io::stdout().lock().write_all(&text)?;
    Ok(Status::Well)
}

fn unknown(program: &Command, name: &str) -> Failure {
    let names: Vec<String> =
        program.get_subcommands().map(|command| format!("`{}`", command.get_name())).collect();
    Failure::said(format!("there is no command `{name}`; there is {}", names.join(", ")))
}
