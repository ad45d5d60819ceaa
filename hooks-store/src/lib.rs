//! Engines of [`StateStore`](hooks_core::state::StateStore) that several processes can share.
//!
//! Each engine answers like [`State::step`](hooks_core::state::State::step), the specification in
//! `hooks-core`. The engine for a single process is in `hooks-core` too.
//!
//! The same code serves every engine. Here, two services count to a limit in one store:
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_core::state::{StepResult, Key, Memory, Op, OpId, Scope, StateStore};
//! use hooks_core::time::{SeededRandom, StoppedClock};
//! use hooks_store::{LeaseSettings, Leased};
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let clock = Arc::new(StoppedClock::default());
//! let shared = Arc::new(Memory::new(clock.clone()));
//! let service = |seed| {
//!     let random = Arc::new(SeededRandom::new(seed));
//!     Leased::new(shared.clone(), LeaseSettings::default(), clock.clone(), random)
//! };
//! let reserve = |id, amount| {
//!     let scopes = Arc::from([Scope::spent(Key::new(Some("acme"), &["tokens"]), 100)]);
//!     Op::Reserve { id: OpId(id), scopes, amount, ttl: Duration::from_secs(60) }
//! };
//! let (first, second) = (service(1), service(2));
//! assert_eq!(first.apply(reserve(1, 60)).await?, StepResult::Done);
//! let refused = second.apply(reserve(2, 60)).await?;
//! assert_eq!(refused, StepResult::Refused { scope: 0, used: 60, limit: 100 });
//! # Ok::<(), hooks_core::state::StoreError>(())
//! # }).expect("memory answers at once").expect("it has room");
//! ```

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
