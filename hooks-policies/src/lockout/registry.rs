//! Who is locked out of what.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use hooks_core::time::Timestamp;

use super::artifact::{ArtifactError, artifact_name};
use crate::artifacts::Artifacts;
use crate::config::PatternDialect;
use crate::names::folded;

/// One agent locked out of one artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lockout {
    /// A file, a folder or a glob, relative to the root or absolute. The empty name stands for everything.
    pub artifact: String,
    /// Who may not write it.
    pub agent: String,
    /// Who locked them out.
    pub by: Option<String>,
    /// Why.
    pub why: Option<String>,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Until when; until somebody clears it where absent.
    pub until: Option<Timestamp>,
}

impl Lockout {
    /// Locks `agent` out of `artifact`.
    pub fn new(artifact: impl Into<String>, agent: impl Into<String>) -> Self {
        Self { artifact: artifact.into(), agent: agent.into(), ..Self::default() }
    }

    /// Says who does it.
    #[must_use]
    pub fn by(mut self, reviewer: impl Into<String>) -> Self {
        self.by = Some(reviewer.into());
        self
    }

    /// Says why.
    #[must_use]
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// Says since when.
    #[must_use]
    pub fn since(mut self, when: Timestamp) -> Self {
        self.since = Some(when);
        self
    }

    /// Says until when.
    #[must_use]
    pub fn until(mut self, when: Timestamp) -> Self {
        self.until = Some(when);
        self
    }

    /// Whether its time is up.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Why a lockout cannot be cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedOut {
    /// Who asked for it.
    pub agent: String,
    /// What they are locked out of.
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

/// The lockouts of a team. Shared by reference; in memory, so its host keeps it over a reload
/// ([`StrictPolicies::with_lockouts`](crate::StrictPolicies::with_lockouts)).
///
/// Questions and changes name artifacts and agents exactly, as Squad's do; the policy compares them as files and without
/// case. A name that stands for no artifact ([`artifact_name`](super::artifact_name)) locks everything: somebody meant to
/// lock something. [`StoredLockouts`](super::StoredLockouts), which people talk to, takes one name for each artifact.
#[derive(Debug, Default)]
pub struct LockoutRegistry {
    dialect: PatternDialect,
    lockouts: RwLock<Lockouts>,
    /// How many there are, so that an empty registry costs nothing.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct Lockouts {
    /// In the order of locking.
    all: Vec<Lockout>,
    /// By the agent's name without case. A team is small: a few comparisons cost less than a hash.
    agents: BTreeMap<String, Arc<AgentLockouts>>,
}

/// What one agent is locked out of.
#[derive(Debug, Default)]
pub(super) struct AgentLockouts {
    lockouts: Vec<Lockout>,
    /// Compiled when first asked for, so that locking many costs no more than their number.
    artifacts: OnceLock<Artifacts>,
}

impl LockoutRegistry {
    /// A registry that reads artifacts as patterns of `dialect`. Squad's are meant in any folder.
    pub fn new(dialect: PatternDialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// Locks an agent out of an artifact; where it is already, that stands.
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
            // Whoever reads the old list goes on with it.
            None => {
                let lockouts = agent.lockouts.iter().chain([&lockout]).cloned().collect();
                *agent = Arc::new(AgentLockouts { lockouts, artifacts: OnceLock::new() });
            }
        }
        lockouts.all.push(lockout);
        self.count.store(lockouts.all.len(), Ordering::Release);
    }

    /// Lets all agents write an artifact again, at the word of `by`.
    ///
    /// # Errors
    /// `by` is locked out of it.
    pub fn clear(&self, artifact: &str, by: &str) -> Result<(), LockedOut> {
        self.remove(by, |lockout| lockout.artifact == artifact)
    }

    /// Lets all agents write all artifacts again, at the word of `by`.
    ///
    /// # Errors
    /// `by` is locked out of one.
    pub fn clear_all(&self, by: &str) -> Result<(), LockedOut> {
        self.remove(by, |_| true)
    }

    /// Whether exactly this agent is locked out of exactly this artifact.
    pub fn is_locked_out(&self, artifact: &str, agent: &str) -> bool {
        let lockouts = self.lockouts.read().unwrap_or_else(PoisonError::into_inner);
        let locked = lockouts.agents.get(&*folded(agent));
        locked.is_some_and(|locked| locked.lockouts.iter().any(|known| is_same(known, artifact, agent)))
    }

    /// The agents that are locked out of an artifact, in the order of locking.
    pub fn locked_agents(&self, artifact: &str) -> Vec<String> {
        let lockouts = self.lockouts.read().unwrap_or_else(PoisonError::into_inner);
        let of_artifact = lockouts.all.iter().filter(|lockout| lockout.artifact == artifact);
        of_artifact.map(|lockout| lockout.agent.clone()).collect()
    }

    /// The name that `artifact` is locked under.
    pub(super) fn name_of(&self, artifact: &str) -> Result<String, ArtifactError> {
        let name = artifact_name(artifact)?;
        match Artifacts::problem_of(&name, self.dialect) {
            None => Ok(name),
            Some((problem, hint)) => Err(ArtifactError { name: artifact.to_owned(), problem, hint }),
        }
    }

    /// All lockouts, in the order of locking.
    pub fn all(&self) -> Vec<Lockout> {
        self.lockouts.read().unwrap_or_else(PoisonError::into_inner).all.clone()
    }

    /// What an agent is locked out of at `now`, whatever the case of its name.
    pub(super) fn of(&self, agent: &str, now: impl Fn() -> Timestamp) -> Option<Arc<AgentLockouts>> {
        if self.count.load(Ordering::Acquire) == 0 {
            return None;
        }
        let lockouts = self.lockouts.read().unwrap_or_else(PoisonError::into_inner);
        let agent = lockouts.agents.get(&*folded(agent))?;
        if agent.lockouts.iter().all(|lockout| lockout.until.is_none()) {
            return Some(Arc::clone(agent));
        }
        // Lockouts with an end are rare: their list is made anew for each call.
        let now = now();
        let live: Vec<_> = agent.lockouts.iter().filter(|lockout| !lockout.is_over(now)).cloned().collect();
        (!live.is_empty()).then(|| Arc::new(AgentLockouts { lockouts: live, artifacts: OnceLock::new() }))
    }

    /// Takes out the lockouts of `old` and puts in those of `new`; others stay.
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

    /// The artifacts of an agent, compiled.
    pub(super) fn artifacts<'a>(&self, locked: &'a AgentLockouts) -> &'a Artifacts {
        locked.artifacts.get_or_init(|| {
            // A back slash in the name of an artifact is meant as a slash, in both dialects.
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
    /// The lockout that an artifact is of.
    pub(super) fn named(&self, artifact: &str) -> Option<&Lockout> {
        self.lockouts.iter().find(|lockout| lockout.artifact.replace('\\', "/") == artifact)
    }

    /// The first lockout.
    pub(super) fn first(&self) -> Option<&Lockout> {
        self.lockouts.first()
    }
}

fn is_same(lockout: &Lockout, artifact: &str, agent: &str) -> bool {
    lockout.artifact == artifact && lockout.agent == agent
}
