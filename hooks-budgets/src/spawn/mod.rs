//! Limits the children that agents start: how many are alive at the same time and in total, how deep and how
//! fast, on which models. Keeps a registry of those that are alive.
//!
//! A session and all children below it are a tree. For each child, a [`SpawnBudget`] takes a place in all
//! limits that apply, including those of the root, or in none, in one step of a
//! [`StateStore`](hooks_core::state::StateStore). The place is given back when the child ends
//! (`subagent_stop`), could not be created (`spawn_failed`), or gave no sign of life during its lease; the
//! totals stay charged. If the store fails, the child is denied. A child's own hooks can add a budget under
//! another name, which can only narrow ([`Live::narrowed`](hooks_core::Live::narrowed)).
//!
//! If a client does not ask before a child starts, the limits apply at `pre_tool_use` of tools that start
//! agents. If both events arrive, the child takes over the place of the call and is counted once.
//!
//! [`Children`] lists the children that wait, run, fell silent or ended; agents of a tree are notified of the
//! others at their next turn. [`SpawnRules`] judges what needs no counting: unknown agents and models,
//! missing fields, models by rule.
//!
//! ```
//! use hooks_budgets::{BudgetsSettings, SpawnBudget, SpawnConfig};
//! use hooks_core::event::SubagentStart;
//! use hooks_core::{HookContext, Hooks, Judged};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spawn = Some(SpawnConfig { concurrent: Some(1), ..SpawnConfig::default() });
//! let hooks = Hooks::from_policy(BudgetsSettings { spawn, ..BudgetsSettings::default() })?;
//!
//! let context = HookContext::new("session-1", "lead");
//! let mut first = hooks.on(context.clone()).subagent_start(SubagentStart::new("backend", "the API")).await;
//! assert!(first.outcome.goes_ahead());
//! first.outcome.take_holds().commit();
//!
//! let second = hooks.on(context.clone()).subagent_start(SubagentStart::new("tester", "the tests")).await;
//! assert!(second.outcome.is_denied());
//! let children = hooks.extension::<SpawnBudget>().ok_or("there is a budget")?.children().started_by(&context).await?;
//! assert_eq!(children[0].agent, "backend");
//! # Ok(())
//! # }
//! ```
//!
//! Customised: a limit for a role, one for each parent, and a depth. The parent reads what to do instead.
//!
//! ```
//! use hooks_budgets::{BudgetsSettings, SpawnConfig};
//! use hooks_core::event::SubagentStart;
//! use hooks_core::{HookContext, Hooks, Judged};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spawn: SpawnConfig = serde_json::from_value(json!({
//!     "roles": [{"name": "reviewers", "agents": ["review*"], "concurrent": 1}],
//!     "per_parent": {"total": 2},
//!     "depth": 1,
//! }))?;
//! let hooks = Hooks::from_policy(BudgetsSettings { spawn: Some(spawn), ..BudgetsSettings::default() })?;
//! let start = async |child: SubagentStart| {
//!     let mut decided = hooks.on(HookContext::new("session-1", "lead")).subagent_start(child).await;
//!     decided.commit();
//!     decided.outcome.shown_reason().map(|reason| reason.for_agent().into_owned())
//! };
//! assert_eq!(start(SubagentStart::new("reviewer", "the API")).await, None);
//! assert_eq!(
//!     start(SubagentStart::new("review-bot", "the tests")).await.as_deref(),
//!     Some("the role `reviewers` have 1 of 1 children; wait until one ends, or do the task yourself"),
//! );
//! assert_eq!(start(SubagentStart::new("tester", "the tests")).await, None);
//! assert_eq!(
//!     start(SubagentStart::new("writer", "the manual")).await.as_deref(),
//!     Some("`lead` have 2 of 2 children; do the task yourself"),
//! );
//! let mut grandchild = SubagentStart::new("writer", "the manual");
//! grandchild.depth = 2;
//! assert!(start(grandchild).await.is_some_and(|reason| reason.contains("2 generations below its root")));
//! # Ok(())
//! # }
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `config`, `names` | configuration |
//! | `asked` | request for a child, from either event |
//! | `rules`, `variants` | rules that need no counting; trials on a share of the children |
//! | `limits`, `lineage`, `keys` | scopes that a child is charged to, position in the tree, names of keys |
//! | `budget`, `place`, `later` | take places and give them back |
//! | `registry`, `child`, `matching` | listed children; the one that an event refers to |
//! | `children`, `notices` | queries, and notices to agents |
//! | `events` | hooks on other events |

mod budget;
mod child;
mod child_request;
mod children;
mod config;
pub(crate) mod events;
mod keys;
mod limits;
mod matching;
mod names;
mod notices;
mod place;
mod registry;
mod rules;
mod variants;

pub use self::budget::{SpawnBudget, SpawnBudgetLayer};
pub use self::child::{Child, ChildState};
pub use self::children::Children;
pub use self::config::{
    ModelRuleConfig, ParentLimitConfig, RoleLimitConfig, SpawnConfig, SpawnRateConfig, SpawnRequirement,
    VariantConfig, VariantsConfig,
};
pub use self::rules::SpawnRules;

/// Name of the policy in reasons.
const NAME: &str = "spawn-budget";

#[cfg(test)]
mod tests;
