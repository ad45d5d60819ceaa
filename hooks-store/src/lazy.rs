//! A store that is opened on first use.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::HookFuture;
use hooks_core::state::{Op, StateStore, StepResult, StoreError};

type Open = dyn Fn() -> Result<Arc<dyn StateStore>, StoreError> + Send + Sync;

/// Opens a store with its first operation, so that hooks that never count never open one. An error of opening
/// is returned by the operation; the next operation tries again.
///
/// ```
/// use futures_util::FutureExt as _;
/// use hooks_core::state::{Op, StateStore, StoreError};
/// use hooks_store::LazyStore;
///
/// let store = LazyStore::new(|| Err(StoreError::Unavailable("the disk is not mounted".to_owned())));
/// // The error comes with the first operation, not before.
/// let answer = store.apply(Op::Now).now_or_never().expect("it answers at once");
/// assert_eq!(answer.unwrap_err().to_string(), "the state store cannot be reached: the disk is not mounted");
/// ```
pub struct LazyStore {
    open: Box<Open>,
    store: Mutex<Option<Arc<dyn StateStore>>>,
}

impl LazyStore {
    /// A store that is opened by calling `open`.
    pub fn new(open: impl Fn() -> Result<Arc<dyn StateStore>, StoreError> + Send + Sync + 'static) -> Self {
        Self { open: Box::new(open), store: Mutex::default() }
    }

    fn store(&self) -> Result<Arc<dyn StateStore>, StoreError> {
        // The lock is held while the store opens, so that it is opened once.
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*store {
            return Ok(Arc::clone(store));
        }
        let opened = (self.open)()?;
        *store = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

impl StateStore for LazyStore {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        match self.store() {
            Ok(store) => store.apply(op),
            Err(error) => HookFuture::now(Err(error)),
        }
    }

    fn together(&self, ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<StepResult>, StoreError>>> {
        match self.store() {
            Ok(store) => store.together(ops),
            Err(error) => Some(HookFuture::now(Err(error))),
        }
    }

    fn is_untouched(&self) -> bool {
        self.store().is_ok_and(|store| store.is_untouched())
    }

    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        // A store that was never used is not opened just to be closed.
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner).clone();
        store.map_or_else(|| HookFuture::now(Ok(())), |store| store.close())
    }
}

impl fmt::Debug for LazyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_open = self.store.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        f.debug_struct("LazyStore").field("is_open", &is_open).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hooks_core::state::Memory;
    use hooks_core::time::StoppedClock;

    use super::*;

    #[test]
    fn it_is_opened_once_and_tried_again_after_an_error() {
        let opened = Arc::new(AtomicUsize::new(0));
        let store = LazyStore::new({
            let opened = Arc::clone(&opened);
            move || match opened.fetch_add(1, Ordering::Relaxed) {
                0 => Err(StoreError::Unavailable("not yet".into())),
                _ => Ok(Arc::new(Memory::new(Arc::new(StoppedClock::default()))) as Arc<dyn StateStore>),
            }
        });
        assert_eq!(opened.load(Ordering::Relaxed), 0);
        let ask = || match store.apply(Op::Now) {
            HookFuture::Now(answer) => answer.unwrap(),
            HookFuture::Later(_) => panic!("memory answers at once"),
        };
        assert!(ask().is_err());
        assert!(ask().is_ok() && ask().is_ok());
        assert_eq!(opened.load(Ordering::Relaxed), 2);
    }
}
