//! Archiving of decisions when there are too many.
//!
//! Only dated decisions are archived, and only when they are old. An archived decision binds agents no more,
//! so archiving a recent one only because there are many would revoke it.

use hooks_core::time::Timestamp;
use hooks_team::folder::TeamPath;
use hooks_team::{Moved, Team, TeamError};

use super::ScribeSettings;

/// Archives the decisions that are too old, given the length of `decisions.md`.
pub(super) fn archive(team: &Team, settings: &ScribeSettings, now: Timestamp) -> Result<Moved, TeamError> {
    let length = team.folder().read(&TeamPath::new("decisions.md")?)?.map_or(0, |bytes| bytes.len() as u64);
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
