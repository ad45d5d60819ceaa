//! Lockouts that a store keeps: they outlive their process and bind everybody on the same store.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hooks_core::state::{Answer, Key, Member, Op, OpId, StateStore, StoreError};
use hooks_core::time::{Clock, Random, Tick};
use serde::{Deserialize, Serialize};

use super::artifact::{ArtifactError, is_same_artifact};
use super::registry::{LockedOut, Lockout, LockoutRegistry};
use crate::artifacts;
use crate::names::folded;

/// How long the last known lockouts are believed while the store is away (reliability of fleets: staleness of lists).
const STALE_AFTER: Duration = Duration::from_secs(30);
/// How long it is remembered who cleared a lockout.
const CLEARED_FOR: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The lockouts of one tenant in a store, and the registry that mirrors them for the policy.
///
/// Every change goes to the store first, in one step. [`refresh`](Self::refresh) brings the registry up to date; the
/// layer of the policy does it before each call that writes. While the store is away the last known lockouts hold for
/// half a minute; after that whoever asks gets the error, which is a denial.
///
/// What is locked in the registry itself stays there, in this process alone.
pub struct StoredLockouts {
    store: Arc<dyn StateStore>,
    registry: Arc<LockoutRegistry>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    set: Key,
    cleared: Key,
    stale_after: Duration,
    mirror: Mutex<Mirror>,
    /// How many refreshes began: what was read earlier never replaces what was read later.
    begun: AtomicU64,
}

/// What the registry has from the store, and since when.
#[derive(Default)]
struct Mirror {
    lockouts: Vec<Lockout>,
    heard: Option<Tick>,
    /// The refresh it is from.
    from: u64,
}

/// A lockout as it is written, beside what the store knows of every member.
#[derive(Serialize, Deserialize)]
struct Entry {
    artifact: String,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// A lockout that somebody cleared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cleared {
    /// What was locked.
    pub artifact: String,
    /// For whom.
    pub agent: String,
    /// By whom it was cleared.
    pub by: String,
    /// When, by the store's time, in milliseconds since 1970.
    pub at: u64,
}

/// Why lockouts cannot be read or changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockoutError {
    /// Whoever asks is locked out themselves.
    LockedOut(LockedOut),
    /// The name stands for no artifact.
    Artifact(ArtifactError),
    /// Nobody is named who would be locked out.
    NoAgent,
    /// The store fails.
    Store(StoreError),
    /// The store answers what it should not.
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
    /// The lockouts of `tenant` in `store`, mirrored in `registry`.
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

    /// Believes the last known lockouts for so long while the store is away.
    #[must_use]
    pub const fn with_stale_after(mut self, stale_after: Duration) -> Self {
        self.stale_after = stale_after;
        self
    }

    /// The registry that mirrors them.
    pub const fn registry(&self) -> &Arc<LockoutRegistry> {
        &self.registry
    }

    /// Locks an agent out of an artifact, until somebody clears it or for so long. Where it is already, the longer one
    /// stands.
    ///
    /// # Errors
    /// The name stands for no artifact, or that of the agent is empty; the store fails: then nobody knows whether it
    /// holds.
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
            Answer::Done => {}
            Answer::Present(there) => {
                // One that holds for longer takes the place of one that ends sooner, never the other way.
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

    /// Lets all agents write an artifact again, at the word of `by`, and remembers who said so. How many lockouts
    /// that were.
    ///
    /// # Errors
    /// `by` is locked out of it, or the store fails.
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
            // First who did it: a lockout that is gone without a name would be worse than a name too many.
            let note = Op::Insert {
                id: OpId::of(&["cleared", &id.0.to_string()]),
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

    /// The lockouts that hold, in the order of locking.
    ///
    /// # Errors
    /// The store fails.
    pub async fn all(&self) -> Result<Vec<Lockout>, LockoutError> {
        let (members, now) = self.members().await?;
        Ok(members.iter().filter(|member| !member.is_over(now)).filter_map(read).collect())
    }

    /// Who cleared what, in order.
    ///
    /// # Errors
    /// The store fails.
    pub async fn cleared(&self) -> Result<Vec<Cleared>, LockoutError> {
        match self.store.apply(Op::Members { set: self.cleared.clone() }).await? {
            Answer::Members { members, .. } => {
                Ok(members.iter().filter_map(|member| serde_json::from_str(&member.note).ok()).collect())
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Brings the registry up to date.
    ///
    /// # Errors
    /// The store was away for longer than the last known lockouts are believed.
    pub async fn refresh(&self) -> Result<(), LockoutError> {
        let ticket = self.begun.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let known = self.all().await;
        let now = self.clock.tick();
        let mut mirror = self.mirror.lock().unwrap_or_else(PoisonError::into_inner);
        match known {
            Ok(_) if ticket < mirror.from => Ok(()),
            Ok(mut lockouts) => {
                // The store's time says when they end, and it was just asked: no clock of this process does.
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

    async fn members(&self) -> Result<(Vec<Member>, hooks_core::time::Timestamp), LockoutError> {
        match self.store.apply(Op::Members { set: self.set.clone() }).await? {
            Answer::Members { members, now } => Ok((members, now)),
            other => Err(unexpected(&other)),
        }
    }
}

/// The lockout that a member of the set is. One that cannot be read locks its agent out of everything: somebody meant
/// to lock something.
fn read(member: &Member) -> Option<Lockout> {
    let entry: Option<Entry> = serde_json::from_str(&member.note).ok();
    let lockout = match entry {
        Some(Entry { artifact, agent, by, why }) => Lockout { by, why, ..Lockout::new(artifact, agent) },
        None => {
            let agent = member.name.split('\n').next()?;
            Lockout::new("", agent).because("what it is locked out of cannot be read")
        }
    };
    Some(Lockout { since: Some(member.since), until: member.until, ..lockout })
}

fn written(entry: &impl Serialize) -> Result<String, LockoutError> {
    serde_json::to_string(entry).map_err(|error| LockoutError::BadAnswer(error.to_string()))
}

fn unexpected(answer: &Answer) -> LockoutError {
    LockoutError::BadAnswer(format!("{answer:?}"))
}

impl fmt::Debug for StoredLockouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredLockouts").field("set", &self.set).finish_non_exhaustive()
    }
}
