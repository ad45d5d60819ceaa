//! Cedar policies that judge tool calls.
//!
//! A [`CedarPolicy`] is a set of policies in the language [Cedar](https://docs.cedarpolicy.com). It asks the engine of Cedar
//! about each call before it runs:
//!
//! | in Cedar | of the call |
//! | --- | --- |
//! | `principal` | `Agent::"backend"`: the agent; `Agent::""` if it has no name |
//! | `action` | `Action::"Bash"`: the tool, as its client names it; a member of its kinds, such as `Kind::Action::"runs_commands"` |
//! | `resource` | `Workspace::"/repo"`: the root of the project |
//! | `context.input` | the arguments |
//! | `context.writes`, `context.reads`, `context.runs` | files and programs; see [`PlainFacts`](hooks_facts::calls::PlainFacts) |
//! | `context.session`, `context.event` | id of the session, `pre_tool_use` |
//! | `context.tenant`, `context.repo`, `context.parent_session`, `context.agent_id` | if they are known |
//!
//! A path in `context.writes` comes with the folders above it, so `context.writes.contains("migrations")` asks for a file in
//! that folder. If a list is not known in full, it is missing in the request, although the schema has it: a policy that asks for it
//! cannot be evaluated, and that is a denial.
//!
//! Cedar has no floating-point numbers and no null. An integral number of 64 bits is a `Long`; any other number is a record
//! `{number: "1.5"}`, which equals no `Long` and cannot be compared with one. A property that is null is left out, a null in a list
//! is an empty record. A list is a set: it has no order and no duplicates.
//!
//! | Cedar | verdict |
//! | --- | --- |
//! | a `forbid` matches | deny, with the annotations `@id` and `@reason` |
//! | a `permit` matches | no opinion: other policies, and the client, still decide |
//! | none matches | by [`DefaultAnswer`]: deny, as in Cedar, or no opinion |
//! | a policy cannot be evaluated | deny; Cedar itself would pass over the policy |
//!
//! ```
//! use hooks_cedar::{CedarConfig, CedarPolicy};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength};
//! use hooks_facts::calls::CallReader;
//! use serde_json::json;
//!
//! let text = r#"
//! permit (principal, action, resource);
//!
//! @id("migrations")
//! @reason("migrations belong to the DBA")
//! forbid (principal, action, resource)
//! when { context.writes.contains("migrations") }
//! unless { principal == Agent::"dba" };
//! "#;
//! let policy = CedarPolicy::new(&CedarConfig::new("tools.cedar", text), &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let judge = |agent: &str, command: &str| {
//!     let context = HookContext::new("session-1", agent).in_dir("/repo").with_environment(environment.clone());
//!     policy.judge(&HookRequest::new(context, PreToolUse::new("bash", json!({ "command": command }))))
//! };
//! let denied = judge("backend", "cd migrations && cp ../a.sql 1.sql");
//! assert_eq!(denied.strength(), Strength::Deny);
//! assert_eq!((&*denied.reasons()[0].rule, &*denied.reasons()[0].message), ("migrations", "migrations belong to the DBA"));
//! assert_eq!(judge("dba", "cp a.sql migrations/1.sql").strength(), Strength::NoOpinion);
//! assert_eq!(judge("backend", "cat migrations/1.sql").strength(), Strength::NoOpinion);
//! assert_eq!(judge("backend", "cp a.sql $TARGET").strength(), Strength::Deny); // not known before it runs
//! # Ok::<(), hooks_cedar::CedarErrors>(())
//! ```
//!
//! A decision takes time that is linear in the size of the policies and of the arguments; Cedar has no loops and no recursion. The
//! arguments are copied. Nothing is read but the call: no clock, no file, no network.

mod config;
mod error;
mod policy;
mod request;
mod schema;
mod set;
mod value;

pub use self::config::{CedarConfig, CedarFile, DefaultAnswer};
pub use self::error::{CedarError, CedarErrors};
pub use self::policy::{CedarLayer, CedarPolicy};
pub use self::schema::schema;

#[cfg(test)]
mod tests;
