//! Opens what a configuration names; an engine that was left out of this build is an error that says so.

use std::path::Path;
use std::sync::Arc;

use hooks_core::Background;
#[cfg(feature = "redis")]
use hooks_core::HookFuture;
use hooks_core::state::{StateStore, StoreError};
use hooks_core::time::{Clock, Random, Timer};

use crate::config::{Durability, StoreConfig};
#[cfg(feature = "redis")]
use crate::redis::{Redis, RedisSettings};
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteOptions;
#[cfg(feature = "redis")]
use crate::{Away, AwaySettings, LeaseSettings, Leased};

/// The store in the file at `path`, made where it is not there, and its folder with it, for its user alone. Where
/// `answering` is [`Answering::AtOnce`], whoever asks does the work; else a thread does.
///
/// # Errors
/// The file cannot be used, or this build has no engine for it.
#[cfg(feature = "sqlite")]
pub fn open_file(
    path: &Path,
    durability: Durability,
    answering: Answering,
) -> Result<Arc<dyn StateStore>, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make(folder).map_err(|error| {
            StoreError::Unavailable(format!("the folder `{}` cannot be made: {error}", folder.display()))
        })?;
    }
    let options = SqliteOptions::new(path).durability(durability);
    Ok(Arc::new(match answering {
        Answering::AtOnce => options.blocking().open()?,
        Answering::Later => options.open()?,
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

/// Who does the work of a store in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answering {
    /// A thread of its own: for services, whose runtime must not wait for a disk.
    #[default]
    Later,
    /// Whoever asks: for programs that do one thing at a time and end.
    AtOnce,
}

/// The store in the file at `path`.
///
/// # Errors
/// This build has no engine for it.
#[cfg(not(feature = "sqlite"))]
pub fn open_file(
    _path: &Path,
    _durability: Durability,
    _answering: Answering,
) -> Result<Arc<dyn StateStore>, StoreError> {
    Err(left_out("sqlite"))
}

/// The store on the server that `config` names. Where there is a `background`, budgets are leased ([`Leased`]), and it
/// gives the leases back in the end: for services. Programs that do one thing and end have none.
///
/// # Errors
/// The address cannot be used, no tokio runtime is entered, or this build has no engine for it.
#[cfg(feature = "redis")]
pub fn open_redis(
    config: &StoreConfig,
    clock: &Arc<dyn Clock>,
    timer: &Arc<dyn Timer>,
    random: &Arc<dyn Random>,
    background: Option<Arc<dyn Background>>,
) -> Result<Arc<dyn StateStore>, StoreError> {
    let Some(url) = &config.url else {
        return Err(StoreError::Unavailable("the engine `redis` needs a server; set `store.url`".to_owned()));
    };
    let mut settings = RedisSettings::new(url);
    if let Some(prefix) = &config.prefix {
        settings = settings.with_prefix(prefix);
    }
    let mut away = AwaySettings::default();
    if let Some(stale_after) = config.stale_after {
        away = away.with_sets(stale_after);
    }
    let redis = Redis::new(settings, Arc::clone(clock), Arc::clone(timer), Arc::clone(random))?;
    let Some(background) = background else {
        return Ok(Arc::new(Away::new(redis, away, Arc::clone(clock), &**random)));
    };
    let leased = Leased::new(redis, LeaseSettings::default(), Arc::clone(clock), Arc::clone(random));
    let leased = leased.returning_on(Arc::clone(&background));
    background.run(HookFuture::later(leased.keep(Arc::clone(timer))));
    let store = Away::new(leased, away, Arc::clone(clock), &**random);
    background.run(HookFuture::later(store.keep(Arc::clone(timer))));
    Ok(Arc::new(store))
}

/// The store on the server that `config` names.
///
/// # Errors
/// This build has no engine for it.
#[cfg(not(feature = "redis"))]
pub fn open_redis(
    _config: &StoreConfig,
    _clock: &Arc<dyn Clock>,
    _timer: &Arc<dyn Timer>,
    _random: &Arc<dyn Random>,
    _background: Option<Arc<dyn Background>>,
) -> Result<Arc<dyn StateStore>, StoreError> {
    Err(left_out("redis"))
}

#[cfg(not(all(feature = "redis", feature = "sqlite")))]
fn left_out(feature: &str) -> StoreError {
    StoreError::Unavailable(format!("this build has no engine for it; build with the feature `{feature}`"))
}
