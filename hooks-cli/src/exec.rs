//! `hooks exec`: runs a command in the sandbox that follows from the rules.
#![cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there is no sandbox on this system, so no command comes to it")
)]

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks::config::Config;
use hooks::sandbox::Profile;
#[cfg(not(unix))]
use tempfile::TempDir as Temporary;

use crate::cli::{Cli, Command, Exec};
#[cfg(target_os = "linux")]
use crate::connections;
use crate::failure::Failure;
use crate::load;
use crate::run::project;
#[cfg(unix)]
use crate::temporary::Temporary;
use crate::wrap;

/// Exit status if the command did not run because of the sandbox, as that of `env` and `timeout`.
const NOT_RUN: u8 = 125;

/// Exit status if the command ran and has left a file that governs agents.
#[cfg(target_os = "linux")]
const LEFT_A_FILE: u8 = 123;

/// Exit status if the command ran, and what it changed was undone or has to be.
#[cfg(target_os = "linux")]
const UNDONE: u8 = 122;

/// The rules of a folder, and the profile that follows from them.
pub(crate) struct Governed {
    pub(crate) config: Config,
    pub(crate) profile: Profile,
    pub(crate) folder: PathBuf,
    /// The file of the configuration.
    pub(crate) file: PathBuf,
    /// The folder of the project.
    pub(crate) root: PathBuf,
}

/// The rules that govern this folder, or those that are named.
pub(crate) fn governed(named: Option<&Path>) -> Result<Governed, Failure> {
    let folder = env::current_dir()?;
    let Some(found) = project::find_from(named, &folder) else {
        return Err(Failure::message(
            "no rules govern this folder; `hooks init` writes some, or name them with `--config`",
        ));
    };
    Ok(Governed::new(load::config(&found.config, None)?, found.config, found.root, folder))
}

impl Governed {
    /// A command in `folder` under the rules of the project at `root`.
    pub(crate) fn new(config: Config, file: PathBuf, root: PathBuf, folder: PathBuf) -> Self {
        let workspace = config.policy().paths.root.as_ref().map_or_else(|| root.clone(), PathBuf::from);
        let profile = config.sandbox_profile(&Config::sandbox_places(&workspace));
        Self { config, profile, folder, file, root }
    }
}

/// A process that runs a command for another `hooks exec`; see [`apart`].
#[cfg(target_os = "linux")]
pub(crate) use hooks::sandbox::kernel::Worker;

/// There is no sandbox here, and so no worker.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(crate) enum Worker {}

/// Does the work of a stage of the sandbox, or of a worker, if this process is one.
#[cfg(target_os = "linux")]
pub(crate) fn stage() -> Option<ExitCode> {
    use hooks::sandbox::kernel;
    let Some(worker) = Worker::new(env::args_os()) else { return kernel::stage(env::args_os()) };
    let done = worker.map_err(Failure::from).and_then(|worker| {
        let line: Vec<OsString> = env::args_os().take(1).chain(worker.words().iter().cloned()).collect();
        let Ok(Cli { command: Command::Exec(options) }) = Cli::parse_line(line.into_iter()) else {
            return Err(Failure::message("a worker is not started by hand"));
        };
        let status = status(done(&options, Some(&worker)));
        worker.finish(status);
        Ok(status)
    });
    Some(ExitCode::from(status(done)))
}

/// Has the rest done by a process apart from this one, which goes on if the client kills this one: what the command has created has to
/// be cleaned up then too.
#[cfg(target_os = "linux")]
pub(crate) fn apart() -> Result<u8, Failure> {
    Ok(hooks::sandbox::kernel::apart(env::args_os().skip(1))?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn apart() -> Result<u8, Failure> {
    Err(Failure::message("there is no sandbox on this system, so the command was not run"))
}

/// There is no sandbox here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stage() -> Option<ExitCode> {
    None
}

/// A command for the sandbox.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'w> {
    pub(crate) command: Vec<OsString>,
    pub(crate) has_input: bool,
    pub(crate) has_report: bool,
    /// The process that runs it, if it does so for another one. The command ends with that.
    pub(crate) worker: Option<&'w Worker>,
    /// The session and the id of the call, if a client wants it; empty otherwise.
    pub(crate) session: String,
    pub(crate) call: String,
}

/// A command that ran.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: u8,
    /// The folder of its temporary files.
    pub(crate) temporary: Option<Temporary>,
}

/// Runs the command; the exit status is the command's.
pub(crate) fn run(options: &Exec) -> ExitCode {
    ExitCode::from(status(done(options, None)))
}

fn done(options: &Exec, worker: Option<&Worker>) -> Result<u8, Failure> {
    match &options.call {
        Some(id) => wrap::carrier::run(id, worker),
        None if options.shell => wrap::shell::run(options, worker),
        None => run_governed(options),
    }
}

fn status(done: Result<u8, Failure>) -> u8 {
    done.unwrap_or_else(|failure| {
        // If standard error is closed, the exit status still shows the failure.
        drop(writeln!(anstream::stderr(), "{failure}"));
        NOT_RUN
    })
}

fn run_governed(options: &Exec) -> Result<u8, Failure> {
    let governed = governed(options.config.as_deref())?;
    let Exec { command, stdin, report, .. } = options;
    let wanted =
        Wanted { command: command.clone(), has_input: *stdin, has_report: *report, ..Wanted::default() };
    Ok(run_in(&governed, &wanted)?.status)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run_in(_governed: &Governed, _wanted: &Wanted<'_>) -> Result<Ran, Failure> {
    Err(Failure::message("there is no sandbox on this system, so the command was not run"))
}

/// Runs a command in the sandbox of some rules.
#[cfg(target_os = "linux")]
pub(crate) fn run_in(governed: &Governed, wanted: &Wanted<'_>) -> Result<Ran, Failure> {
    use std::time::{Duration, SystemTime};

    use hooks::SystemClock;
    use hooks::redaction::Scrubber;
    use hooks::sandbox::kernel::{NotRun, Sandbox};
    use hooks::sandbox::{Plan, Unavailable, make_caches};
    use hooks::time::Clock;

    use crate::snapshots;

    let Governed { config, profile, folder, .. } = governed;
    let failed = |why: &dyn std::fmt::Display| Failure::message(format!("the command was not run: {why}"));
    // Without a place for it, temporary files are in memory.
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(SystemClock.now().0);
    let temporary = Temporary::new(now);
    let path = temporary.as_ref().and_then(|folder| folder.path().canonicalize().ok());
    let store = snapshots::wanted(governed);
    let scrubber = config.as_hooks().extension::<Scrubber>().cloned();
    let sandbox = || {
        let mut sandbox = Sandbox::new(wanted.command.iter().cloned());
        if wanted.has_input {
            sandbox = sandbox.with_input();
        }
        if let Some(worker) = wanted.worker {
            sandbox = sandbox.ending_with(worker.caller()?);
        }
        if let Some(scrubber) = &scrubber {
            sandbox = sandbox.scrubbing(scrubber.clone());
        }
        Ok::<_, NotRun>(sandbox)
    };
    // Its processes start while the files are looked up.
    let ahead = sandbox().and_then(|sandbox| sandbox.ahead(profile)).map_err(|error| failed(&error))?;
    make_caches(&Config::sandbox_places(&profile.workspace), is_installed);
    let plan = Plan::new(profile, folder).map_err(|error| failed(&error))?.with_temporary(path);
    let watched =
        store.and_then(|store| store.map(|store| snapshots::watch(store, governed, wanted)).transpose());
    // If a snapshot cannot be taken, the command runs all the same: the sandbox holds what it promises.
    let watched = watched.unwrap_or_else(|why| {
        say(&format!("no snapshot was taken, so this command cannot be undone: {why}"));
        None
    });
    let mut done = ahead.run(&plan);
    if let Err(NotRun::NotHeld(enforced)) = &done
        && profile.unavailable == Unavailable::Ask
        && crate::person::require("hooks exec").is_ok()
        && crate::person::agrees(&format!("{}. Run the command all the same?", enforced.missing()))?
    {
        let mut anyway = plan.clone();
        anyway.unavailable = Unavailable::GuardsOnly;
        done = sandbox().and_then(|sandbox| sandbox.run(&anyway));
    }
    // Before anything else is printed, as a closed standard error ends the program. In a failure, the command may have begun.
    let is_clean = matches!(done, Err(NotRun::NotHeld(_))) || clean_up(&plan, profile);
    let stays = watched.is_none_or(|watched| watched.end(&say));
    let mut finished = done.map_err(|error| failed(&error))?;
    if let Some(scrubber) = &scrubber {
        connections::scrub(&mut finished.connections, scrubber);
    }
    connections::tell(&finished.connections, &say);
    if let Err(why) = connections::record(governed, &finished.connections) {
        say(&format!("the connections of the command are not in the audit log: {why}"));
    }
    if !finished.enforced.is_whole() {
        say(&finished.enforced.missing());
    }
    if wanted.has_report {
        let mut report = serde_json::to_value(&finished.enforced)?;
        if let (Some(report), false) = (report.as_object_mut(), plan.hosts.is_empty()) {
            report.insert("connections".to_owned(), serde_json::to_value(&finished.connections)?);
        }
        drop(writeln!(anstream::stderr(), "{report}"));
    }
    let status = match (is_clean, stays) {
        (true, true) => finished.status,
        (false, _) => LEFT_A_FILE,
        (true, false) => UNDONE,
    };
    Ok(Ran { status, temporary })
}

/// Whether a program is in a folder of `PATH`.
#[cfg(target_os = "linux")]
fn is_installed(program: &str) -> bool {
    let search = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&search).any(|folder| folder.join(program).is_file())
}

/// Removes files that govern agents and that the command has created, and restores links, and what no mount held; returns whether
/// nothing is left.
#[cfg(target_os = "linux")]
fn clean_up(plan: &hooks::sandbox::Plan, profile: &Profile) -> bool {
    let after = match plan.clean_up(profile) {
        Ok(after) => after,
        Err(error) => {
            say(&format!(
                "the command ran, and a file that governs agents or git may have been created: {error}"
            ));
            return false;
        }
    };
    for why in &after.missed {
        let what = "a file that governs agents or git may have been created or changed";
        say(&format!("the command ran, and {what}: {why}"));
    }
    for path in &after.removed {
        let why = "it governs agents or git, and the command had created it";
        say(&format!("removed `{}`: {why}", path.display()));
    }
    for path in &after.restored {
        let why = "the command had replaced, closed or changed it";
        say(&format!("restored `{}`: {why}", path.display()));
    }
    if after.uncopied > 0 {
        say(&format!(
            "{} protected files were not copied before the command: changes to them stay",
            after.uncopied
        ));
    }
    after.missed.is_empty()
}

/// Prints a message. If standard error is closed, what was done is done all the same.
#[cfg(target_os = "linux")]
fn say(message: &str) {
    drop(writeln!(anstream::stderr(), "hooks exec: {message}"));
}
