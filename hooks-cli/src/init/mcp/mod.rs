//! `hooks init --mcp`: puts `hooks mcp` before the MCP servers that a client starts.
//!
//! | step | module |
//! | --- | --- |
//! | find the files of a client | [`place`] |
//! | edit the text of a file | [`servers`] |

pub(crate) mod place;
pub(crate) mod servers;

use std::io::Write;
use std::path::Path;

use hooks_protocols::Client;

use self::place::ServerFile;
use self::servers::{FoundServer, ProxyLine};
use super::files::{self, Change};
use super::place::Base;
use super::{CommandLine, Scope, cannot, diff, rules};
use crate::cli::Init;
use crate::failure::{Failure, Status};
use crate::paint::GOOD;

/// Puts the proxy before the servers, or takes it away.
pub(super) fn run(options: &Init, client: Client, base: &Base) -> Result<Status, Failure> {
    if !cfg!(unix) {
        return Err(Failure::message(
            "`hooks mcp` does not run on this system, so no server can be put behind it",
        ));
    }
    let files = place::files(client, base);
    if files.is_empty() {
        return Err(Failure::message(format!(
            "no file with MCP servers of {client} is known in this scope; use another `--scope`, or write `hooks mcp` into the settings by hand"
        )));
    }
    let line = CommandLine::new(base, options.portable)?;
    let line = ProxyLine { program: &line.program, config: line.config.as_deref() };
    let (mut changes, mut left) = (Vec::new(), Vec::new());
    for file in &files {
        let Some(was) = files::read(&file.path)? else { continue };
        let (will, servers) = edited(&was, file, (!options.remove).then_some(&line))
            .map_err(|refused| cannot(&file.path, &refused))?;
        left.extend(
            servers.iter().filter(|server| !server.is_started()).map(|server| stays(server, &file.path)),
        );
        changes.push(Change { path: file.path.clone(), was: Some(was), will: Some(will), is_private: false });
    }
    changes.retain(Change::is_one);
    if !changes.is_empty() && !options.remove {
        // A proxy without rules does not start its server.
        changes.splice(0..0, rules(base)?.1);
    }
    let mut out = anstream::stdout().lock();
    for change in &changes {
        diff::write(&mut out, change)?;
    }
    if changes.is_empty() {
        let names: Vec<_> = files.iter().map(|file| format!("`{}`", file.path.display())).collect();
        let what = if options.remove {
            "is behind `hooks mcp`"
        } else {
            "can be put behind `hooks mcp`, or is not yet"
        };
        writeln!(out, "nothing to do: no server in {} {what}", names.join(", "))?;
    } else if options.dry_run {
        writeln!(out, "\nnothing was written: this is what it would be")?;
    } else {
        for change in &changes {
            change.make()?;
        }
        done(&mut out, options, client, base)?;
    }
    if !options.remove {
        for line in left {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(Status::Well)
}

/// The text of a file with the proxy, or without it, and its servers.
fn edited(
    text: &str,
    file: &ServerFile,
    line: Option<&ProxyLine<'_>>,
) -> Result<(String, Vec<FoundServer>), super::wiring::Refused> {
    let will = match line {
        Some(line) => servers::govern(text, file.form, line)?,
        None => servers::ungovern(text, file.form)?,
    };
    Ok((will, servers::find(text, file.form)?))
}

fn stays(server: &FoundServer, path: &Path) -> String {
    let why = if server.is_remote { "is reached by a URL" } else { "has no command" };
    format!("`{}` in `{}` {why} and stays as it is, ungoverned by `hooks mcp`", server.name, path.display())
}

fn done(out: &mut impl Write, options: &Init, client: Client, base: &Base) -> std::io::Result<()> {
    writeln!(out)?;
    if options.remove {
        return writeln!(
            out,
            "{GOOD}done{GOOD:#}: {client} starts its MCP servers itself again; your rules stay"
        );
    }
    writeln!(
        out,
        "{GOOD}done{GOOD:#}: {client} starts these MCP servers behind `hooks mcp` from its next session on"
    )?;
    if client == Client::Claude && base.scope == Scope::User {
        writeln!(out, "  a session that runs writes this file too: if one did, run this again")?;
    }
    if options.portable {
        writeln!(out, "  everyone needs `hooks` in `PATH`: without it, the servers do not start")?;
    } else if base.scope == Scope::Project {
        writeln!(
            out,
            "  the paths in these settings are those of this machine: commit them only if they are the same for everyone, or use `--portable`"
        )?;
    }
    writeln!(out, "  `hooks doctor` shows which servers are governed; `--mcp --remove` undoes this")
}
