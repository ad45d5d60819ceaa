//! Opens the store that a configuration names. An engine that is missing in this build is an error with that
//! message.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
#[cfg(feature = "redis")]
use std::time::Duration;

use hooks_core::state::{StateStore, StoreError};
use hooks_core::time::{Clock, Random, Timer};
#[cfg(feature = "redis")]
use hooks_core::{Background, HookFuture};

#[cfg(feature = "redis")]
use crate::config::{AwayBreakers, AwayConfig, AwayRates, AwaySpend};
use crate::config::{Durability, StoreConfig};
use crate::identity::Witness;
#[cfg(feature = "redis")]
use crate::redis::{Redis, RedisSettings};
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteOptions;
#[cfg(feature = "redis")]
use crate::{Away, AwaySettings, LeaseSettings, Leased, Rates, Values};

/// Opens the store in the file at `path`. A missing file is created, and its folder with permissions for its
/// user only. With [`StoreThread::AtOnce`] the calling thread does the work, otherwise a separate thread. A
/// store other than the one that `witness` remembers is refused.
///
/// It is opened with its first operation, whose errors are then that it cannot be used or is not the store that was used
/// before.
///
/// # Errors
/// Returns an error if its folder cannot be made, no thread can be started, or this build has no engine for it.
///
/// ```
/// use futures_util::FutureExt as _;
/// use hooks_core::state::{StepResult, Key, Op};
/// use hooks_store::{StoreThread, Durability, open_file};
///
/// # let folder = tempfile::tempdir()?;
/// // The folder is created with the store.
/// let path = folder.path().join("state").join("hooks.db");
/// let store = open_file(&path, Durability::Process, StoreThread::AtOnce, None)?;
/// let put = Op::Put { key: Key::new(None, &["mode"]), value: "strict".into(), ttl: None };
/// let answer = store.apply(put).now_or_never().ok_or("the calling thread does the work")?;
/// assert_eq!(answer?, StepResult::Written(1));
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "sqlite")]
pub fn open_file(
    path: &Path,
    durability: Durability,
    store_thread: StoreThread,
    witness: Option<Arc<dyn Witness>>,
) -> Result<Arc<dyn StateStore>, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make(folder).map_err(|error| {
            StoreError::Unavailable(format!("the folder `{}` cannot be made: {error}", folder.display()))
        })?;
    }
    let mut options = SqliteOptions::new(path).durability(durability);
    if let Some(witness) = witness {
        options = options.witnessed_by(witness);
    }
    Ok(Arc::new(match store_thread {
        StoreThread::AtOnce => options.blocking().open_later()?,
        // The first operation may come from inside a runtime.
        StoreThread::Later => options.open_later()?,
    }))
}

#[cfg(feature = "sqlite")]
fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The thread that does the work of a store in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreThread {
    /// A separate thread: for services, whose runtime must not wait for a disk.
    #[default]
    Later,
    /// The calling thread: for programs that do one thing at a time and end.
    AtOnce,
}

/// Returns an error, because this build has no engine for files.
///
/// # Errors
/// Returns `Unavailable` always.
#[cfg(not(feature = "sqlite"))]
pub fn open_file(
    _path: &Path,
    _durability: Durability,
    _store_thread: StoreThread,
    _witness: Option<Arc<dyn Witness>>,
) -> Result<Arc<dyn StateStore>, StoreError> {
    Err(left_out("sqlite"))
}

/// Clock, timer and randomness for an engine.
#[derive(Clone)]
pub struct World {
    /// Measures elapsed time.
    pub clock: Arc<dyn Clock>,
    /// Waits.
    pub timer: Arc<dyn Timer>,
    /// Makes the ids of leases and epochs.
    pub random: Arc<dyn Random>,
}

/// Opens the store on the server that `config` names. With [`StoreThread::Later`], for a service, leases are
/// kept in this process, and [`AwaySettings`] apply while the server is unavailable. With
/// [`StoreThread::AtOnce`], for a program that ends soon, each operation asks the server. A store other than
/// the one that `witness` remembers is refused.
///
/// # Errors
/// Returns an error if the URL is invalid, no tokio runtime is entered, or this build has no engine for it.
#[cfg(feature = "redis")]
pub fn open_redis(
    config: &StoreConfig,
    world: World,
    store_thread: StoreThread,
    witness: Option<Arc<dyn Witness>>,
) -> Result<Arc<dyn StateStore>, StoreError> {
    let redis = redis(config, &world, witness)?;
    let World { clock, timer, random } = world;
    redis.record_losses();
    if store_thread == StoreThread::AtOnce {
        return Ok(Arc::new(redis));
    }
    let away = config.away.clone().unwrap_or_default();
    let background = OnRuntime(tokio::runtime::Handle::current());
    let settings = away_settings(config.stale_after, &away);
    if away.spend == AwaySpend::Close {
        return Ok(kept(Away::new(redis, settings, clock, &*random), timer, &background));
    }
    let leased = Leased::new(redis, LeaseSettings::default(), Arc::clone(&clock), Arc::clone(&random));
    let leased = leased.returning_on(Arc::new(background.clone()));
    background.run(HookFuture::later(leased.keep(Arc::clone(&timer))));
    Ok(kept(Away::new(leased, settings, clock, &*random), timer, &background))
}

#[cfg(feature = "redis")]
fn redis(
    config: &StoreConfig,
    world: &World,
    witness: Option<Arc<dyn Witness>>,
) -> Result<Redis, StoreError> {
    let mut settings = RedisSettings::new(config.url.as_deref().unwrap_or_default());
    settings.prefix = config.prefix.clone().unwrap_or(settings.prefix);
    settings.timeout = config.timeout.unwrap_or(settings.timeout);
    settings.settle = config.settle.unwrap_or(settings.settle);
    let World { clock, timer, random } = world.clone();
    let redis = Redis::new(settings, clock, timer, random)?;
    if let Some(witness) = witness {
        redis.witnessed_by(witness);
    }
    Ok(redis)
}

/// Accepts the store on the server that `config` names, although `witness` remembers another one. Returns the
/// reason why it was refused; `None` if it was not refused.
///
/// # Errors
/// Returns the errors of [`open_redis`]; also an error if the server does not answer.
#[cfg(feature = "redis")]
pub async fn accept_redis_loss(
    config: &StoreConfig,
    world: World,
    witness: Arc<dyn Witness>,
) -> Result<Option<String>, StoreError> {
    redis(config, &world, Some(witness))?.accept_loss().await
}

/// Returns the place of the store that `config` names: server, database and prefix, without a password.
///
/// ```
/// use hooks_store::{Engine, StoreConfig, redis_place};
///
/// let url = Some("redis://ada:secret@cache.example.org:6380/2".to_owned());
/// let config = StoreConfig { engine: Engine::Redis, url, ..StoreConfig::default() };
/// let place = redis_place(&config);
/// assert!(place.contains("cache.example.org:6380") && !place.contains("secret"), "{place}");
/// ```
#[cfg(feature = "redis")]
pub fn redis_place(config: &StoreConfig) -> String {
    let settings = RedisSettings::new(config.url.as_deref().unwrap_or_default());
    let prefix = config.prefix.clone().unwrap_or(settings.prefix);
    match ::redis::Client::open(settings.url.as_str()) {
        Ok(client) => {
            let connection = client.get_connection_info();
            format!("{}/{} {prefix}", connection.addr(), connection.redis_settings().db())
        }
        Err(_) => prefix,
    }
}

#[cfg(feature = "redis")]
fn kept<S: StateStore + 'static>(
    store: Away<S>,
    timer: Arc<dyn Timer>,
    background: &OnRuntime,
) -> Arc<dyn StateStore> {
    background.run(HookFuture::later(store.keep(timer)));
    Arc::new(store)
}

#[cfg(feature = "redis")]
fn away_settings(stale_after: Option<Duration>, config: &AwayConfig) -> AwaySettings {
    let mut settings = AwaySettings::default();
    settings.sets = stale_after.unwrap_or(settings.sets);
    settings.rates = match config.rates {
        AwayRates::Share => Rates::Share(config.instances.unwrap_or(1)),
        AwayRates::Close => Rates::Closed,
    };
    settings.values = match config.breakers {
        AwayBreakers::Local => Values::Local,
        AwayBreakers::Close => Values::Closed,
    };
    settings
}

/// Renews leases, and returns them when the store is dropped, on the runtime that was entered when it was
/// opened.
#[cfg(feature = "redis")]
#[derive(Clone)]
struct OnRuntime(tokio::runtime::Handle);

#[cfg(feature = "redis")]
impl Background for OnRuntime {
    fn run(&self, work: HookFuture<'static, ()>) {
        drop(self.0.spawn(work));
    }
}

/// Returns an error, because this build has no engine for a server.
///
/// # Errors
/// Returns `Unavailable` always.
#[cfg(not(feature = "redis"))]
pub fn open_redis(
    _config: &StoreConfig,
    _world: World,
    _store_thread: StoreThread,
    _witness: Option<Arc<dyn Witness>>,
) -> Result<Arc<dyn StateStore>, StoreError> {
    Err(left_out("redis"))
}

/// Returns an error, because this build has no engine for a server.
///
/// # Errors
/// Returns `Unavailable` always.
#[cfg(not(feature = "redis"))]
pub async fn accept_redis_loss(
    _config: &StoreConfig,
    _world: World,
    _witness: Arc<dyn Witness>,
) -> Result<Option<String>, StoreError> {
    Err(left_out("redis"))
}

/// Returns the place of the store that `config` names: its prefix.
#[cfg(not(feature = "redis"))]
pub fn redis_place(config: &StoreConfig) -> String {
    config.prefix.clone().unwrap_or_default()
}

#[cfg(not(all(feature = "redis", feature = "sqlite")))]
fn left_out(feature: &str) -> StoreError {
    StoreError::Unavailable(format!("this build has no engine for it; build with the feature `{feature}`"))
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}
