//! The audit log of a configuration: where it is, and what it means that it cannot be written.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_audit::config::{AuditConfig, IN_A_TEAM};
use hooks_audit::describe::{Describe, Scrub};
use hooks_audit::layer::{Audit, AuditSettings};
use hooks_audit::{Log, LogSettings, OpenError};
use hooks_core::HooksBuilder;
use hooks_policies::redaction::Scrubber;
use serde_json::Value;

use super::checkpoints;
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
    let checkpoints = config.checkpoints.clone();
    let place = path.map(Path::to_path_buf);
    log.files.file_bytes = config.file_bytes.unwrap_or(log.files.file_bytes);
    let open = move || {
        let mut log = log.clone();
        // With each try: what was wrong with the key may have been mended.
        let kept =
            checkpoints.as_ref().map(|config| checkpoints::of(config, |it| beside(place.as_deref(), it)));
        log.checkpoints = kept.transpose().map_err(OpenError::Key)?;
        Log::open(Arc::new(StdFileSystem), folder.clone(), log, Arc::new(SystemClock))
    };
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
    let kept = config.checkpoints.as_ref();
    let others = config.spill.iter().chain(kept.map(|kept| &kept.folder)).map(|folder| beside(path, folder));
    let folders = others.chain([folder_of(config, path)]);
    let absolute = folders.filter_map(|folder| std::path::absolute(folder).ok());
    // Other files of a team may stand in the same folder.
    let files =
        absolute.map(|folder| format!("{}/*.{{jsonl,gz,lock,end,new,checkpoints}}", folder.display()));
    // A key is a file, or a folder of a few.
    let key = kept.and_then(|kept| std::path::absolute(beside(path, kept.key.as_ref()?)).ok());
    let key = key.into_iter().flat_map(|key| [key.display().to_string(), format!("{}/*", key.display())]);
    files.chain(key).collect()
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
