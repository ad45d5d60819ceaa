//! The stores that the script runs against.

use std::path::Path;
use std::sync::Arc;

use hooks_core::state::{Memory, StateStore};
use hooks_store::sqlite::SqliteOptions;

use super::redis::Hosted;
use crate::error::{Error, Result};

/// A store engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Memory,
    Embedded,
    Redis,
}

impl Engine {
    /// The engine with this name.
    ///
    /// # Errors
    /// Returns an error if the name is unknown.
    pub(super) fn from_name(name: &str) -> Result<Self> {
        match name {
            "memory" => Ok(Self::Memory),
            "embedded" => Ok(Self::Embedded),
            "redis" => Ok(Self::Redis),
            other => Err(Error::new(format!("unknown engine `{other}`; known are memory, embedded, redis"))),
        }
    }

    /// The name of the engine.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Embedded => "embedded",
            Self::Redis => "redis",
        }
    }

    /// The default number of operations.
    pub(super) fn operations(self) -> u64 {
        match self {
            Self::Memory => 10_000_000,
            Self::Embedded | Self::Redis => 1_000_000,
        }
    }

    /// Opens the store that the processes of one run share through the folder.
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened.
    pub(super) fn open(self, folder: &Path) -> Result<Arc<dyn StateStore>> {
        match self {
            Self::Memory => Ok(Arc::new(Memory::new(hooks::system().clock))),
            Self::Embedded => match SqliteOptions::new(folder.join("state.db")).open() {
                Ok(store) => Ok(Arc::new(store)),
                Err(error) => Err(Error::doing("the store", error)),
            },
            Self::Redis => Ok(Arc::new(Hosted::open(folder)?)),
        }
    }
}
