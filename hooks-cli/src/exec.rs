//! `hooks exec`: runs a command in the sandbox that follows from the rules.

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks::config::Config;
use hooks::sandbox::Profile;
use tempfile::TempDir;

use crate::cli::Exec;
use crate::failure::Failure;
use crate::load;
use crate::run::project;
use crate::wrap;

/// Exit status if the command did not run because of the sandbox, or if it ran and has left a file that it may not; a message names the case.
const FAILED: u8 = 125;

/// The rules of a folder, and the profile that follows from them.
pub(crate) struct Governed {
    pub(crate) config: Config,
    pub(crate) profile: Profile,
    pub(crate) folder: PathBuf,
}

/// The rules that govern this folder, or those that are named.
pub(crate) fn governed(named: Option<&Path>) -> Result<Governed, Failure> {
    let folder = env::current_dir()?;
    let Some(found) = project::find_from(named, &folder) else {
        return Err(Failure::message(
            "no rules govern this folder; `hooks init` writes some, or name them with `--config`",
        ));
    };
    Ok(Governed::new(load::config(&found.config, None)?, found.root, folder))
}

impl Governed {
    /// A command in `folder` under the rules of the project at `root`.
    pub(crate) fn new(config: Config, root: PathBuf, folder: PathBuf) -> Self {
        let root = config.policy().paths.root.as_ref().map_or(root, PathBuf::from);
        let profile = config.sandbox_profile(&Config::sandbox_places(&root));
        Self { config, profile, folder }
    }
}

/// Does the work of a stage of the sandbox, if this process is one.
#[cfg(target_os = "linux")]
pub(crate) fn stage() -> Option<ExitCode> {
    hooks::sandbox::kernel::stage(env::args_os())
}

/// There is no sandbox here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stage() -> Option<ExitCode> {
    None
}

/// A command for the sandbox.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) command: Vec<OsString>,
    pub(crate) has_input: bool,
    pub(crate) has_report: bool,
}

/// A command that ran.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: u8,
    /// The folder of its temporary files.
    pub(crate) temporary: Option<TempDir>,
}

/// Runs the command; the exit status is the command's.
pub(crate) fn run(options: &Exec) -> ExitCode {
    let done = match &options.call {
        Some(id) => wrap::carrier::run(id),
        None if options.shell => wrap::shell::run(options),
        None => run_governed(options),
    };
    ExitCode::from(done.unwrap_or_else(|failure| {
        // If standard error is closed, the exit status still shows the failure.
        drop(writeln!(anstream::stderr(), "{failure}"));
        FAILED
    }))
}

fn run_governed(options: &Exec) -> Result<u8, Failure> {
    let governed = governed(options.config.as_deref())?;
    let Exec { command, stdin, report, .. } = options;
    let wanted = Wanted { command: command.clone(), has_input: *stdin, has_report: *report };
    Ok(run_in(&governed, &wanted)?.status)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run_in(_governed: &Governed, _wanted: &Wanted) -> Result<Ran, Failure> {
    Err(Failure::message("there is no sandbox on this system, so the command was not run"))
}

/// Runs a command in the sandbox of some rules.
#[cfg(target_os = "linux")]
pub(crate) fn run_in(governed: &Governed, wanted: &Wanted) -> Result<Ran, Failure> {
    use hooks::redaction::Scrubber;
    use hooks::sandbox::kernel::{NotRun, Sandbox};
    use hooks::sandbox::{Plan, Unavailable};

    use crate::snapshots;

    let Governed { config, profile, folder } = governed;
    let failed = |why: &dyn std::fmt::Display| Failure::message(format!("the command was not run: {why}"));
    // Without a place for it, temporary files are in memory.
    let temporary = tempfile::Builder::new().prefix("hooks-exec-").tempdir().ok();
    let path = temporary.as_ref().and_then(|folder| folder.path().canonicalize().ok());
    let store = snapshots::wanted(governed);
    let plan = Plan::new(profile, folder).map_err(|error| failed(&error))?.with_temporary(path);
    let scrubber = config.as_hooks().extension::<Scrubber>().cloned();
    let start = |plan: Plan| {
        let mut sandbox = Sandbox::new(plan, wanted.command.iter().cloned());
        if wanted.has_input {
            sandbox = sandbox.with_input();
        }
        if let Some(scrubber) = &scrubber {
            sandbox = sandbox.scrubbing(scrubber.clone());
        }
        sandbox.run()
    };
    let watched = store
        .and_then(|store| store.map(|store| snapshots::watch(store, governed, &wanted.command)).transpose());
    // If a snapshot cannot be taken, the command runs all the same: the sandbox holds what it promises.
    let watched = watched.unwrap_or_else(|why| {
        say(&format!("no snapshot was taken, so this command cannot be undone: {why}"));
        None
    });
    let mut done = start(plan.clone());
    if let Err(NotRun::NotHeld(enforced)) = &done
        && profile.unavailable == Unavailable::Ask
        && crate::person::require("hooks exec").is_ok()
        && crate::person::agrees(&format!("{}. Run the command all the same?", enforced.missing()))?
    {
        let mut anyway = plan.clone();
        anyway.unavailable = Unavailable::GuardsOnly;
        done = start(anyway);
    }
    // Before anything is printed, as a closed standard error ends the program.
    let is_clean = done.is_err() || clean_up(&plan, profile);
    let stays = watched.is_none_or(|watched| watched.end(&say));
    let finished = done.map_err(|error| failed(&error))?;
    if !finished.enforced.is_whole() {
        say(&finished.enforced.missing());
    }
    if wanted.has_report {
        drop(writeln!(anstream::stderr(), "{}", serde_json::to_string(&finished.enforced)?));
    }
    Ok(Ran { status: if is_clean && stays { finished.status } else { FAILED }, temporary })
}

/// Removes files that govern agents and that the command has created, and restores links; returns whether none is left.
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
        say(&format!("the command ran, and a file that governs agents or git may have been created: {why}"));
    }
    for path in &after.removed {
        let why = "it governs agents or git, and the command had created it";
        say(&format!("removed `{}`: {why}", path.display()));
    }
    for path in &after.restored {
        let why = "a link that the command had replaced or a folder that it had closed";
        say(&format!("restored `{}`, {why}", path.display()));
    }
    after.missed.is_empty()
}

/// Prints a message. If standard error is closed, what was done is done all the same.
#[cfg(target_os = "linux")]
fn say(message: &str) {
    drop(writeln!(anstream::stderr(), "hooks exec: {message}"));
}
