//! Compares the files that the team reads with the real actions of the tools.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;

use hooks::beside::Here;
use hooks::scribe::Scribe;
use hooks::{HookContext, system};

use super::ledger;
use super::options::Options;
use super::worker::{settings, team};
use crate::error::{Error, Result};

/// The results of the audit.
#[derive(Debug, Default)]
pub(super) struct ScribeAudit {
    /// Tool calls.
    calls: usize,
    /// Writes in the team folder.
    writes: usize,
    /// Writes that are in a session's log exactly once.
    logged: usize,
    /// Decisions that tools wrote completely.
    decisions: usize,
    /// Decisions that are in `decisions.md` or its archive exactly once.
    merged: usize,
    /// Children that were started.
    children: usize,
    /// Children that have exactly one file in `orchestration-log/`.
    announced: usize,
    /// Failed checks.
    pub(super) mistakes: Vec<String>,
}

/// Finishes the remaining work, and counts.
///
/// # Errors
/// Returns an error if the files cannot be read.
pub(super) fn audit(folder: &Path, options: &Options) -> Result<ScribeAudit> {
    finish(folder)?;
    let squad = folder.join("project/.squad");
    let log = tokens(&text_of(&squad.join("log"))?, |line| line.starts_with("- "));
    let archive = fs::read_to_string(squad.join("decisions-archive.md")).unwrap_or_default();
    let decisions = fs::read_to_string(squad.join("decisions.md")).unwrap_or_default() + &archive;
    let decisions = tokens(&decisions, |line| line.starts_with("### "));
    let children = tokens(&text_of(&squad.join("orchestration-log"))?, |line| line.contains("Why chosen"));
    let mut found = ScribeAudit::default();
    for agent in 0..options.agents {
        for entry in ledger::read(folder, agent)? {
            found.calls += 1;
            let times = |all: &HashMap<String, usize>| all.get(&entry.token).copied().unwrap_or_default();
            let ledger::Entry { token, what, is_done } = &entry;
            match &**what {
                "-" => {}
                "child" => {
                    found.children += 1;
                    found.announced += usize::from(times(&children) == 1);
                    if times(&children) != 1 {
                        found.mistakes.push(format!("child {token}: {} files", times(&children)));
                    }
                }
                file => {
                    found.writes += 1;
                    found.logged += usize::from(times(&log) == 1);
                    if times(&log) != 1 {
                        found.mistakes.push(format!("{file}: {} lines (done: {is_done})", times(&log)));
                    }
                    if file.starts_with("decisions/inbox/") {
                        // A decision whose write was killed may lack its heading, but must not be there
                        // twice.
                        found.decisions += usize::from(*is_done);
                        found.merged += usize::from(*is_done && times(&decisions) == 1);
                        if times(&decisions) > 1 || *is_done && times(&decisions) == 0 {
                            found.mistakes.push(format!("{file}: merged {} times", times(&decisions)));
                        }
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Does the work that the next agent would do, after all agents have ended.
fn finish(folder: &Path) -> Result {
    let mut settings = settings();
    (settings.settle, settings.given_up_after) = Default::default();
    let scribe = Scribe::at_once(team(folder), Here).with(settings);
    let context = HookContext::new("audit", "audit").with_environment(system());
    for _ in 0..2 {
        scribe.work(&context).map_err(|error| Error::new(error.to_string()))?;
    }
    Ok(())
}

/// The text of all files in a folder, one after the other.
fn text_of(folder: &Path) -> Result<String> {
    let mut text = String::new();
    if folder.exists() {
        for file in fs::read_dir(folder)? {
            text.push_str(&fs::read_to_string(file?.path())?);
            text.push('\n');
        }
    }
    Ok(text)
}

/// Number of matching lines that name each token; a line that names a token twice counts once.
fn tokens(text: &str, counts: impl Fn(&str) -> bool) -> HashMap<String, usize> {
    let mut all = HashMap::new();
    for line in text.lines().filter(|line| counts(line)) {
        let mut words: Vec<_> = line
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
            .filter(|word| word.starts_with("token-"))
            .collect();
        words.dedup();
        for word in words {
            *all.entry(word.to_owned()).or_default() += 1;
        }
    }
    all
}

impl fmt::Display for ScribeAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, writes, logged, decisions, merged, children, announced, .. } = self;
        write!(
            f,
            "{calls} calls; below .squad/: {writes} writes, {logged} logged exactly once ({:.2} %); {decisions} decisions, {merged} merged exactly once; {children} children, {announced} written down before them",
            100.0 * *logged as f64 / (*writes).max(1) as f64,
        )
    }
}
