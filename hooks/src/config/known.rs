//! Identity of the store that a configuration uses, kept apart from the store.
//!
//! | where | when |
//! | --- | --- |
//! | `.hooks/stores/` beside the rules | always; the user's configuration folder where that cannot be written |
//! | the audit log, a record `log.store` | where there is a log; it is read where the file is missing |
//!
//! There is one file for each place of a store: a copy of a project has its store elsewhere, and so begins with none. The folder
//! holds a `.gitignore` for itself, so that a clone brings no identity along. Its files are protected like the store's.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hooks_audit::layer::{Audit, WeakAudit};
use hooks_audit::log::Ticket;
use hooks_audit::read::{Positions, Reader};
use hooks_audit::record::{Record, notes};
use hooks_core::fs::Disk;
use hooks_core::state::{OpId, StoreError};
use hooks_core::time::{Clock, Random};
use hooks_store::{Engine, StoreConfig, StoreId, Witness};
use serde::{Deserialize, Serialize};

use super::audit::project_of;
use super::paths::{canonical, resolved};
use super::places::Places;
use super::protect::as_pattern;
use super::store::file_of;
use crate::system::{PrivateFileSystem, StdFileSystem, SystemClock, SystemRandom};

/// Folder of the identities, below the project or the user's configuration folder.
const FOLDER: [&str; 2] = [".hooks", "stores"];

/// A file of an identity is no longer than this.
const LONGEST: u64 = 64 << 10;

/// Records that are read at once.
const AT_ONCE: usize = 1_024;

/// Identity of the store that one configuration uses.
pub(super) struct KnownStore {
    config: StoreConfig,
    /// The configuration.
    path: PathBuf,
    /// Folder of the audit log.
    log: Option<PathBuf>,
    /// Log to put the identity on record in.
    audit: Mutex<Option<WeakAudit>>,
    files: OnceLock<Files>,
}

/// Where a store is, and the files of its identity, the better one first.
struct Files {
    at: String,
    files: Vec<PathBuf>,
}

/// Content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    /// Where the store is.
    at: String,
    /// Which store it is; `None` where an operator accepted its loss and no other was used since.
    store: Option<String>,
    /// Whether the audit log has it.
    is_recorded: bool,
}

impl KnownStore {
    /// Identity of the store that the configuration at `path` uses, with its audit log in `log`; `None` for one in memory.
    pub(super) fn new(config: &StoreConfig, path: &Path, log: Option<PathBuf>) -> Option<Self> {
        let config = (config.engine != Engine::Memory).then(|| config.clone())?;
        let (path, log) = (path.to_owned(), log.map(|log| canonical(&log)));
        Some(Self { config, path, log, audit: Mutex::default(), files: OnceLock::new() })
    }

    /// Puts the identity on record in the log of `audit`, too.
    pub(super) fn record_in(&self, audit: &Audit) {
        *self.audit.lock().unwrap_or_else(PoisonError::into_inner) = Some(audit.downgrade());
    }

    /// Forgets the store, whose loss was accepted: the next one is the first.
    ///
    /// # Errors
    /// Returns an error if that cannot be written.
    pub(super) fn forget(&self, by: &str) -> Result<(), StoreError> {
        let is_recorded = self.record_loss(by);
        self.write(&Identity { at: self.files().at.clone(), store: None, is_recorded })
    }

    /// Puts on record that the loss was accepted; whether it is there.
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
            let name = format!("{:032x}.json", OpId::of(&["store", &at]).0);
            Files { files: folders(&self.path).map(|folder| folder.join(&name)).collect(), at }
        })
    }

    /// Reads the first file that is there.
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
                    "`{name}`, which says what store was used at `{at}`, is damaged. Put it back, or look at what was spent \
                     and accept the loss with `hooks state accept-loss`"
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
            "which store is used cannot be written down, so its loss would not be noticed: {why}"
        )))
    }

    /// The store that the audit log was told of last.
    fn recorded(&self) -> Result<Option<StoreId>, StoreError> {
        let Some(log) = &self.log else { return Ok(None) };
        let failed = |error: &dyn std::fmt::Display| {
            StoreError::Unavailable(format!(
                "which store was used cannot be read from the audit log: {error}"
            ))
        };
        let mut reader = Reader::new(Arc::new(PrivateFileSystem), log, Positions::default());
        let mut latest = None;
        loop {
            let some = reader.read(AT_ONCE).map_err(|error| failed(&error))?;
            if some.is_empty() {
                return Ok(latest);
            }
            for committed in some.iter().filter(|committed| committed.record.event == notes::STORE) {
                if let Some(said) = self.said(committed.record.note.as_deref().unwrap_or_default()) {
                    latest = said;
                }
            }
        }
    }

    /// What a note says about the store at this place: which one was used, or that its loss was accepted.
    fn said(&self, note: &str) -> Option<Option<StoreId>> {
        let at = &self.files().at;
        if note.starts_with(&accepted(at)) {
            return Some(None);
        }
        let id = note.strip_suffix(&used_at(at))?.strip_prefix(USED)?;
        Some(Some(StoreId::new(id)))
    }

    /// Puts a note on record; whether it is there. Where the log cannot be written, `on_error` of its section says what
    /// goes on, and the next process tries again.
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

/// Files of identities of the configuration at `path`, as patterns that protect them.
pub(super) fn files_of(config: &StoreConfig, path: Option<&Path>) -> Vec<String> {
    let Some(path) = path.filter(|_| config.engine != Engine::Memory) else { return Vec::new() };
    let folders = folders(path).flat_map(|folder| resolved(&folder));
    folders.map(|folder| format!("{}/*", as_pattern(&folder))).collect()
}

/// Folders of identities of the configuration at `path`, the better one first.
fn folders(path: &Path) -> impl Iterator<Item = PathBuf> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let beside = FOLDER.iter().fold(project_of(&path), |folder, name| folder.join(name));
    let of_user = Places::here().config().map(|config| config.join("hooks").join(FOLDER[1]));
    std::iter::once(beside).chain(of_user)
}

/// Replaces the file as a whole, through to the disk; makes its folder unless it is there.
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

/// What a note begins with that says which store is used.
const USED: &str = "store `";

/// What it ends with.
fn used_at(at: &str) -> String {
    format!("` is used at `{at}`")
}

/// What a note begins with that says that a loss was accepted.
fn accepted(at: &str) -> String {
    format!("the loss of the store at `{at}` was accepted")
}
