//! Counts of sessions in a store, for hosts in which each event has a process of its own.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::state::{Key, Op, OpId, StateStore, StepResult, StoreError};

use super::Counts;

/// Time that the counts of a session are kept after the last of its events.
const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 3_600);

/// Time until an empty value is removed.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(1);

/// The most tries to change counts that other processes change at the same time.
const MOST_TRIES: u32 = 64;

/// Counts of sessions, as all processes together made them. Without a store, they are zero.
#[derive(Clone, Default)]
pub(super) struct KeptCounts(Option<Arc<dyn StateStore>>);

impl KeptCounts {
    pub(super) fn in_store(store: Arc<dyn StateStore>) -> Self {
        Self(Some(store))
    }

    /// Adds `counts` to those of the session of `context`.
    pub(super) async fn add(&self, context: &HookContext, counts: &Counts) -> Result<(), StoreError> {
        let Some(store) = &self.0 else { return Ok(()) };
        for _ in 0..MOST_TRIES {
            let (mut sum, revision) = read(&**store, context).await?;
            sum.add(counts);
            let value = serde_json::to_string(&sum).unwrap_or_default().into();
            let (id, key) = (fresh_id(context), key(context));
            let op = Op::CompareAndSet { id, key, revision, value, ttl: Some(KEPT_FOR) };
            match store.apply(op).await? {
                StepResult::Written(_) => return Ok(()),
                StepResult::Conflict(_) => {}
                other => return Err(unexpected(&other)),
            }
        }
        Err(StoreError::Unavailable("other events of the session are counted all the time".to_owned()))
    }

    /// Returns the counts of the session of `context`.
    pub(super) async fn get(&self, context: &HookContext) -> Result<Counts, StoreError> {
        let Some(store) = &self.0 else { return Ok(Counts::default()) };
        Ok(read(&**store, context).await?.0)
    }

    /// Removes the counts of the session of `context`, so that another one with its id starts at zero.
    pub(super) async fn forget(&self, context: &HookContext) -> Result<(), StoreError> {
        let Some(store) = &self.0 else { return Ok(()) };
        if read(&**store, context).await?.1 == 0 {
            return Ok(());
        }
        let put = Op::Put { key: key(context), value: "".into(), ttl: Some(FORGOTTEN_AFTER) };
        store.apply(put).await.map(drop)
    }
}

impl fmt::Debug for KeptCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeptCounts").field(&self.0.is_some()).finish()
    }
}

/// Reads the counts, with their revision. Counts that cannot be parsed were written by another version, and start over.
async fn read(store: &dyn StateStore, context: &HookContext) -> Result<(Counts, u64), StoreError> {
    match store.apply(Op::Get { key: key(context) }).await? {
        StepResult::Value(Some((text, revision))) => {
            Ok((serde_json::from_str(&text).unwrap_or_default(), revision))
        }
        StepResult::Value(None) => Ok((Counts::default(), 0)),
        other => Err(unexpected(&other)),
    }
}

fn key(context: &HookContext) -> Key {
    Key::new(context.tenant.as_deref(), &["session_end", "counts", &context.session_id])
}

fn fresh_id(context: &HookContext) -> OpId {
    // Keeps ids apart if two contexts have the same random numbers.
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let number = ASKED.fetch_add(1, Ordering::Relaxed).to_string();
    OpId::from_parts(&["session_end", &context.environment.random.next_u128().to_string(), &number])
}

fn unexpected(answer: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which does not fit the request"))
}
