//! Boundaries in the charters of a team, read again when a charter changes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::HookContext;
use hooks_facts::calls::CallReader;
use hooks_team::files::Charter;
use hooks_team::folder::TeamPath;
use hooks_team::text::Document;
use hooks_team::{Name, Team, TeamError, TeamPlace};

use super::boundary::Boundary;

/// Most charters that are remembered.
const MOST: usize = 1024;

/// Charters of the teams of sessions. A charter is read for each call that a boundary may be about, and compiled again only
/// if its bytes changed.
#[derive(Debug)]
pub(super) struct Charters {
    place: TeamPlace,
    known: Mutex<HashMap<PathBuf, Known>>,
}

#[derive(Debug)]
struct Known {
    bytes: Vec<u8>,
    charter: ReadCharter,
}

/// Parts of a charter for programs.
#[derive(Clone, Debug)]
struct ReadCharter {
    /// Name of the agent in the charter, as a folder.
    called: Option<Name>,
    boundaries: Arc<[Boundary]>,
}

impl Charters {
    pub(super) fn new(place: TeamPlace) -> Self {
        Self { place, known: Mutex::default() }
    }

    /// Returns the boundaries of the charter of the session's agent. If the team cannot be read, there is one boundary, which
    /// denies all reads and writes.
    pub(super) fn of_agent(&self, context: &HookContext, reader: &CallReader) -> Arc<[Boundary]> {
        let agent = &context.agent_name;
        let read = self.place.checked(context).and_then(|team| {
            let Some(team) = team else { return Ok(None) };
            let Some(path) = self.path(&team, agent, reader)? else { return Ok(None) };
            Ok(self.charter(&team, &path, reader)?.map(|charter| charter.boundaries))
        });
        match read {
            Ok(boundaries) => boundaries.unwrap_or_default(),
            Err(error) => Arc::new([Boundary::unreadable("the team's folder".to_owned(), error.to_string())]),
        }
    }

    /// Returns the path of the charter of an agent: in the folder of its name, or in the one that `team.md` names, or else
    /// the charter with its name.
    fn path(&self, team: &Team, agent: &str, reader: &CallReader) -> Result<Option<TeamPath>, TeamError> {
        let Ok(wanted) = Name::of_agent(agent) else { return Ok(None) };
        let place = charter_in(wanted.as_str())?;
        if team.folder().exists(&place)? {
            return Ok(Some(place));
        }
        let folders = team.folder().list(&TeamPath::new("agents")?)?;
        let named = team.roster()?.member(agent).and_then(hooks_team::files::Member::agent);
        for folder in folders.iter().filter(|folder| !folder.starts_with('_')) {
            // A name that is no part of a path is no agent's folder.
            let Ok(place) = charter_in(folder) else { continue };
            let is_named = named.as_ref().is_some_and(|named| named.as_str() == folder);
            let is_same = || Name::of_agent(folder).is_ok_and(|folder| folder == wanted);
            if is_named
                || is_same()
                || self
                    .charter(team, &place, reader)?
                    .is_some_and(|charter| charter.called.as_ref() == Some(&wanted))
            {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Returns the name in a charter, and its boundaries.
    fn charter(
        &self,
        team: &Team,
        place: &TeamPath,
        reader: &CallReader,
    ) -> Result<Option<ReadCharter>, TeamError> {
        let Some(bytes) = team.folder().read(place)? else { return Ok(None) };
        let path = team.root().join(place.as_str());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.get(&path).filter(|known| known.bytes == bytes) {
            return Ok(Some(same.charter.clone()));
        }
        let charter = Charter::new(Document::parse(bytes.as_slice()));
        let called = charter.name().and_then(|name| Name::of_agent(&name).ok());
        let folder = team.root().file_name().map(|name| name.to_string_lossy().into_owned());
        let shown = format!("{}/{place}", folder.unwrap_or_default());
        let written = charter.written_boundaries();
        let boundaries: Arc<[Boundary]> =
            written.iter().map(|written| Boundary::of_charter(&shown, written, reader)).collect();
        if known.len() >= MOST {
            known.clear();
        }
        let charter = ReadCharter { called, boundaries };
        known.insert(path, Known { bytes, charter: charter.clone() });
        Ok(Some(charter))
    }
}

fn charter_in(folder: &str) -> Result<TeamPath, TeamError> {
    TeamPath::new(&format!("agents/{folder}/charter.md"))
}
