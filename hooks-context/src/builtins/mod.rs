//! Small handlers by name, with the answers docker-agent's builtins give: the date, the branch, a file of prompts.
//!
//! [`run`] takes a name, its arguments, a folder and the event as JSON, and answers an [`Output`]: what a command hook
//! would have printed. It waits for files and for git, within bounds; a host calls it where waiting is fine.
//!
//! | builtin | event | what it does |
//! | --- | --- | --- |
//! | `add_date` | turn_start | says which day it is |
//! | `add_environment_info` | session_start | folder, git or not, system, processor, shell |
//! | `add_prompt_files` | turn_start | files of instructions, from the folder upwards and from home |
//! | `add_git_status`, `add_git_diff` | turn_start | what is changed |
//! | `add_recent_commits` | session_start | what was done last |
//! | `add_directory_listing` | session_start | the names in the folder |
//! | `add_user_info` | session_start | who uses this machine |
//! | `add_context` | any that takes text | templates over the event |
//! | `max_iterations` | before_llm_call | stops after so many model calls |
//! | `redact_secrets` | transforms, before_llm_call | takes secrets out |
//! | `limit_large_tool_results` | tool_response_transform, session_end | keeps a long result in a file, and its end |
//! | `snapshot` | session, turn and tool events | keeps the files as they are, to go back to |
//!
//! Each of them is silent where it has nothing to say. The world comes through the traits of [`World`] (law 9).

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
pub mod snapshot;
mod user;
mod world;

use std::path::Path;

use serde_json::Value;

pub use self::output::{InstructionContext, Output, Specific};
pub use self::world::{Finished, Machine, Program, Programs, Redact, Templates, UnknownMachine, User, World};

/// What a builtin is asked.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its arguments, as they are configured.
    pub args: &'a [String],
    /// The folder it looks at; without one most have nothing to say.
    pub cwd: Option<&'a Path>,
    /// The event, as a command hook gets it.
    pub input: &'a Value,
}

impl Call<'_> {
    /// A text of the event; empty where there is none.
    fn text(&self, field: &str) -> &str {
        self.input.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// The event's name.
    fn event(&self) -> &str {
        self.text("hook_event_name")
    }
}

/// Why a builtin has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuiltinError {
    /// Nobody is called so.
    #[error("no builtin is called `{name}`; there are {}", names().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name, as it was asked for.
        name: String,
    },
    /// A template cannot be filled.
    #[error("argument {number} of `add_context` cannot be rendered: {reason}")]
    Template {
        /// Which argument, from 1.
        number: usize,
        /// Why.
        reason: String,
    },
    /// The host did not give what it needs.
    #[error("`{name}` needs {what}, which the host did not give")]
    Missing {
        /// The builtin.
        name: &'static str,
        /// What it lacks.
        what: &'static str,
    },
}

type Builtin = fn(&Call<'_>, &World) -> Result<Output, BuiltinError>;

/// The table: what there is.
const BUILTINS: [(&str, Builtin); 13] = [
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
    ("snapshot", snapshot::snapshot),
];

/// The names of all builtins.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|(name, _)| *name)
}

/// Asks the builtin that `call` names.
///
/// # Errors
/// There is none of that name, or it cannot answer. What git or a file system refuses is no error: then there is
/// nothing to say.
pub fn run(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let found = BUILTINS.iter().find(|(name, _)| *name == call.name);
    let (_, builtin) = found.ok_or_else(|| BuiltinError::Unknown { name: call.name.to_owned() })?;
    builtin(call, world)
}

#[cfg(test)]
mod tests;
