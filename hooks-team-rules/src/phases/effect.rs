//! Effects that the host carries out: commits that belong to the pipeline, not to an agent.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Most effects that wait for the host; the oldest ones are dropped.
const MOST: usize = 1024;

/// An effect that the host carries out. No text of a command line makes one by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PhaseEffect {
    /// All parallel tasks of a group ended: commit their files.
    BatchCommit {
        /// Workspace of the pipeline.
        workspace: PathBuf,
        /// Files of the tasks, as the state names them.
        files: Vec<String>,
    },
    /// A pipeline ended: add the files to the last commit, and push with a lease.
    FinalCommit {
        /// Workspace of the pipeline.
        workspace: PathBuf,
        /// Files to add.
        files: Vec<PathBuf>,
    },
}

/// Effects that wait for the host. Clones share them.
///
/// ```
/// use hooks_team_rules::phases::{PhaseEffect, PhaseEffects};
///
/// let effects = PhaseEffects::default();
/// effects.push(PhaseEffect::BatchCommit { workspace: "/repo/.specs/demo".into(), files: vec!["a.rs".into()] });
/// assert_eq!(effects.clone().drain().len(), 1);
/// assert!(effects.drain().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct PhaseEffects(Arc<Mutex<VecDeque<PhaseEffect>>>);

impl PhaseEffects {
    /// Adds an effect. One that waits already is not added again.
    ///
    /// ```
    /// use hooks_team_rules::phases::{PhaseEffect, PhaseEffects};
    ///
    /// let effects = PhaseEffects::default();
    /// let commit = PhaseEffect::BatchCommit { workspace: "/repo/run".into(), files: vec!["a.rs".into()] };
    /// effects.push(commit.clone());
    /// effects.push(commit);
    /// assert_eq!(effects.drain().len(), 1);
    /// ```
    pub fn push(&self, effect: PhaseEffect) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.contains(&effect) {
            return;
        }
        if waiting.len() == MOST {
            waiting.pop_front();
        }
        waiting.push_back(effect);
    }

    /// Removes and returns all effects, the oldest first.
    ///
    /// ```
    /// use hooks_team_rules::phases::{PhaseEffect, PhaseEffects};
    ///
    /// let effects = PhaseEffects::default();
    /// effects.push(PhaseEffect::BatchCommit { workspace: "/repo/run".into(), files: vec!["a.rs".into()] });
    /// for effect in effects.drain() {
    ///     if let PhaseEffect::BatchCommit { files, .. } = effect {
    ///         assert_eq!(files, ["a.rs"]); // `git add`, `git commit`
    ///     }
    /// }
    /// ```
    pub fn drain(&self) -> Vec<PhaseEffect> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}
