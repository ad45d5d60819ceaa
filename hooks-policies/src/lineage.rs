//! Where a session stands in its tree: its root, and how many generations it is below.
//!
//! Written down when a child is let through, by the child's id, and when a session first says who started it: so
//! neither a child that names no parent nor one that understates its depth begins a tree of its own. What is written
//! stands: no session leaves its tree.

use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::state::{Answer, Key, Op, OpId, StateStore, StoreError};
use serde::{Deserialize, Serialize};

/// How long it is remembered after the child was let through.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How many sessions are followed on the way up. Each is one question to the store; a tree is flat, since what is
/// written names its root as far as it was known then.
const MOST_FOLLOWED: usize = 32;

/// A session's place in its tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lineage {
    /// The session that all are below.
    pub(crate) root: String,
    /// How many generations below it the session's own agent is.
    pub(crate) depth: u32,
}

impl Lineage {
    /// That of the session that `context` is in. Where it says for the first time who started it, that is kept.
    ///
    /// # Errors
    /// The store fails, or the session cannot be placed: then it is not taken for a root (law 4).
    pub(crate) async fn of(store: &dyn StateStore, context: &HookContext) -> Result<Self, StoreError> {
        let (tenant, session) = (context.tenant.as_deref(), &context.session_id);
        let parent = context.parent_session_id.as_ref();
        let parent = parent.filter(|parent| !parent.is_empty() && *parent != session);
        let known = read(store, tenant, session).await?;
        let is_new = known.is_none() && parent.is_some();
        let own = match (known, parent) {
            (Some(known), _) => known,
            (None, None) => return Ok(Self { root: session.clone(), depth: 0 }),
            (None, Some(parent)) => Self { root: parent.clone(), depth: 1 },
        };
        let followed = own.follow(store, tenant, session).await?;
        if is_new {
            followed.write_down(store, tenant, session, followed.depth).await?;
        }
        Ok(followed)
    }

    /// That of a child of `depth` in this tree, written down under its id, unless something is.
    pub(crate) async fn write_down(
        &self,
        store: &dyn StateStore,
        tenant: Option<&str>,
        child: &str,
        depth: u32,
    ) -> Result<(), StoreError> {
        if child == self.root {
            return Ok(());
        }
        let own = Self { root: self.root.clone(), depth };
        let value =
            serde_json::to_string(&own).map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let id = OpId::of(&["lineage", tenant.unwrap_or_default(), child, &value]);
        let key = key(tenant, child);
        let write = Op::CompareAndSet { id, key, revision: 0, value: value.into(), ttl: Some(REMEMBERED) };
        match store.apply(write).await? {
            Answer::Written(_) | Answer::Conflict(_) => Ok(()),
            other => Err(bad(&other)),
        }
    }

    /// Goes up from the root that was known when this was written: it may turn out to be a child itself.
    async fn follow(
        mut self,
        store: &dyn StateStore,
        tenant: Option<&str>,
        session: &str,
    ) -> Result<Self, StoreError> {
        for _ in 0..MOST_FOLLOWED {
            match read(store, tenant, &self.root).await? {
                None => return Ok(self),
                Some(above) => {
                    let depth = self.depth.saturating_add(above.depth);
                    self = Self { depth, ..above };
                }
            }
        }
        let problem = format!("the parents of session `{session}` lead to no root");
        Err(StoreError::Closed(format!("{problem}; have its client name the session that started it")))
    }
}

fn key(tenant: Option<&str>, session: &str) -> Key {
    Key::new(tenant, &["spawn", "lineage", session])
}

async fn read(
    store: &dyn StateStore,
    tenant: Option<&str>,
    session: &str,
) -> Result<Option<Lineage>, StoreError> {
    match store.apply(Op::Get { key: key(tenant, session) }).await? {
        Answer::Value(None) => Ok(None),
        Answer::Value(Some((text, _))) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| StoreError::Closed(format!("the place of a session cannot be read: {error}"))),
        other => Err(bad(&other)),
    }
}

fn bad(answer: &Answer) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which is none to what was asked"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hooks_core::state::Memory;
    use hooks_core::testing::FakeClock;

    use super::*;

    fn context(session: &str, parent: Option<&str>) -> HookContext {
        let mut context = HookContext::new(session, "a");
        context.parent_session_id = parent.map(str::to_owned);
        context
    }

    #[tokio::test]
    async fn the_root_is_found_over_generations_whoever_is_heard_first() {
        for order in [["child", "grandchild", "great"], ["great", "grandchild", "child"]] {
            let store = Memory::new(Arc::new(FakeClock::default()));
            let parent = |session: &str| match session {
                "child" => "root",
                "grandchild" => "child",
                _ => "grandchild",
            };
            for session in order {
                Lineage::of(&store, &context(session, Some(parent(session)))).await.unwrap();
            }
            // Those that named their parent once are known, also where they name none now.
            for (session, depth) in [("root", 0), ("child", 1), ("grandchild", 2), ("great", 3)] {
                let lineage = Lineage::of(&store, &context(session, None)).await.unwrap();
                assert_eq!((&*lineage.root, lineage.depth), ("root", depth), "{order:?} {session}");
            }
            // No session leaves its tree.
            let elsewhere = Lineage::of(&store, &context("child", Some("other"))).await.unwrap();
            assert_eq!(elsewhere.root, "root");
        }
    }

    #[tokio::test]
    async fn a_circle_of_parents_is_no_root() {
        let store = Memory::new(Arc::new(FakeClock::default()));
        Lineage::of(&store, &context("a", Some("b"))).await.unwrap();
        let closed = Lineage::of(&store, &context("b", Some("a"))).await;
        let again = Lineage::of(&store, &context("a", None)).await;
        // `b` is below `a`, whose root is `b`: nobody is above.
        for answer in [closed, again] {
            assert!(matches!(answer, Ok(Lineage { ref root, .. }) if root == "b"), "{answer:?}");
        }
    }
}
