//! `cargo xtask e2e [CLIENT...] [--bless]`: the real agent clients, governed by the real `hooks`.
//!
//! Each client is installed from npm, in one version, and run headless against a model server on loopback that says what we
//! script: an empty environment, a home of its own, a key that is none, no way out to the network, a time limit. `hooks init`
//! does the wiring. A run without hooks shows that each call would happen; the runs with hooks show that it does not, or
//! does otherwise.
//!
//! | what | where |
//! | --- | --- |
//! | the clients: package, version, how to start one | [`clients`] |
//! | installing them | [`install`] |
//! | what the model says | [`script`], [`server`] |
//! | a run in its sandbox | [`sandbox`] |
//! | what is proven | [`proof`] |
//! | the hook that answers what no rule answers, and fails on demand | [`stand_in`] |
//! | the page that tells it | [`page`] |

mod clients;
mod install;
mod page;
mod proof;
mod sandbox;
mod script;
mod server;
pub(crate) mod stand_in;

use std::path::{Path, PathBuf};
use std::thread;

use self::clients::{CLIENTS, Runnable};
use self::proof::Results;
use crate::error::{Error, Result};
use crate::process::Program;
use crate::stopwatch::Stopwatch;
use crate::workspace;

/// The page that the results go to.
const PAGE: &str = "docs/clients.md";

/// Runs the named clients, or all of them.
///
/// # Errors
/// A client does not do what has to hold, or what the page says.
pub(crate) fn run(arguments: &[&str]) -> Result {
    let bless = arguments.contains(&"--bless");
    let names: Vec<&str> = arguments.iter().copied().filter(|name| *name != "--bless").collect();
    let mut chosen: Vec<&Runnable> = Vec::new();
    for name in &names {
        let client = CLIENTS.iter().find(|client| client.client.name() == *name);
        chosen.push(client.ok_or_else(|| {
            Error::new(format!("`{name}` is no client that is run here; there are {}", list()))
        })?);
    }
    if chosen.is_empty() {
        chosen = CLIENTS.iter().collect();
    }
    if bless && chosen.len() != CLIENTS.len() {
        return Err(Error::new("the page tells of all clients: bless it with a run of all of them"));
    }
    let hooks = build()?;
    // They mostly wait.
    let all = thread::scope(|scope| {
        let running: Vec<_> = chosen.iter().map(|client| scope.spawn(|| one(client, &hooks))).collect();
        running
            .into_iter()
            .map(|one| one.join().map_err(|_| Error::new("a run panicked"))?)
            .collect::<Result<Vec<_>>>()
    })?;
    report(&all, bless)
}

/// Installs a client and runs it.
fn one(client: &Runnable, hooks: &Path) -> Result<Results> {
    let watch = Stopwatch::start();
    let program = install::install(client)?;
    let installed = watch.to_string();
    let watch = Stopwatch::start();
    let results = proof::prove(client, &program, hooks)?;
    println!("\n{}: installed in {installed}, run in {watch}\n{results}", results.title);
    Ok(results)
}

/// The client that CI runs: each costs half a minute there, and what they share breaks with any of them.
const IN_CI: &str = "claude";

/// In CI: one client, where npm can be reached. All of them, and the page, are by hand.
///
/// # Errors
/// As [`run`].
pub(crate) fn check() -> Result {
    match install::reachable() {
        Ok(()) => run(&[IN_CI]),
        Err(why) => {
            println!("SKIPPED: the real clients are not run, because {why}");
            Ok(())
        }
    }
}

/// Says what failed, and holds the page against the results.
fn report(all: &[Results], bless: bool) -> Result {
    let failed: Vec<String> = all.iter().flat_map(Results::failures).collect();
    if !failed.is_empty() {
        return Err(Error::new(format!("{} did not hold:\n  {}", failed.len(), failed.join("\n  "))));
    }
    if all.len() < CLIENTS.len() {
        return Ok(());
    }
    let text = page::write(all);
    if bless {
        println!("\nwrote {PAGE}");
        return workspace::write(PAGE, &text);
    }
    if workspace::read(PAGE).is_ok_and(|page| page == text) {
        return Ok(());
    }
    Err(Error::new(format!("`{PAGE}` does not tell what was seen; run `cargo xtask e2e --bless`")))
}

/// Builds `hooks`, and says where it is.
fn build() -> Result<PathBuf> {
    Program::cargo(["build", "--quiet", "--package", "tower-hooks-cli"]).run()?;
    let here = std::env::current_exe()?;
    let name = format!("hooks{}", std::env::consts::EXE_SUFFIX);
    // Both are built by the same cargo below the same folder; this one for speed, that one as the tests have built it.
    here.parent()
        .and_then(Path::parent)
        .map(|folder| folder.join("debug").join(name))
        .filter(|path| path.is_file())
        .ok_or_else(|| Error::new("the built `hooks` is not beside this program; run it by `cargo xtask`"))
}

fn list() -> String {
    CLIENTS.iter().map(|client| format!("`{}`", client.client.name())).collect::<Vec<_>>().join(", ")
}
