//! Opens what a configuration names; an engine that was left out of this build is an error that says so.

use std::path::Path;
use std::sync::Arc;

use hooks_core::state::{StateStore, StoreError};

use crate::config::{Durability, StoreConfig};
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteOptions;

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

/// The store on the server that `config` names.
///
/// # Errors
/// The address cannot be used, or this build has no engine for it.
pub fn open_redis(config: &StoreConfig) -> Result<Arc<dyn StateStore>, StoreError> {
    let _ = config;
    Err(left_out("redis"))
}

fn left_out(feature: &str) -> StoreError {
    StoreError::Unavailable(format!("this build has no engine for it; build with the feature `{feature}`"))
}
