//! What stands in the Scribe's way: told once for as long as it stands there, and nothing else waits for it.

use std::collections::BTreeSet;

use hooks_core::{BoxError, EventKind, HookContext};
use hooks_team::folder::Place;
use hooks_team::{Team, TeamError};

use super::note::name;
use super::settings::failed;

/// What was told and still stands there, whichever process told it.
const TOLD: &str = "scribe-told.json";

/// The most that is told at once; the rest is, the next times.
const MOST: usize = 64;

/// What one work came upon.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// What somebody put where it cannot be used.
    found: Vec<TeamError>,
    /// What the disk refused.
    failed: Option<TeamError>,
}

impl Problems {
    /// Where steps add what they leave out.
    pub(super) fn found(&mut self) -> &mut Vec<TeamError> {
        &mut self.found
    }

    /// What a step gave; nothing where it failed, which is told with the rest.
    ///
    /// # Errors
    /// Others hold the folder for too long: further steps would wait for them again.
    pub(super) fn step<T>(&mut self, done: Result<T, TeamError>) -> Result<Option<T>, TeamError> {
        match done {
            Ok(done) => return Ok(Some(done)),
            Err(error @ TeamError::Busy { .. }) => return Err(error),
            Err(error) if error.is_in_the_way() => self.found.push(error),
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
        Ok(None)
    }

    /// Tells the failure sink what was not told yet, and of what was set aside in the folder. `is_all` says that there
    /// is nothing else: what stood in the way before and does so no longer is told again when it comes back.
    pub(super) fn tell(&self, team: &Team, context: &HookContext, is_all: bool) {
        let Ok(place) = name(TOLD).map(|name| Place::own(&name)) else { return };
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
            // Where this cannot be written, it is told once more.
            remember(team, &place, &standing, stored.as_deref()).unwrap_or_default();
        }
    }

    /// What the work comes to.
    ///
    /// # Errors
    /// The disk refused one of its steps.
    pub(super) fn finish(self) -> Result<(), TeamError> {
        self.failed.map_or(Ok(()), Err)
    }
}

fn remember(
    team: &Team,
    place: &Place,
    standing: &BTreeSet<String>,
    stored: Option<&[u8]>,
) -> Result<(), TeamError> {
    let bytes = serde_json::to_vec(standing).unwrap_or_default();
    match stored {
        Some(stored) if standing.is_empty() => team.writer()?.remove(place, stored).map(drop),
        _ => team.writer()?.update(place, |_| Ok(bytes.clone())).map(drop),
    }
}
