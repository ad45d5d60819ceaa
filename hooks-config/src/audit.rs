//! The audit log of a configuration: its folder, its settings, and the meaning of a failed write.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hooks_audit::config::{AuditConfig, IN_A_TEAM};
use hooks_audit::describe::{CostOf, Describe, Scrub};
use hooks_audit::layer::{Audit, AuditSettings};
use hooks_audit::log::Gaps;
use hooks_audit::{Log, LogSettings, OpenError};
use hooks_budgets::spend::PriceTable;
use hooks_cache::ResultCache;
use hooks_core::HookContext;
use hooks_core::event::Usage;
use hooks_core::fs::LogDisk;
use hooks_redaction::Scrubber;
use hooks_store::StoreThread;
use hooks_system::{PrivateFileSystem, SystemClock};
use serde_json::{Map, Value, json};

use super::checkpoints;
use super::error::Mistakes;
use super::paths::{beside, canonical, flaw, resolved};
use super::places::Places;
use super::protect::as_pattern;
use super::prune::Pruned;
use super::tree::Node;
use super::{plain, section};

/// Key of the section.
pub(super) const KEY: &str = "audit";

/// Folder of a team.
const TEAM: &str = ".squad";
/// Folder in which a project may keep its configuration.
const HOOKS: &str = ".hooks";
/// Folder of the log if the project has no team.
const ELSEWHERE: &str = "audit-log";

/// Selects the teams that have a log even if the configuration has no `audit` section.
#[derive(Clone, Debug, Default)]
pub(super) enum Teams {
    /// No team.
    #[default]
    Nobody,
    /// The team of the project that the configuration belongs to.
    OfTheFile,
    /// The team of the project in this folder.
    Of(PathBuf),
}

/// Audit section to use if the configuration at `path` has none.
pub(super) fn in_team(teams: &Teams, path: Option<&Path>) -> Option<AuditConfig> {
    let root = match teams {
        Teams::Nobody => return None,
        Teams::OfTheFile => project_of(path?),
        Teams::Of(root) => root.clone(),
    };
    let folder = root.join(TEAM).is_dir().then(|| root.join(IN_A_TEAM));
    folder.map(|folder| AuditConfig { folder: std::path::absolute(folder).ok(), ..AuditConfig::default() })
}

/// Schema of the section: a boolean, or a map of settings.
pub(super) fn schema(root: &mut Map<String, Value>) -> Value {
    json!({ "anyOf": [section::schema::<AuditConfig>(root), { "type": "boolean" }] })
}

/// Removes the section from `sections` and returns whether it certainly has no mistake.
pub(super) fn is_right(sections: &mut Map<String, Value>) -> bool {
    let is_switch = sections.get(KEY).is_some_and(Value::is_boolean);
    if is_switch {
        sections.shift_remove(KEY).is_some()
    } else {
        plain::is_right_in::<AuditConfig>(sections, KEY)
    }
}

/// Removes the section from `sections` and reads it.
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

/// Reports folders and files in `config` that cannot be right. `root` is the tree of the configuration at
/// `path`.
pub(super) fn check(config: &AuditConfig, path: Option<&Path>, root: &Node, mistakes: &mut Mistakes) {
    let kept = config.checkpoints.as_ref();
    let named = [
        ("folder", config.folder.as_deref()),
        ("spill", config.spill.as_deref()),
        ("checkpoints.folder", kept.map(|kept| &*kept.folder)),
        ("checkpoints.key", kept.and_then(|kept| kept.key.as_deref())),
    ];
    let mut is_wrong = false;
    for (option, place) in named {
        if let Some((problem, hint)) = place.and_then(flaw) {
            let option = format!("{KEY}.{option}");
            mistakes.add_with_hint(root.locate(&option), option, problem, hint);
            is_wrong = true;
        }
    }
    if is_wrong {
        return;
    }
    let log = canonical(&folder_of(config, path));
    let spill = config.spill.as_ref().map(|spill| canonical(&beside(path, spill)));
    if spill.as_ref() == Some(&log) {
        let option = format!("{KEY}.spill");
        let problem = format!("`{}` is the folder of the log itself", log.display());
        mistakes.add_with_hint(
            root.locate(&option),
            option,
            problem,
            "name another one, best on another device",
        );
    }
    let kept = kept.map(|kept| canonical(&beside(path, &kept.folder)));
    if let Some(kept) =
        kept.filter(|kept| [Some(&log), spill.as_ref()].iter().flatten().any(|log| kept.starts_with(log)))
    {
        let option = format!("{KEY}.checkpoints.folder");
        let problem = format!(
            "`{}` is in a folder of the log, where a process that changes the log changes them too",
            kept.display()
        );
        let hint = "name a folder elsewhere, best where this machine can add but not change";
        mistakes.add_with_hint(root.locate(&option), option, problem, hint);
    }
    for (option, folder) in [("folder", Some(&log)), ("spill", spill.as_ref())] {
        // This is only a warning: `on_error` decides whether a tool runs when the log cannot be written.
        if let Some(folder) = folder.filter(|folder| folder.is_file()) {
            let option = format!("{KEY}.{option}");
            let problem = format!("`{}` is a file, so no log can be in it", folder.display());
            let hint = "move it away, or name another folder".to_owned();
            mistakes.doubt(root.locate(&option), option, problem, Some(hint));
        }
    }
}

/// Audit layer that puts events into the log of `config`, a section of the configuration at `path` with the
/// rule version `rules`. With `cache`, records also name what the cache did with a call; with `prices`, the cost of a
/// model call that names none. The log is opened at the first event, unless `open` has it open. A host that answers
/// `Later` enforces the retention of its files while it runs.
pub(super) fn built(
    config: &AuditConfig,
    path: Option<&Path>,
    rules: Option<Arc<str>>,
    cache: Option<ResultCache>,
    prices: Option<PriceTable>,
    store_thread: StoreThread,
    open: Option<&Audit>,
) -> Audit {
    let disk: Arc<dyn LogDisk> = Arc::new(PrivateFileSystem);
    let gaps = open.and_then(Audit::gaps).cloned().unwrap_or_else(|| gaps(Arc::clone(&disk), config, path));
    let mut settings = AuditSettings::default();
    settings.gaps = Some(gaps.clone());
    let cache = cache.map(|cache| Arc::new(cache) as _);
    let cost_of = prices.filter(|prices| !prices.is_empty()).map(cost_of);
    settings.describe = Describe {
        rules,
        scrub: Some(Arc::new(Secrets(Scrubber::all()))),
        cache,
        cost_of,
        ..Describe::default()
    };
    (settings.on_error_writing, settings.on_error_reading) =
        (config.on_error.writing, config.on_error.reading);
    if !config.before.is_empty() {
        let config = config.clone();
        settings.before = Some(Arc::new(move |tool| config.is_irreversible(tool)));
    }
    if let Some(open) = open {
        return open.with_settings(settings);
    }
    let folder = folder_of(config, path);
    let mut log = LogSettings::new(secret());
    log.gaps = Some(gaps);
    log.spill = config.spill.as_ref().map(|spill| beside(path, spill));
    log.keeping = (store_thread == StoreThread::Later).then(|| config.keeping());
    let checkpoints = config.checkpoints.clone();
    let place = path.map(Path::to_path_buf);
    log.files.file_bytes = config.file_bytes.unwrap_or(log.files.file_bytes);
    let open = move || {
        let mut log = log.clone();
        // Read at each try, because an operator may have repaired the key.
        let kept = checkpoints
            .as_ref()
            .map(|config| checkpoints::from_config(config, |it| beside(place.as_deref(), it)));
        log.checkpoints = kept.transpose().map_err(OpenError::Key)?;
        Log::open(Arc::clone(&disk), folder.clone(), log, Arc::new(SystemClock))
    };
    Audit::lazy(open, settings)
}

/// Costs by the prices of the budget at the time of the event's end, which are those that the budget charges.
fn cost_of(prices: PriceTable) -> Arc<CostOf> {
    Arc::new(move |context: &HookContext, model: &str, usage: &Usage| {
        let listed = prices.get(model, context.environment.clock.now())?;
        Some(listed.price.cost_of(usage))
    })
}

/// Folder of the log.
pub(super) fn folder_of(config: &AuditConfig, path: Option<&Path>) -> PathBuf {
    if let Some(folder) = &config.folder {
        return beside(path, folder);
    }
    let project = path.map(project_of).filter(|project| project.join(TEAM).is_dir());
    project.map_or_else(|| beside(path, Path::new(ELSEWHERE)), |project| project.join(IN_A_TEAM))
}

/// Count of the records that could not be written to the log of `config`. It is stored where any process
/// finds it: beside the log, beside its spill log, and in the user's state folder.
fn gaps(disk: Arc<dyn LogDisk>, config: &AuditConfig, path: Option<&Path>) -> Gaps {
    let spill = config.spill.as_ref().map(|spill| canonical(&beside(path, spill)));
    let elsewhere: Vec<_> = spill.into_iter().chain(of_user()).collect();
    Gaps::new(disk, &canonical(&folder_of(config, path)), &elsewhere)
}

/// Folder of Hooks in the user's state folder.
fn of_user() -> Option<PathBuf> {
    Some(Places::here().state()?.join("hooks"))
}

/// Folder of the project that the configuration at `path` belongs to: the file's own folder, or the parent of
/// `.hooks`.
pub(super) fn project_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    match folder.file_name() {
        Some(name) if name == HOOKS => folder.parent().unwrap_or(folder).to_path_buf(),
        _ => folder.to_path_buf(),
    }
}

/// Files of the log, as patterns that protect them.
pub(super) fn files_of(config: &AuditConfig, path: Option<&Path>) -> Vec<String> {
    let kept = config.checkpoints.as_ref();
    let others = config.spill.iter().chain(kept.map(|kept| &kept.folder)).map(|folder| beside(path, folder));
    let folders = others.chain([folder_of(config, path)]);
    // Other files of a team may be in the same folder. A search for names that none of these files has may
    // pass.
    let files = |folder: PathBuf| {
        let folder = as_pattern(&folder);
        let names = "{w*,holds*,missing*,fleet*}.{jsonl,gz,lock,end,new,checkpoints,json}";
        [format!("{folder}/{names}"), format!("{folder}/sinks/**")]
    };
    // A key is a file, or a folder with a few files.
    let key = kept.and_then(|kept| Some(beside(path, kept.key.as_ref()?)));
    let key = key.iter().flat_map(|key| resolved(key));
    let key = key.map(|key| as_pattern(&key)).flat_map(|key| [format!("{key}/*"), key]);
    let gaps = Gaps::name(&canonical(&folder_of(config, path)));
    let gaps = of_user().map(|state| format!("{}.*", as_pattern(&state.join(gaps).with_extension(""))));
    folders.flat_map(|folder| resolved(&folder)).flat_map(files).chain(key).chain(gaps).collect()
}

/// Secret that salts the digests of payloads. The random keys that the standard library takes from the system
/// serve as the key of a pseudo-random function.
fn secret() -> [u8; 32] {
    let keys = RandomState::new();
    let mut secret = [0; 32];
    for (number, part) in secret.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&keys.hash_one(number).to_le_bytes());
    }
    secret
}

/// Removes secrets from texts that no redaction of the hooks has seen: errors, tasks, first prompts.
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
    fn places_that_nobody_can_mean_are_told_where_they_stand() {
        for (section, wanted) in [
            ("{ folder: \"\" }", "column 18: audit.folder: an empty text is no path"),
            ("{ folder: / }", "column 18: audit.folder: `/` is the root of the file system"),
            ("{ spill: ~/x }", "column 17: audit.spill: `~/x` would be below a folder called `~`"),
            ("{ checkpoints: { folder: c, key: ~/k } }", "audit.checkpoints.key: `~/k` would be below"),
            ("{ folder: a, spill: ./b/../a }", "audit.spill: `"),
            ("{ spill: audit-log }", "/audit-log` is the folder of the log itself"),
            ("{ folder: a, checkpoints: { folder: a/b } }", "audit.checkpoints.folder: `"),
            (
                "{ spill: s, checkpoints: { folder: s } }",
                "where a process that changes the log changes them too",
            ),
        ] {
            let errors = Config::parse(&format!("version: 1\naudit: {section}"), "hooks.yaml").unwrap_err();
            let [error] = errors.errors() else { panic!("{section}: {errors}") };
            assert!(error.to_string().contains(wanted), "{section}: {error}");
            assert!(error.hint.is_some(), "{section}");
        }
        for section in
            ["{ folder: a, spill: ab, checkpoints: { folder: abc } }", "{ enabled: false, folder: / }"]
        {
            Config::parse(&format!("version: 1\naudit: {section}"), "hooks.yaml").unwrap();
        }
    }

    #[test]
    fn a_file_in_the_place_of_the_log_is_a_doubt() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("hooks.yaml");
        std::fs::write(&place, "version: 1\naudit: { folder: here }").unwrap();
        std::fs::write(dir.path().join("here"), "").unwrap();
        let config = Config::read(&place).unwrap();
        let [doubt] = config.doubts() else { panic!("{:?}", config.doubts()) };
        assert!(doubt.to_string().contains("is a file, so no log can be in it"), "{doubt}");
    }
}
