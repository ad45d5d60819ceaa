//! Limits and budgets: each takes a place or an amount before a call, and settles it after the call.
//!
//! All counters are in a [`StateStore`](hooks_core::state::StateStore), in memory or shared by several
//! processes. If the store fails, the call is denied. Each limit works alone, as a
//! [`Reserve`](hooks_core::Reserve) and as a layer; [`Budgets`] builds all of them from one configuration.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`budgets`] | all limits and budgets of a configuration, on one store |
//! | [`approvals`] | lets a call that a person approved pass once (feature `approvals`) |
//! | [`ask_limit`] | limits questions to the user |
//! | [`limits`] | limits calls of tools and models, and stops loops |
//! | [`spend`] | limits spending on models |
//! | [`spawn`] | limits child agents, and keeps a registry of them |
//! | `place` | place of an event in a limit |
//! | `counting_store`, `window` | the store that counts, and the time at which a counter starts anew |
//!
//! A limit counts only calls that run: if the user rejects a call, its place is free again.
//!
//! ```
//! use hooks_budgets::{BudgetsSettings, LimitsConfig};
//! use hooks_core::drivers::{Approval, ToolCall, ToolOutcome, ToolRequest};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::{ScriptedApprover, ScriptedTools};
//! use hooks_core::{Govern, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
//! use serde_json::json;
//! use tower::ServiceExt;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let calls = json!({"calls": [{"tools": ["deploy"], "most": 1, "of": "team", "per": "day"}]});
//! let limits: LimitsConfig = serde_json::from_value(calls)?;
//! let ask = policy_fn("ask", |_: &HookRequest<PreToolUse>| Verdict::ask(Reason::new("ask", "all", "deploy?")));
//! let config = BudgetsSettings { limits: Some(limits), ..BudgetsSettings::default() };
//! let hooks = Hooks::builder().policy(ask).config(config)?.build();
//!
//! let user = ScriptedApprover::new([Approval::Rejected("not yet".to_owned()), Approval::Approved, Approval::Approved]);
//! let governed = Govern::new(hooks, ScriptedTools::default()).with_approver(user);
//! for ran in [false, true, false] {
//!     let context = HookContext::new("session-1", "backend").into();
//!     let request = ToolRequest { context, call: ToolCall::new("deploy", json!({})) };
//!     let outcome = governed.clone().oneshot(request).await?.outcome;
//!     assert_eq!(matches!(outcome, ToolOutcome::Ran(..)), ran);
//! }
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "approvals")]
pub mod approvals;
pub mod ask_limit;
pub mod budgets;
mod counting_store;
pub mod limits;
mod place;
pub mod spawn;
pub mod spend;
mod window;

#[cfg(feature = "approvals")]
pub use self::approvals::{ApprovalCode, ApprovalError, Approvals, UnknownCode, WaitingCall};
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
