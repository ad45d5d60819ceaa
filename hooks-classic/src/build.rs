//! Builds the hooks that a configuration describes.
//!
//! Compiles the whole configuration before the first call is judged and reports all errors at once. The order
//! is: the guards ([`Guards`]), then the limits and budgets ([`Budgets`]); after a tool call, the scrubber
//! ([`Redaction`]). Add your own hooks **before** the configuration, so that the scrubber stays the last hook
//! that changes a result. Hooks that rewrite an event before it is judged may be added in any order.

use std::sync::Arc;

use hooks_budgets::spend::SpendWatch;
use hooks_budgets::{Budgets, BudgetsSettings, SpawnBudget, SpendBudget};
use hooks_core::state::StateStore;
use hooks_core::{Hooks, HooksBuilder, HooksConfig, PolicyErrors};
use hooks_facts::calls::CallReader;
use hooks_policies::config::GuardsSettings;
use hooks_policies::packs::PackConfig;
use hooks_policies::rules::ReadChanges;
use hooks_policies::{Guards, LockoutRegistry, StoredLockouts};
use hooks_redaction::{ArgumentRecorder, Redaction};

use crate::config::PolicyConfig;

/// The classic policies, with the parts that outlive a configuration: the store that counts and the lockouts.
///
/// ```
/// use std::sync::Arc;
/// use hooks_classic::{PolicyConfig, PolicyHooks, StrictPolicies};
/// use hooks_core::Hooks;
/// use hooks_policies::{LockoutRegistry, config::LockoutConfig};
///
/// // A reload builds new hooks of the new configuration and keeps who is locked out.
/// let lockouts = Arc::new(LockoutRegistry::default());
/// let reviewer_lockout = Some(LockoutConfig::default());
/// let config = PolicyConfig { reviewer_lockout, ..PolicyConfig::default() };
/// let hooks = Hooks::from_policy(StrictPolicies::new(config).with_lockouts(Arc::clone(&lockouts)))?;
/// # assert!(hooks.lockouts().is_some());
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
pub struct StrictPolicies {
    config: PolicyConfig,
    store: Option<Arc<dyn StateStore>>,
    lockouts: Option<Arc<LockoutRegistry>>,
    watch: Option<Arc<dyn SpendWatch>>,
    stored_lockouts: Option<Arc<StoredLockouts>>,
    changes: Option<Arc<dyn ReadChanges>>,
    packs: Vec<PackConfig>,
}

impl StrictPolicies {
    /// Creates the policies of `config`, which count in memory and start without lockouts.
    pub fn new(config: PolicyConfig) -> Self {
        Self {
            config,
            store: None,
            lockouts: None,
            stored_lockouts: None,
            watch: None,
            changes: None,
            packs: Vec::new(),
        }
    }

    /// Counts in `store` instead of in memory.
    ///
    /// A question that one process asked counts in the next:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_classic::{PolicyConfig, StrictPolicies};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{HookContext, Hooks, Judged, state::Memory, time::StoppedClock};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// for goes_ahead in [true, false] {
    ///     let config: PolicyConfig = serde_json::from_value(json!({"ask_user": {"max_per_session": 1}}))?;
    ///     let hooks = Hooks::from_policy(StrictPolicies::new(config).with_store(store.clone()))?;
    ///     let question = PreToolUse::new("ask_user", json!({"question": "which port?"}));
    ///     let mut decided = hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(question).await;
    ///     decided.commit();
    ///     assert_eq!(decided.outcome.goes_ahead(), goes_ahead);
    /// }
    /// # Ok(())
    /// # }
    /// ```
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

    /// Reads the content of calls with `changes`, for rules with `content` or `imports`.
    #[must_use]
    pub fn with_changes(mut self, changes: Arc<dyn ReadChanges>) -> Self {
        self.changes = Some(changes);
        self
    }

    /// Applies the rules of `packs`, which are those that `packs` of the configuration names.
    #[must_use]
    pub fn with_packs(mut self, packs: Vec<PackConfig>) -> Self {
        self.packs = packs;
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
        let Self { config, store, lockouts, stored_lockouts, watch, changes, packs } = self;
        let mut errors = PolicyErrors::default();
        if !config.packs.is_empty() && packs.is_empty() {
            let hint = "read the configuration with `hooks-config`, or give `StrictPolicies` packs with `with_packs`";
            errors.push("packs", "this program has no packs", hint);
        }
        let reader = CallReader::compile(&config.paths, &config.tools, &mut errors);
        let mut guards = Guards::new(GuardsSettings {
            write_guard: config.write_guard,
            read_guard: config.read_guard,
            command_guard: config.command_guard,
            reviewer_lockout: config.reviewer_lockout,
            rules: config.rules,
            packs,
            protected: config.protected,
        });
        guards = lockouts.into_iter().fold(guards.with_reader(&reader), Guards::with_lockouts);
        guards = stored_lockouts.into_iter().fold(guards, Guards::with_stored_lockouts);
        guards = changes.into_iter().fold(guards, Guards::with_changes);
        let mut budgets = Budgets::new(BudgetsSettings {
            ask_user: config.ask_user,
            limits: config.limits,
            budget: config.budget,
            spawn: config.spawn,
        });
        budgets = store.into_iter().fold(budgets.with_reader(&reader), Budgets::with_store);
        budgets = watch.into_iter().fold(budgets, Budgets::with_spend_watch);

        let guards = guards.compile(&mut errors);
        let budgets = budgets.compile(&mut errors);
        let redaction = config.redaction.map(|redaction| Redaction::compile(&redaction, &mut errors));
        errors.or(())?;
        guards.add_to(builder);
        // After the guards, so that nothing is reserved for a call that one of them denies.
        budgets.add_to(builder);
        match redaction {
            Some(redaction) => redaction.add_to(builder),
            None => builder.add_extension(Arc::new(ArgumentRecorder::default())),
        }
        Ok(())
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
