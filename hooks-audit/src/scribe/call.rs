//! A call of a tool, and the notes of it: one before it runs, one after.
//!
//! Both have one key, which the call's id gives. Some clients give none, and each of their events may have a process of
//! its own: then a call that ended is the oldest one of the same agent, with the same tool and arguments, that began and
//! of whose end there is no note. Of calls that are alike in all that, any is as good as another.

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

/// The team's own tools that write, by the end of their names: clients put something before.
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

/// What came of a call that ran.
#[derive(Debug)]
struct Ended {
    failed: bool,
    /// What one of the team's own tools answered.
    answer: Option<String>,
}

/// What one note of a call says, and whether the call may have written more than that.
pub(super) struct Noted {
    /// What was left; nothing of a call that writes nothing there which anybody could name.
    pub(super) note: Option<Note>,
    pub(super) is_open: bool,
}

impl Call {
    /// One that is about to run.
    pub(super) fn before(event: &PreToolUse) -> Self {
        Self::new(&event.tool_name, &event.tool_args, event.tool_use_id.as_deref(), None)
    }

    /// One about which there is a verdict.
    pub(super) fn decided(event: &ToolDecided) -> Self {
        Self::new(&event.tool_name, &event.tool_args, event.tool_use_id.as_deref(), None)
    }

    /// One that ran.
    pub(super) fn after(event: &PostToolUse) -> Self {
        let answer = event.tool_result.as_str().filter(|_| is_of_team(&event.tool_name)).map(str::to_owned);
        let ended = Ended { failed: event.error.is_some(), answer };
        Self::new(&event.tool_name, &event.tool_args, event.tool_use_id.as_deref(), Some(ended))
    }

    fn new(tool: &str, args: &Value, id: Option<&str>, ended: Option<Ended>) -> Self {
        Self { tool: tool.to_owned(), args: args.clone(), id: id.map(str::to_owned), ended }
    }

    /// Leaves a note of it if it writes below the folder of `team`. This waits for the disk.
    ///
    /// # Errors
    /// The note cannot be written.
    pub(super) fn note(
        &self,
        scribe: &Scribe,
        context: &HookContext,
        team: &Team,
    ) -> Result<Noted, BoxError> {
        let (names, is_open) = self.names(scribe, context, team);
        if names.is_empty() && !is_of_team(&self.tool) {
            // A program may have written where nobody can tell: the inbox is looked at.
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

    /// Takes away the note that it began: it was refused in the end. One without an id cannot be told from others that
    /// are alike, and those may run. This waits for the disk.
    ///
    /// # Errors
    /// The notes cannot be read, or one not be removed.
    pub(super) fn refuse(&self, context: &HookContext, team: &Team) -> Result<(), TeamError> {
        let Some(key) = self.key(context) else { return Ok(()) };
        take_back(team, |note| note.key == key)
    }

    /// What it writes below the folder of `team`, and whether that may not be all.
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

    /// The key it begins with.
    fn begins(&self, scribe: &Scribe, context: &HookContext) -> String {
        self.key(context).unwrap_or_else(|| {
            let about = self.about(context);
            let fresh = unlike(&about, context);
            scribe.open().begin(context, about, fresh.clone());
            fresh
        })
    }

    /// The key it ends with: the one it began with, where somebody saw it begin.
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

    /// The key of a call with an id.
    fn key(&self, context: &HookContext) -> Option<String> {
        let id = self.id.as_deref().or(context.call_id.as_deref())?;
        Some(key(&["call", &context.session_id, &context.agent_name, id]))
    }

    /// By what a call without an id is known again.
    fn about(&self, context: &HookContext) -> String {
        key(&["about", &context.session_id, &context.agent_name, &self.tool, &self.args.to_string()])
    }
}

/// Whether a call of `tool` may write below a team's folder at all; told from its name alone.
pub(super) fn may_write(scribe: &Scribe, tool: &str) -> bool {
    is_of_team(tool) || Touched::may_be(scribe.tools(), tool)
}

/// Takes away notes of calls that began, of whose end there is none, and that are meant by `is_meant`.
///
/// # Errors
/// The notes cannot be read, or one not be removed.
pub(super) fn take_back(team: &Team, is_meant: impl Fn(&Note) -> bool) -> Result<(), TeamError> {
    let queue = queue(team)?;
    for (left, _) in begun(team, is_meant)? {
        queue.take(&left)?;
    }
    Ok(())
}

/// Notes of calls that began, of whose end there is none, and that are meant by `is_meant`; the oldest first.
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

/// A key that no other call has, of which the first half says what the call is about.
fn unlike(about: &str, context: &HookContext) -> String {
    beginning(about).chars().chain(random(context).chars().skip(HALF)).collect()
}

/// What the keys of calls have in common that are about the same.
fn beginning(about: &str) -> &str {
    about.get(..HALF).unwrap_or(about)
}

pub(super) fn random(context: &HookContext) -> String {
    format!("{:016x}", context.environment.random.next_u64())
}

fn is_of_team(tool: &str) -> bool {
    TEAM_TOOLS.iter().any(|name| tool.ends_with(name))
}

/// What of the files that a call writes is below a team's folder, and not ours.
fn below(folder: &SeenFolder, touched: &Touched) -> Vec<String> {
    let names = touched.files.iter().filter_map(|file| folder.strip(file));
    let mut names = files(names.filter(|name| !name.starts_with(".hooks/")).map(str::to_owned));
    names.dedup();
    names
}

/// The place that a tool of the team says it wrote to.
fn place_in(answer: &str) -> Option<String> {
    answer.split('`').nth(1).map(short)
}
