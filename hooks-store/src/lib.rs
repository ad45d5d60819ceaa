//! Engines of [`StateStore`](hooks_core::state::StateStore) beyond one process.
//!
//! Each answers like [`State::step`](hooks_core::state::State::step), the specification in `hooks-core`, which also
//! has the engine for one process.

#[cfg(feature = "redis")]
pub mod redis;
mod watch;

pub use self::watch::{Asleep, Wakes, watch, watch_woken};
