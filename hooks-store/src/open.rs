//! Opens what a configuration names; an engine that was left out of this build is an error that says so.

use std::path::Path;
use std::sync::Arc;

use hooks_core::state::{StateStore, StoreError};

use crate::config::{Durability, StoreConfig};
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteOptions;

/// The store in the file at `path`, made where it is not there, and the folder with it.
///
/// # Errors
/// The file cannot be used, or this build has no engine for it.
#[cfg(feature = "sqlite")]
pub fn open_file(path: &Path, durability: Durability) -> Result<Arc<dyn StateStore>, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| {
            StoreError::Unavailable(format!("the folder `{}` cannot be made: {error}", folder.display()))
        })?;
    }
    Ok(Arc::new(SqliteOptions::new(path).durability(durability).open()?))
}

/// The store in the file at `path`.
///
/// # Errors
/// This build has no engine for it.
#[cfg(not(feature = "sqlite"))]
pub fn open_file(_path: &Path, _durability: Durability) -> Result<Arc<dyn StateStore>, StoreError> {
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
