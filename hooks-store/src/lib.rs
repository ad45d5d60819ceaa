//! Engines of [`StateStore`](hooks_core::state::StateStore) beyond one process.
//!
//! Each answers like [`State::step`](hooks_core::state::State::step), the specification in `hooks-core`, which also
//! has the engine for one process.

mod by_hand;
pub mod config;
mod lazy;
mod open;
#[cfg(feature = "sqlite")]
pub mod sqlite;

pub use self::by_hand::{ByHand, Change, Listed};
pub use self::config::{Durability, Engine, StoreConfig, StoreFault};
pub use self::lazy::LazyStore;
pub use self::open::{Answering, open_file, open_redis};
#[cfg(feature = "sqlite")]
pub use self::sqlite::SqliteStore;
