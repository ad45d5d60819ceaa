//! Decisions that have grown too many.
//!
//! Only what has a date goes, and only once it is old: a decision that is put away binds nobody any more, and to put a
//! fresh one away because there are many would undo it.

use hooks_core::time::Timestamp;
use hooks_team::folder::Place;
use hooks_team::{Moved, Team, TeamError};

use super::ScribeSettings;

/// Puts away what is too old for a file as long as `decisions.md` is.
pub(super) fn archive(team: &Team, settings: &ScribeSettings, now: Timestamp) -> Result<Moved, TeamError> {
    let length = team.folder().read(&Place::new("decisions.md")?)?.map_or(0, |bytes| bytes.len() as u64);
    let is_above = |threshold: u64| threshold > 0 && length > threshold;
    let oldest = if is_above(settings.decisions_far_above) {
        settings.then_older_than.min(settings.older_than)
    } else if is_above(settings.decisions_above) {
        settings.older_than
    } else {
        return Ok(Moved::default());
    };
    team.archive_decisions(|entry| entry.date().is_some_and(|date| now.since(date) > oldest))
}
