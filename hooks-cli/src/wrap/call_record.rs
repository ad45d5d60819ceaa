//! Commands that `hooks run` let pass, until `hooks exec --call` runs them.
//!
//! A record is a file that only its user can read. It is claimed by a change of its name, so it runs once. In the own sandboxes
//! of clients nothing can be changed; there a record runs for a short time.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::config::places::Places;
use hooks::time::Clock;
use hooks::{HookContext, SystemClock};
use serde::{Deserialize, Serialize};

use crate::private;

/// Time for which a record that cannot be claimed runs.
const UNCLAIMED: Duration = Duration::from_secs(30);

/// Time after which a record that was not claimed runs no more. A person may be asked meanwhile.
const STALE: Duration = Duration::from_secs(60 * 60);

/// Time after which a record is removed. Hooks after the call read it.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);

/// Time between two searches for such records.
const BETWEEN_SEARCHES: Duration = Duration::from_secs(60 * 60);

/// Name of the file whose time is that of the last search.
const SEARCHED: &str = "searched";

/// Bytes of an id.
const BYTES: usize = 16;

/// Ends of the names of a record that waits, and of one that was claimed.
const WAITS: &str = "json";
const CLAIMED: &str = "claimed";

/// A command that may run once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallRecord {
    /// The text that the shell runs.
    pub(crate) command: String,
    /// The rules that let it pass.
    pub(crate) config: PathBuf,
    /// The folder of their project.
    pub(crate) root: PathBuf,
    /// The session and the id that the client gave the call; empty if it gave none.
    #[serde(default)]
    pub(crate) session: String,
    #[serde(default)]
    pub(crate) call: String,
    /// Time of the record, in milliseconds since 1970.
    at: u64,
}

impl CallRecord {
    pub(crate) fn new(command: &str, config: &Path, root: &Path) -> Self {
        let (command, config, root) = (command.to_owned(), config.to_path_buf(), root.to_path_buf());
        let (session, call) = Default::default();
        Self { command, config, root, session, call, at: SystemClock.now().0 }
    }

    /// Adds the session and the call of an event.
    pub(crate) fn for_call(mut self, context: &HookContext) -> Self {
        self.session.clone_from(&context.session_id);
        self.call = context.call_id.clone().unwrap_or_default();
        self
    }

    /// Stores the record; returns its id.
    pub(crate) fn store(&self) -> io::Result<String> {
        let folder = folder()?;
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        forget(&folder);
        match private::create(&place(&folder, &id, WAITS), &serde_json::to_vec(self)?)? {
            true => Ok(id),
            false => Err(io::Error::other("two calls got the same id")),
        }
    }

    /// The record with an id, claimed or not.
    pub(crate) fn find(id: &str) -> Option<Self> {
        let folder = folder().ok().filter(|_| is_id(id))?;
        [WAITS, CLAIMED].iter().find_map(|ending| read(&place(&folder, id, ending)).ok())
    }

    /// Whether the record with an id waits to be run.
    pub(crate) fn waits(id: &str) -> bool {
        folder().is_ok_and(|folder| is_id(id) && place(&folder, id, WAITS).is_file())
    }

    /// Claims the record with an id, so that no other process runs it.
    ///
    /// Returns the reason why it may not run.
    pub(crate) fn claim(id: &str) -> Result<Self, String> {
        let unknown = || format!("no call `{id}` waits to be run: each runs once");
        let folder = folder().map_err(|error| error.to_string())?;
        if !is_id(id) {
            return Err(unknown());
        }
        let waiting = place(&folder, id, WAITS);
        let record = read(&waiting).map_err(|error| match error.kind() {
            ErrorKind::NotFound => unknown(),
            _ => format!("the record of the call `{id}` cannot be read: {error}"),
        })?;
        let age = Duration::from_millis(SystemClock.now().0.saturating_sub(record.at));
        match fs::rename(&waiting, place(&folder, id, CLAIMED)) {
            Ok(()) if age <= STALE => Ok(record),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(unknown()),
            Err(_) if age <= UNCLAIMED => Ok(record),
            Ok(()) | Err(_) => Err(format!("the call `{id}` is too old to be run")),
        }
    }
}

fn folder() -> io::Result<PathBuf> {
    let state = Places::here().state();
    Ok(state
        .ok_or_else(|| io::Error::other("the folder of the user's state is unknown; set `HOME`"))?
        .join("hooks/carried"))
}

fn place(folder: &Path, id: &str, ending: &str) -> PathBuf {
    folder.join(format!("{id}.{ending}"))
}

fn is_id(id: &str) -> bool {
    id.len() == BYTES.saturating_mul(2) && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn read(place: &Path) -> io::Result<CallRecord> {
    Ok(serde_json::from_slice(&fs::read(place)?)?)
}

/// Removes records that nothing needs any more, unless that was done a short time ago.
fn forget(folder: &Path) {
    let age = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok()?.elapsed().ok();
    let searched = folder.join(SEARCHED);
    if age(&searched).is_some_and(|age| age < BETWEEN_SEARCHES) {
        return;
    }
    // If it cannot be written, the next call searches too.
    drop(private::replace(&searched, b""));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if age(&entry.path()).is_some_and(|age| age > FORGOTTEN) {
            // Another process may have removed it.
            drop(fs::remove_file(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn all_old_records_are_removed_however_many_are_new() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::UNIX_EPOCH;
        let record = |name: String, is_old: bool| {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            if is_old {
                file.set_modified(old).unwrap();
            }
        };
        (0..600).for_each(|number| record(format!("{number}.{CLAIMED}"), number % 2 == 0));
        let count = || fs::read_dir(folder.path()).unwrap().count();
        forget(folder.path());
        assert_eq!(count(), 301);
        record(format!("late.{WAITS}"), true);
        forget(folder.path());
        assert_eq!(count(), 302, "a search is enough for an hour");
        record(SEARCHED.to_owned(), true);
        forget(folder.path());
        assert_eq!(count(), 301);
    }
}
