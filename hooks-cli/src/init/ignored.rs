//! Keeps the record of what agents do out of the repository: a `.gitignore` beside the log.

use std::path::{Component, Path, PathBuf};

use hooks::audit::config::IN_A_TEAM;
use hooks::config::Config;

use super::files::{self, Change};
use super::place::Base;
use crate::failure::Failure;

/// What it begins with.
const REMARK: &str = "# The record of what agents do, which `hooks` keeps here, is not for the repository.\n";

/// Our files alone: a team has texts of its own in the same folder.
const FILES: [&str; 8] =
    ["*.jsonl", "*.jsonl.gz", "*.lock", "*.end", "*.new", "holds.json", "missing*.json", "sinks/"];

/// Has the log of the project ignored: where the `rules` say it is, or in the folder of its team. `None` where there is no
/// log, or it is not in the project.
pub(super) fn log_of(base: &Base, rules: Option<&Config>) -> Result<Option<Change>, Failure> {
    let folder = rules.map_or_else(|| of_team(base), Config::audit_folder);
    match folder.filter(|folder| is_below(folder, base.folder())) {
        Some(folder) => ignored_in(&folder),
        None => Ok(None),
    }
}

/// Whether `folder` is one of `project`; where `..` leads is left alone.
fn is_below(folder: &Path, project: &Path) -> bool {
    folder.starts_with(project) && !folder.components().any(|part| part == Component::ParentDir)
}

/// Has the log of a team ignored.
pub(super) fn log_of_team(base: &Base) -> Result<Option<Change>, Failure> {
    of_team(base).map_or(Ok(None), |folder| ignored_in(&folder))
}

fn of_team(base: &Base) -> Option<PathBuf> {
    base.join(".squad").is_dir().then(|| base.join(IN_A_TEAM))
}

/// What is missing in the `.gitignore` in `folder` is added to it.
fn ignored_in(folder: &Path) -> Result<Option<Change>, Failure> {
    let path = folder.join(".gitignore");
    let was = files::read(&path)?;
    let mut will = was.clone().unwrap_or_default();
    let has = |line: &str| was.as_deref().is_some_and(|text| text.lines().any(|there| there.trim() == line));
    let missing: Vec<_> = FILES.into_iter().filter(|line| !has(line)).collect();
    // Whoever ignores all of it ignores ours.
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
