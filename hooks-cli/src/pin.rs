//! Keeps the rules that a session of a client began with.
//!
//! The rules are protected from the agents that they govern, but a way around that may exist. So the first event of
//! a session pins the file of its rules and their digest. After a change, what follows in this session is denied until
//! a person confirms the new rules with `hooks reload`, or begins another session.
//!
//! In the user's state, the folder `hooks/rules` holds `sessions` (one pin a session), `texts` (pinned rules, to show
//! what changed) and `confirmed` (one confirmation a file of rules). The configuration protects these files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::SystemClock;
use hooks::config::Config;
use hooks::config::places::Places;
use hooks::time::Clock;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::private::{self, digest};
use crate::run::project;

/// Time after which the pin of a session is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Most files that are looked at to find forgotten ones, at the beginning of a session.
const MOST_LOOKED_AT: usize = 64;

/// Most sessions that are looked at for `hooks reload`.
const MOST_SESSIONS: usize = 10_000;

/// The rules of a session.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Pin {
    /// The file of the rules.
    pub(crate) config: PathBuf,
    /// The folder of the project.
    pub(crate) root: PathBuf,
    /// Digest of the text of the rules.
    rules: String,
    /// Time of the pin, in milliseconds since 1970.
    at: u64,
}

impl Pin {
    fn replace(&self, place: &Path) -> io::Result<()> {
        private::replace(place, &serde_json::to_vec(self)?)
    }
}

/// A person's confirmation of a file of rules.
#[derive(Debug, Serialize, Deserialize)]
struct Confirmation {
    rules: String,
    at: u64,
}

/// The files of the pins.
pub(crate) struct Pins {
    folder: PathBuf,
}

impl Pins {
    /// The pins of this user; `None` if there is no folder for state.
    pub(crate) fn of_user() -> Option<Self> {
        Some(Self { folder: Places::here().state()?.join("hooks/rules") })
    }

    /// Pins the rules for a `session` that is new, and checks that they are those of a session that is not.
    /// Rules without self-protection begin no pin, as their agents may change them.
    ///
    /// Returns the reason why they may not govern this session.
    pub(crate) fn check(
        &self,
        client: &str,
        session: &str,
        file: &Path,
        root: &Path,
        config: &Config,
    ) -> Result<(), String> {
        let place = self.place(client, session);
        let cannot = |error: io::Error| {
            format!(
                "the rules of this session cannot be compared with those it began with: `{}`: {error}; make that \
                 possible, or name another folder with `XDG_STATE_HOME`",
                place.display()
            )
        };
        let now = Pin {
            config: real(file).map_err(cannot)?,
            root: root.to_path_buf(),
            rules: digest(config.rules_text()),
            at: SystemClock.now().0,
        };
        let pinned = match read::<Pin>(&place).map_err(cannot)? {
            Some(pinned) => pinned,
            None if config.protected().is_empty() => return Ok(()),
            None => match self.begin(&place, &now, config.rules_text()).map_err(cannot)? {
                Some(pinned) => pinned,
                None => return Ok(()),
            },
        };
        if pinned.config == now.config && pinned.rules == now.rules {
            return Ok(());
        }
        let confirmed = read::<Confirmation>(&self.confirmation(&now.config)).map_err(cannot)?;
        if confirmed.is_some_and(|confirmed| confirmed.rules == now.rules && confirmed.at >= pinned.at) {
            self.keep_text(&now.rules, config.rules_text()).map_err(cannot)?;
            return now.replace(&place).map_err(cannot);
        }
        Err(format!(
            "the rules changed since this session began (`{}`); a person has to confirm them with `hooks reload`, or \
             begin another session",
            now.config.display()
        ))
    }

    /// The pin of a session; `None` if it is missing or cannot be read.
    pub(crate) fn of_session(&self, client: &str, session: &str) -> Option<Pin> {
        read(&self.place(client, session)).ok().flatten()
    }

    /// Removes the pin of a session that is over, if it has one.
    pub(crate) fn remove(&self, client: &str, session: &str) -> io::Result<()> {
        match fs::remove_file(self.place(client, session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Path of the pin of a session.
    fn place(&self, client: &str, session: &str) -> PathBuf {
        self.folder.join("sessions").join(format!("{client}-{}.json", digest(session)))
    }

    /// Writes the first pin of a session. Returns the pin of another process that was faster.
    fn begin(&self, place: &Path, pin: &Pin, text: &str) -> io::Result<Option<Pin>> {
        self.keep_text(&pin.rules, text)?;
        forget(&self.folder.join("sessions"));
        if private::create(place, &serde_json::to_vec(pin)?)? { Ok(None) } else { read(place) }
    }

    /// The sessions whose rules were those in `config`, or those of its project, and are not `text`; the last first.
    pub(crate) fn outdated(&self, config: &Path, root: &Path, text: &str) -> io::Result<Vec<Pin>> {
        let rules = digest(text);
        let confirmed = read::<Confirmation>(&self.confirmation(config))?.filter(|one| one.rules == rules);
        let confirmed_at = confirmed.map(|confirmed| confirmed.at);
        let entries = match fs::read_dir(self.folder.join("sessions")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        for entry in entries.take(MOST_SESSIONS) {
            let Some(pin) = read::<Pin>(&entry?.path())? else { continue };
            let is_here = pin.config == config || pin.root == root;
            let differs = pin.rules != rules || pin.config != config;
            if is_here && differs && confirmed_at.is_none_or(|at| at < pin.at) {
                found.push(pin);
            }
        }
        found.sort_unstable_by_key(|pin| std::cmp::Reverse(pin.at));
        Ok(found)
    }

    /// The text of pinned rules, if it is still kept.
    pub(crate) fn text_of(&self, pin: &Pin) -> Option<String> {
        fs::read_to_string(self.text(&pin.rules)).ok().filter(|text| digest(text) == pin.rules)
    }

    /// Confirms the rules in `config` for all sessions that began before.
    pub(crate) fn confirm(&self, config: &Path, text: &str) -> io::Result<()> {
        let confirmation = Confirmation { rules: digest(text), at: SystemClock.now().0 };
        private::replace(&self.confirmation(config), &serde_json::to_vec(&confirmation)?)
    }

    fn keep_text(&self, rules: &str, text: &str) -> io::Result<()> {
        let place = self.text(rules);
        if place.exists() { Ok(()) } else { private::replace(&place, text.as_bytes()) }
    }

    fn text(&self, rules: &str) -> PathBuf {
        self.folder.join("texts").join(format!("{rules}.yaml"))
    }

    fn confirmation(&self, config: &Path) -> PathBuf {
        self.folder.join("confirmed").join(format!("{}.json", digest(&config.to_string_lossy())))
    }
}

/// The name under which a session is pinned, since two settings of one client can name different rules.
pub(crate) fn name(session: &str, named: Option<&Path>) -> String {
    let named = project::named_file(named).unwrap_or_default();
    format!("{session}\0{}", named.display())
}

/// The path under which a file of rules is pinned: the same one for a home with `..`, or with a link to it.
pub(crate) fn real(file: &Path) -> io::Result<PathBuf> {
    file.canonicalize().or_else(|_| std::path::absolute(file))
}

/// Reads a file; `None` if it does not exist.
fn read<T: DeserializeOwned>(place: &Path) -> io::Result<Option<T>> {
    match fs::read(place) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Removes pins of sessions that began long ago.
fn forget(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_LOOKED_AT) {
        let age = entry.metadata().and_then(|about| about.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > FORGOTTEN) {
            drop(fs::remove_file(entry.path()));
        }
    }
}
