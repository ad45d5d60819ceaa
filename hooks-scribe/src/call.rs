//! A tool call and its notes: one before it runs, one after.
//!
//! Both notes have the same key, derived from the id of the call. Some clients give no id, and each of their
//! events may run in its own process. Then the end of a call is matched with the oldest unfinished call of
//! the same agent with the same tool and arguments. Among calls that are equal in all of this, any match is
//! correct.

use std::collections::HashSet;
use std::path::PathBuf;

use hooks_core::event::{PostToolUse, PreToolUse, ToolDecided};
use hooks_core::{BoxError, HookContext};
use hooks_team::folder::Left;
use hooks_team::{Team, TeamError};
use serde_json::Value;

use super::Scribe;
use super::note::{Note, What, files, key, short};
use super::work::queue;
use crate::touched::{SeenFolder, Touched};

/// The team's own tools that write, by the end of their names, because clients add a prefix.
const TEAM_TOOLS: [&str; 3] = ["squad_decide", "squad_memory", "squad_skill"];

/// Half of the digits of a key.
const HALF: usize = 8;

/// A call, before or after it ran.
#[derive(Debug)]
pub(super) struct Call {
    tool: String,
    args: Value,
    id: Option<String>,
    ended: Option<Ended>,
}

/// Result of a call that ran.
#[derive(Debug)]
struct Ended {
    failed: bool,
    /// Answer of one of the team's own tools.
    answer: Option<String>,
}

/// One note of a call, and whether the call may have written more files.
pub(super) struct Noted {
    /// The note; `None` if the call is not known to write a file of the team.
    pub(super) note: Option<Note>,
    pub(super) is_open: bool,
}

impl Call {
    /// A call that is about to run.
    pub(super) fn before(event: &PreToolUse) -> Self {
        Self::new(&event.tool_name, &event.tool_args, event.tool_use_id.as_deref(), None)
    }

    /// A call with a verdict.
    pub(super) fn decided(event: &ToolDecided) -> Self {
        Self::new(&event.tool_name, &event.tool_args, event.tool_use_id.as_deref(), None)
    }

    /// A call that ran.
    pub(super) fn after(event: &PostToolUse) -> Self {
        let answer = event.tool_result.as_str().filter(|_| is_of_team(&event.tool_name)).map(str::to_owned);
        let ended = Ended { failed: event.error.is_some(), answer };
        Self::new(&event.tool_name, &event.tool_args, event.tool_use_id.as_deref(), Some(ended))
    }

    fn new(tool: &str, args: &Value, id: Option<&str>, ended: Option<Ended>) -> Self {
        Self { tool: tool.to_owned(), args: args.clone(), id: id.map(str::to_owned), ended }
    }

    /// Leaves a note of the call if it writes below the folder of `team`. Accesses the disk.
    ///
    /// # Errors
    /// Returns an error if the note cannot be written.
    pub(super) fn note(
        &self,
        scribe: &Scribe,
        context: &HookContext,
        team: &Team,
    ) -> Result<Noted, BoxError> {
        let (names, is_open) = self.names(scribe, context, team);
        if names.is_empty() && !is_of_team(&self.tool) {
            // A program may have written unknown files; the inbox is searched for them.
            return Ok(Noted { note: None, is_open });
        }
        let tool = short(&self.tool);
        let (what, key) = match &self.ended {
            None => (What::Begun { tool, files: names }, self.begins(scribe, context)),
            Some(ended) => {
                (What::Done { tool, files: names, failed: ended.failed }, self.ends(scribe, context, team)?)
            }
        };
        let note = Note::new(context, key, what);
        scribe.leave(team, &note)?;
        Ok(Noted { note: Some(note), is_open: true })
    }

    /// Removes the note of the beginning after the call was denied. A call without an id cannot be
    /// distinguished from equal calls that may run, so its note stays. Accesses the disk.
    ///
    /// # Errors
    /// Returns an error if the notes cannot be read or one cannot be removed.
    pub(super) fn refuse(&self, context: &HookContext, team: &Team) -> Result<(), TeamError> {
        let Some(key) = self.key(context) else { return Ok(()) };
        take_back(team, |note| note.key == key)
    }

    /// Returns the files that the call writes below the folder of `team`, and whether there may be others.
    fn names(&self, scribe: &Scribe, context: &HookContext, team: &Team) -> (Vec<String>, bool) {
        if is_of_team(&self.tool) {
            let answer = self.ended.as_ref().and_then(|ended| ended.answer.as_deref());
            return (answer.and_then(place_in).into_iter().collect(), true);
        }
        let touched = Touched::by(context, scribe.tools(), &self.tool, &self.args);
        let root: PathBuf = context.root().join(team.root());
        let names = match SeenFolder::new(context, &root) {
            Some(folder) if !touched.files.is_empty() => below(&folder, &touched),
            _ => Vec::new(),
        };
        (names, touched.is_open)
    }

    /// Key of the note at the beginning.
    fn begins(&self, scribe: &Scribe, context: &HookContext) -> String {
        self.key(context).unwrap_or_else(|| {
            let about = self.about(context);
            let fresh = unlike(&about, context);
            scribe.open().begin(context, about, fresh.clone());
            fresh
        })
    }

    /// Key of the note at the end: the key of the beginning, if that was noted.
    fn ends(&self, scribe: &Scribe, context: &HookContext, team: &Team) -> Result<String, TeamError> {
        if let Some(key) = self.key(context) {
            return Ok(key);
        }
        let about = self.about(context);
        if let Some(key) = scribe.open().end(&about) {
            return Ok(key);
        }
        let (session, agent) = (short(&context.session_id), short(&context.agent_name));
        let alike = |note: &Note| {
            note.key.starts_with(beginning(&about)) && note.session == session && note.agent == agent
        };
        let begun = begun(team, alike)?.into_iter().next();
        Ok(begun.map_or_else(|| unlike(&about, context), |(_, note)| note.key))
    }

    /// Key of a call with an id.
    fn key(&self, context: &HookContext) -> Option<String> {
        let id = self.id.as_deref().or(context.call_id.as_deref())?;
        Some(key(&["call", &context.session_id, &context.agent_name, id]))
    }

    /// Key by which a call without an id is recognized.
    fn about(&self, context: &HookContext) -> String {
        key(&["about", &context.session_id, &context.agent_name, &self.tool, &self.args.to_string()])
    }
}

/// Whether a call of `tool` may write below a team's folder; decided by its name alone.
pub(super) fn may_write(scribe: &Scribe, tool: &str) -> bool {
    is_of_team(tool) || Touched::may_be(scribe.tools(), tool)
}

/// Removes the notes of unfinished calls that `is_meant` selects.
///
/// # Errors
/// Returns an error if the notes cannot be read or one cannot be removed.
pub(super) fn take_back(team: &Team, is_meant: impl Fn(&Note) -> bool) -> Result<(), TeamError> {
    let queue = queue(team)?;
    for (left, _) in begun(team, is_meant)? {
        queue.take(&left)?;
    }
    Ok(())
}

/// Notes of unfinished calls that `is_meant` selects; the oldest first.
fn begun(team: &Team, is_meant: impl Fn(&Note) -> bool) -> Result<Vec<(Left, Note)>, TeamError> {
    let left = queue(team)?.read()?.into_iter();
    let mut notes: Vec<_> =
        left.filter_map(|left| Note::read(left.content()).map(|note| (left, note))).collect();
    let ended = notes.iter().filter(|(_, note)| matches!(note.what, What::Done { .. }));
    let ended: HashSet<_> = ended.map(|(_, note)| note.key.clone()).collect();
    notes.retain(|(_, note)| {
        matches!(note.what, What::Begun { .. }) && !ended.contains(&note.key) && is_meant(note)
    });
    Ok(notes)
}

/// A unique key whose first half identifies the subject of the call.
fn unlike(about: &str, context: &HookContext) -> String {
    beginning(about).chars().chain(random(context).chars().skip(HALF)).collect()
}

/// Common beginning of the keys of calls with the same subject.
fn beginning(about: &str) -> &str {
    about.get(..HALF).unwrap_or(about)
}

pub(super) fn random(context: &HookContext) -> String {
    format!("{:016x}", context.environment.random.next_u64())
}

fn is_of_team(tool: &str) -> bool {
    TEAM_TOOLS.iter().any(|name| tool.ends_with(name))
}

/// Names of the files below a team's folder that a call writes, without those of this program.
fn below(folder: &SeenFolder, touched: &Touched) -> Vec<String> {
    let names = touched.files.iter().filter_map(|file| folder.strip(file));
    let mut names = files(names.filter(|name| !name.starts_with(".hooks/")).map(str::to_owned));
    names.dedup();
    names
}

/// The path that a tool of the team reports to have written.
fn place_in(answer: &str) -> Option<String> {
    answer.split('`').nth(1).map(short)
}
