//! Tools with which a model works in its team: typed requests that are checked first, each with a tower
//! service.
//!
//! | tool | service | what it does |
//! | --- | --- | --- |
//! | `squad_decide` | [`Decide`] | puts a decision into the inbox, in a file of its own |
//! | `squad_memory` | [`Remember`] | adds a note to an agent's history |
//! | `squad_skill` | [`UseSkill`] | reads a skill, or writes one and keeps the previous version |
//! | `squad_status` | [`Status`] | lists the members of the team and the agents at work |
//! | `squad_route` | [`RouteTask`] | checks a task's target and hands it to the host's router |
//!
//! [`SquadToolsLayer`] adds all five to the host's own tools; [`definitions`] returns their definitions for
//! the model. A model's text never overwrites other text, and a name that would leave the folder is an error.
//! The services read and write files on the thread that polls them, and block there on the folder's lock. A
//! host whose threads must not block runs them on other threads.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::{Environment, drivers::ToolCall};
//! use hooks_team::tools::{NoOtherTools, SquadToolsLayer};
//! use hooks_team::{NewTeam, Team};
//! use serde_json::json;
//! use tower::{Layer, ServiceExt};
//!
//! # futures_util::future::FutureExt::now_or_never(async {
//! let disk = FakeDisk::default().with_directory("/repo");
//! let team = Team::new(Arc::new(disk), "/repo/.squad", &Environment::detached());
//! team.init(&NewTeam::default())?;
//!
//! let tools = SquadToolsLayer::new(team.clone()).layer(NoOtherTools);
//! let call = ToolCall::new("squad_decide", json!({"author": "Lead", "summary": "Use SQLite", "body": "One file."}));
//! assert_eq!(tools.oneshot(call).await?.error, None);
//! assert_eq!(team.inbox()?.len(), 1);
//! # Ok::<_, hooks_core::BoxError>(()) }).unwrap().unwrap();
//! ```
//!
//! Customised: the host has a tool and a router. A task for an agent outside the team is an error that the
//! model reads:
//!
//! ```
//! use std::sync::Arc;
//!
//! use hooks_core::drivers::{ToolCall, ToolResult};
//! use hooks_core::event::Route;
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::{BoxError, Environment};
//! use hooks_team::tools::SquadToolsLayer;
//! use hooks_team::{NewTeam, Team};
//! use serde_json::json;
//! use tower::{Layer, ServiceExt, service_fn};
//!
//! # futures_util::future::FutureExt::now_or_never(async {
//! let disk = FakeDisk::default().with_directory("/repo");
//! let team = Team::new(Arc::new(disk), "/repo/.squad", &Environment::detached());
//! team.init(&NewTeam::default())?;
//! let router = service_fn(|route: Route| async move { Ok::<_, BoxError>(route.target_agent) });
//! let host = service_fn(|call: ToolCall| async move { Ok::<_, BoxError>(ToolResult::ok(call.name)) });
//! let tools = SquadToolsLayer::new(team).with_router(router).layer(host);
//!
//! let other = tools.clone().oneshot(ToolCall::new("search", json!({}))).await?;
//! assert_eq!(other.content, "search", "tools of the host are passed on");
//! let task = json!({"targetAgent": "Nobody", "task": "fix the build"});
//! let refused = tools.oneshot(ToolCall::new("squad_route", task)).await?;
//! assert!(refused.error.is_some_and(|error| error.contains("Nobody")));
//! # Ok::<_, BoxError>(()) }).expect("nothing waits here")?;
//! # Ok::<_, BoxError>(())
//! ```

mod decide;
mod definition;
mod error;
mod layer;
mod memory;
mod route;
mod sent;
mod service;
mod skill;
mod status;

pub mod future;

pub use self::decide::{Decide, DecideArgs};
pub use self::definition::{Tool, ToolDefinition, definitions};
pub use self::error::ToolError;
pub use self::layer::SquadToolsLayer;
pub use self::memory::{MemoryArgs, Remember};
pub use self::route::{NoRouter, RouteArgs, RouteTask};
pub use self::sent::{SessionRouter, TaskSent};
pub use self::service::{NoOtherTools, SquadTools};
pub use self::skill::{SkillArgs, SkillOperation, UseSkill};
pub use self::status::{AgentSession, AgentSessions, NoSessions, Status, StatusArgs};

/// Result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// Text for the model.
    pub text: String,
    /// Files that were written, as paths that begin with the team folder's name.
    pub wrote: Vec<String>,
}

impl ToolOutput {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), wrote: Vec::new() }
    }

    fn writing(team: &crate::Team, place: &crate::folder::TeamPath, text: impl Into<String>) -> Self {
        let folder = team.root().file_name().map(|name| name.to_string_lossy().into_owned());
        Self { text: text.into(), wrote: vec![format!("{}/{place}", folder.unwrap_or_default())] }
    }
}

/// The longest text in one argument, in bytes.
const LONGEST_TEXT: usize = 128 << 10;

fn not_too_long(field: &'static str, text: &str) -> Result<(), ToolError> {
    if text.len() <= LONGEST_TEXT {
        return Ok(());
    }
    Err(ToolError::invalid(
        field,
        format!("it has {} bytes, {LONGEST_TEXT} are the limit; write a shorter text", text.len()),
    ))
}

#[cfg(test)]
mod tests;
