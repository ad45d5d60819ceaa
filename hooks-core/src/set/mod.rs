//! Dynamic sets of hooks, and the functions that ask them.
//!
//! [`Hooks`] has one [`Slot`] per event; [`HooksProvider`] is its object-safe interface; [`Composite`] chains
//! providers; [`Live`] swaps a whole set while calls are in flight. A driver asks a provider with two
//! functions: [`conclude`](fn@conclude) about events that hooks decide, and [`tell`] about the others. A
//! driver that does something between the steps, such as asking the user, calls [`decide`](fn@decide),
//! [`reserve`](fn@reserve) and [`observe`](fn@observe) itself. [`Bound`] is for hosts that do not use tower.

mod bound;
mod builder;
mod chain;
mod close;
mod composite;
mod hooks;
mod live;
mod provider;
mod question;
mod slot;
mod span;

pub use self::bound::Bound;
pub use self::builder::{HooksBuilder, HooksConfig};
pub use self::close::{Close, CloseError};
pub use self::composite::Composite;
pub use self::hooks::Hooks;
pub use self::live::Live;
pub(crate) use self::live::Snapshot;
pub use self::provider::{DecidingEvent, HooksProvider, InformingEvent, Prepared};
pub use self::question::{Ending, EventDecision, conclude, conclude_decided, decide, observe, reserve, tell};
pub(crate) use self::slot::guarded_verdict;
pub use self::slot::{Explained, Slot};
