//! Registry of lockouts in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use hooks_core::time::Timestamp;
use hooks_facts::globs::PatternDialect;
use hooks_facts::names::folded;

use super::artifact::{ArtifactError, artifact_name};
use crate::artifacts::Artifacts;

/// Lockout of one agent from one artifact.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::Timestamp;
/// use hooks_policies::Lockout;
///
/// let now: Timestamp = "2026-11-22T09:00:00Z".parse()?;
/// let lockout = Lockout::new("src/auth", "backend")
///     .by("reviewer")
///     .because("the tests were deleted")
///     .since(now)
///     .until(now.after(Duration::from_secs(3_600)));
/// assert_eq!(lockout.until.map(|until| until.to_string()).as_deref(), Some("2026-11-22T10:00:00.000Z"));
/// # Ok::<(), hooks_core::time::TimestampError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lockout {
    /// A file, a folder or a glob, relative to the root or absolute. The empty name stands for everything.
    pub artifact: String,
    /// Name of the agent that may not write the artifact.
    pub agent: String,
    /// Name of the reviewer that locked the agent out.
    pub by: Option<String>,
    /// Reason of the lockout.
    pub why: Option<String>,
    /// Start of the lockout.
    pub since: Option<Timestamp>,
    /// End of the lockout; if missing, it lasts until it is cleared.
    pub until: Option<Timestamp>,
}

impl Lockout {
    /// Creates a lockout of `agent` from `artifact`.
    pub fn new(artifact: impl Into<String>, agent: impl Into<String>) -> Self {
        Self { artifact: artifact.into(), agent: agent.into(), ..Self::default() }
    }

    /// Sets the reviewer.
    #[must_use]
    pub fn by(mut self, reviewer: impl Into<String>) -> Self {
        self.by = Some(reviewer.into());
        self
    }

    /// Sets the reason.
    #[must_use]
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// Sets the start.
    #[must_use]
    pub fn since(mut self, when: Timestamp) -> Self {
        self.since = Some(when);
        self
    }

    /// Sets the end.
    #[must_use]
    pub fn until(mut self, when: Timestamp) -> Self {
        self.until = Some(when);
        self
    }

    /// Returns whether the lockout has ended.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Error of an attempt to clear a lockout by an agent that is locked out itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedOut {
    /// Agent that made the attempt.
    pub agent: String,
    /// Artifact that the agent is locked out of.
    pub artifact: String,
}

impl fmt::Display for LockedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agent, artifact } = self;
        write!(
            f,
            "`{agent}` is locked out of `{artifact}` and cannot clear that; have another agent or a person clear it"
        )
    }
}

impl std::error::Error for LockedOut {}

/// Lockouts of a team. The registry is shared by reference. It is in memory, so the host keeps it when it
/// reloads the configuration ([`Guards::with_lockouts`](crate::Guards::with_lockouts)).
///
/// Queries and changes compare the names of artifacts and agents exactly, as Squad does; the policy compares
/// artifacts as files, and all names without regard to case. A name that is not a valid artifact
/// ([`artifact_name`](super::artifact_name)) locks everything, because a lockout was intended.
/// [`StoredLockouts`](super::StoredLockouts), which takes names from users, keeps one normal form for each
/// artifact.
///
/// ```
/// use hooks_policies::{Lockout, LockoutRegistry};
///
/// let registry = LockoutRegistry::default();
/// registry.lock(Lockout::new("src/auth.rs", "backend").by("reviewer"));
/// registry.lock(Lockout::new("src/auth.rs", "tester"));
/// assert_eq!(registry.locked_agents("src/auth.rs"), ["backend", "tester"]);
///
/// // An agent that is locked out cannot clear the lockout, under no spelling of its name.
/// let refused = registry.clear("src/auth.rs", "Backend").expect_err("it is locked out");
/// assert_eq!(
///     refused.to_string(),
///     "`Backend` is locked out of `src/auth.rs` and cannot clear that; have another agent or a person clear it",
/// );
/// registry.clear("src/auth.rs", "reviewer")?;
/// assert!(!registry.is_locked_out("src/auth.rs", "backend"));
/// # Ok::<(), hooks_policies::LockedOut>(())
/// ```
#[derive(Debug, Default)]
pub struct LockoutRegistry {
    dialect: PatternDialect,
    lockouts: RwLock<Lockouts>,
    /// Number of lockouts, so that an empty registry costs nothing.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct Lockouts {
    /// In the order of locking.
    all: Vec<Lockout>,
    /// By the agent's name in lower case. A team is small: a few comparisons cost less than a hash.
    agents: BTreeMap<String, Arc<AgentLockouts>>,
}

/// Lockouts of one agent.
#[derive(Debug, Default)]
pub(super) struct AgentLockouts {
    lockouts: Vec<Lockout>,
    /// Compiled on first use, so that the cost of adding lockouts is linear.
    artifacts: OnceLock<Artifacts>,
}

impl LockoutRegistry {
    /// Creates a registry that reads artifacts as patterns of `dialect`. Squad's patterns apply in any
    /// folder.
    pub fn new(dialect: PatternDialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// Locks an agent out of an artifact. If it is locked out already, the existing lockout stays.
    pub fn lock(&self, lockout: Lockout) {
        let mut lockouts = self.lockouts.write().unwrap_or_else(PoisonError::into_inner);
        let agent = lockouts.agents.entry(folded(&lockout.agent).into_owned()).or_default();
        if agent.lockouts.iter().any(|known| is_same(known, &lockout.artifact, &lockout.agent)) {
            return;
        }
        match Arc::get_mut(agent) {
            Some(agent) => {
                agent.lockouts.push(lockout.clone());
                agent.artifacts = OnceLock::new();
            }
            // A reader of the old list keeps it.
            None => {
                let lockouts = agent.lockouts.iter().chain([&lockout]).cloned().collect();
                *agent = Arc::new(AgentLockouts { lockouts, artifacts: OnceLock::new() });
            }
        }
        lockouts.all.push(lockout);
        self.count.store(lockouts.all.len(), Ordering::Release);
    }

    /// Clears all lockouts of an artifact on behalf of `by`.
    ///
    /// # Errors
    /// Returns [`LockedOut`] if `by` is locked out of the artifact.
    pub fn clear(&self, artifact: &str, by: &str) -> Result<(), LockedOut> {
        self.remove(by, |lockout| lockout.artifact == artifact)
    }

    /// Clears all lockouts of all artifacts on behalf of `by`.
    ///
    /// # Errors
    /// Returns [`LockedOut`] if `by` is locked out of any artifact.
    pub fn clear_all(&self, by: &str) -> Result<(), LockedOut> {
        self.remove(by, |_| true)
    }

    /// Returns whether exactly this agent is locked out of exactly this artifact.
    pub fn is_locked_out(&self, artifact: &str, agent: &str) -> bool {
        let lockouts = self.lockouts.read().unwrap_or_else(PoisonError::into_inner);
        let locked = lockouts.agents.get(&*folded(agent));
        locked.is_some_and(|locked| locked.lockouts.iter().any(|known| is_same(known, artifact, agent)))
    }

    /// Returns the agents that are locked out of an artifact, in the order of locking.
    pub fn locked_agents(&self, artifact: &str) -> Vec<String> {
        let lockouts = self.lockouts.read().unwrap_or_else(PoisonError::into_inner);
        let of_artifact = lockouts.all.iter().filter(|lockout| lockout.artifact == artifact);
        of_artifact.map(|lockout| lockout.agent.clone()).collect()
    }

    /// Returns the name under which `artifact` is locked.
    pub(super) fn name_of(&self, artifact: &str) -> Result<String, ArtifactError> {
        let name = artifact_name(artifact)?;
        match Artifacts::problem_of(&name, self.dialect) {
            None => Ok(name),
            Some((problem, hint)) => Err(ArtifactError { name: artifact.to_owned(), problem, hint }),
        }
    }

    /// Returns all lockouts, in the order of locking.
    pub fn all(&self) -> Vec<Lockout> {
        self.lockouts.read().unwrap_or_else(PoisonError::into_inner).all.clone()
    }

    /// Returns the lockouts of an agent at `now`, without regard to the case of its name.
    pub(super) fn lockouts_for(
        &self,
        agent: &str,
        now: impl Fn() -> Timestamp,
    ) -> Option<Arc<AgentLockouts>> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let lockouts = self.lockouts.read().unwrap_or_else(PoisonError::into_inner);
        let agent = lockouts.agents.get(&*folded(agent))?;
        if agent.lockouts.iter().all(|lockout| lockout.until.is_none()) {
            return Some(Arc::clone(agent));
        }
        // Lockouts with an end are rare: their list is built anew for each call.
        let now = now();
        let live: Vec<_> = agent.lockouts.iter().filter(|lockout| !lockout.is_over(now)).cloned().collect();
        (!live.is_empty()).then(|| Arc::new(AgentLockouts { lockouts: live, artifacts: OnceLock::new() }))
    }

    /// Replaces the lockouts of `old` by those of `new`; others stay.
    pub(super) fn replace(&self, old: &[Lockout], new: &[Lockout]) {
        let mut lockouts = self.lockouts.write().unwrap_or_else(PoisonError::into_inner);
        lockouts.all.retain(|known| !old.contains(known));
        for lockout in new {
            if !lockouts.all.iter().any(|known| is_same(known, &lockout.artifact, &lockout.agent)) {
                lockouts.all.push(lockout.clone());
            }
        }
        let mut agents: BTreeMap<String, Vec<Lockout>> = BTreeMap::new();
        for lockout in &lockouts.all {
            agents.entry(folded(&lockout.agent).into_owned()).or_default().push(lockout.clone());
        }
        let compiled = |lockouts| Arc::new(AgentLockouts { lockouts, artifacts: OnceLock::new() });
        lockouts.agents = agents.into_iter().map(|(agent, all)| (agent, compiled(all))).collect();
        self.count.store(lockouts.all.len(), Ordering::Release);
    }

    /// Returns the compiled artifacts of an agent.
    pub(super) fn artifacts<'a>(&self, locked: &'a AgentLockouts) -> &'a Artifacts {
        locked.artifacts.get_or_init(|| {
            // In both dialects, a back slash in the name of an artifact counts as a slash.
            let names: Vec<_> =
                locked.lockouts.iter().map(|lockout| lockout.artifact.replace('\\', "/")).collect();
            let anywhere = self.dialect == PatternDialect::Squad;
            Artifacts::new(names.iter().map(String::as_str), self.dialect, anywhere)
        })
    }

    fn remove(&self, by: &str, which: impl Fn(&Lockout) -> bool) -> Result<(), LockedOut> {
        let mut lockouts = self.lockouts.write().unwrap_or_else(PoisonError::into_inner);
        let by_folded = folded(by);
        let own = lockouts.all.iter().find(|lockout| which(lockout) && folded(&lockout.agent) == by_folded);
        if let Some(own) = own {
            return Err(LockedOut { agent: by.to_owned(), artifact: own.artifact.clone() });
        }
        lockouts.all.retain(|lockout| !which(lockout));
        lockouts.agents.retain(|_, agent| {
            if agent.lockouts.iter().any(&which) {
                let kept = agent.lockouts.iter().filter(|lockout| !which(lockout)).cloned().collect();
                *agent = Arc::new(AgentLockouts { lockouts: kept, artifacts: OnceLock::new() });
            }
            !agent.lockouts.is_empty()
        });
        self.count.store(lockouts.all.len(), Ordering::Release);
        Ok(())
    }
}

impl AgentLockouts {
    /// Returns the lockout of an artifact.
    pub(super) fn named(&self, artifact: &str) -> Option<&Lockout> {
        self.lockouts.iter().find(|lockout| lockout.artifact.replace('\\', "/") == artifact)
    }

    /// Returns the first lockout.
    pub(super) fn first(&self) -> Option<&Lockout> {
        self.lockouts.first()
    }
}

fn is_same(lockout: &Lockout, artifact: &str, agent: &str) -> bool {
    lockout.artifact == artifact && lockout.agent == agent
}
