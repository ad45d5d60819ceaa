//! Keeps the audit log out of the repository with a `.gitignore` in its folder.

use std::path::{Component, Path, PathBuf};

use hooks::audit::config::IN_A_TEAM;
use hooks::config::Config;

use super::files::{self, Change};
use super::place::Base;
use crate::failure::Failure;

/// First line of the entries.
const REMARK: &str = "# The record of what agents do, which `hooks` keeps here, is not for the repository.\n";

/// Only our own files: a team has texts of its own in the same folder.
const FILES: [&str; 8] =
    ["*.jsonl", "*.jsonl.gz", "*.lock", "*.end", "*.new", "holds.json", "missing*.json", "sinks/"];

/// Ignores the log of the project: in the folder that `rules` name, or in the folder of its team. `None` if
/// there is no log, or it is outside of the project.
pub(super) fn log_of(base: &Base, rules: Option<&Config>) -> Result<Option<Change>, Failure> {
    let folder = rules.map_or_else(|| of_team(base), Config::audit_folder);
    match folder.filter(|folder| is_below(folder, base.folder())) {
        Some(folder) => ignored_in(&folder),
        None => Ok(None),
    }
}

/// Whether `folder` is inside of `project`; a path with `..` counts as outside.
fn is_below(folder: &Path, project: &Path) -> bool {
    folder.starts_with(project) && !folder.components().any(|part| part == Component::ParentDir)
}

/// Ignores the log of a team.
pub(super) fn log_of_team(base: &Base) -> Result<Option<Change>, Failure> {
    of_team(base).map_or(Ok(None), |folder| ignored_in(&folder))
}

fn of_team(base: &Base) -> Option<PathBuf> {
    base.join(".squad").is_dir().then(|| base.join(IN_A_TEAM))
}

/// Adds the missing entries to the `.gitignore` in `folder`.
fn ignored_in(folder: &Path) -> Result<Option<Change>, Failure> {
    let path = folder.join(".gitignore");
    let was = files::read(&path)?;
    let mut will = was.clone().unwrap_or_default();
    let has = |line: &str| was.as_deref().is_some_and(|text| text.lines().any(|there| there.trim() == line));
    let missing: Vec<_> = FILES.into_iter().filter(|line| !has(line)).collect();
    // An entry `*` covers our files as well.
    if missing.is_empty() || has("*") {
        return Ok(None);
    }
    if !will.is_empty() && !will.ends_with('\n') {
        will.push('\n');
    }
    will.push_str(REMARK);
    for line in missing {
        will.push_str(line);
        will.push('\n');
    }
    Ok(Some(Change { path, was, will: Some(will), is_private: false }))
}
