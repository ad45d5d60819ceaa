//! `hooks init squad`: creates the folder of a team. Existing files stay unchanged.
//!
//! | source of the team | module |
//! | --- | --- |
//! | an exported `squad.config` (`--from`) | [`exported`] |
//! | the sections of the project's `hooks.yaml` | [`configured`] |

mod configured;
mod exported;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use hooks::team_rules::boundaries::proposed_block;
use hooks::{StdFileSystem, system};
use hooks_team::{NewTeam, Team};

use super::place::Base;
use super::{Scope, ignored};
use crate::cli::Init;
use crate::failure::{Failure, Status};
use crate::load;
use crate::paint::GOOD;

/// Name of the team folder.
const FOLDER: &str = ".squad";

/// Creates the files, or prints which ones it would create.
pub(super) fn run(options: &Init, base: &Base) -> Result<Status, Failure> {
    if options.remove {
        return Err(Failure::message(
            "the folder of a team is its memory: delete it yourself if that is meant",
        ));
    }
    if options.scope == Some(Scope::User) || options.file.is_some() {
        return Err(Failure::message("a team belongs to a project: leave out `--scope user` and `--file`"));
    }
    let folder = base.join(FOLDER);
    let (team, notes) = team_of(options, base)?;
    let mut out = anstream::stdout().lock();
    if options.dry_run {
        let elsewhere = tempfile::tempdir()?;
        let all = lay_out(&elsewhere.path().join(FOLDER), &team)?;
        for place in all.iter().filter(|place| !folder.join(place).exists()) {
            writeln!(out, "{GOOD}+{GOOD:#} {}", folder.join(place).display())?;
        }
        notes.iter().try_for_each(|note| writeln!(out, "  {note}"))?;
        writeln!(out, "nothing was written: this is what it would be")?;
        return Ok(Status::Well);
    }
    let had: Vec<_> = TABLES.iter().filter(|file| folder.join(file).exists()).collect();
    let made = lay_out(&folder, &team)?;
    for place in &made {
        writeln!(out, "{GOOD}+{GOOD:#} {}", folder.join(place).display())?;
    }
    if let Some(ignored) = ignored::log_of_team(base)? {
        ignored.make()?;
        writeln!(out, "{GOOD}+{GOOD:#} {}", ignored.path.display())?;
    }
    match made.len() {
        0 => writeln!(out, "nothing to do: `{}` is laid out", folder.display())?,
        _ if team.members.is_empty() => {
            writeln!(out, "{GOOD}done{GOOD:#}: write who is on the team into `{FOLDER}/team.md`")?;
        }
        _ => writeln!(out, "{GOOD}done{GOOD:#}: complete the charters below `{FOLDER}/agents`")?,
    }
    for file in had.into_iter().filter(|_| !(team.members.is_empty() && team.routes.is_empty())) {
        writeln!(
            out,
            "  `{FOLDER}/{file}` existed and is unchanged: add the members and routes there by hand"
        )?;
    }
    notes.iter().try_for_each(|note| writeln!(out, "  {note}"))?;
    propose(&folder, &mut out)?;
    Ok(Status::Well)
}

/// Files with tables of members and routes.
const TABLES: [&str; 2] = ["team.md", "routing.md"];

/// The team to create, and notes about its sources.
fn team_of(options: &Init, base: &Base) -> Result<(NewTeam, Vec<String>), Failure> {
    let (mut team, ignored) = match &options.from {
        Some(file) => exported::read(file)?,
        None => (NewTeam::default(), Vec::new()),
    };
    let mut notes = Vec::new();
    if !ignored.is_empty() {
        let keys: Vec<_> = ignored.iter().map(|key| format!("`{key}`")).collect();
        notes.push(format!("not taken over: {}", keys.join(", ")));
        if ignored.iter().any(|key| key == "hooks") {
            notes.push(format!("to enforce `hooks`, save that object as `{FOLDER}/policies/squad.json`"));
        }
    }
    let config = base.config()?;
    if config.is_file() {
        let config = load::config(&config, None)?;
        configured::add(&config, &mut team);
        if config.team_rules().boundaries.as_ref().is_some_and(|boundaries| !boundaries.agents.is_empty()) {
            notes.push("boundaries of `hooks.yaml` are in new charters too, and both apply".to_owned());
        }
    }
    if team.name.trim().is_empty() {
        let name = base.folder().file_name().map(|name| name.to_string_lossy().into_owned());
        team.name = name.unwrap_or_else(|| "team".to_owned());
    }
    Ok((team, notes))
}

/// Prints the boundaries that are proposed for charters without one. A person decides about them: prose is not enforced.
fn propose(folder: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let team = Team::new(Arc::new(StdFileSystem), folder, &system());
    for stated in team.stated_files().unwrap_or_default() {
        if let Some(block) = proposed_block(&stated, FOLDER) {
            let charter = format!("{FOLDER}/agents/{}/charter.md", stated.agent);
            writeln!(out, "\nproposed for `{charter}`, which names files but has no boundary:\n\n{block}")?;
        }
    }
    Ok(())
}

/// Creates the missing files; returns their paths.
fn lay_out(folder: &Path, team: &NewTeam) -> Result<Vec<String>, Failure> {
    let made = Team::new(Arc::new(StdFileSystem), folder, &system()).init(team);
    let made = made.map_err(|error| Failure::message(format!("`{}`: {error}", folder.display())))?;
    Ok(made.iter().map(|place| place.as_str().to_owned()).collect())
}
