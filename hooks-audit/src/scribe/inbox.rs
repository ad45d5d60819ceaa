//! Which files of the inbox nobody writes any more.
//!
//! A tool may write a file in several steps, and what is merged in between would be half a decision. A file is whole
//! once the call that wrote it has ended; one of which no call is known (a program wrote it, or a person) once it did
//! not change for a while.

use std::collections::{BTreeMap, HashSet};

use hooks_core::time::Timestamp;
use hooks_team::files::InboxFile;
use hooks_team::folder::{Left, Place};
use hooks_team::{Digest, Moved, Team, TeamError};
use serde::{Deserialize, Serialize};

use super::note::{Note, What, name};
use super::work::Pen;

/// The folder, as notes name files in it.
const FOLDER: &str = "decisions/inbox/";

/// Files of the inbox that were seen, and what they held when.
type Seen = BTreeMap<String, Sight>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sight {
    digest: String,
    at: Timestamp,
}

/// What the notes say of files in the inbox.
#[derive(Debug, Default)]
pub(super) struct Writing {
    /// A call writes them.
    open: HashSet<String>,
    /// A call wrote them.
    done: HashSet<String>,
    /// Whether some call was given up: its process may have been killed.
    pub(super) is_given_up: bool,
}

impl Writing {
    /// What is told by the notes that were not delivered yet. Calls that began before `given_up` are over.
    pub(super) fn of(left: &[Left], given_up: Timestamp) -> Self {
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

/// Merges what nobody writes any more, without its secrets: every agent reads it. Whether there is more, which has to be
/// looked at again once it settled. What is no text of a decision stays; why is added to `problems`.
pub(super) fn merge(
    team: &Team,
    writing: &Writing,
    now: Timestamp,
    pen: &Pen,
    problems: &mut Vec<TeamError>,
) -> Result<(Moved, bool), TeamError> {
    let settle = pen.settings.settle;
    let place = Place::own(&name("scribe-seen.json")?);
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
    // What is left is looked at again; of what went, nothing is remembered.
    let mut rest = team.inbox()?;
    // What says nothing is not merged, and not waited for.
    rest.retain(|file| !file.document().bytes().trim_ascii().is_empty());
    let next: Seen = rest.iter().map(|file| (file.name().to_owned(), Sight::of(file, &seen, now))).collect();
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
    /// The file as it is now; since when it is so.
    fn of(file: &InboxFile, seen: &Seen, now: Timestamp) -> Self {
        let known = seen.get(file.name()).filter(|sight| sight.is_of(file));
        known.cloned().unwrap_or_else(|| Self { digest: digest(file), at: now })
    }

    fn is_of(&self, file: &InboxFile) -> bool {
        self.digest == digest(file)
    }
}

fn digest(file: &InboxFile) -> String {
    Digest::of(file.document().bytes()).to_string()
}
