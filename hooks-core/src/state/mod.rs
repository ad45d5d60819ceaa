//! Shared state: counters, reservations, values and sets. Policies own no state, so a reload resets nothing.
//!
//! One pure state machine ([`State::step`]) is the specification; engines implement [`StateStore`] and must
//! give the same answers. Every operation is one atomic call. It is idempotent by an id that the client
//! chooses, so a client may send it again after a lost answer. [`Memory`] is the engine for one process.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_core::state::{StepResult, Key, Memory, Op, OpId, Scope, StateStore, Window};
//! use hooks_core::time::StoppedClock;
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let store = Memory::new(Arc::new(StoppedClock::default()));
//! let scope = Scope::spent(Key::new(Some("acme"), &["tokens"]), 100).per(Window::DAY);
//! let reserve = |call: &str, amount| Op::Reserve {
//!     id: OpId::from_parts(&[call]),
//!     scopes: Arc::from([scope.clone()]),
//!     amount,
//!     ttl: Duration::from_secs(60),
//! };
//! assert_eq!(store.apply(reserve("call-1", 70)).await?, StepResult::Done);
//! assert_eq!(store.apply(reserve("call-1", 70)).await?, StepResult::Done); // the same id counts once
//! let refused = store.apply(reserve("call-2", 40)).await?;
//! assert_eq!(refused, StepResult::Refused { scope: 0, used: 70, limit: 100 });
//!
//! // The call used less than it reserved, so the next one fits.
//! store.apply(Op::Settle { id: OpId::from_parts(&["call-1"]), actual: 20 }).await?;
//! assert_eq!(store.apply(reserve("call-3", 40)).await?, StepResult::Done);
//! # Ok::<(), hooks_core::state::StoreError>(())
//! # }).expect("memory answers at once").expect("it has room");
//! ```

mod key;
mod lineage;
mod machine;
mod memory;
mod operation;
mod scope;

use std::fmt;
use std::sync::Arc;

pub use self::key::{Key, OpId};
pub use self::lineage::Lineage;
pub use self::machine::{LATEST, MAX_MICROS, REMEMBERED, State, pace_in_micros};
pub use self::memory::Memory;
pub use self::operation::{Charged, Member, Op, StepResult};
pub use self::scope::{MAX_AMOUNT, Scope, ScopeKind, Window};

use crate::future::HookFuture;

/// Stores state and changes it atomically.
///
/// An in-process engine answers at once ([`HookFuture::Now`]) and does not allocate for operations on an
/// existing counter; other engines answer later. If the store returns an error, its caller decides what the
/// error means.
pub trait StateStore: Send + Sync {
    /// Does one operation.
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>>;

    /// Does several operations in order, each as one atomic step. `None` if this engine has no cheaper way than one
    /// [`apply`](Self::apply) after the other; [`both`] handles either case.
    ///
    /// If the store returns an error, any of the operations may have been done. Each may be sent again.
    fn together(&self, _ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<StepResult>, StoreError>>> {
        None
    }

    /// Whether it is certain, without an operation, that the store never held anything. Then reading from it can be left
    /// out. False if the engine does not know.
    fn is_untouched(&self) -> bool {
        false
    }

    /// Reports that a session ended. A bounded engine drops the names of ended sessions first. If the session
    /// continues nevertheless, its counters stay as long as there is room.
    ///
    /// An engine that stores its counters on disk ignores this.
    fn session_ended(&self, _tenant: Option<&str>, _session: &str) {}

    /// Sends outstanding messages to the store, and gives back the leases of this process. A host calls it
    /// before it ends; operations are still possible afterwards.
    ///
    /// An engine without such messages or leases does nothing.
    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        HookFuture::now(Ok(()))
    }
}

impl<S: StateStore + ?Sized> StateStore for Arc<S> {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        (**self).apply(op)
    }

    fn together(&self, ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<StepResult>, StoreError>>> {
        (**self).together(ops)
    }

    fn is_untouched(&self) -> bool {
        (**self).is_untouched()
    }

    fn session_ended(&self, tenant: Option<&str>, session: &str) {
        (**self).session_ended(tenant, session);
    }

    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        (**self).close()
    }
}

/// Does two operations in order, each as one atomic step, in one request if the engine supports it.
///
/// # Errors
/// Returns the error of the store. Either operation may have been done then.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::state::{StepResult, Key, Memory, Op, both};
/// use hooks_core::time::StoppedClock;
///
/// # futures_util::FutureExt::now_or_never(async {
/// let store = Memory::new(Arc::new(StoppedClock::default()));
/// let key = Key::new(None, &["mode"]);
/// let put = Op::Put { key: key.clone(), value: "strict".into(), ttl: None };
/// let [written, read] = both(&store, [put, Op::Get { key }]).await.expect("it has room");
/// assert_eq!(written, StepResult::Written(1));
/// assert_eq!(read, StepResult::Value(Some(("strict".into(), 1))));
/// # }).expect("memory answers at once");
/// ```
pub async fn both<S: StateStore + ?Sized>(store: &S, ops: [Op; 2]) -> Result<[StepResult; 2], StoreError> {
    if let Some(answers) = store.together(&ops) {
        let wrong = |_| StoreError::Unavailable("it did not answer each of two operations".to_owned());
        return answers.await?.try_into().map_err(wrong);
    }
    let [first, second] = ops;
    Ok([store.apply(first).await?, store.apply(second).await?])
}

/// The reason why a store could not answer. The caller decides what it means; for budgets, it means a denial.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be reached.
    Unavailable(String),
    /// Data was lost or damaged, and the store stays closed until an operator accepts the loss.
    Closed(String),
    /// The store is full, and no counter may be dropped yet.
    Full {
        /// Number of counters that the store keeps.
        names: usize,
    },
    /// The store does not support this operation.
    Unsupported,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => write!(f, "the state store cannot be reached: {why}"),
            Self::Closed(why) => write!(f, "the state store is closed: {why}"),
            Self::Full { names } => write!(
                f,
                "the state store has no room for another session: it keeps {names} counters in memory; end sessions \
                 that are over, give it more room (`store.names`), or keep state in a file"
            ),
            Self::Unsupported => f.write_str("the state store does not support this operation"),
        }
    }
}

impl std::error::Error for StoreError {}
