//! From what a configuration says to hooks; what the policies refuse is reported at its place in the file.

use std::fmt;
use std::sync::Arc;

use hooks_core::state::{Memory, StateStore};
use hooks_core::{Hooks, HooksBuilder};
use hooks_policies::config::PolicyConfig;
use hooks_policies::profile::SquadCompat;
use hooks_policies::spend::SpendWatch;
use hooks_policies::squad::{SquadPipeline, SquadPolicy};
use hooks_policies::{LockoutRegistry, PolicyErrors, StrictPolicies};
use hooks_resilience::ResilienceConfig;

use super::budget;
use super::error::{Mistakes, Place};
use super::models::Models;
use super::prune::Pruned;
use super::squad;
use super::tree::Node;
use crate::system::SystemClock;

/// What the profiles are configured by.
#[derive(Debug)]
pub(super) enum Settings {
    Strict { policy: Box<PolicyConfig>, models: Option<Box<ResilienceConfig>>, from: Origin },
    SquadCompat(SquadPolicy),
}

/// What a strict configuration was read from.
#[derive(Debug)]
pub(super) enum Origin {
    /// A `hooks.yaml`, without its mistakes.
    Document(Pruned),
    /// A Squad policy.
    Squad,
}

/// What outlives a configuration: the lockouts, and the counters. Clones share it.
///
/// Under `squad-compat` Squad's pipeline keeps its own, which end with it.
#[derive(Clone)]
pub struct Kept {
    lockouts: Arc<LockoutRegistry>,
    store: Arc<dyn StateStore>,
    watch: Option<Arc<dyn SpendWatch>>,
}

impl Kept {
    /// Keeps these.
    pub fn new(lockouts: Arc<LockoutRegistry>, store: Arc<dyn StateStore>) -> Self {
        Self { lockouts, store, watch: None }
    }

    /// Tells `watch` what the budget does, and what each session spent.
    #[must_use]
    pub fn with_spend_watch(mut self, watch: Arc<dyn SpendWatch>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Who is locked out of what.
    pub const fn lockouts(&self) -> &Arc<LockoutRegistry> {
        &self.lockouts
    }

    /// Where is counted.
    pub fn store(&self) -> &Arc<dyn StateStore> {
        &self.store
    }

    /// Nothing yet, in memory, for the patterns of `settings`.
    fn nothing(settings: &Settings) -> Self {
        let dialect = match settings {
            Settings::Strict { policy, .. } => policy.paths.dialect,
            Settings::SquadCompat(_) => Default::default(),
        };
        Self::new(Arc::new(LockoutRegistry::new(dialect)), Arc::new(Memory::new(Arc::new(SystemClock))))
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("lockouts", &self.lockouts).finish_non_exhaustive()
    }
}

/// Hooks, and what outlives them.
pub(super) struct Built {
    pub(super) hooks: Hooks,
    pub(super) kept: Kept,
    pub(super) models: Option<Models>,
}

/// Builds the hooks of `settings`, which were read from `root`.
pub(super) fn build(
    settings: &Settings,
    protected: &[String],
    kept: Option<Kept>,
    root: &Node,
    mistakes: &mut Mistakes,
) -> Option<Built> {
    let kept = kept.unwrap_or_else(|| Kept::nothing(settings));
    // What governs the agents is protected apart, so that its paths are never read in a dialect of the file's.
    let protection = PolicyConfig { protected: protected.to_vec(), ..PolicyConfig::default() };
    let builder = strict(Hooks::builder(), protection, &kept);
    let builder = builder.map_err(|errors| report(errors, &Place::START, mistakes)).ok()?;
    match settings {
        Settings::Strict { policy, models, from } => {
            let models = match (models, from) {
                (Some(config), Origin::Document(tree)) => {
                    Some(Models::new(config, Arc::clone(&kept.store), tree, mistakes))
                }
                _ => None,
            };
            let known = models.as_ref().and_then(Option::as_ref);
            let built = match strict(builder, budget::priced(policy, known), &kept) {
                Ok(builder) => Some(builder),
                Err(errors) => {
                    report_in(errors, from, root, mistakes);
                    None
                }
            };
            // Asked for after both were looked at, so that all mistakes are told.
            let (mut builder, models) = (built?, models.map_or(Some(None), |models| models.map(Some))?);
            if let Some(models) = &models {
                builder = models.add_hooks(builder);
            }
            Some(Built { hooks: builder.build(), kept, models })
        }
        Settings::SquadCompat(policy) => match SquadPipeline::new(Some(policy)) {
            Ok(pipeline) => {
                let Ok(builder) = builder.config(SquadCompat::new(Arc::new(pipeline)));
                Some(Built { hooks: builder.build(), kept, models: None })
            }
            Err(error) => {
                mistakes.add(&root.place, "", error.to_string());
                None
            }
        },
    }
}

fn strict(builder: HooksBuilder, policy: PolicyConfig, kept: &Kept) -> Result<HooksBuilder, PolicyErrors> {
    let policies = StrictPolicies::new(policy)
        .with_lockouts(Arc::clone(&kept.lockouts))
        .with_store(Arc::clone(&kept.store));
    builder.config(match &kept.watch {
        Some(watch) => policies.with_spend_watch(Arc::clone(watch)),
        None => policies,
    })
}

/// Reports what the policies refuse at its place in what they were read from.
fn report_in(errors: PolicyErrors, from: &Origin, root: &Node, mistakes: &mut Mistakes) {
    for error in errors {
        let (place, path) = match from {
            Origin::Document(tree) => (tree.root.locate(&error.field), tree.path_before(&error.field)),
            Origin::Squad => {
                let path = squad::path_in(root, &error.field);
                (root.locate(&path), path)
            }
        };
        mistakes.add_with_hint(place, path, error.problem, error.hint);
    }
}

fn report(errors: PolicyErrors, place: &Place, mistakes: &mut Mistakes) {
    for error in errors {
        mistakes.add_with_hint(place, error.field, error.problem, error.hint);
    }
}
