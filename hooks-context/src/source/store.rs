//! A value of the state store as a source.

use std::sync::Arc;

use hooks_core::state::{Key, Op, StateStore, StepResult};
use hooks_core::{BoxError, HookFuture};

use super::{Ask, ContextSource, Item, Section};

/// A value of the state store, as one entry. A missing value gives no entry.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::source::{Ask, ContextSource, Moment, StoreSource};
/// use hooks_core::HookContext;
/// use hooks_core::state::{Key, Memory, Op, StateStore};
/// use hooks_core::time::StoppedClock;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::BoxError> {
/// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
/// let key = Key::new(Some("acme"), &["notice"]);
/// let notice = StoreSource::new("notice", store.clone(), key.clone());
/// let ask = Arc::new(Ask::new(Arc::new(HookContext::new("s", "backend")), "backend", Moment::Turn));
/// assert!(notice.load(&ask).await?.items.is_empty());
/// store.apply(Op::Put { key, value: "The build is red.".into(), ttl: None }).await?;
/// assert_eq!(notice.load(&ask).await?.items[0].text, "The build is red.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct StoreSource {
    name: String,
    store: Arc<dyn StateStore>,
    key: Key,
}

impl StoreSource {
    /// Makes a source of the value at `key`.
    pub fn new(name: impl Into<String>, store: Arc<dyn StateStore>, key: Key) -> Self {
        Self { name: name.into(), store, key }
    }
}

impl ContextSource for StoreSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn load(&self, _ask: &Arc<Ask>) -> HookFuture<'static, Result<Section, BoxError>> {
        let pending = self.store.apply(Op::Get { key: self.key.clone() });
        let title = self.name.clone();
        HookFuture::later(async move {
            let items = match pending.await? {
                StepResult::Value(Some((value, _))) if !value.trim().is_empty() => vec![Item::new(&value)],
                _ => Vec::new(),
            };
            Ok(Section::new(title, items))
        })
    }
}

impl std::fmt::Debug for StoreSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreSource")
            .field("name", &self.name)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}
