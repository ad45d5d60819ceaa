//! Where a session stands in its tree: its root, and how many generations it is below.
//!
//! Written when a child is let through, by the child's id, so that neither a child that names no parent nor one that
//! understates its depth begins a tree of its own.

use std::time::Duration;

use hooks_core::state::{Answer, Op, StateStore, StoreError};
use hooks_core::{HookContext, HookError};
use serde::{Deserialize, Serialize};

use super::keys::Keys;

/// How long it is remembered after the child was let through.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A session's place in its tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lineage {
    /// The session that all are below.
    pub(super) root: String,
    /// How many generations below it the session's own agent is.
    pub(super) depth: u32,
}

impl Lineage {
    /// That of the session that `context` is in.
    pub(super) async fn of(
        store: &dyn StateStore,
        keys: &Keys,
        context: &HookContext,
    ) -> Result<Self, HookError> {
        let session = &context.session_id;
        if let Some(known) = read(store, keys, session).await? {
            return Ok(known);
        }
        let parent = context.parent_session_id.as_ref();
        match parent.filter(|parent| !parent.is_empty() && *parent != session) {
            None => Ok(Self { root: session.clone(), depth: 0 }),
            Some(parent) => Ok(match read(store, keys, parent).await? {
                Some(above) => Self { depth: above.depth.saturating_add(1), ..above },
                None => Self { root: parent.clone(), depth: 1 },
            }),
        }
    }

    /// That of a child of `depth` in this tree, written down under its id. What is there stands: no session leaves
    /// its tree.
    pub(super) async fn write_down(
        &self,
        store: &dyn StateStore,
        keys: &Keys,
        child: &str,
        depth: u32,
    ) -> Result<(), HookError> {
        if child == self.root {
            return Ok(());
        }
        let own = Self { root: self.root.clone(), depth };
        let value = serde_json::to_string(&own).map_err(HookError::other)?;
        let (id, key) = (keys.id(&["lineage", child, &value]), keys.lineage(child));
        let write = Op::CompareAndSet { id, key, revision: 0, value: value.into(), ttl: Some(REMEMBERED) };
        match store.apply(write).await.map_err(HookError::other)? {
            Answer::Written(_) | Answer::Conflict(_) => Ok(()),
            other => Err(unexpected(&other)),
        }
    }
}

async fn read(store: &dyn StateStore, keys: &Keys, session: &str) -> Result<Option<Lineage>, HookError> {
    match store.apply(Op::Get { key: keys.lineage(session) }).await.map_err(HookError::other)? {
        Answer::Value(None) => Ok(None),
        Answer::Value(Some((text, _))) => serde_json::from_str(&text).map(Some).map_err(|error| {
            // Whoever cannot be placed is not taken for a root (law 4).
            HookError::other(StoreError::Closed(format!("the place of a session cannot be read: {error}")))
        }),
        other => Err(unexpected(&other)),
    }
}

pub(super) fn unexpected(answer: &Answer) -> HookError {
    HookError::bad_answer(format!("the state store answered {answer:?}"))
}
