//! Identity of the store that a configuration uses, kept apart from the store.
//!
//! | place | when |
//! | --- | --- |
//! | `.hooks/stores/` beside the rules | always; in the user's configuration folder if that cannot be written |
//! | the audit log, a record `log.store` | if there is a log; it is read if the file is missing |
//!
//! There is one file for each place of a store: a copy of a project has its store elsewhere, and so has no
//! known store at first. The folder contains a `.gitignore` for itself, so that a clone of the project has no
//! identity file. The files are protected like those of the store.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hooks_audit::layer::{Audit, WeakAudit};
use hooks_audit::log::Ticket;
use hooks_audit::read::{LogReader, Positions};
use hooks_audit::record::{Record, notes};
use hooks_core::fs::Disk;
use hooks_core::state::{OpId, StoreError};
use hooks_core::time::{Clock, Random};
use hooks_store::{Engine, StoreConfig, StoreId, Witness};
use hooks_system::{PrivateFileSystem, StdFileSystem, SystemClock, SystemRandom};
use serde::{Deserialize, Serialize};

use super::audit::project_of;
use super::paths::{canonical, resolved};
use super::places::Places;
use super::protect::as_pattern;
use super::store::file_of;

/// Folder of the identity files, below the project or the user's configuration folder.
const FOLDER: [&str; 2] = [".hooks", "stores"];

/// Largest size of an identity file, in bytes.
const LONGEST: u64 = 64 << 10;

/// Records that are read at once.
const AT_ONCE: usize = 1_024;

/// Identity of the store that one configuration uses.
pub(super) struct KnownStore {
    config: StoreConfig,
    /// Path of the configuration.
    path: PathBuf,
    /// Folder of the audit log.
    log: Option<PathBuf>,
    /// Log in which the identity is recorded.
    audit: Mutex<Option<WeakAudit>>,
    files: OnceLock<Files>,
}

/// Place of a store, and the identity files, in the order they are tried.
struct Files {
    at: String,
    files: Vec<PathBuf>,
}

/// Content of an identity file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    /// Place of the store.
    at: String,
    /// Identity of the store; `None` if an operator accepted its loss and no other store was used since.
    store: Option<String>,
    /// Whether the audit log has the identity.
    is_recorded: bool,
}

impl KnownStore {
    /// Identity of the store that the configuration at `path` uses; its audit log is in `log`. Returns `None`
    /// for a store in memory.
    pub(super) fn new(config: &StoreConfig, path: &Path, log: Option<PathBuf>) -> Option<Self> {
        let config = (config.engine != Engine::Memory).then(|| config.clone())?;
        let (path, log) = (path.to_owned(), log.map(|log| canonical(&log)));
        Some(Self { config, path, log, audit: Mutex::default(), files: OnceLock::new() })
    }

    /// Records the identity in the log of `audit`, too.
    pub(super) fn record_in(&self, audit: &Audit) {
        *self.audit.lock().unwrap_or_else(PoisonError::into_inner) = Some(audit.downgrade());
    }

    /// Forgets the store, whose loss an operator accepted. The next store counts as the first.
    ///
    /// # Errors
    /// Returns an error if that cannot be written.
    pub(super) fn forget(&self, by: &str) -> Result<(), StoreError> {
        let is_recorded = self.record_loss(by);
        self.write(&Identity { at: self.files().at.clone(), store: None, is_recorded })
    }

    /// Records that the loss was accepted, and returns whether the log has that record.
    pub(super) fn record_loss(&self, by: &str) -> bool {
        self.record(format!("{}{by}", accepted(&self.files().at)))
    }

    fn files(&self) -> &Files {
        self.files.get_or_init(|| {
            let at = match self.config.engine {
                Engine::Redis => hooks_store::redis_place(&self.config),
                _ => {
                    let file = file_of(&self.config, Some(&self.path)).map(|file| canonical(&file));
                    file.unwrap_or_default().display().to_string()
                }
            };
            let name = format!("{:032x}.json", OpId::from_parts(&["store", &at]).0);
            Files { files: folders(&self.path).map(|folder| folder.join(&name)).collect(), at }
        })
    }

    /// Reads the first file that exists.
    fn read(&self) -> Result<Option<Identity>, StoreError> {
        let Files { at, files } = self.files();
        for file in files {
            let name = file.display();
            let content = StdFileSystem.read(file, LONGEST);
            let content = content.map_err(|error| StoreError::Unavailable(format!("`{name}`: {error}")))?;
            let Some(content) = content else { continue };
            let identity =
                serde_json::from_slice(&content).ok().filter(|identity: &Identity| identity.at == *at);
            return identity.map(Some).ok_or_else(|| {
                StoreError::Closed(format!(
                    "`{name}`, which names the store used at `{at}`, is damaged. Restore it, or look at the amounts spent and accept the loss with `hooks state accept-loss`"
                ))
            });
        }
        Ok(None)
    }

    /// Writes the first file that can be written, as a whole.
    fn write(&self, identity: &Identity) -> Result<(), StoreError> {
        let content =
            serde_json::to_vec(identity).map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let mut why = "there is no folder for it: set the variable HOME".to_owned();
        for file in &self.files().files {
            match replace(file, &content) {
                Ok(()) => return Ok(()),
                Err(error) => why = format!("`{}`: {error}", file.display()),
            }
        }
        Err(StoreError::Unavailable(format!(
            "the name of the store cannot be recorded, so its loss would not be noticed: {why}"
        )))
    }

    /// The last store in the audit log.
    fn recorded(&self) -> Result<Option<StoreId>, StoreError> {
        let Some(log) = &self.log else { return Ok(None) };
        let failed = |error: &dyn std::fmt::Display| {
            StoreError::Unavailable(format!(
                "the name of the store cannot be read from the audit log: {error}"
            ))
        };
        let mut reader = LogReader::new(Arc::new(PrivateFileSystem), log, Positions::default());
        let mut latest = None;
        loop {
            let some = reader.read(AT_ONCE).map_err(|error| failed(&error))?;
            if some.is_empty() {
                return Ok(latest);
            }
            for committed in some.iter().filter(|committed| committed.record.event == notes::STORE) {
                if let Some(store_named) =
                    self.store_named(committed.record.note.as_deref().unwrap_or_default())
                {
                    latest = store_named;
                }
            }
        }
    }

    /// Meaning of a note about the store at this place: the store that is used, or `None` in it for an
    /// accepted loss.
    fn store_named(&self, note: &str) -> Option<Option<StoreId>> {
        let at = &self.files().at;
        if note.starts_with(&accepted(at)) {
            return Some(None);
        }
        let id = note.strip_suffix(&used_at(at))?.strip_prefix(USED)?;
        Some(Some(StoreId::new(id)))
    }

    /// Records a note, and returns whether the log has it. If the log cannot be written, `on_error` of the
    /// `audit` section decides which calls continue, and the next process records the note again.
    fn record(&self, note: String) -> bool {
        let audit = self.audit.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(audit) = audit.and_then(|audit| audit.upgrade()) else { return false };
        let mut record = Record::new(notes::STORE, SystemClock.now());
        record.note = Some(note);
        let put = audit.log().and_then(|log| log.put_through(move || record.into()));
        put.and_then(Ticket::wait).is_ok()
    }

    fn used(&self, id: &StoreId) -> String {
        format!("{USED}{id}{}", used_at(&self.files().at))
    }
}

impl Witness for KnownStore {
    fn known(&self) -> Result<Option<StoreId>, StoreError> {
        let Some(identity) = self.read()? else {
            let known = self.recorded()?;
            if let Some(known) = &known {
                // The file is missing.
                self.write(&Identity {
                    at: self.files().at.clone(),
                    store: Some(known.to_string()),
                    is_recorded: true,
                })?;
            }
            return Ok(known);
        };
        let known = identity.store.clone().map(StoreId::new);
        if let Some(known) = known.as_ref().filter(|_| !identity.is_recorded)
            && self.record(self.used(known))
        {
            self.write(&Identity { is_recorded: true, ..identity })?;
        }
        Ok(known)
    }

    fn remember(&self, id: &StoreId) -> Result<(), StoreError> {
        let identity =
            Identity { at: self.files().at.clone(), store: Some(id.to_string()), is_recorded: false };
        self.write(&identity)?;
        if self.record(self.used(id)) {
            self.write(&Identity { is_recorded: true, ..identity })?;
        }
        Ok(())
    }
}

/// Identity files of the configuration at `path`, as patterns that protect them.
pub(super) fn files_of(config: &StoreConfig, path: Option<&Path>) -> Vec<String> {
    let Some(path) = path.filter(|_| config.engine != Engine::Memory) else { return Vec::new() };
    let folders = folders(path).flat_map(|folder| resolved(&folder));
    folders.map(|folder| format!("{}/*", as_pattern(&folder))).collect()
}

/// Folders of identity files of the configuration at `path`, in the order they are tried.
fn folders(path: &Path) -> impl Iterator<Item = PathBuf> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let beside = FOLDER.iter().fold(project_of(&path), |folder, name| folder.join(name));
    let of_user = Places::here().config().map(|config| config.join("hooks").join(FOLDER[1]));
    std::iter::once(beside).chain(of_user)
}

/// Replaces the file as a whole, through to the disk; creates its folder if it is missing.
fn replace(file: &Path, content: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new(""));
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).create(folder)?;
    }
    match StdFileSystem.create(&folder.join(".gitignore"), b"*\n") {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let aside = file.with_extension(format!("{:016x}.new", SystemRandom.next_u64()));
    StdFileSystem.create(&aside, content)?;
    StdFileSystem.rename(&aside, file)?;
    StdFileSystem.sync_directory(folder)
}

/// Start of a note that names the store in use.
const USED: &str = "store `";

/// End of such a note.
fn used_at(at: &str) -> String {
    format!("` is used at `{at}`")
}

/// Start of a note about an accepted loss.
fn accepted(at: &str) -> String {
    format!("the loss of the store at `{at}` was accepted")
}
