//! Selects the files of the inbox that no call is writing any more.
//!
//! A tool may write a file in several steps, and a file merged in between would be half a decision. A file is
//! complete once the call that writes it has ended. If no call is known (a program or a person wrote it), it
//! is complete once it has not changed for a while.

use std::collections::{BTreeMap, HashSet};

use hooks_core::time::Timestamp;
use hooks_team::files::InboxFile;
use hooks_team::folder::{Left, TeamPath};
use hooks_team::{Digest, Moved, Team, TeamError};
use serde::{Deserialize, Serialize};

use super::note::{Note, What, name};
use super::work::Pen;

/// Path of the inbox in notes.
const FOLDER: &str = "decisions/inbox/";

/// Files of the inbox as they were at the last look, and the time since then.
type Seen = BTreeMap<String, Sight>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sight {
    digest: String,
    at: Timestamp,
}

/// Files of the inbox according to the notes.
#[derive(Debug, Default)]
pub(super) struct Writing {
    /// Files that a running call writes.
    open: HashSet<String>,
    /// Files that an ended call wrote.
    done: HashSet<String>,
    /// Whether a call was given up: its process may have been killed.
    pub(super) is_given_up: bool,
}

impl Writing {
    /// Reads the notes that are not delivered yet. Calls that began before `given_up` count as ended.
    pub(super) fn read(left: &[Left], given_up: Timestamp) -> Self {
        let notes: Vec<_> = left.iter().filter_map(|left| Note::read(left.content())).collect();
        let ended: HashSet<_> = notes
            .iter()
            .filter(|note| matches!(note.what, What::Done { .. }))
            .map(|note| &note.key)
            .collect();
        let mut writing = Self::default();
        for note in &notes {
            let (files, into) = match &note.what {
                What::Begun { .. } if ended.contains(&note.key) => continue,
                What::Begun { .. } if note.at <= given_up => {
                    writing.is_given_up = true;
                    continue;
                }
                What::Begun { files, .. } => (files, &mut writing.open),
                What::Done { files, .. } => (files, &mut writing.done),
                _ => continue,
            };
            into.extend(files.iter().filter_map(|file| file.strip_prefix(FOLDER)).map(str::to_owned));
        }
        writing
    }
}

/// Merges the complete files of the inbox, without their secrets, because every agent reads the result.
/// Returns whether other files remain that have to be looked at again after `settle`. Files that are not a
/// decision stay, and the reason is added to `problems`.
pub(super) fn merge(
    team: &Team,
    writing: &Writing,
    now: Timestamp,
    pen: &Pen,
    problems: &mut Vec<TeamError>,
) -> Result<(Moved, bool), TeamError> {
    let settle = pen.settings.settle;
    let place = TeamPath::own(&name("scribe-seen.json")?);
    let stored = match team.folder().read(&place) {
        // Files whose calls have ended are merged all the same.
        Err(error) if error.is_in_the_way() => {
            problems.push(error);
            None
        }
        stored => stored?,
    };
    let files = team.inbox_telling(problems)?;
    if files.is_empty() && stored.is_none() {
        return Ok((Moved::default(), false));
    }
    let seen: Seen =
        stored.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    let is_whole = |file: &InboxFile| {
        let has_settled = || {
            let sight = seen.get(file.name());
            settle.is_zero() || sight.is_some_and(|sight| sight.is_of(file) && now.since(sight.at) >= settle)
        };
        !writing.open.contains(file.name()) && (writing.done.contains(file.name()) || has_settled())
    };
    let moved = if files.iter().any(is_whole) {
        team.merge_inbox_scrubbed(is_whole, |text| pen.scrubbed(text))?
    } else {
        Moved::default()
    };
    // The remaining files are looked at again; merged files are forgotten.
    let mut rest = team.inbox()?;
    // An empty file is not merged, and not waited for.
    rest.retain(|file| !file.document().bytes().trim_ascii().is_empty());
    let next: Seen =
        rest.iter().map(|file| (file.name().to_owned(), Sight::take(file, &seen, now))).collect();
    let waits = rest.iter().any(|file| !writing.open.contains(file.name()));
    let bytes = serde_json::to_vec(&next).unwrap_or_default();
    match stored {
        Some(stored) if next.is_empty() => drop(team.writer()?.remove(&place, &stored)?),
        _ if next == seen => {}
        _ => drop(team.writer()?.update(&place, |_| Ok(bytes.clone()))?),
    }
    Ok((moved, waits))
}

impl Sight {
    /// State of the file now, with the time since when it is unchanged.
    fn take(file: &InboxFile, seen: &Seen, now: Timestamp) -> Self {
        let known = seen.get(file.name()).filter(|sight| sight.is_of(file));
        known.cloned().unwrap_or_else(|| Self { digest: digest(file), at: now })
    }

    fn is_of(&self, file: &InboxFile) -> bool {
        self.digest == digest(file)
    }
}

fn digest(file: &InboxFile) -> String {
    Digest::hash(file.document().bytes()).to_string()
}
