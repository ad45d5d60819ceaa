//! The store of a configuration, for state that outlives the hooks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Memory, Op, OpId, StateStore, StoreError};
use hooks_store::{Engine, LazyStore, StoreConfig, StoreThread, Witness, World};
use hooks_system::{SystemClock, SystemRandom, TokioTimer};
use serde_json::Value;

use super::error::Mistakes;
use super::known::{self, KnownStore};
use super::paths::{beside, flaw, resolved};
use super::places::Places;
use super::protect::as_pattern;
use super::prune::Pruned;
use super::section;

/// The key it stands under.
pub(super) const KEY: &str = "store";

/// Longest time for which lockouts are believed while the store cannot confirm them.
const LONGEST_STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads the section and reports contradictions in it.
pub(super) fn read(value: Value, tree: &Pruned, mistakes: &mut Mistakes) -> Option<StoreConfig> {
    let config: StoreConfig = section::read(KEY, value, tree, mistakes)?;
    if config.stale_after.is_some_and(|stale_after| stale_after.is_zero() || stale_after > LONGEST_STALE) {
        let path = format!("{KEY}.stale_after");
        let (place, path) = (tree.root.locate(&path), tree.path_before(&path));
        let problem = "lockouts would be believed for no time, or for longer than a day";
        mistakes.add_with_hint(place, path, problem, "write how long, such as `30s`");
    }
    if let Some((problem, hint)) = config.path.as_deref().and_then(flaw) {
        let path = format!("{KEY}.path");
        mistakes.add_with_hint(tree.root.locate(&path), tree.path_before(&path), problem, hint);
    }
    for fault in config.faults() {
        let path = format!("{KEY}.{}", fault.option);
        let (place, path) = (tree.root.locate(&path), tree.path_before(&path));
        mistakes.add_with_hint(place, path, fault.problem, fault.hint);
    }
    Some(config)
}

/// Creates the store that `config` describes, for the configuration at `path`. The store is opened when it is
/// first needed. If it cannot be opened, the events that need it are denied. A store that is not the `known`
/// one is refused.
pub(super) fn open(
    config: &StoreConfig,
    path: Option<&Path>,
    store_thread: StoreThread,
    known: Option<Arc<KnownStore>>,
) -> Arc<dyn StateStore> {
    let witness = move || known.clone().map(|known| known as Arc<dyn Witness>);
    match config.engine {
        Engine::Memory => {
            Arc::new(Memory::with_room(Arc::new(SystemClock), config.names.unwrap_or(Memory::NAMES)))
        }
        Engine::File => {
            let (file, sync) = (file_of(config, path), config.sync);
            Arc::new(LazyStore::new(move || match &file {
                Some(file) => hooks_store::open_file(file, sync, store_thread, witness()),
                None => Err(StoreError::Unavailable(
                    "there is no state folder: set `store.path`, or the variable HOME".to_owned(),
                )),
            }))
        }
        Engine::Redis => {
            let config = config.clone();
            Arc::new(LazyStore::new(move || {
                hooks_store::open_redis(&config, world(), store_thread, witness())
            }))
        }
    }
}

fn world() -> World {
    World { clock: Arc::new(SystemClock), timer: Arc::new(TokioTimer), random: Arc::new(SystemRandom) }
}

/// Accepts, on behalf of `by`, that the store that was used is lost. Returns the reason why the store was
/// refused before; `None` if it was not refused.
pub(super) async fn accept_loss(
    config: &StoreConfig,
    path: Option<&Path>,
    known: Option<Arc<KnownStore>>,
    by: &str,
) -> Result<Option<String>, StoreError> {
    let why = match config.engine {
        Engine::Memory => None,
        Engine::File => refused(config, path, known.clone()).await?,
        // The server makes the accepted loss known to all other processes.
        Engine::Redis => match known.clone() {
            Some(known) => {
                let witness = Arc::clone(&known) as Arc<dyn Witness>;
                let why = hooks_store::accept_redis_loss(config, world(), witness).await?;
                if why.is_some()
                    && known.record_loss(by)
                    && let Some(id) = known.known()?
                {
                    // After the loss on the record, because the last entry counts.
                    known.remember(&id)?;
                }
                return Ok(why);
            }
            None => None,
        },
    };
    if let (Some(_), Some(known)) = (&why, known) {
        known.forget(by)?;
    }
    Ok(why)
}

/// Opens the file of the state; returns the reason if the store is closed.
async fn refused(
    config: &StoreConfig,
    path: Option<&Path>,
    known: Option<Arc<KnownStore>>,
) -> Result<Option<String>, StoreError> {
    let Some(file) = file_of(config, path) else { return Ok(None) };
    let witness = known.map(|known| known as Arc<dyn Witness>);
    let store = hooks_store::open_file(&file, config.sync, StoreThread::AtOnce, witness)?;
    // The first operation opens the file.
    match store.apply(Op::Now).await {
        #[cfg(feature = "sqlite")]
        Err(StoreError::Closed(why)) => {
            drop(store);
            // This operation may have closed it.
            hooks_store::SqliteStore::accept_loss(&file)?;
            Ok(Some(why))
        }
        answer => answer.map(|_| None),
    }
}

/// The file of the state: the one that is named, or one of the configuration's folder below the user's state folder (XDG
/// base directories).
pub(super) fn file_of(config: &StoreConfig, path: Option<&Path>) -> Option<PathBuf> {
    if let Some(named) = &config.path {
        return Some(beside(path, named));
    }
    let state = Places::here().state()?;
    // Named by the folder of the configuration, whatever path leads to it. So two projects share budgets only
    // if they are configured to, and never wait for each other; and a damaged file closes only one of them.
    let folder = path.and_then(Path::parent);
    let named = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = named.canonicalize().or_else(|_| std::path::absolute(named)).unwrap_or(named.to_path_buf());
    let digest = OpId::from_parts(&["state", &named.to_string_lossy()]).0;
    Some(state.join("hooks").join(format!("{digest:032x}.db")))
}

/// Patterns that protect the files of the state: the database, the files beside it, and the files that
/// identify the store.
pub(super) fn files_of(config: &StoreConfig, path: Option<&Path>) -> Vec<String> {
    let file = (config.engine == Engine::File).then(|| file_of(config, path)).flatten();
    let with_those_beside = |file: PathBuf| {
        let file = as_pattern(&file);
        ["", "-wal", "-shm", "-journal", ".turn", ".lock", ".closed", ".damaged-*"]
            .map(|end| format!("{file}{end}"))
    };
    let files = file.iter().flat_map(|file| resolved(file)).flat_map(with_those_beside);
    files.chain(known::files_of(config, path)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn a_file_beside_the_project_is_protected_where_it_is() {
        let config =
            Config::parse("version: 1\nstore: { engine: file, path: \"../x/{state}.db\" }", "hooks.yaml");
        let protected = config.unwrap().protected().to_vec();
        let here = std::path::absolute("hooks.yaml").unwrap();
        let above = here.parent().and_then(Path::parent).unwrap();
        for end in ["", "-wal", ".lock"] {
            let wanted = format!("{}{end}", as_pattern(&above.join("x/{state}.db")));
            assert!(protected.contains(&wanted), "{wanted}: {protected:?}");
        }
        assert!(!protected.iter().any(|pattern| pattern.contains("..")), "{protected:?}");
    }

    #[test]
    fn a_path_that_nobody_can_mean_is_told() {
        let errors = Config::parse("version: 1\nstore: { engine: file, path: ~/state.db }", "hooks.yaml");
        let text = errors.unwrap_err().errors()[0].to_string();
        assert!(text.contains("store.path: `~/state.db` would be below a folder called `~`"), "{text}");
    }
}
