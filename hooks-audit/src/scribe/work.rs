//! Works up what was noted and what lies in the inbox. Everything here may wait for the disk.
//!
//! Every step can be made again, by several at once: what it finds done is left alone.

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
use super::settings::Scrub;

/// What the work is done with.
#[derive(Clone)]
pub(super) struct Pen {
    pub(super) settings: ScribeSettings,
    pub(super) scrub: Option<Scrub>,
}

impl Pen {
    /// `text` without secrets.
    pub(super) fn clean(&self, text: String) -> String {
        self.scrub.as_ref().and_then(|scrub| scrub(&text)).unwrap_or(text)
    }
}

/// The queue of notes.
pub(super) fn queue(team: &Team) -> Result<Spool, TeamError> {
    Ok(team.spool(&name("scribe")?))
}

/// Leaves a note.
pub(super) fn leave(team: &Team, note: &Note) -> Result<(), TeamError> {
    queue(team)?.leave(note.at, &note.to_bytes())
}

/// Does what there is to do; whether there will be more after a while. One works at a time, whom others wait for as
/// long as `wait`; where that is not enough, what is left to do is left to them and to the next one.
pub(super) fn work(team: &Team, pen: &Pen, context: &HookContext, wait: Duration) -> Result<bool, TeamError> {
    let queue = queue(team)?;
    let Some(_lock) = queue.lock(wait)? else { return Ok(true) };
    match work_alone(team, &queue, pen, context) {
        // Others write in the folder for too long.
        Err(TeamError::Busy { .. }) => Ok(true),
        done => done,
    }
}

fn work_alone(team: &Team, queue: &Spool, pen: &Pen, context: &HookContext) -> Result<bool, TeamError> {
    let settings = &pen.settings;
    let now = context.environment.clock.now();
    let long_ago = u64::try_from(settings.given_up_after.as_millis()).unwrap_or(u64::MAX);
    let given_up = Timestamp(now.0.saturating_sub(long_ago));
    // Before the notes go: they say which files are whole.
    let writing = Writing::of(&queue.read()?, given_up);
    let (moved, waits) = merge(team, &writing, now, settings.settle)?;
    if moved.entries > 0 {
        archive(team, settings, now)?;
    }
    team.unload(queue, |left| Plan::of(team, left, given_up, pen).map(|plan| plan.deliveries))?;
    queue.sweep(given_up)?;
    if writing.is_given_up {
        team.recover()?;
    }
    Ok(waits)
}
