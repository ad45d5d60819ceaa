//! Registry of locked-out agents by artifact, in memory, in the order of locking.
//!
//! Squad checks all artifacts for each write. Here an agent's artifacts are kept together, and a signature of
//! letters and pairs of letters excludes most of them before any text is searched.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use memchr::memmem;

/// Registry that a pipeline enforces; it also works if the pipeline does not enforce it.
///
/// Entries are removed only by [`clear`](Self::clear) and [`clear_all`](Self::clear_all).
#[derive(Debug, Default)]
pub struct SquadLockouts {
    index: RwLock<Index>,
}

impl SquadLockouts {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks `agent` out of `artifact`.
    pub fn lockout(&self, artifact: &str, agent: &str) {
        self.index.write().unwrap_or_else(PoisonError::into_inner).insert(artifact, agent);
    }

    /// Returns whether exactly this agent is locked out of exactly this artifact.
    #[must_use]
    pub fn is_locked_out(&self, artifact: &str, agent: &str) -> bool {
        self.index.read().unwrap_or_else(PoisonError::into_inner).contains(artifact, agent)
    }

    /// Returns the agents that are locked out of an artifact, in the order of locking.
    #[must_use]
    pub fn locked_agents(&self, artifact: &str) -> Vec<Arc<str>> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.artifacts.get(artifact).map(|artifact| artifact.agents.clone()).unwrap_or_default()
    }

    /// Allows all agents to write an artifact again.
    pub fn clear(&self, artifact: &str) {
        self.index.write().unwrap_or_else(PoisonError::into_inner).remove(artifact);
    }

    /// Allows all agents to write all artifacts again.
    pub fn clear_all(&self) {
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Index::default();
    }

    /// Returns the first artifact, in the order of first locking, that keeps `agent` from writing `path`: its
    /// name is part of the path, or the path is part of its name.
    ///
    /// ```
    /// use hooks_policies::squad::SquadLockouts;
    ///
    /// let registry = SquadLockouts::new();
    /// registry.lockout("auth", "Backend");
    /// assert_eq!(registry.blocking_artifact("Backend", "src/authors.md").as_deref(), Some("auth"));
    /// assert_eq!(registry.blocking_artifact("backend", "src/auth.rs"), None); // names are compared exactly
    /// ```
    #[must_use]
    pub fn blocking_artifact(&self, agent: &str, path: &str) -> Option<Arc<str>> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        let locked = index.agents.get(agent)?;
        let signature = Signature::from_text(path);
        locked
            .iter()
            .find(|locked| locked.concerns(path, signature))
            .map(|locked| Arc::clone(&locked.artifact))
    }
}

#[derive(Debug, Default)]
struct Index {
    artifacts: HashMap<Arc<str>, Artifact>,
    /// The same by agent, in the order of the artifacts.
    agents: HashMap<Arc<str>, Vec<Locked>>,
    last_place: u64,
}

impl Index {
    fn insert(&mut self, artifact: &str, agent: &str) {
        if self.contains(artifact, agent) {
            return;
        }
        let agent =
            self.agents.get_key_value(agent).map_or_else(|| Arc::from(agent), |(agent, _)| Arc::clone(agent));
        let name = match self.artifacts.get_key_value(artifact) {
            Some((name, _)) => Arc::clone(name),
            None => Arc::from(artifact),
        };
        let entry = self.artifacts.entry(Arc::clone(&name)).or_insert_with(|| {
            self.last_place += 1;
            Artifact { place: self.last_place, agents: Vec::new() }
        });
        entry.agents.push(Arc::clone(&agent));
        let locked = self.agents.entry(agent).or_default();
        // At the end, unless the artifact was first locked for another agent.
        let at = locked.partition_point(|locked| locked.place < entry.place);
        locked.insert(
            at,
            Locked { place: entry.place, signature: Signature::from_text(artifact), artifact: name },
        );
    }

    fn contains(&self, artifact: &str, agent: &str) -> bool {
        self.artifacts
            .get(artifact)
            .zip(self.agents.get(agent))
            .is_some_and(|(artifact, locked)| position(locked, artifact.place).is_some())
    }

    fn remove(&mut self, artifact: &str) {
        let Some(artifact) = self.artifacts.remove(artifact) else { return };
        for agent in artifact.agents {
            if let Some(locked) = self.agents.get_mut(&agent) {
                if let Some(at) = position(locked, artifact.place) {
                    locked.remove(at);
                }
                if locked.is_empty() {
                    self.agents.remove(&agent);
                }
            }
        }
    }
}

/// Artifact that at least one agent is locked out of.
#[derive(Debug)]
struct Artifact {
    place: u64,
    agents: Vec<Arc<str>>,
}

/// One artifact of one agent.
#[derive(Debug)]
struct Locked {
    place: u64,
    signature: Signature,
    artifact: Arc<str>,
}

impl Locked {
    fn concerns(&self, path: &str, signature: Signature) -> bool {
        let artifact = &*self.artifact;
        // Of two texts of the same length, neither is part of the other unless they are equal.
        if artifact.len() <= path.len() {
            self.signature.is_part_of(signature) && is_in(artifact, path)
        } else {
            signature.is_part_of(self.signature) && is_in(path, artifact)
        }
    }
}

/// Set of a text's bytes and pairs of bytes, folded into bits: part of a text has no bit that the text does
/// not have.
#[derive(Clone, Copy, Debug)]
struct Signature {
    bytes: u64,
    pairs: u64,
}

impl Signature {
    fn from_text(text: &str) -> Self {
        let mut signature = Self { bytes: 0, pairs: 0 };
        let mut last = None;
        for byte in text.bytes() {
            signature.bytes |= 1 << (byte & 63);
            if let Some(last) = last.replace(byte) {
                let pair = u64::from(last) << 8 | u64::from(byte);
                // The top six bits of a multiplicative hash.
                signature.pairs |= 1 << (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
            }
        }
        signature
    }

    fn is_part_of(self, whole: Self) -> bool {
        self.bytes & !whole.bytes == 0 && self.pairs & !whole.pairs == 0
    }
}

fn position(locked: &[Locked], place: u64) -> Option<usize> {
    locked.binary_search_by_key(&place, |locked| locked.place).ok()
}

fn is_in(part: &str, whole: &str) -> bool {
    memmem::find(whole.as_bytes(), part.as_bytes()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(registry: &SquadLockouts, artifact: &str) -> Vec<String> {
        registry.locked_agents(artifact).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn agents_in_the_order_of_locking() {
        let registry = SquadLockouts::new();
        for agent in ["b", "a", "c", "a"] {
            registry.lockout("x", agent);
        }
        assert_eq!(agents(&registry, "x"), ["b", "a", "c"]);
        assert!(registry.is_locked_out("x", "a") && !registry.is_locked_out("x", "A"));
        registry.clear("x");
        registry.clear("unknown");
        assert!(agents(&registry, "x").is_empty() && !registry.is_locked_out("x", "a"));
        registry.lockout("x", "a");
        registry.clear_all();
        assert!(agents(&registry, "x").is_empty());
    }

    #[test]
    fn part_either_way() {
        let registry = SquadLockouts::new();
        registry.lockout("src/auth.ts", "a");
        for path in ["src/auth.ts", "/repo/src/auth.ts", "auth.ts", "a"] {
            assert!(registry.blocking_artifact("a", path).is_some(), "{path}");
        }
        for path in ["src//auth.ts", "src\\auth.ts", "src/Auth.ts", "src/auth.tsy/src/auth.t"] {
            assert_eq!(
                registry.blocking_artifact("a", path).is_some(),
                path.contains("src/auth.ts"),
                "{path}"
            );
        }
        assert!(registry.blocking_artifact("b", "src/auth.ts").is_none());
        registry.lockout("", "b");
        assert!(registry.blocking_artifact("b", "anything").is_some());
    }

    #[test]
    fn artifacts_stand_where_they_were_first_locked() {
        let registry = SquadLockouts::new();
        registry.lockout("x", "other");
        registry.lockout("y", "a");
        registry.lockout("x", "a");
        assert_eq!(registry.blocking_artifact("a", "x/y").as_deref(), Some("x"));
        registry.clear("x");
        registry.lockout("x", "a");
        assert_eq!(registry.blocking_artifact("a", "x/y").as_deref(), Some("y"));
    }
}
