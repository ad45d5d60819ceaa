//! `add_git_status`, `add_git_diff`, `add_recent_commits`: state of a git repository.

use std::path::Path;
use std::time::Duration;

use super::git::Git;
use super::{BuiltinError, Call, InstructionContext, Output, World};

/// The most bytes of git's output in a prompt.
const LONGEST: usize = 4_096;
const PATIENCE: Duration = Duration::from_secs(5);
const COMMITS: u32 = 10;

/// Adds the short status of the working copy.
pub(super) fn add_git_status(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let Some(cwd) = call.cwd else { return Ok(Output::default()) };
    let status =
        git_output(world, cwd, &["status", "--short", "--branch"]).filter(|status| !status.is_empty());
    let text = match status {
        Some(status) => InstructionContext {
            label: "git status".to_owned(),
            content: format!("Current git status:\n\n{status}"),
            changed_content: format!("The current git status is now:\n\n{status}"),
            removed_content: GONE_STATUS.to_owned(),
            ..keyed("core/git-status")
        },
        None => gone("core/git-status", GONE_STATUS),
    };
    Ok(Output::instructions("turn_start", vec![text]))
}

/// Adds the uncommitted changes: a count for each file, or every line with `full`.
pub(super) fn add_git_diff(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let Some(cwd) = call.cwd else { return Ok(Output::default()) };
    let is_full = call.args.first().is_some_and(|arg| arg == "full");
    let (heading, arguments): (_, &[&str]) = if is_full {
        ("Current working-tree diff", &["diff", "--no-ext-diff", "--no-textconv"])
    } else {
        ("Current working-tree diff (stat)", &["diff", "--stat", "--no-ext-diff", "--no-textconv"])
    };
    let text = match git_output(world, cwd, arguments) {
        None => gone("core/git-diff", "The previously reported working-tree diff no longer applies."),
        Some(diff) if diff.is_empty() => gone("core/git-diff", GONE_DIFF),
        Some(diff) => InstructionContext {
            label: "working-tree diff".to_owned(),
            content: format!("{heading}:\n\n{diff}"),
            changed_content: format!("The current working-tree diff is now:\n\n{diff}"),
            removed_content: GONE_DIFF.to_owned(),
            ..keyed("core/git-diff")
        },
    };
    Ok(Output::instructions("turn_start", vec![text]))
}

/// Adds the last commits, one on each line.
pub(super) fn add_recent_commits(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let Some(cwd) = call.cwd else { return Ok(Output::default()) };
    let wanted = call.args.first().and_then(|wanted| wanted.parse().ok()).filter(|wanted| *wanted > 0);
    let count = wanted.unwrap_or(COMMITS).to_string();
    let commits = git_output(world, cwd, &["log", "--oneline", "-n", &count]).unwrap_or_default();
    if commits.is_empty() {
        return Ok(Output::default());
    }
    Ok(Output::context("session_start", format!("Recent commits:\n\n{commits}")))
}

const GONE_STATUS: &str = "The previously reported git status no longer applies.";
const GONE_DIFF: &str = "The working tree no longer has a diff.";

fn git_output(world: &World, cwd: &Path, arguments: &[&str]) -> Option<String> {
    let git = Git::new(world, cwd).within(LONGEST, PATIENCE).without_filters();
    let finished = git.run(arguments)?;
    if finished.code != Some(0) && !finished.is_cut {
        return None;
    }
    // If the cut is within a character, the text ends before that character.
    let text = String::from_utf8_lossy(&finished.output);
    let text = text.trim_end_matches('\u{fffd}').trim_end();
    Some(if finished.is_cut { format!("{text}\n... (truncated)") } else { text.to_owned() })
}

fn keyed(key: &str) -> InstructionContext {
    InstructionContext { key: key.to_owned(), ..InstructionContext::default() }
}

fn gone(key: &str, text: &str) -> InstructionContext {
    InstructionContext { removed: true, removed_content: text.to_owned(), ..keyed(key) }
}
