//! `hooks completions` and `hooks man`: descriptions of the command line for shells and for `man`.

use std::io::{self, Write};

use clap::{Command, CommandFactory};

use crate::cli::{Cli, Completions, Manual};
use crate::failure::{Failure, Status};

/// Prints the completion script for a shell.
pub(crate) fn completions(options: &Completions) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "hooks", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Status::Well)
}

/// Prints the manual page of the program, or of one of its commands.
pub(crate) fn man(options: &Manual) -> Result<Status, Failure> {
    let mut program = Cli::command();
    program.build();
    let mut page = &program;
    for name in &options.command {
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
    Failure::message(format!("there is no command `{name}`; there is {}", names.join(", ")))
}
