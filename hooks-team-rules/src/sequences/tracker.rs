//! State of sessions in a store.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::state::{Key, Lineage, Op, OpId, StateStore, StepResult, StoreError};

use super::content::Pieces;
use super::progress::SessionState;
use super::rule::{NAME, Rule};

/// Time for which the state of a session is kept after its last change.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Age in milliseconds from which a state is written again when it is read, so that it is kept while it is used.
const OLD: u64 = 24 * 60 * 60 * 1_000;

/// Most attempts to write a state while other calls of the session write it too.
pub(super) const MOST_TRIES: usize = 64;

/// State of the rules in the session of one event.
#[derive(Clone)]
pub(super) struct Tracker {
    store: Arc<dyn StateStore>,
    context: Arc<HookContext>,
    /// Session at the top of the tree; its value is the state of all sessions in it.
    root: String,
}

/// A value as it was read, to be written back.
pub(super) struct Read<T> {
    pub(super) value: T,
    revision: u64,
}

impl Tracker {
    /// Finds the session of an event.
    pub(super) async fn new(
        store: Arc<dyn StateStore>,
        context: &Arc<HookContext>,
    ) -> Result<Self, StoreError> {
        let root = Lineage::resolve(&*store, context).await?.root;
        Ok(Self { store, context: Arc::clone(context), root })
    }

    /// Current time in milliseconds.
    pub(super) fn now(&self) -> u64 {
        self.context.environment.clock.now().0
    }

    /// Returns whether a state would be dropped soon although it is used.
    pub(super) fn is_old(&self, state: &SessionState) -> bool {
        !state.rules.is_empty() && self.now().saturating_sub(state.clock) > OLD
    }

    /// Reads the state of the tree.
    pub(super) async fn read(&self) -> Result<Read<SessionState>, StoreError> {
        self.state_of(&self.root).await
    }

    /// Reads the state of a session that did not name its parent when its first calls ran; `None` for the top of the
    /// tree.
    pub(super) async fn read_own(&self) -> Result<Option<SessionState>, StoreError> {
        let session = &self.context.session_id;
        if *session == self.root {
            return Ok(None);
        }
        Ok(Some(self.state_of(session).await?.value))
    }

    /// Writes a state. `false` if there was another write since it was read.
    pub(super) async fn write(&self, read: &Read<SessionState>) -> Result<bool, StoreError> {
        self.put(self.key(&self.root, None), read.revision, read.value.write()).await
    }

    /// Changes the state, however often other calls change it meanwhile.
    pub(super) async fn update(&self, mut change: impl FnMut(&mut SessionState)) -> Result<(), StoreError> {
        for _ in 0..MOST_TRIES {
            let mut read = self.read().await?;
            change(&mut read.value);
            if self.write(&read).await? {
                return Ok(());
            }
        }
        Err(busy())
    }

    /// Reads the pieces of the results that a rule protects.
    pub(super) async fn pieces(&self, rule: &Rule) -> Result<Read<Pieces>, StoreError> {
        let (text, revision) = self.get(self.key(&self.root, Some(rule))).await?;
        let value = Pieces::read(&text).ok_or_else(|| damaged("pieces"))?;
        Ok(Read { value, revision })
    }

    /// Adds pieces of a result. `false` if they are too many to be kept.
    pub(super) async fn add_pieces(&self, rule: &Rule, pieces: &BTreeSet<u64>) -> Result<bool, StoreError> {
        for _ in 0..MOST_TRIES {
            let mut read = self.pieces(rule).await?;
            if read.value.add(pieces).is_none() {
                return Ok(false);
            }
            // Written also if nothing is new, so that the pieces are kept as long as the state.
            if self.put(self.key(&self.root, Some(rule)), read.revision, read.value.write()).await? {
                return Ok(true);
            }
        }
        Err(busy())
    }

    async fn state_of(&self, session: &str) -> Result<Read<SessionState>, StoreError> {
        let (text, revision) = self.get(self.key(session, None)).await?;
        let value = match revision {
            0 => SessionState::default(),
            _ => SessionState::read(&text).ok_or_else(|| damaged("state"))?,
        };
        Ok(Read { value, revision })
    }

    async fn get(&self, key: Key) -> Result<(Arc<str>, u64), StoreError> {
        match self.store.apply(Op::Get { key }).await? {
            StepResult::Value(Some((text, revision))) => Ok((text, revision)),
            StepResult::Value(None) => Ok(("".into(), 0)),
            other => Err(bad(&other)),
        }
    }

    async fn put(&self, key: Key, revision: u64, value: String) -> Result<bool, StoreError> {
        let id = self.fresh_id();
        let value = value.into();
        let op = Op::CompareAndSet { id, key, revision, value, ttl: Some(REMEMBERED) };
        match self.store.apply(op).await? {
            StepResult::Written(_) => Ok(true),
            StepResult::Conflict(_) => Ok(false),
            other => Err(bad(&other)),
        }
    }

    fn key(&self, session: &str, rule: Option<&Rule>) -> Key {
        let tenant = self.context.tenant.as_deref();
        match rule {
            Some(rule) => Key::new(tenant, &[NAME, session, "pieces", &format!("{:x}", rule.id)]),
            None => Key::new(tenant, &[NAME, session, "state"]),
        }
    }

    fn fresh_id(&self) -> OpId {
        // Keeps ids apart if two contexts have the same random numbers.
        static ASKED: AtomicU64 = AtomicU64::new(0);
        let number = ASKED.fetch_add(1, Ordering::Relaxed).to_string();
        OpId::from_parts(&[NAME, &self.context.environment.random.next_u128().to_string(), &number])
    }
}

pub(super) fn busy() -> StoreError {
    StoreError::Unavailable("other calls of the session write all the time".to_owned())
}

fn damaged(what: &str) -> StoreError {
    StoreError::Closed(format!("the {what} of sequence rules cannot be read; end the session"))
}

fn bad(answer: &StepResult) -> StoreError {
    StoreError::Unavailable(format!("it answered {answer:?}, which does not fit the request"))
}
