//! Shared state: counters, holds, limits, flags. Policies own none, so a reload resets nothing.
//!
//! One pure machine ([`State::step`]) is the specification; engines implement [`StateStore`] and answer like it.
//! Every operation is one atomic call, idempotent by the id its client chose, so that it may be sent again
//! after a lost answer. [`Memory`] is the engine for one process.

mod key;
mod machine;
mod memory;
mod operation;
mod scope;

use std::sync::Arc;

pub use self::key::{Key, OpId};
pub use self::machine::{LATEST, MAX_MICROS, REMEMBERED, State, pace_in_micros};
pub use self::memory::Memory;
pub use self::operation::{Answer, Charged, Member, Op};
pub use self::scope::{MAX_AMOUNT, Scope, ScopeKind, Window};

use crate::future::HookFuture;

/// Keeps state and changes it atomically.
///
/// An engine that is in this process answers at once ([`HookFuture::Now`]) and does not allocate on the path of
/// a counter that exists; others answer later.
pub trait StateStore: Send + Sync {
    /// Does one operation.
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>>;

    /// A session ended. An engine with a bound forgets what its operations named first; a session that goes on all the
    /// same is counted on as long as there is room.
    ///
    /// An engine that keeps what it counts on a disk has nothing to do.
    fn session_ended(&self, _tenant: Option<&str>, _session: &str) {}

    /// Tells what is still to be told, and gives back what this process has of the store ahead of its use: leases. It
    /// can be asked afterwards as well; a host does this before it ends.
    ///
    /// An engine that keeps nothing back has nothing to do.
    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        HookFuture::now(Ok(()))
    }
}

impl<S: StateStore + ?Sized> StateStore for Arc<S> {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        (**self).apply(op)
    }

    fn session_ended(&self, tenant: Option<&str>, session: &str) {
        (**self).session_ended(tenant, session);
    }

    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        (**self).close()
    }
}

/// Why a store could not answer. What that means is the asker's rule; for money it is "closed".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be reached.
    #[error("the state store cannot be reached: {0}")]
    Unavailable(String),
    /// What it knew is lost or damaged, and it stays closed until a person says so.
    #[error("the state store is closed: {0}")]
    Closed(String),
    /// It keeps as many counters as it has room for, and none of them may be forgotten yet.
    #[error(
        "the state store has no room for another session: it keeps {names} counters in memory; end sessions that are \
         over, give it more room (`store.names`), or keep state in a file"
    )]
    Full {
        /// How many it keeps.
        names: usize,
    },
    /// It does not know this operation.
    #[error("the state store does not support this operation")]
    Unsupported,
}
