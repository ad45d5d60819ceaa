//! `hooks doctor`: checks whether clients really are governed, and shows how to repair those that are not.
//!
//! For each client, settings of the project, the user and the machine are checked:
//!
//! - Do they call us for every event of ours that the client reports?
//! - Does the program that they name start?
//! - Does their exact command line deny a call, if it is started as the client would start it ([`probe`])?
//! - Can the rules be used ([`rules`])?
//! - Does Claude Code run its commands in the sandbox, if the rules want that ([`wrapped`])?
//! - Are its MCP servers behind `hooks mcp` ([`servers`])?
//!
//! The client itself is checked as well: its version ([`version`]), and other reasons for which it would not
//! call its hooks ([`traps`], [`trust`]), or call some of them twice ([`twice`]).

mod probe;
pub(crate) mod process;
mod rules;
#[cfg(target_os = "linux")]
mod sandbox;
mod servers;
pub(crate) mod traps;
mod trust;
mod twice;
mod version;
mod wrapped;

use std::io::Write;
use std::path::{Path, PathBuf};

use hooks_protocols::Client;
use serde::Serialize;

use crate::cli::{Doctor, Format};
use crate::failure::{Failure, Status};
use crate::init::place::Base;
use crate::init::settings::{self, ClientSettings};
use crate::init::wiring::WiredLine;
use crate::init::{Scope, files, wiring};
use crate::output;
use crate::paint::{BAD, GOOD, LOUD, OPEN, QUIET};
use crate::reach::{CLIENTS, client_named};

/// The state of a checked item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// The item does not exist.
    Absent,
    /// The item is correct.
    Good,
    /// The item could be correct; the user has to check.
    Doubtful,
    /// Calls run that should be denied, or nothing works.
    Bad,
}

/// A result of a check.
#[derive(Clone, Debug, Serialize)]
struct Finding {
    state: State,
    /// Description of the result.
    what: String,
    /// Remedy, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Finding {
    fn new(state: State, what: impl Into<String>) -> Self {
        Self { state, what: what.into(), remedy: None }
    }

    fn good(what: impl Into<String>) -> Self {
        Self::new(State::Good, what)
    }

    fn bad(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..Self::new(State::Bad, what) }
    }

    fn doubtful(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..Self::new(State::Doubtful, what) }
    }
}

/// Name of the report about the sandbox.
#[cfg(target_os = "linux")]
const SANDBOX: &str = "sandbox";

/// The results for a client.
#[derive(Debug, Serialize)]
struct Report {
    client: &'static str,
    findings: Vec<Finding>,
}

/// Checks the clients, and prints the results.
pub(crate) fn run(options: &Doctor) -> Result<Status, Failure> {
    let clients = match &*options.clients {
        [] => CLIENTS.to_vec(),
        names => names.iter().map(|name| named(name)).collect::<Result<_, _>>()?,
    };
    let is_asked_for = !options.clients.is_empty();
    let mut reports: Vec<Report> = clients.into_iter().map(|client| report(client, is_asked_for)).collect();
    let is_bad = reports.iter().flat_map(|report| &report.findings).any(|one| one.state == State::Bad);
    let is_wired = reports.iter().flat_map(|report| &report.findings).any(|one| one.state != State::Absent);
    // A client that is asked for is all that is looked at.
    #[cfg(target_os = "linux")]
    if !is_asked_for {
        reports.push(Report { client: SANDBOX, findings: sandbox::check() });
    }
    let mut out = output::out();
    match options.format {
        Format::Json => writeln!(out, "{}", serde_json::to_string(&reports)?)?,
        Format::Text => {
            for report in &reports {
                show(&mut out, report)?;
            }
            if !is_wired {
                writeln!(out, "\nno client is wired: begin with `hooks init claude`, or whichever you use")?;
            }
        }
    }
    Ok(if is_bad { Status::Found } else { Status::Well })
}

fn named(name: &str) -> Result<Client, Failure> {
    let client = client_named(name)?;
    if CLIENTS.contains(&client) {
        return Ok(client);
    }
    Err(Failure::message(format!("{client} has no settings to look at")))
}

/// Checks a client. One that is `asked_for` has to be wired, although it may not be installed yet.
fn report(client: Client, is_asked_for: bool) -> Report {
    let mut findings = Vec::new();
    let mut is_wired = false;
    // The settings of the user govern in every folder, so those of the project need not.
    let mut is_covered = false;
    let mut is_pinned = false;
    for scope in [Scope::Machine, Scope::User, Scope::Project] {
        let Ok(base) = Base::find(scope) else { continue };
        // Some clients have settings in only one of the scopes.
        let Ok(settings) = settings::locate(client, &base, None) else { continue };
        let mut found = wired(&settings);
        let is_here = found.iter().any(|finding| finding.state != State::Absent);
        if scope == Scope::Machine && !is_here {
            continue;
        }
        if is_here {
            found.extend(traps::check(&settings, &base, is_covered));
        }
        is_covered |= is_here && found.iter().all(|finding| finding.state != State::Bad);
        // A user cannot switch off the hooks of the machine.
        is_pinned |= is_covered && scope == Scope::Machine;
        is_wired |= is_here;
        findings.extend(found);
    }
    if is_wired {
        findings.extend(traps::switched_off(client, is_pinned));
        findings.extend(twice::check(client));
        findings.extend(wrapped::check(client));
    }
    let version = version::check(client);
    // If the client is neither installed nor wired, nothing else matters.
    let is_here = is_wired || version.state != State::Absent;
    if is_here {
        findings.push(version);
    }
    if !is_wired && (is_asked_for || findings.iter().any(|finding| finding.state != State::Absent)) {
        let remedy = format!("`hooks init {}`", client.name());
        findings.push(Finding::bad("nothing governs it here", remedy));
    }
    if is_here || is_asked_for {
        findings.extend(servers::check(client, is_wired));
    }
    Report { client: client.name(), findings }
}

/// Checks the settings of a client.
fn wired(settings: &ClientSettings) -> Vec<Finding> {
    let ClientSettings { client, path, form } = settings;
    let name = path.display();
    let again = format!("`hooks init {}` writes it anew", client.name());
    let text = match files::read(path) {
        Ok(Some(text)) => text,
        Ok(None) => return vec![Finding::new(State::Absent, format!("`{name}` is not there"))],
        Err(error) => return vec![Finding::bad(plain(&error), "make it readable")],
    };
    let found = match wiring::read(&text, *client, *form) {
        Ok(found) if found.is_empty() => {
            return vec![Finding::new(State::Absent, format!("`{name}` has no hooks of ours"))];
        }
        Ok(found) => found,
        Err(refused) => {
            let what = format!("`{name}` cannot be read by its client: {}", refused.what);
            return vec![Finding::bad(what, "mend it; until then the client has no hooks at all")];
        }
    };
    let mut findings = called(settings, &found);
    let crossed = found.iter().filter(|one| one.event != one.ours.event);
    findings.extend(crossed.map(|one| {
        let what = format!("at `{}`, `{name}` calls us for `{}`", one.event, one.ours.event);
        Finding::bad(what, again.clone())
    }));
    for one in found.iter().filter(|one| !one.changed.is_empty()) {
        let what = format!("the hook of `{}` in `{name}` was changed: {}", one.event, one.changed.join(", "));
        findings.push(Finding::bad(what, again.clone()));
    }
    let mut programs: Vec<PathBuf> = found.iter().map(|one| PathBuf::from(&one.ours.program)).collect();
    programs.sort();
    programs.dedup();
    for program in programs {
        if program.components().count() == 1 {
            findings.push(on_path(&program, &name.to_string()));
        } else if !program.is_file() {
            let what = format!("`{}`, which `{name}` calls, is not there", program.display());
            findings.push(Finding::bad(what, again.clone()));
        }
    }
    findings.extend(probe::check(*client, &found));
    findings.extend(rules::check(*client, &found));
    findings
}

/// Checks that the client calls us for each event.
fn called(settings: &ClientSettings, found: &[WiredLine]) -> Vec<Finding> {
    let ClientSettings { client, path, .. } = settings;
    let name = path.display();
    let is_called = |event: &&str| found.iter().any(|one| one.event == *event);
    let missing = settings::events(*client).into_iter().filter(|event| !is_called(event));
    let (needed, observed): (Vec<_>, Vec<_>) = missing.partition(|event| settings::is_needed(*client, event));
    let names =
        |events: &[&str]| events.iter().map(|event| format!("`{event}`")).collect::<Vec<_>>().join(", ");
    let again = format!("`hooks init {}` writes it anew", client.name());
    let mut findings = Vec::new();
    if needed.is_empty() {
        findings.push(Finding::good(format!("`{name}` calls us for every event that is decided about")));
    } else {
        let what = format!("`{name}` does not call us for {}", names(&needed));
        findings.push(Finding::bad(what, again.clone()));
    }
    if !observed.is_empty() {
        let what = format!(
            "`{name}` does not call us for {}: handlers and the record miss them, and nothing else",
            names(&observed)
        );
        findings.push(Finding::doubtful(what, again));
    }
    findings
}

/// Checks the program of portable lines, which the shell of the client finds in `PATH`.
fn on_path(program: &Path, settings: &str) -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file());
    match found {
        Some(found) => Finding::good(format!("`{settings}` calls `{}`, found in `PATH`", found.display())),
        None => Finding::bad(
            format!(
                "`{settings}` calls `{}`, which is not in `PATH`, so every call is denied",
                program.display()
            ),
            "install `hooks`, and put its folder into `PATH`",
        ),
    }
}

/// The text of an error without its colours.
fn plain(error: &Failure) -> String {
    let text = error.to_string();
    let plain = anstream::adapter::strip_str(&text).to_string();
    plain.strip_prefix("error: ").unwrap_or(&plain).to_owned()
}

fn show(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    let client: Option<Client> = report.client.parse().ok();
    let name = client.map_or_else(|| report.client.to_owned(), |client| client.to_string());
    let worst = report.findings.iter().map(|finding| finding.state).max().unwrap_or(State::Absent);
    if worst == State::Absent {
        return writeln!(out, "{LOUD}{name}{LOUD:#} {QUIET}is not here{QUIET:#}");
    }
    writeln!(out, "{LOUD}{name}{LOUD:#}")?;
    for Finding { state, what, remedy } in &report.findings {
        let (mark, style) = match state {
            State::Good => ("ok ", GOOD),
            State::Doubtful => ("?  ", OPEN),
            State::Bad => ("bad", BAD),
            State::Absent => ("-  ", QUIET),
        };
        writeln!(out, "  {style}{mark}{style:#} {what}")?;
        if let Some(remedy) = remedy {
            writeln!(out, "      {remedy}")?;
        }
    }
    Ok(())
}
