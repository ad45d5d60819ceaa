//! Engines of [`StateStore`](hooks_core::state::StateStore) that several processes can share.
//!
//! Each engine answers like [`State::step`](hooks_core::state::State::step), the specification in
//! `hooks-core`. The engine for a single process is in `hooks-core` too.

mod away;
mod by_hand;
pub mod config;
mod identity;
mod lazy;
mod leased;
mod open;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod watch;

pub use self::away::{Away, AwaySettings, Rates, Values};
pub use self::by_hand::{ByHand, Change, Listed};
pub use self::config::{
    AwayBreakers, AwayConfig, AwayRates, AwaySpend, Durability, Engine, StoreConfig, StoreFault,
};
pub use self::identity::{StoreId, Witness};
pub use self::lazy::LazyStore;
pub use self::leased::{LeaseSettings, Leased};
pub use self::open::{StoreThread, World, accept_redis_loss, open_file, open_redis, redis_place};
#[cfg(feature = "redis")]
pub use self::redis::Redis;
#[cfg(feature = "sqlite")]
pub use self::sqlite::SqliteStore;
pub use self::watch::{Asleep, Wakes, watch, watch_woken};
