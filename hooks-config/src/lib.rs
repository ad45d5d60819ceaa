//! Reads `hooks.yaml` and Squad policies into hooks. All mistakes of a file are reported at once.
//!
//! ```
//! use hooks_config::Config;
//!
//! let text = "
//! version: 1
//! write_guard:
//!   alow: [src/**]
//! rules:
//!   - name: no-push
//!     action: dney
//!     commands: [git push]
//! ";
//! let errors = Config::parse(text, "hooks.yaml").unwrap_err();
//! let errors: Vec<_> = errors.errors().iter().map(|error| error.to_string()).collect();
//! assert_eq!(errors[0], "line 4, column 3: write_guard.alow: unknown option `alow`; did you mean `allow`?");
//! assert!(errors[1].starts_with("line 7, column 13: rules[0].action: `dney` is not known here"));
//! ```
//!
//! | read | recognised by |
//! | --- | --- |
//! | `hooks.yaml` | `version: 1` |
//! | a docker-agent agent file | `agents`, each with its `hooks:` |
//! | a Squad policy, JSON or YAML, such as `.squad/policies/*.yaml` | its fields, or `profile: squad-compat` |
//!
//! A `squad.config.ts` is a program and is refused, with advice on how to export it. Every section is
//! optional. An unknown key, a key without a value and a duplicate key are mistakes. A file that was read
//! from disk protects itself: the agents it governs may not write it or the hook settings of their clients,
//! unless the file has `self_protection: false`.
//!
//! A valid text becomes a set of hooks:
//!
//! ```
//! use hooks_config::Config;
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, Judged};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::parse("
//! version: 1
//! write_guard: { allow: [src/**] }
//! rules:
//!   - { name: no-push, action: deny, commands: [git push], reason: a person pushes }
//! ", "hooks.yaml")?;
//! let hooks = config.hooks();
//! let context = HookContext::new("session-1", "backend").in_dir("/repo");
//! let context = context.with_environment(hooks_system::system());
//! let hooks = hooks.on(context);
//!
//! let push = PreToolUse::new("bash", json!({"command": "cd api && git push"}));
//! let denied = hooks.pre_tool_use(push).await.outcome;
//! let reason = denied.shown_reason().ok_or("a denial has a reason")?;
//! assert_eq!((&*reason.rule, &*reason.message), ("no-push", "a person pushes"));
//! let status = PreToolUse::new("bash", json!({"command": "git status"}));
//! assert!(hooks.pre_tool_use(status).await.outcome.goes_ahead());
//! # Ok(())
//! # }
//! ```

mod audit;
mod boundaries;
mod budget;
mod build;
mod cache;
mod ceremonies;
mod check;
mod checkpoints;
mod command;
mod context;
mod decisions;
mod document;
mod error;
mod feeding;
mod feeds;
mod forms;
mod further;
mod known;
mod languages;
mod lint;
mod metrics;
mod models;
mod naming;
mod nonsense;
mod notices;
mod open_work;
pub mod packs;
mod paths;
mod phases;
pub mod places;
mod plain;
mod prompts;
mod protect;
mod prune;
mod read;
mod reload;
mod routes;
mod rule_content;
pub mod rule_tests;
mod sandbox;
mod scribe;
mod section;
mod sequences;
mod served;
mod shadow;
mod sinks;
mod source;
mod spawn;
mod spawned;
mod squad;
mod store;
mod suggest;
mod team_folders;
mod team_rules;
mod team_version;
mod tenant;
mod tree;
mod words;
mod written;
mod yaml;

pub use self::budget::{CallMeter, SpendClassify};
pub use self::build::Kept;
pub use self::checkpoints::signer;
pub use self::command::{MissingProgram, parse_hooks, standard_builtins};
pub use self::context::ContextSections;
pub use self::document::{Profile, SCHEMA_ID, schema};
pub use self::error::{ConfigError, ConfigErrors, Gravity};
pub use self::feeding::Feeding;
pub use self::feeds::FeedSections;
pub use self::languages::cedar_schema;
pub use self::models::Models;
pub use self::prompts::Secrets;
pub use self::protect::{as_pattern, as_patterns};
pub use self::read::{Config, ConfigReader, as_written};
pub use self::reload::{LiveConfig, LiveReader, OnBadRules, ReloadConfig, Reloaded, Watching};
pub use self::shadow::InShadow;
pub use self::spawned::{SessionAgents, SpawnedAgents};
pub use self::suggest::nearest;
pub use self::team_rules::TeamRuleSections;
