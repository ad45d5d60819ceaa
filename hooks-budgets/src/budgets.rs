//! Builds the limits and budgets of a configuration together, on one store.
//!
//! Compiles the whole configuration before the first call and reports all errors at once. The order is: the
//! limit on questions, on calls, on children, and the budget for models.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_budgets::{AskUserConfig, Budgets, BudgetsSettings};
//! use hooks_core::{Hooks, state::Memory, time::StoppedClock};
//!
//! let ask_user = Some(AskUserConfig { max_per_session: 3, ..AskUserConfig::default() });
//! let config = BudgetsSettings { ask_user, ..BudgetsSettings::default() };
//! let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
//! let hooks = Hooks::from_policy(Budgets::new(config).with_store(store))?;
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: several limits on one store, which another process shares. All errors are reported together.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_budgets::{Budgets, BudgetsSettings};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, Hooks, Judged, state::Memory, time::StoppedClock};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let limits = |most: u64| -> Result<BudgetsSettings, serde_json::Error> {
//!     let calls = json!([{"tools": ["deploy"], "most": most, "of": "team", "per": "day"}]);
//!     let limits = Some(serde_json::from_value(json!({"calls": calls, "loops": {"rounds": 3}}))?);
//!     Ok(BudgetsSettings { limits, ..BudgetsSettings::default() })
//! };
//! let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
//! for goes_ahead in [true, false] {
//!     let process = Hooks::from_policy(Budgets::new(limits(1)?).with_store(store.clone()))?;
//!     let deploy = PreToolUse::new("deploy", json!({}));
//!     let mut decided = process.on(HookContext::new("session-1", "backend")).pre_tool_use(deploy).await;
//!     decided.commit();
//!     assert_eq!(decided.outcome.goes_ahead(), goes_ahead);
//! }
//! let errors = Hooks::from_policy(limits(u64::MAX)?).expect_err("nothing counts that far");
//! assert_eq!(errors.as_slice()[0].field, "limits.calls[0].most");
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::sync::Arc;

use hooks_core::event::SessionEnd;
use hooks_core::state::{MAX_AMOUNT, StateStore};
use hooks_core::{HooksBuilder, HooksConfig, PolicyErrors};
use hooks_facts::calls::CallReader;

use crate::ask_limit::{AskCounting, AskLimit, AskUserConfig};
use crate::counting_store::CountingStore;
use crate::limits::{Limits, LimitsConfig};
use crate::spawn::{self, SpawnBudget, SpawnConfig};
use crate::spend::{self, SpendBudget, SpendBudgetConfig, SpendEnforcement, SpendWatch};

/// Configuration of the limits and budgets of this crate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BudgetsSettings {
    /// Limit on questions to the user.
    pub ask_user: Option<AskUserConfig>,
    /// Limits on calls of tools and models.
    pub limits: Option<LimitsConfig>,
    /// Budget for calls of models.
    pub budget: Option<SpendBudgetConfig>,
    /// Child agents that may be started, and how many.
    pub spawn: Option<SpawnConfig>,
}

/// Limits and budgets of a configuration; see the [module](self) for an example.
pub struct Budgets {
    config: BudgetsSettings,
    reader: CallReader,
    store: Option<Arc<dyn StateStore>>,
    watch: Option<Arc<dyn SpendWatch>>,
}

impl Budgets {
    /// Creates the limits and budgets of `config`, which count in memory.
    pub fn new(config: BudgetsSettings) -> Self {
        Self { config, reader: CallReader::default(), store: None, watch: None }
    }

    /// Reads calls with `reader`.
    #[must_use]
    pub fn with_reader(mut self, reader: &CallReader) -> Self {
        self.reader = reader.clone();
        self
    }

    /// Counts in `store` instead of in memory.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn StateStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Reports to `watch` what the budget does and what each session spent.
    #[must_use]
    pub fn with_spend_watch(mut self, watch: Arc<dyn SpendWatch>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Compiles the limits and budgets. Invalid parts are reported; the result must not be used then.
    pub fn compile(self, errors: &mut PolicyErrors) -> CompiledBudgets {
        let Self { config, reader, store, watch } = self;
        // All limits share one store, also if it is in memory.
        let counting = CountingStore::new(store);
        let ask_limit = config.ask_user.map(|ask_user| {
            check_questions(&ask_user, errors);
            (AskLimit::new(&ask_user, &reader).counting_in(counting.clone()), ask_user.counts)
        });
        let limits = config.limits.map(|limits| Limits::compile(&limits, &counting, errors));
        let spend = config.budget.map(|budget| {
            let compiled = SpendBudget::compile(&budget, counting.clone(), errors);
            (watch.into_iter().fold(compiled, SpendBudget::with_watch), budget.enforce)
        });
        let spawn = config.spawn.map(|spawn| SpawnBudget::compile(&spawn, counting.clone(), &reader, errors));
        CompiledBudgets { ask_limit, limits, spawn, spend, counting, reader }
    }
}

impl HooksConfig for Budgets {
    type Error = PolicyErrors;

    /// # Errors
    /// Returns all errors of the configuration; nothing is added in that case.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let compiled = self.compile(&mut errors);
        errors.or(())?;
        compiled.add_to(builder);
        Ok(())
    }
}

impl HooksConfig for BudgetsSettings {
    type Error = PolicyErrors;

    /// # Errors
    /// Returns all errors of the configuration; nothing is added in that case.
    fn add_to(self, builder: &mut HooksBuilder) -> Result<(), PolicyErrors> {
        Budgets::new(self).add_to(builder)
    }
}

impl fmt::Debug for Budgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgets").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Compiled limits and budgets; see [`Budgets::compile`].
pub struct CompiledBudgets {
    ask_limit: Option<(AskLimit, AskCounting)>,
    limits: Option<Limits>,
    spawn: Option<SpawnBudget>,
    spend: Option<(SpendBudget, SpendEnforcement)>,
    counting: CountingStore,
    reader: CallReader,
}

impl CompiledBudgets {
    /// Adds the hooks, and the two budgets as extensions. Add every policy before them, so that nothing is
    /// reserved for a call that another hook denies.
    pub fn add_to(self, builder: &mut HooksBuilder) {
        let Self { ask_limit, limits, spawn, spend, counting, reader } = self;
        let counts = ask_limit.is_some() || limits.is_some() || spend.is_some() || spawn.is_some();
        if let Some((limit, counts)) = ask_limit {
            let limit = Arc::new(limit);
            builder.add_reserve(Arc::clone(&limit));
            if counts == AskCounting::Attempted {
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
        if let Some((budget, enforce)) = spend {
            spend::events::add_to(builder, &budget, enforce, &reader);
            builder.add_extension(Arc::new(budget));
        }
    }
}

impl fmt::Debug for CompiledBudgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledBudgets").field("counting", &self.counting).finish_non_exhaustive()
    }
}

fn check_questions(config: &AskUserConfig, errors: &mut PolicyErrors) {
    if config.max_per_session > MAX_AMOUNT {
        let hint = format!("write at most {MAX_AMOUNT}");
        errors.push("ask_user.max_per_session", "more questions than can be counted", hint);
    }
}
