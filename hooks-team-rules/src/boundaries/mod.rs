//! Boundaries of agents: each writes only the files that its charter or the configuration gives it.
//!
//! A boundary is a list of globs for writes, one for reads, or both: a block in the charter of the agent, or an entry of
//! `boundaries.agents`. All boundaries of an agent apply together, so that another one never allows more. Prose in a charter
//! is no boundary; [`proposed_block`] makes a block of it that a person can paste.
//!
//! ````text
//! ```boundaries
//! writes: [src/api/**, tests/api/**]
//! reads: [src/**, tests/**, docs/**]
//! ```
//! ````
//!
//! Writes are judged as the write guard judges them: the paths of file tools, and the files that commands write as far as
//! their text shows. For an agent with a boundary, a target that is not known before the call runs is denied. So is a charter
//! that cannot be read, and a change of the files that define its boundary. Reads are those of tools that read, and existing
//! files that the words of a command name. What a program reads or writes without naming it is for a sandbox.
//!
//! The policy has no opinion on calls within a boundary. The cost is one `lstat` for each component of a path, and one read of
//! the agent's charter.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::Boundaries;
//! use hooks_team_rules::boundaries::BoundariesConfig;
//! use serde_json::json;
//!
//! let config: BoundariesConfig = serde_json::from_value(json!({"agents": {"Backend": {"writes": ["src/api/**"]}}}))?;
//! let boundaries = Boundaries::new(&config, &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let judge = |tool: &str, args| boundaries.judge(&HookRequest::new(context.clone(), PreToolUse::new(tool, args)));
//! assert_eq!(judge("edit", json!({"path": "src/api/users.rs"})).strength(), Strength::NoOpinion);
//! assert_eq!(
//!     judge("bash", json!({"command": "echo x > src/ui/app.ts"})).reasons()[0].for_agent(),
//!     "`src/ui/app.ts` is outside of what `backend` may write by `boundaries.agents.Backend` in the configuration; \
//!      write files that match `src/api/**`, or have another agent do it",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: the boundary is in the charter, limits reads too, and agents without a boundary write nothing.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_team::TeamPlace;
//! use hooks_team_rules::Boundaries;
//! use hooks_team_rules::boundaries::{BoundariesConfig, Others};
//! use serde_json::json;
//!
//! let charter = "# Tester\n\n```boundaries\nwrites: [tests/**]\nreads: [src/**, tests/**]\n```\n";
//! let disk = FakeDisk::default().with_file("/repo/.squad/agents/tester/charter.md", charter);
//! let config = BoundariesConfig { others: Others::Deny, ..BoundariesConfig::default() };
//! let boundaries = Boundaries::new(&config, &CallReader::default())?;
//! let boundaries = boundaries.with_team(TeamPlace::below(Arc::new(disk), ".squad"));
//!
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = |agent| HookContext::new("session-1", agent).in_dir("/repo").with_environment(environment.clone());
//! let judge = |agent, tool: &str, path: &str| {
//!     let call = PreToolUse::new(tool, json!({ "path": path }));
//!     boundaries.judge(&HookRequest::new(context(agent), call))
//! };
//! assert_eq!(judge("Tester", "edit", "tests/api.rs").strength(), Strength::NoOpinion);
//! assert_eq!(judge("Tester", "read_file", "secrets/key").reasons()[0].rule, "reads");
//! assert_eq!(judge("Tester", "edit", ".squad/agents/tester/charter.md").reasons()[0].rule, "own-boundary");
//! assert_eq!(judge("intern", "edit", "tests/api.rs").reasons()[0].rule, "others");
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

mod boundary;
mod charters;
mod config;
mod named;
mod overlap;
mod policy;
#[cfg(test)]
mod tests;

pub use self::config::{BoundariesConfig, BoundaryConfig, Others};
pub use self::overlap::{Overlap, Scope, overlaps, proposed_block, scopes};
pub use self::policy::{Boundaries, BoundariesLayer};

/// Name of the policy in reasons.
const NAME: &str = "boundaries";
