//! Position of a session in its tree: the root, and the number of generations below it.
//!
//! The position is stored by the child's id when a child is allowed, and when a session first names its
//! parent. A child that names no parent, or understates its depth, therefore cannot start a tree of its own.
//! Stored positions do not change: no session leaves its tree.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Key, Op, OpId, StateStore, StepResult, StoreError};
use crate::context::HookContext;

/// Time for which a position is stored after the child was allowed.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Most parents that are followed on the way up. Each costs one request to the store. A tree is flat, because
/// each stored position names the root that was known at that time.
const MOST_FOLLOWED: usize = 32;

/// Position of a session in its tree, as a [`StateStore`] keeps it.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::HookContext;
/// use hooks_core::state::{Lineage, Memory};
/// use hooks_core::time::StoppedClock;
///
/// # futures_util::FutureExt::now_or_never(async {
/// let store = Memory::new(Arc::new(StoppedClock::default()));
/// let mut child = HookContext::new("child", "tester");
/// child.parent_session_id = Some("root".to_owned());
/// assert_eq!(Lineage::resolve(&store, &child).await?, Lineage { root: "root".to_owned(), depth: 1 });
///
/// // The position is known from now on, also if the session names no parent.
/// child.parent_session_id = None;
/// assert_eq!(Lineage::resolve(&store, &child).await?.root, "root");
/// # Ok::<(), hooks_core::state::StoreError>(())
/// # }).expect("memory answers at once").expect("it has room");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// Session at the top of the tree.
    pub root: String,
    /// Number of generations between the root and the session's own agent.
    pub depth: u32,
}

impl Lineage {
    /// Returns the position of the session of `context`. If the session names its parent for the first time,
    /// stores it.
    ///
    /// # Errors
    /// Returns an error if the store fails or if the position cannot be determined: the session is then not
    /// treated as a root (law 4).
    pub async fn resolve(store: &dyn StateStore, context: &HookContext) -> Result<Self, StoreError> {
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

    /// Stores the position of a child of `depth` in this tree under its id, unless the child has one.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn write_down(
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
        let id = OpId::from_parts(&["lineage", tenant.unwrap_or_default(), child, &value]);
        let key = key(tenant, child);
        let write = Op::CompareAndSet { id, key, revision: 0, value: value.into(), ttl: Some(REMEMBERED) };
        match store.apply(write).await? {
            StepResult::Written(_) | StepResult::Conflict(_) => Ok(()),
            other => Err(bad(&other)),
        }
    }

    /// Follows parents up from the stored root, which may have become a child later.
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
        StepResult::Value(None) => Ok(None),
        StepResult::Value(Some((text, _))) => serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| StoreError::Closed(format!("the place of a session cannot be read: {error}"))),
        other => Err(bad(&other)),
    }
}

fn bad(answer: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which does not fit the operation"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Memory;
    use super::*;
    use crate::testing::FakeClock;

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
                Lineage::resolve(&store, &context(session, Some(parent(session)))).await.unwrap();
            }
            // Sessions that named their parent once are known, also if they name none now.
            for (session, depth) in [("root", 0), ("child", 1), ("grandchild", 2), ("great", 3)] {
                let lineage = Lineage::resolve(&store, &context(session, None)).await.unwrap();
                assert_eq!((&*lineage.root, lineage.depth), ("root", depth), "{order:?} {session}");
            }
            // No session leaves its tree.
            let elsewhere = Lineage::resolve(&store, &context("child", Some("other"))).await.unwrap();
            assert_eq!(elsewhere.root, "root");
        }
    }

    #[tokio::test]
    async fn a_circle_of_parents_is_no_root() {
        let store = Memory::new(Arc::new(FakeClock::default()));
        Lineage::resolve(&store, &context("a", Some("b"))).await.unwrap();
        let closed = Lineage::resolve(&store, &context("b", Some("a"))).await;
        let again = Lineage::resolve(&store, &context("a", None)).await;
        // `b` is below `a`, whose root is `b`: no session is above.
        for answer in [closed, again] {
            assert!(matches!(answer, Ok(Lineage { ref root, .. }) if root == "b"), "{answer:?}");
        }
    }
}
