//! Small named handlers that answer as docker-agent's builtins do: the date, the branch, a file of prompts.
//!
//! [`run`] takes a name, its arguments, a folder and the event as JSON, and returns an [`Output`]: the object
//! that a command hook would have printed. It blocks on files and on git, within limits; call it where
//! blocking is allowed.
//!
//! | builtin | event | what it does |
//! | --- | --- | --- |
//! | `add_date` | turn_start | today's date |
//! | `add_environment_info` | session_start | folder, git or not, system, processor, shell |
//! | `add_prompt_files` | turn_start | files of instructions, from the folder upwards and from home |
//! | `add_git_status`, `add_git_diff` | turn_start | uncommitted changes |
//! | `add_recent_commits` | session_start | the last commits |
//! | `add_directory_listing` | session_start | the names in the folder |
//! | `add_user_info` | session_start | the user and the name of the machine |
//! | `add_context` | any that takes text | templates over the event |
//! | `max_iterations` | before_llm_call | stops after a number of model calls |
//! | `redact_secrets` | transforms, before_llm_call | removes secrets |
//! | `safer_shell` | pre_tool_use | classifies a shell command, and asks or allows by a policy |
//! | `limit_large_tool_results` | tool_response_transform, session_end | writes a long result to a file and keeps an excerpt |
//! | `snapshot` | session, turn and tool events | snapshots of the files, which can be restored |
//!
//! A builtin without anything to add returns an empty output. Clocks, files and programs are reached through
//! the traits of [`World`] (law 9).
//!
//! The date of the day, which the model reads at the start of each turn:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use hooks_context::builtins::{Call, World, run};
//! # use hooks_core::programs::{Finished, Program, Programs};
//! use hooks_core::testing::{FakeClock, FakeDisk};
//! use serde_json::json;
//!
//! # struct NoPrograms;
//! # impl Programs for NoPrograms {
//! #     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
//! #         Err(std::io::ErrorKind::NotFound.into())
//! #     }
//! # }
//! let clock = Arc::new(FakeClock::at("2026-11-22T09:00:00Z".parse()?));
//! let world = World::new(clock, Arc::new(FakeDisk::default()), Arc::new(NoPrograms), "/var/lib/hooks");
//! let input = json!({"hook_event_name": "turn_start"});
//! let call = Call { name: "add_date", args: &[], cwd: Some(Path::new("/repo")), input: &input };
//! let output = serde_json::to_value(run(&call, &world)?)?;
//! assert_eq!(
//!     output["hook_specific_output"]["instruction_context"][0]["content"],
//!     "Today's date: 2026-11-22",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: arguments from the configuration. Here, a limit on model calls stops the session.
//!
//! ```
//! # use std::sync::Arc;
//! use hooks_context::builtins::{Call, Output, World, run};
//! # use hooks_core::programs::{Finished, Program, Programs};
//! # use hooks_core::testing::{FakeClock, FakeDisk};
//! use serde_json::json;
//!
//! # struct NoPrograms;
//! # impl Programs for NoPrograms {
//! #     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
//! #         Err(std::io::ErrorKind::NotFound.into())
//! #     }
//! # }
//! # let clock = Arc::new(FakeClock::default());
//! # let world = World::new(clock, Arc::new(FakeDisk::default()), Arc::new(NoPrograms), "/var/lib/hooks");
//! let args = ["20".to_owned()];
//! let output = |iteration: u64| {
//!     let input = json!({"hook_event_name": "before_llm_call", "iteration": iteration});
//!     run(&Call { name: "max_iterations", args: &args, cwd: None, input: &input }, &world)
//! };
//! assert_eq!(output(20)?, Output::default());
//! let stopped = output(21)?;
//! assert_eq!(stopped.decision, Some("block"));
//! assert_eq!(
//!     stopped.reason.as_deref(),
//!     Some("Agent terminated: max_iterations builtin reached its limit of 20 model call(s)."),
//! );
//! # Ok::<(), hooks_context::builtins::BuiltinError>(())
//! ```

mod context;
mod date;
mod directory;
mod environment;
mod files;
mod git;
mod iterations;
mod large;
mod output;
mod prompt_files;
mod redact;
mod repository;
mod safer_shell;
pub mod snapshot;
mod user;
mod world;

use std::path::Path;

use serde_json::Value;

pub use self::output::{InstructionContext, Output, Specific};
pub use self::world::{Redact, Templates, World};

/// Input of a builtin.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Name of the builtin.
    pub name: &'a str,
    /// Arguments from the configuration.
    pub args: &'a [String],
    /// Folder that the builtin reads; without one, most builtins return an empty output.
    pub cwd: Option<&'a Path>,
    /// The event as JSON, as a command hook gets it.
    pub input: &'a Value,
}

impl Call<'_> {
    /// Returns a text field of the event, or an empty text if it is missing.
    fn text(&self, field: &str) -> &str {
        self.input.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the name of the event.
    fn event(&self) -> &str {
        self.text("hook_event_name")
    }
}

/// Error of a builtin.
///
/// ```
/// # use std::sync::Arc;
/// use hooks_context::builtins::{BuiltinError, Call, World, run};
/// # use hooks_core::programs::{Finished, Program, Programs};
/// # use hooks_core::testing::{FakeClock, FakeDisk};
/// use serde_json::Value;
///
/// # struct NoPrograms;
/// # impl Programs for NoPrograms {
/// #     fn run(&self, _program: &Program) -> std::io::Result<Finished> {
/// #         Err(std::io::ErrorKind::NotFound.into())
/// #     }
/// # }
/// # let clock = Arc::new(FakeClock::default());
/// # let world = World::new(clock, Arc::new(FakeDisk::default()), Arc::new(NoPrograms), "/var/lib/hooks");
/// let error = |name: &str| {
///     let call = Call { name, args: &[], cwd: None, input: &Value::Null };
///     run(&call, &world).expect_err("it cannot run")
/// };
/// assert!(matches!(error("add_weather"), BuiltinError::Unknown { name } if name == "add_weather"));
/// assert_eq!(
///     error("redact_secrets").to_string(),
///     "`redact_secrets` needs something that redacts, which the host did not give",
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuiltinError {
    /// No builtin has this name.
    #[error("no builtin is called `{name}`; there are {}", names().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// A template cannot be rendered.
    #[error("argument {number} of `add_context` cannot be rendered: {reason}")]
    Template {
        /// Number of the argument, from 1.
        number: usize,
        /// Reason why it cannot be rendered.
        reason: String,
    },
    /// The host did not provide a part that the builtin needs.
    #[error("`{name}` needs {what}, which the host did not give")]
    Missing {
        /// Name of the builtin.
        name: &'static str,
        /// The missing part.
        what: &'static str,
    },
}

type Builtin = fn(&Call<'_>, &World) -> Result<Output, BuiltinError>;

/// All builtins by name.
const BUILTINS: [(&str, Builtin); 14] = [
    ("add_context", context::add_context),
    ("add_date", date::add_date),
    ("add_directory_listing", directory::add_directory_listing),
    ("add_environment_info", environment::add_environment_info),
    ("add_git_diff", repository::add_git_diff),
    ("add_git_status", repository::add_git_status),
    ("add_prompt_files", prompt_files::add_prompt_files),
    ("add_recent_commits", repository::add_recent_commits),
    ("add_user_info", user::add_user_info),
    ("limit_large_tool_results", large::limit_large_tool_results),
    ("max_iterations", iterations::max_iterations),
    ("redact_secrets", redact::redact_secrets),
    ("safer_shell", safer_shell::safer_shell),
    ("snapshot", snapshot::snapshot),
];

/// Returns the names of all builtins.
///
/// ```
/// use hooks_context::builtins;
///
/// assert_eq!(builtins::names().count(), 14);
/// assert!(builtins::names().any(|name| name == "add_git_status"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|(name, _)| *name)
}

/// Runs the builtin that `call` names.
///
/// # Errors
/// Returns `Unknown` if no builtin has the name; `Template` if a template cannot be rendered; `Missing` if
/// the host did not provide a part that the builtin needs. A failure of git or of the file system is not an
/// error: the output is then empty.
pub fn run(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let found = BUILTINS.iter().find(|(name, _)| *name == call.name);
    let (_, builtin) = found.ok_or_else(|| BuiltinError::Unknown { name: call.name.to_owned() })?;
    builtin(call, world)
}

#[cfg(test)]
mod tests;
