//! Delivers notes and merges the inbox. Everything here may access the disk.
//!
//! Every step can be repeated, also by several processes at once: finished work is left alone.

use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::time::Timestamp;
use hooks_team::folder::Spool;
use hooks_team::{Team, TeamError};

use super::ScribeSettings;
use super::archive::archive;
use super::inbox::{Writing, merge};
use super::log::Plan;
use super::note::{Note, name};
use super::problems::Problems;
use super::settings::Scrub;

/// Limit on the notes that one run sets aside, so that callers do not wait long for invalid notes of other
/// programs.
const MOST_REFUSED: usize = 64;

/// Settings and scrubber for a run.
#[derive(Clone)]
pub(super) struct Pen {
    pub(super) settings: ScribeSettings,
    pub(super) scrub: Option<Scrub>,
}

impl Pen {
    /// Returns `text` without secrets.
    pub(super) fn clean(&self, text: String) -> String {
        self.scrubbed(&text).unwrap_or(text)
    }

    /// Returns `text` without secrets; `None` if it has none.
    pub(super) fn scrubbed(&self, text: &str) -> Option<String> {
        self.scrub.as_ref().and_then(|scrub| scrub(text))
    }
}

/// Queue of notes.
pub(super) fn queue(team: &Team) -> Result<Spool, TeamError> {
    Ok(team.spool(&name("scribe")?))
}

/// Leaves a note.
pub(super) fn leave(team: &Team, note: &Note) -> Result<(), TeamError> {
    queue(team)?.leave(note.at, &note.to_bytes())
}

/// Does the work that is due; returns whether more will be due later. One process works at a time, and the
/// others wait for it up to `wait`; after that, the work is left to that process and to the next run.
pub(super) fn work(team: &Team, pen: &Pen, context: &HookContext, wait: Duration) -> Result<bool, TeamError> {
    let queue = queue(team)?;
    let Some(_lock) = queue.lock(wait)? else { return Ok(true) };
    let mut problems = Problems::default();
    let done = work_alone(team, &queue, pen, context, &mut problems);
    problems.tell(team, context, done.is_ok());
    match done {
        // Other processes write to the folder for too long.
        Err(TeamError::Busy { .. }) => Ok(true),
        done => problems.finish().and(done),
    }
}

/// Runs all steps; a failed step does not stop the others.
fn work_alone(
    team: &Team,
    queue: &Spool,
    pen: &Pen,
    context: &HookContext,
    problems: &mut Problems,
) -> Result<bool, TeamError> {
    let settings = &pen.settings;
    let now = context.environment.clock.now();
    let long_ago = u64::try_from(settings.given_up_after.as_millis()).unwrap_or(u64::MAX);
    let given_up = Timestamp(now.0.saturating_sub(long_ago));
    let notes = queue.read_telling(problems.found())?;
    let refused = notes.iter().filter_map(|left| Some((left, Note::parse(left.content()).err()?)));
    for (left, why) in refused.take(MOST_REFUSED) {
        problems.step(team.refuse(left, &why))?;
    }
    // Before the notes are delivered, because they show which files are complete.
    let writing = Writing::read(&notes, given_up);
    let merged = merge(team, &writing, now, pen, problems.found());
    let merged = problems.step(merged)?;
    // Also if the merge failed, because there may be no room.
    if merged.as_ref().is_none_or(|(moved, _)| moved.entries > 0) {
        problems.step(archive(team, settings, now))?;
    }
    let unloaded = team.unload(queue, |left| {
        Plan::for_notes(team, left, given_up, pen, problems.found()).map(|plan| plan.deliveries)
    });
    if let Some(unloaded) = problems.step(unloaded)? {
        problems.found().extend(unloaded.problems);
    }
    problems.step(queue.sweep(given_up))?;
    if writing.is_given_up {
        problems.step(team.recover())?;
    }
    Ok(merged.is_some_and(|(_, waits)| waits))
}
