//! The audit log of a configuration: where it is, and what it means that it cannot be written.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_audit::config::{AuditConfig, IN_A_TEAM};
use hooks_audit::describe::{Describe, Scrub};
use hooks_audit::layer::{Audit, AuditSettings};
use hooks_audit::{Log, LogSettings};
use hooks_core::HooksBuilder;
use hooks_policies::redaction::Scrubber;
use serde_json::Value;

use crate::system::{StdFileSystem, SystemClock};

/// The key it stands under.
pub(super) const KEY: &str = "audit";

/// The folder of a team.
const TEAM: &str = ".squad";
/// The place of a log where there is no team.
const ELSEWHERE: &str = "audit-log";

/// Adds to every slot what puts its events into the log of `config`, which is that of the configuration at `path` with
/// rules of the version `rules`. The log is opened with the first event.
pub(super) fn add_to(
    builder: HooksBuilder,
    config: &AuditConfig,
    path: Option<&Path>,
    rules: Option<Arc<str>>,
) -> HooksBuilder {
    if !config.is_enabled() {
        return builder;
    }
    let folder = folder_of(config, path);
    let mut log = LogSettings::new(secret());
    log.spill = config.spill.as_ref().map(|spill| beside(path, spill));
    log.files.file_bytes = config.file_bytes.unwrap_or(log.files.file_bytes);
    let open = move || Log::open(Arc::new(StdFileSystem), folder.clone(), log.clone(), Arc::new(SystemClock));
    let mut settings = AuditSettings::default();
    settings.describe =
        Describe { rules, scrub: Some(Arc::new(Secrets(Scrubber::all()))), ..Describe::default() };
    (settings.on_error_writing, settings.on_error_reading) =
        (config.on_error.writing, config.on_error.reading);
    if !config.before.is_empty() {
        let config = config.clone();
        settings.before = Some(Arc::new(move |tool| config.is_irreversible(tool)));
    }
    let Ok(builder) = builder.config(Audit::lazy(open, settings));
    builder
}

/// The folder of the log.
pub(super) fn folder_of(config: &AuditConfig, path: Option<&Path>) -> PathBuf {
    if let Some(folder) = &config.folder {
        return beside(path, folder);
    }
    beside(path, Path::new(if has_team(path) { IN_A_TEAM } else { ELSEWHERE }))
}

/// Whether there is a team folder beside the configuration at `path`.
pub(super) fn has_team(path: Option<&Path>) -> bool {
    path.is_some_and(|path| beside(Some(path), Path::new(TEAM)).is_dir())
}

/// The files of the log, as patterns that protect them.
pub(super) fn files_of(config: &AuditConfig, path: Option<&Path>) -> Vec<String> {
    let folders = [Some(folder_of(config, path)), config.spill.as_ref().map(|spill| beside(path, spill))];
    let absolute = folders.into_iter().flatten().filter_map(|folder| std::path::absolute(folder).ok());
    // Other files of a team may stand in the same folder.
    absolute.map(|folder| format!("{}/*.{{jsonl,gz,lock,end,new}}", folder.display())).collect()
}

/// `place` from the folder of the configuration.
fn beside(path: Option<&Path>, place: &Path) -> PathBuf {
    path.and_then(Path::parent).map_or_else(|| place.to_path_buf(), |folder| folder.join(place))
}

/// What salts the digests of payloads: the keys that the standard library has from the system, as the key of a
/// pseudo-random function.
fn secret() -> [u8; 32] {
    let keys = RandomState::new();
    let mut secret = [0; 32];
    for (number, part) in secret.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&keys.hash_one(number).to_le_bytes());
    }
    secret
}

/// Takes secrets out of what no redaction of the hooks saw: errors, tasks, first prompts.
struct Secrets(Scrubber);

impl Scrub for Secrets {
    fn scrub(&self, value: &mut Value) {
        self.0.scrub_value(value);
    }
}
