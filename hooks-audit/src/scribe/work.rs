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
use super::problems::Problems;
use super::settings::Scrub;

/// The most notes that one work sets aside: whoever waits for it shall not wait for what others made up.
const MOST_REFUSED: usize = 64;

/// What the work is done with.
#[derive(Clone)]
pub(super) struct Pen {
    pub(super) settings: ScribeSettings,
    pub(super) scrub: Option<Scrub>,
}

impl Pen {
    /// `text` without secrets.
    pub(super) fn clean(&self, text: String) -> String {
        self.scrubbed(&text).unwrap_or(text)
    }

    /// What `text` is without secrets, where it has any.
    pub(super) fn scrubbed(&self, text: &str) -> Option<String> {
        self.scrub.as_ref().and_then(|scrub| scrub(text))
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
    let mut problems = Problems::default();
    let done = work_alone(team, &queue, pen, context, &mut problems);
    problems.tell(team, context, done.is_ok());
    match done {
        // Others write in the folder for too long.
        Err(TeamError::Busy { .. }) => Ok(true),
        done => problems.finish().and(done),
    }
}

/// One step after the other; one that cannot be made keeps none of the others.
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
    // Before the notes go: they say which files are whole.
    let writing = Writing::of(&notes, given_up);
    let merged = merge(team, &writing, now, pen, problems.found());
    let merged = problems.step(merged)?;
    // Also where there was no room for more.
    if merged.as_ref().is_none_or(|(moved, _)| moved.entries > 0) {
        problems.step(archive(team, settings, now))?;
    }
    let unloaded = team.unload(queue, |left| {
        Plan::of(team, left, given_up, pen, problems.found()).map(|plan| plan.deliveries)
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
