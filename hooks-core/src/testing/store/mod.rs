//! The test that every engine of [`StateStore`](crate::state::StateStore) must pass: to the same operations
//! at the same times, it answers like [`State::step`](crate::state::State::step).
//!
//! Answers depend on the time, so an engine must accept a clock of the test ([`HandClock`]). The test takes a
//! few lines:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::state::Memory;
//! use hooks_core::testing::{HandClock, agree, on_random_histories};
//!
//! on_random_histories(16, |history| {
//!     let clock = Arc::new(HandClock::default());
//!     let engine = Memory::new(clock.clone());
//!     // An engine that answers later is waited for by the runtime it needs.
//!     tokio_test::block_on(agree(&engine, &clock, &history))
//! });
//! ```

mod agree;
mod history;
mod operations;

pub use self::agree::{HandClock, agree, on_random_histories};
pub use self::history::{Message, any_history};
