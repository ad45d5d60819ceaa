//! Identity of a store, which distinguishes a new store from the one used before.
//!
//! A store is new if its files were deleted or its server was emptied: nothing is spent there and no agent is
//! locked out. So a [`Witness`] remembers the identity outside the store. If an engine finds another
//! identity, or no store although one was used, it refuses with [`StoreError::Closed`] until an operator
//! accepts the loss.

use std::fmt;
use std::sync::Arc;

use hooks_core::state::StoreError;

/// Identity of a store: drawn at random when the store is created.
///
/// ```
/// use hooks_store::StoreId;
///
/// let used_before = StoreId::new("7f3a");
/// assert_eq!(used_before.as_str(), "7f3a");
/// assert_ne!(StoreId::new("c019"), used_before, "another store is in its place");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreId(Arc<str>);

impl StoreId {
    /// An identity from its text.
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

/// Remembers the identity of a store, outside that store.
///
/// An engine calls it after the store was created and before anything is granted. If the process is killed in
/// between, the store that is left has no counts.
///
/// ```
/// use std::sync::Mutex;
/// use hooks_core::state::StoreError;
/// use hooks_store::{StoreId, Witness};
///
/// #[derive(Default)]
/// struct InMemory(Mutex<Option<StoreId>>);
///
/// impl Witness for InMemory {
///     fn known(&self) -> Result<Option<StoreId>, StoreError> {
///         Ok(self.0.lock().expect("no panic").clone())
///     }
///
///     fn remember(&self, id: &StoreId) -> Result<(), StoreError> {
///         *self.0.lock().expect("no panic") = Some(id.clone());
///         Ok(())
///     }
/// }
///
/// let witness = InMemory::default();
/// assert_eq!(witness.known()?, None);
/// witness.remember(&StoreId::new("a1"))?;
/// assert_eq!(witness.known()?, Some(StoreId::new("a1")));
/// # Ok::<(), StoreError>(())
/// ```
pub trait Witness: Send + Sync {
    /// Returns the identity of the store that was used last; `None` before the first use.
    ///
    /// # Errors
    /// Returns an error if the identity cannot be read; `Closed` if it is damaged.
    fn known(&self) -> Result<Option<StoreId>, StoreError>;

    /// Remembers `id` from now on.
    ///
    /// # Errors
    /// Returns an error if the identity cannot be written.
    fn remember(&self, id: &StoreId) -> Result<(), StoreError>;
}

/// Message for the operator if the store that was used is `gone`, which is a phrase such as "is not there".
#[cfg(any(feature = "redis", feature = "sqlite"))]
pub(crate) fn lost(place: &str, known: &StoreId, gone: &str) -> String {
    format!(
        "the store `{known}` was used at `{place}`, and {gone}. What it knew of budgets and lockouts is lost: put it back, or \
         look at what was spent and accept the loss with `hooks state accept-loss`"
    )
}
