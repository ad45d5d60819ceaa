//! The audit log of a configuration: where it is, and what it means that it cannot be written.

use std::hash::{BuildHasher, RandomState};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hooks_audit::cache::ResultCache;
use hooks_audit::config::{AuditConfig, IN_A_TEAM};
use hooks_audit::describe::{Describe, Scrub};
use hooks_audit::layer::{Audit, AuditSettings};
use hooks_audit::{Log, LogSettings, OpenError};
use hooks_policies::redaction::Scrubber;
use hooks_store::Answering;
use serde_json::{Map, Value, json};

use super::checkpoints;
use super::error::Mistakes;
use super::protect::as_pattern;
use super::prune::Pruned;
use super::{plain, section};
use crate::system::{StdFileSystem, SystemClock};

/// The key it stands under.
pub(super) const KEY: &str = "audit";

/// The folder of a team.
const TEAM: &str = ".squad";
/// The folder in which a project may have its configuration.
const HOOKS: &str = ".hooks";
/// The place of a log where there is no team.
const ELSEWHERE: &str = "audit-log";

/// Which teams have a log although the configuration says nothing about one.
#[derive(Clone, Debug, Default)]
pub(super) enum Teams {
    /// None.
    #[default]
    Nobody,
    /// That of the project that the configuration is of.
    OfTheFile,
    /// That of the project in this folder.
    Of(PathBuf),
}

/// What is on the record where the configuration at `path` says nothing about it.
pub(super) fn in_team(teams: &Teams, path: Option<&Path>) -> Option<AuditConfig> {
    let root = match teams {
        Teams::Nobody => return None,
        Teams::OfTheFile => project_of(path?),
        Teams::Of(root) => root.clone(),
    };
    let folder = root.join(TEAM).is_dir().then(|| root.join(IN_A_TEAM));
    folder.map(|folder| AuditConfig { folder: std::path::absolute(folder).ok(), ..AuditConfig::default() })
}

/// The section in the schema of the file: a switch, or what there is to say.
pub(super) fn schema(root: &mut Map<String, Value>) -> Value {
    json!({ "anyOf": [section::schema::<AuditConfig>(root), { "type": "boolean" }] })
}

/// Takes the section out of `sections`; whether it is plain that nothing is wrong with it.
pub(super) fn is_right(sections: &mut Map<String, Value>) -> bool {
    let is_switch = sections.get(KEY).is_some_and(Value::is_boolean);
    if is_switch {
        sections.shift_remove(KEY).is_some()
    } else {
        plain::is_right_in::<AuditConfig>(sections, KEY)
    }
}

/// Takes the section out of `sections` and reads it.
pub(super) fn take(
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> Option<AuditConfig> {
    match sections.shift_remove(KEY)? {
        Value::Bool(is_on) => Some(AuditConfig { enabled: Some(is_on), ..AuditConfig::default() }),
        value => section::read(KEY, value, tree, mistakes),
    }
}

/// What puts events into the log of `config`, which is that of the configuration at `path` with rules of the version
/// `rules`; what becomes of calls, `cache` tells. The log is opened with the first event. Whoever answers `Later` keeps its
/// files while it runs.
pub(super) fn built(
    config: &AuditConfig,
    path: Option<&Path>,
    rules: Option<Arc<str>>,
    cache: Option<ResultCache>,
    answering: Answering,
) -> Audit {
    let folder = folder_of(config, path);
    let mut log = LogSettings::new(secret());
    log.spill = config.spill.as_ref().map(|spill| beside(path, spill));
    log.keeping = (answering == Answering::Later).then(|| config.keeping());
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
        Describe { rules, scrub: Some(Arc::new(Secrets(Scrubber::all()))), cache, ..Describe::default() };
    (settings.on_error_writing, settings.on_error_reading) =
        (config.on_error.writing, config.on_error.reading);
    if !config.before.is_empty() {
        let config = config.clone();
        settings.before = Some(Arc::new(move |tool| config.is_irreversible(tool)));
    }
    Audit::lazy(open, settings)
}

/// The folder of the log.
pub(super) fn folder_of(config: &AuditConfig, path: Option<&Path>) -> PathBuf {
    if let Some(folder) = &config.folder {
        return beside(path, folder);
    }
    let project = path.map(project_of).filter(|project| project.join(TEAM).is_dir());
    project.map_or_else(|| beside(path, Path::new(ELSEWHERE)), |project| project.join(IN_A_TEAM))
}

/// The folder of the project that the configuration at `path` is of: its own, or the one around `.hooks`.
pub(super) fn project_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    match folder.file_name() {
        Some(name) if name == HOOKS => folder.parent().unwrap_or(folder).to_path_buf(),
        _ => folder.to_path_buf(),
    }
}

/// The files of the log, as patterns that protect them.
pub(super) fn files_of(config: &AuditConfig, path: Option<&Path>) -> Vec<String> {
    let kept = config.checkpoints.as_ref();
    let others = config.spill.iter().chain(kept.map(|kept| &kept.folder)).map(|folder| beside(path, folder));
    let folders = others.chain([folder_of(config, path)]);
    // Other files of a team may stand in the same folder.
    let files = |folder: PathBuf| {
        let folder = as_pattern(&folder);
        [format!("{folder}/*.{{jsonl,gz,lock,end,new,checkpoints,json}}"), format!("{folder}/sinks/**")]
    };
    // A key is a file, or a folder of a few.
    let key = kept.and_then(|kept| Some(beside(path, kept.key.as_ref()?)));
    let key = key.iter().flat_map(|key| resolved(key));
    let key = key.map(|key| as_pattern(&key)).flat_map(|key| [format!("{key}/*"), key]);
    folders.flat_map(|folder| resolved(&folder)).flat_map(files).chain(key).collect()
}

/// The places that an absolute path without `..` names `place` by; a pattern with `..` in it is refused. Behind a link,
/// `..` leads elsewhere than its text says, so that there are two.
pub(super) fn resolved(place: &Path) -> Vec<PathBuf> {
    let Ok(place) = std::path::absolute(place) else { return Vec::new() };
    let real = if place.components().any(|part| part == Component::ParentDir) {
        place.canonicalize().ok()
    } else {
        None
    };
    let mut named = PathBuf::new();
    for part in place.components() {
        match part {
            // Above the file system's root is that root.
            Component::ParentDir => _ = named.pop(),
            part => named.push(part),
        }
    }
    let real = real.filter(|real| *real != named);
    std::iter::once(named).chain(real).collect()
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

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn a_folder_beside_the_project_is_protected_where_it_is() {
        let text = "version: 1\naudit: { folder: ../x, spill: a/../../spill, \
                    checkpoints: { folder: ./c/../../checks, key: ../key } }";
        let config = Config::parse(text, "hooks.yaml").unwrap();
        let here = std::path::absolute("hooks.yaml").unwrap();
        let above = here.parent().and_then(Path::parent).unwrap();
        for (folder, files) in
            [("x", "/sinks/**"), ("spill", "/sinks/**"), ("checks", "/sinks/**"), ("key", "/*")]
        {
            let wanted = format!("{}{files}", as_pattern(&above.join(folder)));
            assert!(config.protected().contains(&wanted), "{wanted}: {:?}", config.protected());
        }
        assert!(!config.protected().iter().any(|pattern| pattern.contains("..")), "{:?}", config.protected());
    }

    #[test]
    fn above_the_root_is_the_root() {
        let root = std::path::absolute("/").unwrap();
        assert_eq!(resolved(Path::new("/../../no/such/../log")), [root.join("no/log")]);
    }

    #[cfg(unix)]
    #[test]
    fn behind_a_link_there_are_two_places() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(folder.join("far/inner")).unwrap();
        std::fs::create_dir(folder.join("far/log")).unwrap();
        std::os::unix::fs::symlink("far/inner", folder.join("link")).unwrap();
        assert_eq!(resolved(&folder.join("link/../log")), [folder.join("log"), folder.join("far/log")]);
    }
}
