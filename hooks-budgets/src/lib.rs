//! Limits and budgets: each takes a place or an amount before a call, and settles it after the call.
//!
//! All counters are in a [`StateStore`](hooks_core::state::StateStore), in memory or shared by several
//! processes. If the store fails, the call is denied. Each limit works alone, as a
//! [`Reserve`](hooks_core::Reserve) and as a layer; [`Budgets`] builds all of them from one configuration.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`budgets`] | all limits and budgets of a configuration, on one store |
//! | [`ask_limit`] | limits questions to the user |
//! | [`limits`] | limits calls of tools and models, and stops loops |
//! | [`spend`] | limits spending on models |
//! | [`spawn`] | limits child agents, and keeps a registry of them |
//! | `place`, `later` | place of an event in a limit; work that completes at once if the store does |
//! | `lineage` | position of a session in its tree |
//! | `counting_store`, `window` | the store that counts, and the time at which a counter starts anew |

pub mod ask_limit;
pub mod budgets;
mod counting_store;
mod later;
pub mod limits;
mod lineage;
mod place;
pub mod spawn;
pub mod spend;
mod window;

pub use self::ask_limit::{AskCounting, AskLevel, AskLimit, AskLimitLayer, AskUserConfig};
pub use self::budgets::{Budgets, BudgetsSettings};
pub use self::limits::{
    CallLevel, CallLimitConfig, CallLimits, CallLimitsLayer, IterationLimit, IterationLimitConfig,
    IterationLimitLayer, IterationSpan, LimitsConfig, LoopAction, LoopLimit, LoopLimitConfig, LoopLimitLayer,
};
pub use self::spawn::{
    Children, ModelRuleConfig, ParentLimitConfig, RoleLimitConfig, SpawnBudget, SpawnBudgetLayer,
    SpawnConfig, SpawnRateConfig, SpawnRequirement, SpawnRules, VariantConfig, VariantsConfig,
};
pub use self::spend::{
    ModelPriceConfig, PriceCeilingConfig, SpendBudget, SpendBudgetConfig, SpendBudgetLayer, SpendEnforcement,
    SpendHoldConfig, SpendLevel, SpendLimitConfig, SpendStreamLayer, SpendThresholdsConfig, UnansweredCharge,
};
pub use self::window::LimitWindow;
