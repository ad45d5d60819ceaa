//! Builds the hooks that a configuration describes.
//!
//! Compiles the whole configuration before the first call is judged and reports all errors at once. The order
//! is: protected files, write guard, lockout, command guard, rules; then the limits on questions, calls,
//! children and spending; after a tool call, the scrubber. Add your own hooks **before** the configuration,
//! so that the scrubber stays the last hook that changes a result. Hooks that rewrite an event before it is
//! judged may be added in any order.

use std::sync::Arc;

use hooks_core::event::SessionEnd;
use hooks_core::state::{MAX_AMOUNT, StateStore};
use hooks_core::{FailureLayer, Hooks, HooksBuilder, HooksConfig, Settle};
use tower_layer::Layer;

use crate::arguments::ArgumentRecorder;
use crate::artifacts::Artifacts;
use crate::ask_limit::AskLimit;
use crate::command_guard::CommandGuard;
use crate::config::{AskCounting, LockoutConfig, PatternDialect, PolicyConfig};
use crate::errors::PolicyErrors;
use crate::facts::CallReader;
use crate::limits::Limits;
use crate::lockout::{LockoutRegistry, RefreshLockouts, ReviewerLockout, StoredLockouts, artifact_name};
use crate::protected::ProtectedFiles;
use crate::redaction::Options;
use crate::result_redaction::{ResultRedaction, scrubber};
use crate::rules::Rules;
use crate::spawn::{self, SpawnBudget};
use crate::spend::{SpendBudget, SpendWatch, events};
use crate::store::CountingStore;
use crate::write_guard::WriteGuard;

/// The classic policies, with the parts that outlive a configuration: the store that counts and the lockouts.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::Hooks;
/// use hooks_policies::config::{LockoutConfig, PolicyConfig};
/// use hooks_policies::{LockoutRegistry, PolicyHooks, StrictPolicies};
///
/// // A reload builds new hooks of the new configuration and keeps who is locked out.
/// let lockouts = Arc::new(LockoutRegistry::default());
/// let reviewer_lockout = Some(LockoutConfig::default());
/// let config = PolicyConfig { reviewer_lockout, ..PolicyConfig::default() };
/// let hooks = Hooks::from_policy(StrictPolicies::new(config).with_lockouts(Arc::clone(&lockouts)))?;
/// # assert!(hooks.lockouts().is_some());
/// # Ok::<(), hooks_policies::PolicyErrors>(())
/// ```
pub struct StrictPolicies {
    config: PolicyConfig,
    store: Option<Arc<dyn StateStore>>,
    lockouts: Option<Arc<LockoutRegistry>>,
    watch: Option<Arc<dyn SpendWatch>>,
    stored_lockouts: Option<Arc<StoredLockouts>>,
}

impl StrictPolicies {
    /// Creates the policies of `config`, which count in memory and start without lockouts.
    pub fn new(config: PolicyConfig) -> Self {
        Self { config, store: None, lockouts: None, stored_lockouts: None, watch: None }
    }

    /// Counts in `store` instead of in memory.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn StateStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Enforces the lockouts of `registry`; the lockouts of the configuration are added to it.
    #[must_use]
    pub fn with_lockouts(mut self, registry: Arc<LockoutRegistry>) -> Self {
        self.lockouts = Some(registry);
        self
    }

    /// Enforces lockouts that are kept in a store: each call that writes reads the current lockouts from it.
    #[must_use]
    pub fn with_stored_lockouts(mut self, lockouts: Arc<StoredLockouts>) -> Self {
        self.stored_lockouts = Some(lockouts);
        self
    }

    /// Reports to `watch` what the budget does and what each session spent.
    #[must_use]
    pub fn with_spend_watch(mut self, watch: Arc<dyn SpendWatch>) -> Self {
        self.watch = Some(watch);
        self
    }
}

impl HooksConfig for StrictPolicies {
    type Error = PolicyErrors;

    /// # Errors
    /// Returns all errors of the configuration; nothing is added in that case.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), PolicyErrors> {
        let Self { config, store, lockouts, stored_lockouts, watch } = self;
        let mut errors = PolicyErrors::default();
        let reader = CallReader::compile(&config.paths, &config.tools, &mut errors);
        let write_guard = config.write_guard.map(|guard| WriteGuard::compile(&guard, &reader, &mut errors));
        let command_guard =
            config.command_guard.map(|guard| CommandGuard::compile(&guard, &reader, &mut errors));
        let scrubber = config.redaction.as_ref().map(|redaction| scrubber(redaction, &mut errors));
        let recorder = match (&config.redaction, &scrubber) {
            // Squad's telemetry has its own format, but recorded arguments are scrubbed with all labels all
            // the same.
            (Some(redaction), _) if redaction.dialect == PatternDialect::Squad => {
                ArgumentRecorder::with_options(Options::default().with_list_as_object(true))
            }
            (_, Some(scrubber)) => ArgumentRecorder::new(scrubber.clone()),
            (_, None) => ArgumentRecorder::default(),
        };
        if config.ask_user.as_ref().is_some_and(|ask_user| ask_user.max_per_session > MAX_AMOUNT) {
            let hint = format!("write at most {MAX_AMOUNT}");
            errors.push("ask_user.max_per_session", "more questions than can be counted", hint);
        }
        if let Some(lockout) = &config.reviewer_lockout {
            check_lockouts(lockout, reader.dialect(), &mut errors);
        }
        let rules = Rules::compile(&config.rules, &reader, &mut errors);
        let protected = ProtectedFiles::compile(&config.protected, &reader, &mut errors);
        // All limits share one store, also if it is in memory.
        let counting = CountingStore::new(store);
        let limits = config.limits.as_ref().map(|limits| Limits::compile(limits, &counting, &mut errors));
        let budget = config.budget.as_ref().map(|budget| {
            let compiled = SpendBudget::compile(budget, counting.clone(), &mut errors);
            let compiled = watch.into_iter().fold(compiled, SpendBudget::with_watch);
            (compiled, budget.enforce)
        });
        let spawn = config.spawn.as_ref();
        let spawn = spawn.map(|spawn| SpawnBudget::compile(spawn, counting.clone(), &reader, &mut errors));
        errors.or(())?;
        let counts = config.ask_user.is_some() || limits.is_some() || budget.is_some() || spawn.is_some();

        if !config.protected.is_empty() {
            builder.add_policy(protected);
        }
        // Before the write guard: if both deny a command, the blocked program is the more useful reason.
        if let Some(guard) = command_guard {
            builder.add_policy(guard);
        }
        if let Some(guard) = write_guard {
            builder.add_policy(guard);
        }
        // The registry exists also if lockouts are not enforced, so that callers of `lockouts` need no
        // special case.
        let mirror = stored_lockouts.as_ref().map(|stored| Arc::clone(stored.registry()));
        let registry =
            mirror.or(lockouts).unwrap_or_else(|| Arc::new(LockoutRegistry::new(reader.dialect())));
        builder.add_extension(Arc::clone(&registry));
        if let Some(stored) = &stored_lockouts {
            builder.add_extension(Arc::clone(stored));
        }
        if let Some(lockout) = config.reviewer_lockout {
            if let Some(stored) = stored_lockouts {
                let refresh = RefreshLockouts::new(stored, &reader).layer().layer(Settle);
                *builder = std::mem::take(builder).stack(&FailureLayer::new("reviewer-lockout"), refresh);
            }
            builder.add_policy(ReviewerLockout::new(&lockout, registry, &reader));
        }
        if !config.rules.is_empty() {
            builder.add_policy(rules);
        }
        if let Some(ask_user) = config.ask_user {
            let limit = Arc::new(AskLimit::new(&ask_user, &reader).counting_in(counting.clone()));
            builder.add_reserve(Arc::clone(&limit));
            if ask_user.counts == AskCounting::Attempted {
                *builder = std::mem::take(builder).observer(limit);
            }
        }
        if let Some(limits) = limits {
            limits.add_to(builder);
        }
        if let Some(spawn) = &spawn {
            spawn::events::add_to(builder, spawn);
        }
        if counts {
            *builder = std::mem::take(builder).listener::<SessionEnd>(counting);
        }
        // Last, so that nothing is reserved for a call that another hook denies.
        if let Some((budget, enforce)) = budget {
            events::add_to(builder, &budget, enforce, &reader);
            builder.add_extension(Arc::new(budget));
        }
        if let Some(scrubber) = scrubber {
            builder.add_transform(ResultRedaction::with(scrubber));
        }
        builder.add_extension(Arc::new(recorder));
        Ok(())
    }
}

/// Reports names that match no artifact or agent.
fn check_lockouts(config: &LockoutConfig, dialect: PatternDialect, errors: &mut PolicyErrors) {
    for (artifact, agents) in &config.locked {
        let field = format!("reviewer_lockout.locked.{artifact}");
        match artifact_name(artifact) {
            Err(error) => errors.push(field.as_str(), format!("`{artifact}`: {}", error.problem), error.hint),
            Ok(name) => {
                if let Some((problem, hint)) = Artifacts::problem_of(&name, dialect) {
                    errors.push(field.as_str(), problem, hint);
                }
            }
        }
        check_names(&field, agents, errors);
    }
    check_names("reviewer_lockout.team", &config.team, errors);
    check_names("reviewer_lockout.ignored_arguments", &config.ignored_arguments, errors);
}

fn check_names(field: &str, names: &[String], errors: &mut PolicyErrors) {
    for (index, _) in names.iter().enumerate().filter(|(_, name)| name.trim().is_empty()) {
        errors.push(format!("{field}[{index}]"), "the name is empty", "write a name, or leave it out");
    }
}

impl HooksConfig for PolicyConfig {
    type Error = PolicyErrors;

    /// # Errors
    /// Returns all errors of the configuration; nothing is added in that case.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), PolicyErrors> {
        StrictPolicies::new(self).add_to(builder)
    }
}

impl std::fmt::Debug for StrictPolicies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StrictPolicies").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Access to the shared state of the classic policies in a set of hooks.
pub trait PolicyHooks {
    /// Returns the registry of lockouts; `None` if the set was built without the classic policies.
    fn lockouts(&self) -> Option<&LockoutRegistry>;

    /// Returns the lockouts that a store keeps; `None` if they are in memory.
    fn stored_lockouts(&self) -> Option<&StoredLockouts>;

    /// Returns the recorder that formats arguments for telemetry, with the scrubber of the configuration.
    fn argument_recorder(&self) -> Option<&ArgumentRecorder>;

    /// Returns the budget of child agents; `None` if the configuration has none.
    fn spawn_budget(&self) -> Option<&SpawnBudget>;

    /// Returns the spending budget; `None` if the configuration has none.
    fn spend_budget(&self) -> Option<&SpendBudget>;
}

impl PolicyHooks for Hooks {
    fn lockouts(&self) -> Option<&LockoutRegistry> {
        self.extension()
    }

    fn stored_lockouts(&self) -> Option<&StoredLockouts> {
        self.extension()
    }

    fn argument_recorder(&self) -> Option<&ArgumentRecorder> {
        self.extension()
    }

    fn spawn_budget(&self) -> Option<&SpawnBudget> {
        self.extension()
    }

    fn spend_budget(&self) -> Option<&SpendBudget> {
        self.extension()
    }
}

#[cfg(test)]
mod tests;
