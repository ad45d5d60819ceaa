//! Opens what a configuration names; an engine that was left out of this build is an error that says so.

use std::path::Path;
use std::sync::Arc;

use hooks_core::state::{StateStore, StoreError};

use crate::config::{Durability, StoreConfig};

/// The store in the file at `path`, made where it is not there.
///
/// # Errors
/// The file cannot be used, or this build has no engine for it.
pub fn open_file(path: &Path, durability: Durability) -> Result<Arc<dyn StateStore>, StoreError> {
    let _ = (path, durability);
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
