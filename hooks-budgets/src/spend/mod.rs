//! Limits the spending on models, in money and in tokens.
//!
//! Before a call, its possible cost is reserved from all budgets that apply or from none; after it, the real
//! cost is settled. Calls that overlap therefore cannot spend the same dollar twice. For a streamed answer,
//! the reservation grows with the answer, which is cut if no more can be reserved. A call that is dropped
//! gives its reservation back; a call whose caller is lost is charged whole. All counters are in a
//! [`StateStore`](hooks_core::state::StateStore), so processes share their budgets. If the store fails, calls
//! are denied.
//!
//! One engine ([`SpendBudget`]) is used by a tower layer around a model ([`SpendBudgetLayer`],
//! [`SpendStreamLayer`]) and by hooks on `before_model_call` and `after_model_call`, which the configuration
//! builds.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::HookContext;
//! use hooks_core::drivers::ModelRequest;
//! use hooks_core::event::{Message, ModelReply, Role, Usage};
//! use hooks_core::state::Memory;
//! use hooks_core::time::StoppedClock;
//! use hooks_budgets::spend::{ModelMeter, SpendBudget, SpendBudgetConfig, SpendError};
//! use tower::{BoxError, Layer, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config: SpendBudgetConfig = serde_json::from_value(serde_json::json!({
//!     "limits": [{ "of": "session", "per": "session", "usd": 0.05 }],
//!     "prices": [{ "model": "small", "input": 3, "output": 15, "most_output_tokens": 2000 }],
//! }))?;
//! let budget = SpendBudget::new(&config, Arc::new(Memory::new(Arc::new(StoppedClock::default()))))?;
//!
//! let model = service_fn(async |_: ModelRequest| {
//!     let usage = Usage { input_tokens: 1_000, output_tokens: 1_800, ..Usage::default() };
//!     Ok::<_, BoxError>(ModelReply { response: Message::text(Role::Assistant, "yes"), usage, cost: None })
//! });
//! let context = Arc::new(HookContext::new("session-1", "backend"));
//! let model = budget.layer(ModelMeter::new(Arc::clone(&context))).layer(model);
//!
//! // Each call holds three cents and costs as much: the second is not made.
//! let call = || ModelRequest { model: "small".to_owned(), ..ModelRequest::default() };
//! model.clone().oneshot(call()).await?;
//! let refused = model.clone().oneshot(call()).await.unwrap_err();
//! assert!(matches!(refused, SpendError::Refused(_)));
//! assert_eq!(
//!     refused.to_string(),
//!     "the budget of session `session-1` is used up: $0.030000 of $0.050000 are charged, and this needs $0.030000 more",
//! );
//! assert_eq!(budget.report(&context).await?.budgets[0].left, 20_000);
//! # Ok(())
//! # }
//! ```
//!
//! Customised: on events, with a cheaper model before the limit is reached. The limit is in tokens, so no price
//! is needed.
//!
//! ```
//! use hooks_budgets::{BudgetsSettings, SpendBudgetConfig};
//! use hooks_core::event::BeforeModelCall;
//! use hooks_core::{HookContext, Hooks, Judged};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let budget: SpendBudgetConfig = serde_json::from_value(serde_json::json!({
//!     "limits": [{ "of": "team", "per": "day", "tokens": 1000 }],
//!     "cheaper": { "large": "small" },
//!     "thresholds": { "warn": 100, "cheaper": 30 },
//!     "hold": { "most_output_tokens": 400 },
//! }))?;
//! let hooks = Hooks::from_policy(BudgetsSettings { budget: Some(budget), ..BudgetsSettings::default() })?;
//! let call = async || {
//!     let event = BeforeModelCall::new("large", 1, Vec::new());
//!     let mut decided = hooks.on(HookContext::new("session-1", "backend")).before_model_call(event).await;
//!     decided.commit();
//!     decided
//! };
//! assert_eq!(call().await.request.event().model, "large"); // holds 400 tokens, 40 percent
//! assert_eq!(call().await.request.event().model, "small");
//! let denied = call().await.outcome;
//! assert_eq!(
//!     denied.shown_reason().expect("a denial has a reason").for_agent(),
//!     "the team's budget on this day is used up: 800 tokens of 1000 tokens are charged, and this needs \
//!      400 tokens more; wait for the next day",
//! );
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | `config`, `compile`, `rules` | configuration, and its compiled form |
//! | `price`, `estimate` | prices of tokens, and estimates of their number |
//! | `limit` | the counters that a call draws on |
//! | `budget`, `hold` | the engine: reserves before a call, settles after it |
//! | `advice`, `said`, `watch`, `report` | actions before a limit is reached, marks, notices, reports |
//! | `meter`, `layer`, `service`, `future`, `stream` | the budget as a layer around a model |
//! | `events`, `open_calls` | the budget on events |

mod advice;
mod budget;
mod compile;
mod config;
mod error;
mod estimate;
pub(crate) mod events;
pub mod future;
mod hold;
mod layer;
mod limit;
mod meter;
mod open_calls;
mod price;
mod refusal;
mod report;
mod rules;
mod service;
mod stream;
mod threshold_mark;
mod watch;

pub use self::advice::Advice;
pub use self::budget::{CallSize, ReplyBound, SpendBudget};
pub use self::config::{
    ModelPriceConfig, PriceCeilingConfig, SpendBudgetConfig, SpendEnforcement, SpendHoldConfig, SpendLevel,
    SpendLimitConfig, SpendThresholdsConfig, UnansweredCharge,
};
pub use self::error::SpendError;
pub use self::estimate::{estimated_text, estimated_tokens};
pub use self::hold::{SpendHold, Used};
pub use self::layer::{SpendBudgetLayer, SpendStreamLayer};
pub use self::limit::SpendUnit;
pub use self::meter::{Meter, MeterPiece, MeterReply, ModelMeter, PieceSize, SpendApprover};
pub use self::price::{Listed, ModelPrice, PriceTable};
pub use self::refusal::SpendRefusal;
pub use self::report::{BudgetLine, BudgetReport, Spent};
pub use self::service::{SpendBudgetService, SpendStreamService};
pub use self::stream::SpendStream;
pub use self::watch::{NotifyHooks, SpendNotice, SpendWatch};

#[cfg(test)]
mod tests;
