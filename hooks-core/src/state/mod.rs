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

    /// Does several operations in order, each of them one atomic step; `None` where this engine has no cheaper way than
    /// one after the other. [`both`] asks either way.
    ///
    /// Where it fails, each of them is done or not, as where an answer is lost: it may be sent again.
    fn together(&self, _ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<Answer>, StoreError>>> {
        None
    }

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

    fn together(&self, ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<Answer>, StoreError>>> {
        (**self).together(ops)
    }

    fn session_ended(&self, tenant: Option<&str>, session: &str) {
        (**self).session_ended(tenant, session);
    }

    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        (**self).close()
    }
}

/// Does two operations in order, each of them one atomic step, at once where the engine can.
///
/// # Errors
/// Returns the error of the store. Each of the two is done or not then.
pub async fn both<S: StateStore + ?Sized>(store: &S, ops: [Op; 2]) -> Result<[Answer; 2], StoreError> {
    if let Some(answers) = store.together(&ops) {
        let wrong = |_| StoreError::Unavailable("it did not answer each of two operations".to_owned());
        return answers.await?.try_into().map_err(wrong);
    }
    let [first, second] = ops;
    Ok([store.apply(first).await?, store.apply(second).await?])
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
         over, or keep state in a file (`store`)"
    )]
    Full {
        /// How many it keeps.
        names: usize,
    },
    /// It does not know this operation.
    #[error("the state store does not support this operation")]
    Unsupported,
}
