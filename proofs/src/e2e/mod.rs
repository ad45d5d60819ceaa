//! `cargo xtask e2e [CLIENT...] [--only PART] [--bless]`: runs the real clients, governed by the real `hooks`.
//!
//! Each client is installed from npm in one version. It runs headless against a scripted model server on
//! loopback. It has an empty environment, a home of its own, an invalid key, no access to the network, and a
//! time limit. `hooks init` writes its settings. A run without hooks shows that each call would happen; the
//! runs with hooks show that it is denied or changed.
//!
//! | part | module |
//! | --- | --- |
//! | the clients: package, version, start | [`clients`] |
//! | their installation | [`install`] |
//! | the scripted model | [`script`], [`server`] |
//! | a run in its sandbox | [`sandbox`] |
//! | the claims and their proofs | [`claims`], [`proof`], [`places`] |
//! | the packages, in place of settings | [`packages`] |
//! | the MCP servers of a client's settings | [`servers`] |
//! | the settings of the machine | [`machine`] |
//! | hooks that a person lets Codex CLI trust | [`trusted`] |
//! | files that a prompt names | [`prompt`] |
//! | failing results, slash commands, and settings that switch hooks off | [`checked`] |
//! | commands whose input stays open | [`live`] |
//! | the client's own allow, ask and deny lists | [`lists`] |
//! | shell calls in the sandbox | [`wrapped`] |
//! | the text of these calls, and what the client decides about it | [`carried`] |
//! | results of commands that cannot be wrapped | [`unwrapped`] |
//! | transcripts that are judged again | [`replayed`] |
//! | wrapped commands that still run when the model reads of them | [`running`] |
//! | sessions that are interrupted while a command runs | [`interrupted`] |
//! | sessions with subagents, a resumption and a compaction | [`tree`] |
//! | rules of a team: decisions, boundaries, ceremonies, phases, sequences | [`team`] |
//! | a hook that gives answers which no rule gives, and fails on demand | [`stand_in`] |
//! | a person who approves a call, or confirms changed rules | [`approval`], [`reload`], [`terminal`] |
//! | official MCP servers behind `hooks mcp` (`e2e mcp`) | [`mcp`] |
//! | a receiver of OTLP from PyPI (`e2e otlp`) | [`otlp`] |
//! | the page of the results | [`page`] |

#[cfg(unix)]
mod approval;
#[cfg(target_os = "linux")]
mod carried;
mod checked;
mod claims;
mod clients;
mod install;
#[cfg(unix)]
mod interrupted;
mod lists;
mod live;
#[cfg(target_os = "linux")]
mod machine;
mod mcp;
mod otlp;
mod packages;
mod page;
mod places;
mod prompt;
mod proof;
#[cfg(unix)]
mod reload;
mod replayed;
#[cfg(target_os = "linux")]
mod running;
mod sandbox;
mod script;
mod server;
mod servers;
pub(crate) mod stand_in;
mod team;
#[cfg(unix)]
mod terminal;
mod tree;
#[cfg(unix)]
mod trusted;
mod unwrapped;
#[cfg(target_os = "linux")]
mod wrapped;

use std::path::{Path, PathBuf};
use std::thread;

use self::clients::{CLIENTS, Runnable};
use self::proof::Results;
use crate::error::{Error, Result};
use crate::process::Program;
use crate::registries;
use crate::stopwatch::Stopwatch;
use crate::workspace;

/// Path of the page with the results.
const PAGE: &str = "docs/clients.md";

/// Runs the named clients, or all of them.
///
/// # Errors
/// Returns an error if a required claim fails, or the results differ from the page.
pub(crate) fn run(arguments: &[&str]) -> Result {
    match arguments {
        ["mcp"] => return mcp::run(),
        ["otlp"] => return otlp::run(),
        _ => {}
    }
    let bless = arguments.contains(&"--bless");
    let mut names: Vec<&str> = arguments.iter().copied().filter(|name| *name != "--bless").collect();
    let only = part(&mut names)?;
    let mut chosen: Vec<&Runnable> = Vec::new();
    for name in &names {
        let client = CLIENTS.iter().find(|client| client.client.name() == *name);
        chosen.push(
            client
                .ok_or_else(|| Error::new(format!("unknown client `{name}`; expected one of {}", list())))?,
        );
    }
    if chosen.is_empty() {
        chosen = CLIENTS.iter().collect();
    }
    if bless && (chosen.len() != CLIENTS.len() || only.is_some()) {
        return Err(Error::new("the page is about all clients: bless it with a whole run of all of them"));
    }
    let hooks = build()?;
    // In parallel, because the runs mostly wait.
    let all = thread::scope(|scope| {
        let running: Vec<_> = chosen.iter().map(|client| scope.spawn(|| one(client, &hooks, only))).collect();
        running
            .into_iter()
            .map(|one| one.join().map_err(|_| Error::new("a run panicked"))?)
            .collect::<Result<Vec<_>>>()
    })?;
    report(&all, bless)
}

/// Takes `--only PART` out of the arguments.
fn part<'a>(arguments: &mut Vec<&'a str>) -> Result<Option<&'a str>> {
    let Some(at) = arguments.iter().position(|word| *word == "--only") else { return Ok(None) };
    let name = arguments.drain(at..arguments.len().min(at.saturating_add(2))).nth(1).unwrap_or_default();
    if proof::parts().any(|part| part == name) {
        return Ok(Some(name));
    }
    let parts: Vec<&str> = proof::parts().collect();
    Err(Error::new(format!("unknown part `{name}`; expected one of {}", parts.join(", "))))
}

/// Installs a client and runs it.
fn one(client: &Runnable, hooks: &Path, only: Option<&str>) -> Result<Results> {
    let watch = Stopwatch::start();
    let program = install::install(client)?;
    let installed = watch.to_string();
    let watch = Stopwatch::start();
    let results = proof::prove(client, &program, hooks, only)?;
    println!("\n{}: installed in {installed}, run in {watch}\n{results}", results.title);
    Ok(results)
}

/// The client that CI runs. Each costs half a minute there, and a fault in the shared parts fails any of
/// them.
const IN_CI: &str = "claude";

/// Runs one client in CI, or the servers that `arguments` name. All clients, and the page, are run by hand.
///
/// # Errors
/// Returns the errors of [`run`]. If npm cannot be reached, returns an error only where it is required.
pub(crate) fn check(arguments: &[&str]) -> Result {
    let arguments = if arguments.is_empty() { &[IN_CI] } else { arguments };
    registries::needed(&format!("e2e {}", arguments.join(" ")), || run(arguments))
}

/// Reports failed claims, and compares the page with the results of whole runs.
fn report(all: &[Results], bless: bool) -> Result {
    let failed: Vec<String> = all.iter().flat_map(Results::failures).collect();
    if !failed.is_empty() {
        return Err(Error::new(format!("{} did not hold:\n  {}", failed.len(), failed.join("\n  "))));
    }
    if bless && all.iter().any(|results| !results.is_whole) {
        return Err(Error::new("the page is about whole runs, and parts were skipped here"));
    }
    if bless {
        println!("\nwrote {PAGE}");
        return workspace::write(PAGE, &page::write(all));
    }
    let page = workspace::read(PAGE)?;
    let whole = all.iter().filter(|results| results.is_whole);
    let different: Vec<String> = whole.flat_map(|results| page::differences(&page, results)).collect();
    if different.is_empty() {
        return Ok(());
    }
    let different = different.join("\n  ");
    Err(Error::new(format!("`{PAGE}` differs; run `cargo xtask e2e --bless`:\n  {different}")))
}

/// Variable with the path of a built `hooks`, set by `cargo xtask ci`.
const PROGRAM: &str = "HOOKS_PROGRAM";

/// Builds `hooks` unless there is one already, and returns its path.
fn build() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(PROGRAM) {
        return Ok(path.into());
    }
    Program::cargo(["build", "--quiet", "--package", "tower-hooks-cli"]).run()?;
    let here = std::env::current_exe()?;
    let name = format!("hooks{}", std::env::consts::EXE_SUFFIX);
    // The same cargo builds both below the same folder: this program in its own profile for speed, `hooks` in
    // the profile of the tests.
    here.parent()
        .and_then(Path::parent)
        .map(|folder| folder.join("debug").join(name))
        .filter(|path| path.is_file())
        .ok_or_else(|| Error::new("the built `hooks` is not beside this program; run it by `cargo xtask`"))
}

fn list() -> String {
    CLIENTS.iter().map(|client| format!("`{}`", client.client.name())).collect::<Vec<_>>().join(", ")
}
