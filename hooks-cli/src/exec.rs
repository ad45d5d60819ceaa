//! `hooks exec`: runs a command in the sandbox that follows from the rules.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks::config::Config;
use hooks::sandbox::Profile;

use crate::cli::Exec;
use crate::failure::Failure;
use crate::load;
use crate::run::project;

/// Exit status if the command did not run because of the sandbox.
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
    let config = load::config(&found.config, None)?;
    let root = config.policy().paths.root.as_ref().map_or(found.root, PathBuf::from);
    let profile = config.sandbox_profile(&Config::sandbox_places(&root));
    Ok(Governed { config, profile, folder })
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

/// Runs the command; the exit status is the command's.
pub(crate) fn run(options: &Exec) -> ExitCode {
    ExitCode::from(run_governed(options).unwrap_or_else(|failure| {
        // If standard error is closed, the exit status still shows the failure.
        drop(writeln!(anstream::stderr(), "{failure}"));
        FAILED
    }))
}

#[cfg(not(target_os = "linux"))]
fn run_governed(_options: &Exec) -> Result<u8, Failure> {
    Err(Failure::message("there is no sandbox on this system, so the command was not run"))
}

#[cfg(target_os = "linux")]
fn run_governed(options: &Exec) -> Result<u8, Failure> {
    use hooks::redaction::Scrubber;
    use hooks::sandbox::kernel::{NotRun, Sandbox};
    use hooks::sandbox::{Plan, Unavailable};

    let Governed { config, profile, folder } = governed(options.config.as_deref())?;
    let failed = |why: &dyn std::fmt::Display| Failure::message(format!("the command was not run: {why}"));
    // Without a place for it, temporary files are in memory.
    let temporary = tempfile::Builder::new().prefix("hooks-exec-").tempdir().ok();
    let path = temporary.as_ref().and_then(|folder| folder.path().canonicalize().ok());
    let plan = Plan::new(&profile, &folder).map_err(|error| failed(&error))?.with_temporary(path);
    let scrubber = config.as_hooks().extension::<Scrubber>().cloned();
    let start = |plan: Plan| {
        let mut sandbox = Sandbox::new(plan, options.command.iter().cloned());
        if options.stdin {
            sandbox = sandbox.with_input();
        }
        if let Some(scrubber) = &scrubber {
            sandbox = sandbox.scrubbing(scrubber.clone());
        }
        sandbox.run()
    };
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
    let finished = done.map_err(|error| failed(&error))?;
    if !finished.enforced.is_whole() {
        writeln!(anstream::stderr(), "hooks exec: {}", finished.enforced.missing())?;
    }
    let is_clean = clean_up(&plan, &profile)?;
    if options.report {
        writeln!(anstream::stderr(), "{}", serde_json::to_string(&finished.enforced)?)?;
    }
    Ok(if is_clean { finished.status } else { FAILED })
}

/// Removes files that govern agents and that the command has created, and restores links; returns whether none is left.
#[cfg(target_os = "linux")]
fn clean_up(plan: &hooks::sandbox::Plan, profile: &Profile) -> Result<bool, Failure> {
    let after = plan.clean_up(profile).map_err(|error| Failure::message(error.to_string()))?;
    let mut out = anstream::stderr();
    for path in &after.removed {
        let why = "governs agents or git, and the command had created it";
        writeln!(out, "hooks exec: removed `{}`: it {why}", path.display())?;
    }
    for path in &after.restored {
        writeln!(
            out,
            "hooks exec: restored `{}`, a link that the command had replaced or a folder that it had closed",
            path.display()
        )?;
    }
    for why in &after.missed {
        writeln!(out, "hooks exec: a file that governs agents or git may have been created: {why}")?;
    }
    Ok(after.missed.is_empty())
}
