//! Limits how often tools and models are called, and stops agents that repeat the same calls.
//!
//! All counters are in a [`StateStore`](hooks_core::state::StateStore), so that limits hold across processes
//! that answer one event each. If the store fails, the call is denied.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::state::Memory;
//! use hooks_core::time::StoppedClock;
//! use hooks_core::{HookContext, Hooks, Judged, event::PreToolUse};
//! use hooks_budgets::LimitWindow;
//! use hooks_budgets::limits::{CallLevel, CallLimitConfig, CallLimits};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let deploys = CallLimitConfig {
//!     tools: vec!["deploy".to_owned()],
//!     spellings: Vec::new(),
//!     agents: Vec::new(),
//!     most: 1,
//!     of: CallLevel::Team,
//!     per: LimitWindow::Day,
//! };
//! let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
//! let hooks = Hooks::builder().reserve(CallLimits::new(&[deploys], store)?).build();
//!
//! for goes_ahead in [true, false] {
//!     let call = PreToolUse::new("deploy", json!({}));
//!     let mut decision = hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(call).await;
//!     decision.outcome.take_holds().commit();
//!     assert_eq!(decision.outcome.goes_ahead(), goes_ahead);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Customised: a limit for one agent; the advice is to wait for the next hour. A call that does not go ahead gives its
//! place back.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_budgets::CallLimits;
//! use hooks_core::testing::FakeClock;
//! use hooks_core::{HookContext, Hooks, Judged, event::PreToolUse, state::Memory};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let clock = Arc::new(FakeClock::default());
//! let limits: Vec<_> = serde_json::from_value(json!([
//!     {"tools": ["mcp__search*"], "agents": ["intern"], "most": 1, "of": "agent", "per": "hour"},
//! ]))?;
//! let hooks = Hooks::builder().reserve(CallLimits::new(&limits, Arc::new(Memory::new(clock.clone())))?).build();
//! let search = async |agent: &str| {
//!     let call = PreToolUse::new("mcp__search__web", json!({}));
//!     hooks.on(HookContext::new("session-1", agent)).pre_tool_use(call).await.outcome
//! };
//! drop(search("intern").await); // judged, but never made
//! search("intern").await.take_holds().commit();
//! let denied = search("intern").await;
//! assert_eq!(
//!     denied.shown_reason().expect("a denial has a reason").for_agent(),
//!     "`mcp__search__web` and its like were called 1 of 1 times by this agent in this hour; wait for the next hour",
//! );
//! assert!(search("backend").await.goes_ahead());
//! clock.advance(Duration::from_secs(3_600));
//! assert!(search("intern").await.goes_ahead());
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | `config` | configuration |
//! | `calls` | limits on tool calls |
//! | `loops`, `history` | repeated calls with the same results |
//! | `iterations` | limits on an agent's calls of its model |

mod calls;
mod config;
mod history;
mod iterations;
mod loops;

use hooks_core::event::{
    AfterModelCall, BeforeModelCall, MaxIterations, PostToolUse, PreToolUse, SubagentSpawned,
    UserPromptSubmitted,
};
use hooks_core::{DecideLayer, FailureLayer, HooksBuilder, PolicyErrors, Settle};
use tower_layer::Layer;

pub use self::calls::{CallLimits, CallLimitsLayer};
pub use self::config::{
    CallLevel, CallLimitConfig, IterationLimitConfig, IterationSpan, LimitsConfig, LoopAction,
    LoopLimitConfig,
};
use self::iterations::Exceeded;
pub use self::iterations::{IterationLimit, IterationLimitLayer};
pub use self::loops::{LoopLimit, LoopLimitLayer};

use crate::counting_store::CountingStore;

/// All limits of a configuration.
pub(crate) struct Limits {
    calls: Option<CallLimits>,
    loops: Option<LoopLimit>,
    iterations: Option<IterationLimit>,
}

impl Limits {
    pub(crate) fn compile(config: &LimitsConfig, store: &CountingStore, errors: &mut PolicyErrors) -> Self {
        let calls =
            (!config.calls.is_empty()).then(|| CallLimits::compile(&config.calls, store.clone(), errors));
        let loops = config.loops.as_ref().map(|loops| LoopLimit::compile(loops, store.clone(), errors));
        let iterations =
            config.iterations.as_ref().map(|limit| IterationLimit::compile(limit, store.clone(), errors));
        Self { calls, loops, iterations }
    }

    pub(crate) fn add_to(self, builder: &mut HooksBuilder) {
        let guard = FailureLayer::new("limits");
        let mut hooks = std::mem::take(builder);
        if let Some(calls) = self.calls {
            hooks = hooks.reserve::<PreToolUse>(calls);
        }
        if let Some(loops) = self.loops {
            hooks = hooks
                .stack::<PreToolUse, _>(&guard, loops.layer().layer(Settle))
                // The tool has run: a failure to store its call is no reason to withhold its result.
                .stack::<PostToolUse, _>(&guard.clone().opened(), loops);
        }
        if let Some(limit) = self.iterations {
            if limit.span == IterationSpan::Prompt {
                hooks = hooks
                    .stack::<UserPromptSubmitted, _>(&guard, limit.clone())
                    .hook::<SubagentSpawned, _>(&guard, limit.clone());
            }
            hooks = hooks
                .stack::<MaxIterations, _>(&guard, limit.clone())
                .stack::<AfterModelCall, _>(&guard.clone().opened(), limit.clone())
                .stack::<PreToolUse, _>(&guard, DecideLayer::new(Exceeded(limit.clone())).layer(Settle))
                .reserve::<BeforeModelCall>(limit);
        }
        *builder = hooks;
    }
}

#[cfg(test)]
mod tests;
