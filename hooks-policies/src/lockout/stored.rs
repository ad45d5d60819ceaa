//! Lockouts in a store: they outlive their process and apply to all processes that share the store.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hooks_core::state::{Key, Member, Op, OpId, StateStore, StepResult, StoreError};
use hooks_core::time::{Clock, Random, Tick};
use hooks_facts::names::folded;
use serde::{Deserialize, Serialize};

use super::artifact::{ArtifactError, is_same_artifact};
use super::registry::{LockedOut, Lockout, LockoutRegistry};
use crate::artifacts;

/// Time for which the last known lockouts apply while the store is unavailable (reliability target of fleets:
/// staleness of lists).
const STALE_AFTER: Duration = Duration::from_secs(30);
/// Time for which cleared lockouts are recorded.
const CLEARED_FOR: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// Lockouts of one tenant in a store, with a registry that mirrors them for the policy.
///
/// Every change goes to the store first, in one step. [`refresh`](Self::refresh) updates the registry; the
/// layer of the policy calls it before each call that writes. While the store is unavailable, the last known
/// lockouts apply for half a minute; after that, callers get the error, which denies the call.
///
/// Lockouts that are added to the registry itself stay there, in this process alone.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use hooks_core::state::Memory;
/// use hooks_core::testing::VirtualTime;
/// use hooks_core::time::{SeededRandom, Timer};
/// use hooks_policies::{Lockout, LockoutRegistry, StoredLockouts};
///
/// let time = VirtualTime::default();
/// let store = Arc::new(Memory::new(Arc::new(time.clone())));
/// let world = (Arc::new(time.clone()) as _, Arc::new(SeededRandom::new(1)) as _);
/// let lockouts = StoredLockouts::new(store, Some("acme"), Arc::new(LockoutRegistry::default()), world);
/// # time.block_on(async {
/// let an_hour = Duration::from_secs(3_600);
/// lockouts.lock(Lockout::new("src/auth.rs", "backend"), Some(an_hour)).await?;
/// lockouts.lock(Lockout::new("docs", "backend"), None).await?;
/// assert!(lockouts.registry().is_locked_out("src/auth.rs", "backend"));
///
/// time.sleep(an_hour).await;
/// lockouts.refresh().await?; // before each call that writes
/// assert!(!lockouts.registry().is_locked_out("src/auth.rs", "backend"));
/// assert_eq!(lockouts.clear("docs", "reviewer").await?, 1);
/// assert_eq!(lockouts.cleared().await?[0].by, "reviewer");
/// # Ok::<(), hooks_policies::LockoutError>(())
/// # }).expect("memory answers at once")?;
/// # Ok::<(), hooks_policies::LockoutError>(())
/// ```
pub struct StoredLockouts {
    store: Arc<dyn StateStore>,
    registry: Arc<LockoutRegistry>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    set: Key,
    cleared: Key,
    stale_after: Duration,
    mirror: Mutex<Mirror>,
    /// Number of refreshes that were started: the result of an earlier read never replaces that of a later
    /// one.
    begun: AtomicU64,
}

/// Lockouts that the registry has from the store, and the time of the last read.
#[derive(Default)]
struct Mirror {
    lockouts: Vec<Lockout>,
    heard: Option<Tick>,
    /// Number of the refresh that read them.
    from: u64,
}

/// Lockout as it is encoded, without the fields that the store knows of every member.
#[derive(Serialize, Deserialize)]
struct Entry {
    artifact: String,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Lockout that was cleared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cleared {
    /// Name of the artifact.
    pub artifact: String,
    /// Name of the agent that was locked out.
    pub agent: String,
    /// Name of the agent or user that cleared it.
    pub by: String,
    /// Time of the clearing by the store's clock, in milliseconds since 1970.
    pub at: u64,
}

/// Error in reading or changing lockouts.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockoutError {
    /// The agent that asks to clear the lockout is locked out itself.
    LockedOut(LockedOut),
    /// The name is not a valid artifact.
    Artifact(ArtifactError),
    /// The lockout has no agent.
    NoAgent,
    /// The store failed.
    Store(StoreError),
    /// The store returned an unexpected answer.
    BadAnswer(String),
}

impl fmt::Display for LockoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LockedOut(source) => source.fmt(f),
            Self::Artifact(source) => source.fmt(f),
            Self::NoAgent => {
                f.write_str("the name of the agent is empty; write who may not write the artifact")
            }
            Self::Store(source) => write!(f, "the lockouts cannot be known: {source}"),
            Self::BadAnswer(source) => {
                write!(f, "the lockouts cannot be known: the state store answered {source}")
            }
        }
    }
}

impl std::error::Error for LockoutError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::LockedOut(source) => source.source(),
            Self::Artifact(source) => source.source(),
            Self::Store(source) => Some(source),
            _ => None,
        }
    }
}

impl From<LockedOut> for LockoutError {
    fn from(source: LockedOut) -> Self {
        Self::LockedOut(source)
    }
}

impl From<ArtifactError> for LockoutError {
    fn from(source: ArtifactError) -> Self {
        Self::Artifact(source)
    }
}

impl From<StoreError> for LockoutError {
    fn from(source: StoreError) -> Self {
        Self::Store(source)
    }
}

impl StoredLockouts {
    /// Creates the lockouts of `tenant` in `store`, mirrored in `registry`.
    pub fn new(
        store: Arc<dyn StateStore>,
        tenant: Option<&str>,
        registry: Arc<LockoutRegistry>,
        (clock, random): (Arc<dyn Clock>, Arc<dyn Random>),
    ) -> Self {
        Self {
            store,
            registry,
            clock,
            random,
            set: Key::new(tenant, &["lockouts"]),
            cleared: Key::new(tenant, &["lockouts-cleared"]),
            stale_after: STALE_AFTER,
            mirror: Mutex::default(),
            begun: AtomicU64::new(0),
        }
    }

    /// Sets the time for which the last known lockouts apply while the store is unavailable.
    #[must_use]
    pub const fn with_stale_after(mut self, stale_after: Duration) -> Self {
        self.stale_after = stale_after;
        self
    }

    /// Returns the registry that mirrors the lockouts.
    pub const fn registry(&self) -> &Arc<LockoutRegistry> {
        &self.registry
    }

    /// Locks an agent out of an artifact, until it is cleared or for the time `lasting`. If the agent is
    /// locked out already, the longer lockout stays.
    ///
    /// # Errors
    /// Returns `Artifact` if the name is not a valid artifact, `NoAgent` if the name of the agent is empty,
    /// `Store` or `BadAnswer` if the store fails: in that case it is unknown whether the lockout holds.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use hooks_core::state::Memory;
    /// use hooks_core::testing::VirtualTime;
    /// # use hooks_core::time::SeededRandom;
    /// use hooks_policies::{Lockout, LockoutError, StoredLockouts};
    ///
    /// # let time = VirtualTime::default();
    /// # let world = (Arc::new(time.clone()) as _, Arc::new(SeededRandom::new(1)) as _);
    /// let store = Arc::new(Memory::new(Arc::new(time.clone())));
    /// let lockouts = StoredLockouts::new(store, None, Arc::default(), world);
    /// # time.block_on(async {
    /// let root = lockouts.lock(Lockout::new(".", "backend"), None).await.expect_err("the root is no artifact");
    /// assert_eq!(root.to_string(), "`.` names no artifact: it is the root itself; write `**` to lock everything");
    /// let nobody = lockouts.lock(Lockout::new("src", " "), None).await;
    /// assert!(matches!(nobody, Err(LockoutError::NoAgent)));
    /// assert!(lockouts.all().await?.is_empty());
    /// # Ok::<(), LockoutError>(())
    /// # }).expect("memory answers at once")?;
    /// # Ok::<(), LockoutError>(())
    /// ```
    pub async fn lock(&self, lockout: Lockout, lasting: Option<Duration>) -> Result<(), LockoutError> {
        let Lockout { artifact, agent, by, why, .. } = lockout;
        let artifact = self.registry.name_of(&artifact)?;
        if agent.trim().is_empty() {
            return Err(LockoutError::NoAgent);
        }
        let name = format!("{}\n{}", folded(&agent), artifacts::folded(&artifact));
        let note = written(&Entry { artifact, agent, by, why })?;
        let (note, set): (Arc<str>, _) = (note.into(), self.set.clone());
        let id = OpId(self.random.next_u128());
        let insert =
            Op::Insert { id, set: set.clone(), name: name.into(), note: Arc::clone(&note), ttl: lasting };
        match self.store.apply(insert).await? {
            StepResult::Done => {}
            StepResult::Present(there) => {
                // A longer lockout replaces a shorter one, never the other way round.
                let now = self.members().await?.1;
                let ends = lasting.map(|lasting| now.after(lasting));
                let lasts_longer = there.until.is_some_and(|until| ends.is_none_or(|ends| ends > until));
                if lasts_longer {
                    let update = Op::Update { id: there.id, set, note: Some(note), ttl: lasting };
                    self.store.apply(update).await?;
                }
            }
            other => return Err(unexpected(&other)),
        }
        self.refresh().await
    }

    /// Clears all lockouts of an artifact on behalf of `by`, and records `by`. Returns the number of cleared
    /// lockouts.
    ///
    /// # Errors
    /// Returns `LockedOut` if `by` is locked out of the artifact; `Store` or `BadAnswer` if the store fails.
    pub async fn clear(&self, artifact: &str, by: &str) -> Result<usize, LockoutError> {
        let (members, now) = self.members().await?;
        let locked: Vec<_> = members
            .iter()
            .filter(|member| !member.is_over(now))
            .filter_map(|member| Some((member.id, read(member)?)))
            .filter(|(_, lockout)| is_same_artifact(&lockout.artifact, artifact))
            .collect();
        if locked.iter().any(|(_, lockout)| folded(&lockout.agent) == folded(by)) {
            return Err(LockedOut { agent: by.to_owned(), artifact: artifact.to_owned() }.into());
        }
        for (id, lockout) in &locked {
            let id = *id;
            let (artifact, agent) = (lockout.artifact.clone(), lockout.agent.clone());
            let record = written(&Cleared { artifact, agent, by: by.to_owned(), at: now.0 })?;
            // The record comes first: a lockout that disappears without a record would be worse than a record
            // too many.
            let note = Op::Insert {
                id: OpId::from_parts(&["cleared", &id.0.to_string()]),
                set: self.cleared.clone(),
                name: format!("{:x}", id.0).into(),
                note: record.into(),
                ttl: Some(CLEARED_FOR),
            };
            self.store.apply(note).await?;
            self.store.apply(Op::Remove { id, set: self.set.clone() }).await?;
        }
        self.refresh().await?;
        Ok(locked.len())
    }

    /// Returns the current lockouts, in the order of locking.
    ///
    /// # Errors
    /// Returns `Store` or `BadAnswer` if the store fails.
    pub async fn all(&self) -> Result<Vec<Lockout>, LockoutError> {
        let (members, now) = self.members().await?;
        Ok(members.iter().filter(|member| !member.is_over(now)).filter_map(read).collect())
    }

    /// Returns the records of cleared lockouts, in order.
    ///
    /// # Errors
    /// Returns `Store` or `BadAnswer` if the store fails.
    pub async fn cleared(&self) -> Result<Vec<Cleared>, LockoutError> {
        match self.store.apply(Op::Members { set: self.cleared.clone() }).await? {
            StepResult::Members { members, .. } => {
                Ok(members.iter().filter_map(|member| serde_json::from_str(&member.note).ok()).collect())
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Updates the registry from the store.
    ///
    /// # Errors
    /// Returns an error if the store fails, except while it is unavailable for less than the time that the
    /// last known lockouts apply.
    pub async fn refresh(&self) -> Result<(), LockoutError> {
        let ticket = self.begun.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let known = self.all().await;
        let now = self.clock.tick();
        let mut mirror = self.mirror.lock().unwrap_or_else(PoisonError::into_inner);
        match known {
            Ok(_) if ticket < mirror.from => Ok(()),
            Ok(mut lockouts) => {
                // The store's clock determines their end and was just consulted; the clock of this process
                // does not count.
                lockouts.iter_mut().for_each(|lockout| lockout.until = None);
                (mirror.heard, mirror.from) = (Some(now), ticket);
                if mirror.lockouts != lockouts {
                    self.registry.replace(&mirror.lockouts, &lockouts);
                    mirror.lockouts = lockouts;
                }
                Ok(())
            }
            Err(LockoutError::Store(StoreError::Unavailable(_)))
                if mirror.heard.is_some_and(|heard| now.since(heard) < self.stale_after) =>
            {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    async fn members(&self) -> Result<(Arc<Vec<Member>>, hooks_core::time::Timestamp), LockoutError> {
        match self.store.apply(Op::Members { set: self.set.clone() }).await? {
            StepResult::Members { members, now } => Ok((members, now)),
            other => Err(unexpected(&other)),
        }
    }
}

/// Decodes a lockout from a member of the set. If it cannot be decoded, its agent is locked out of
/// everything, because a lockout was intended.
fn read(member: &Member) -> Option<Lockout> {
    let entry: Option<Entry> = serde_json::from_str(&member.note).ok();
    let lockout = match entry {
        Some(Entry { artifact, agent, by, why }) => Lockout { by, why, ..Lockout::new(artifact, agent) },
        None => {
            let agent = member.name.split('\n').next()?;
            Lockout::new("", agent).because("its artifact cannot be decoded")
        }
    };
    Some(Lockout { since: Some(member.since), until: member.until, ..lockout })
}

fn written(entry: &impl Serialize) -> Result<String, LockoutError> {
    serde_json::to_string(entry).map_err(|error| LockoutError::BadAnswer(error.to_string()))
}

fn unexpected(answer: &StepResult) -> LockoutError {
    LockoutError::BadAnswer(format!("{answer:?}"))
}

impl fmt::Debug for StoredLockouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredLockouts").field("set", &self.set).finish_non_exhaustive()
    }
}
