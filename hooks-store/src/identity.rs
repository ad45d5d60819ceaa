//! Identity of a store, by which a new one is told from the one that was used before.
//!
//! A store whose files were deleted, or a server that was emptied, is new: nothing is spent there and no agent is locked out.
//! So the identity of a store is remembered apart from it, by a [`Witness`]. An engine that finds another identity, or
//! no store where one was used, refuses with [`StoreError::Closed`] until an operator accepts the loss.

use std::fmt;
use std::sync::Arc;

use hooks_core::state::StoreError;

/// Identity of a store: drawn at random when the store is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreId(Arc<str>);

impl StoreId {
    /// The identity that is written so.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// The identity as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Remembers the identity of a store, apart from that store.
///
/// An engine remembers the identity after the store was made and before it grants anything: a process that is killed in between
/// leaves a store in which nothing was counted.
pub trait Witness: Send + Sync {
    /// Returns the identity of the store that was used last; `None` before the first use.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, `Closed` if it is damaged.
    fn known(&self) -> Result<Option<StoreId>, StoreError>;

    /// Remembers `id` from now on.
    ///
    /// # Errors
    /// Returns an error if it cannot be written.
    fn remember(&self, id: &StoreId) -> Result<(), StoreError>;
}

/// What an operator is told where the store that was used is `gone`, in words such as "is not there".
pub(crate) fn lost(place: &str, known: &StoreId, gone: &str) -> String {
    format!(
        "the store `{known}` was used at `{place}`, and {gone}. What it knew of budgets and lockouts is lost: put it back, or \
         look at what was spent and accept the loss with `hooks state accept-loss`"
    )
}
