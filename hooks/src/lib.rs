//! Hooks for LLM agents: rules that do not depend on a prompt decide what a tool call may do.
//!
//! Add this crate to a project. It re-exports the contract of `hooks-core`; each feature adds a crate. The
//! default features are all in this table except `sandbox`, `cedar` and `rego`, and `approvals`, `store` and `command`, which `config` adds.
//!
//! | feature | content |
//! | --- | --- |
//! | `system`, `tokio` | [`system`](fn@system): the environment of this machine; its timer and background work |
//! | `policies` | [`policies`], [`budgets`], [`redaction`], [`facts`]: the classic policies and their parts |
//! | `approvals` | [`budgets::approvals`]: a person lets a call pass once |
//! | `config` | [`config`]: `hooks.yaml`; switches on all modules |
//! | `resilience` | [`resilience`]: layers around model calls |
//! | `context` | [`context`](mod@context), [`team`]: context of a session; team folders |
//! | `audit` | [`audit`]: the log and its sinks |
//! | `scribe` | [`scribe`]: the Scribe and notices among agents |
//! | `team-rules` | [`team_rules`]: decisions, boundaries, phases and sequences of a team as policies |
//! | `cache` | [`cache`]: the result cache |
//! | `metrics` | [`metrics`]: counters for Prometheus and OpenTelemetry |
//! | `store` | [`store`]: state beyond one process |
//! | `command` | [`command`]: external command hooks |
//! | `cedar`, `rego` | `cedar`, `rego`: policies in these languages |
//! | `sandbox` | `sandbox`: commands in a sandbox that follows from the rules; `snapshots`: their undo |
//!
//! ```
//! use hooks::{HookContext, HookRequest, Hooks, Judged, Reason, Verdict, event::PreToolUse, policy_fn};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let no_shell = policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
//!     "bash" => Verdict::deny(Reason::new("no-shell", "any", "no shell here")),
//!     _ => Verdict::NO_OPINION,
//! });
//! let hooks = Hooks::builder().policy(no_shell).build();
//!
//! let context = HookContext::new("session-1", "backend").with_environment(hooks::system());
//! let call = PreToolUse::new("bash", json!({"command": "ls"}));
//! assert!(hooks.on(context).pre_tool_use(call).await.outcome.is_denied());
//! # }
//! ```

pub use hooks_core::*;
// Types in the call of a stack of layers.
pub use hooks_core::{drivers::ModelRequest, state::OpId};
#[cfg(feature = "system")]
pub use hooks_system::*;

/// `hooks.yaml` and Squad policies, read and compiled into hooks.
#[cfg(feature = "config")]
pub mod config {
    pub use hooks_config::*;
}

/// Automatic context of agents: layers around a session, and their settings.
#[cfg(feature = "context")]
pub mod context {
    pub use hooks_context::*;
}

/// Conversations: messages, their tokens, and summaries.
#[cfg(any(feature = "context", feature = "resilience", feature = "tiktoken"))]
pub mod conversation {
    pub use hooks_conversation::*;
}

/// The `.squad` team folder as typed data.
#[cfg(feature = "context")]
pub mod team {
    pub use hooks_team::*;
}

/// Resilience of model calls: layers around a model, and their settings.
#[cfg(feature = "resilience")]
pub mod resilience {
    pub use hooks_resilience::*;
}

/// Engines that keep state beyond one process, and their settings.
#[cfg(feature = "store")]
pub mod store {
    pub use hooks_store::*;
}

/// The audit log: layers that put events into it, the log itself, readers, checks and sinks.
#[cfg(feature = "audit")]
pub mod audit {
    pub use hooks_audit::*;
}

/// The Scribe, which keeps a team folder in order, and notices among agents.
#[cfg(feature = "scribe")]
pub mod scribe {
    pub use hooks_scribe::*;
}

/// Rules from the state of a team.
#[cfg(feature = "team-rules")]
pub mod team_rules {
    pub use hooks_team_rules::*;
}

/// The result cache.
#[cfg(feature = "cache")]
pub mod cache {
    pub use hooks_cache::*;
    pub use hooks_core::cache::*;
}

/// Policies in Cedar.
#[cfg(feature = "cedar")]
pub mod cedar {
    pub use hooks_cedar::*;
}

/// Policies in Rego.
#[cfg(feature = "rego")]
pub mod rego {
    pub use hooks_rego::*;
}

/// Commands in a sandbox that follows from the rules.
#[cfg(feature = "sandbox")]
pub mod sandbox {
    pub use hooks_sandbox::*;
}

/// Snapshots of a workspace around commands, and their undo.
#[cfg(feature = "sandbox")]
pub mod snapshots {
    pub use hooks_snapshots::*;
}

/// Metrics of what agents do.
#[cfg(feature = "metrics")]
pub mod metrics {
    pub use hooks_metrics::*;
}

/// External command hooks: handlers as docker-agent writes them, their rules and their engine.
#[cfg(feature = "command")]
pub mod command {
    pub use hooks_command::*;
}

/// The policies that judge tool calls, and the classic policies as one configuration.
#[cfg(feature = "policies")]
pub mod policies {
    pub use hooks_classic::*;
    pub use hooks_policies::config::*;
    pub use hooks_policies::*;
}

/// Limits and budgets: questions, calls, child agents, spending.
#[cfg(feature = "policies")]
pub mod budgets {
    pub use hooks_budgets::*;
}

/// The redaction of tool results and of recorded arguments.
#[cfg(feature = "policies")]
pub mod redaction {
    pub use hooks_redaction::*;
}

/// Facts about a tool call: kind of tool, resolved files, parsed commands.
#[cfg(feature = "policies")]
pub mod facts {
    pub use hooks_facts::*;
}

/// The examples of the README, compiled and run as tests.
#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The page about policies of one's own: its example is a whole file.
#[cfg(all(doctest, feature = "policies", feature = "system"))]
#[doc = include_str!("../../docs/write-a-policy.md")]
struct WriteAPolicy;
