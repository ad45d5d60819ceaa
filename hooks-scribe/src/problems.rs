//! Obstacles to the Scribe's work. Each is reported once while it exists, and does not stop other work.

use std::collections::BTreeSet;

use hooks_core::{BoxError, EventKind, HookContext};
use hooks_team::folder::TeamPath;
use hooks_team::{Team, TeamError};

use super::note::name;
use super::settings::failed;

/// File with the obstacles that were reported and still exist, by any process.
const TOLD: &str = "scribe-told.json";

/// Limit on the obstacles reported at one time; the rest follows later.
const MOST: usize = 64;

/// Obstacles and errors of one run.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// Files that other programs left in the way.
    found: Vec<TeamError>,
    /// First error of the disk.
    failed: Option<TeamError>,
}

impl Problems {
    /// List to which steps add obstacles.
    pub(super) fn found(&mut self) -> &mut Vec<TeamError> {
        &mut self.found
    }

    /// Returns the result of a step; `None` if it failed, which is noted.
    ///
    /// # Errors
    /// Returns `Busy` if other processes hold the folder's lock for too long: later steps would wait for it
    /// again.
    pub(super) fn step<T>(&mut self, done: Result<T, TeamError>) -> Result<Option<T>, TeamError> {
        match done {
            Ok(done) => return Ok(Some(done)),
            Err(error @ TeamError::Busy { .. }) => return Err(error),
            Err(error) if error.is_in_the_way() => self.found.push(error),
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
        Ok(None)
    }

    /// Reports new obstacles, and files that were set aside, to the failure sink. If `is_all`, nothing else
    /// is in the way: obstacles that are not found any more are forgotten, and reported again if they return.
    pub(super) fn tell(&self, team: &Team, context: &HookContext, is_all: bool) {
        let Ok(place) = name(TOLD).map(|name| TeamPath::own(&name)) else { return };
        let stored = team.folder().read(&place).ok().flatten();
        let told = stored.as_deref().and_then(|bytes| serde_json::from_slice::<BTreeSet<String>>(bytes).ok());
        let told = told.unwrap_or_default();
        let (mut standing, mut new) = (BTreeSet::new(), 0);
        for error in &self.found {
            let text = error.to_string();
            if !told.contains(&text) && !standing.contains(&text) {
                if new == MOST {
                    continue;
                }
                new += 1;
                failed(context, EventKind::PostToolUse, error);
            }
            standing.insert(text);
        }
        for place in team.folder().aside().unwrap_or_default() {
            if !told.contains(place.as_str()) {
                if new == MOST {
                    continue;
                }
                new += 1;
                let why = team.folder().why_aside(&place).unwrap_or_else(|error| error.to_string());
                let text = format!("`{place}` was set aside: {why}; look at it and remove it");
                failed(context, EventKind::PostToolUse, &*BoxError::from(text));
            }
            standing.insert(place.to_string());
        }
        if !is_all {
            standing.extend(told.iter().cloned());
        }
        if standing != told {
            // If this file cannot be written, the obstacles are reported again.
            remember(team, &place, &standing, stored.as_deref()).unwrap_or_default();
        }
    }

    /// Returns the result of the run.
    ///
    /// # Errors
    /// Returns the first error of the disk.
    pub(super) fn finish(self) -> Result<(), TeamError> {
        self.failed.map_or(Ok(()), Err)
    }
}

fn remember(
    team: &Team,
    place: &TeamPath,
    standing: &BTreeSet<String>,
    stored: Option<&[u8]>,
) -> Result<(), TeamError> {
    let bytes = serde_json::to_vec(standing).unwrap_or_default();
    match stored {
        Some(stored) if standing.is_empty() => team.writer()?.remove(place, stored).map(drop),
        _ => team.writer()?.update(place, |_| Ok(bytes.clone())).map(drop),
    }
}
