//! Children of one tree in the store: one entry for each child, which lasts as long as its lease.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, Lineage, Op, OpId, StateStore, StepResult};
use hooks_core::time::Timestamp;
use hooks_core::{HookContext, HookError};

use super::child::{Entry, Known};
use super::keys::{Keys, hex};

/// Most entries of ended children that one visit removes.
const MOST_SWEPT: usize = 32;
/// Time for which the first process to do something is remembered.
const FIRST_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Registry of one tree.
#[derive(Clone)]
pub(super) struct Registry {
    pub(super) store: Arc<dyn StateStore>,
    pub(super) keys: Keys,
    pub(super) lineage: Lineage,
    set: Key,
}

impl Registry {
    /// Opens the registry of the tree of `context`.
    pub(super) async fn open(
        store: Arc<dyn StateStore>,
        keys: Keys,
        context: &HookContext,
    ) -> Result<Self, HookError> {
        let lineage = Lineage::resolve(&*store, context).await.map_err(HookError::other)?;
        let set = keys.children(&lineage.root);
        Ok(Self { store, keys, lineage, set })
    }

    /// Returns all children of the tree in order of entry, and the store's time.
    pub(super) async fn known(&self) -> Result<(Vec<Known>, Timestamp), HookError> {
        match self.apply(Op::Members { set: self.set.clone() }).await? {
            StepResult::Members { members, now } => {
                Ok((members.iter().filter_map(|member| Known::read(member, now)).collect(), now))
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Removes children that ended and were listed for long enough, so that the entries of a large tree stay
    /// few.
    pub(super) async fn sweep(&self, known: &mut Vec<Known>) -> Result<(), HookError> {
        let gone = |known: &Known| known.has_ended() && known.is_over;
        for known in known.iter().filter(|known| gone(known)).take(MOST_SWEPT) {
            self.remove(known.id).await?;
        }
        known.retain(|known| !gone(known));
        Ok(())
    }

    /// Returns whether `by` is the first to do `what` to an entry; the same `by` gets the same answer again.
    pub(super) async fn is_first(&self, what: &str, entry: OpId, by: &str) -> Result<bool, HookError> {
        let key = self.keys.first(what, entry);
        let id = self.keys.id(&[key.as_str(), by]);
        let write = Op::CompareAndSet { id, key, revision: 0, value: by.into(), ttl: Some(FIRST_FOR) };
        match self.apply(write).await? {
            StepResult::Written(_) => Ok(true),
            StepResult::Conflict(_) => Ok(false),
            other => Err(unexpected(&other)),
        }
    }

    /// Inserts a child; returns false if its entry was removed already.
    pub(super) async fn insert(&self, id: OpId, entry: &Entry, ttl: Duration) -> Result<bool, HookError> {
        let digits = hex(id);
        let short = digits.get(..16).unwrap_or(&digits);
        let insert = Op::Insert {
            id,
            set: self.set.clone(),
            name: format!("{} {short}", entry.agent).into(),
            note: written(entry)?.into(),
            ttl: Some(ttl),
        };
        match self.apply(insert).await? {
            StepResult::Done => Ok(true),
            StepResult::Ended { .. } => Ok(false),
            other => Err(unexpected(&other)),
        }
    }

    /// Updates the entry of a child if there is a new one, and extends it to `ttl` from now.
    pub(super) async fn update(
        &self,
        id: OpId,
        entry: Option<&Entry>,
        ttl: Duration,
    ) -> Result<(), HookError> {
        let note = entry.map(written).transpose()?.map(Into::into);
        // A removed entry stays removed: its child ended meanwhile.
        self.apply(Op::Update { id, set: self.set.clone(), note, ttl: Some(ttl) }).await.map(|_| ())
    }

    /// Stores that `child` belongs to this tree.
    pub(super) async fn place(&self, child: &str, depth: u32) -> Result<(), HookError> {
        let (store, tenant) = (&*self.store, self.keys.tenant());
        self.lineage.write_down(store, tenant, child, depth).await.map_err(HookError::other)
    }

    pub(super) async fn remove(&self, id: OpId) -> Result<(), HookError> {
        self.apply(Op::Remove { id, set: self.set.clone() }).await.map(|_| ())
    }

    pub(super) async fn apply(&self, op: Op) -> Result<StepResult, HookError> {
        self.store.apply(op).await.map_err(HookError::other)
    }
}

/// Creates the error for an unexpected answer of the store.
pub(super) fn unexpected(answer: &StepResult) -> HookError {
    HookError::bad_answer(format!("the state store answered {answer:?}"))
}

fn written(entry: &Entry) -> Result<String, HookError> {
    serde_json::to_string(entry).map_err(HookError::other)
}
