//! Knows the tools of the clients by name, and finds paths and commands in their arguments.
//!
//! A guard asks four questions about a call: the kind of the tool ([`ToolTable::kind_of_call`]), the files
//! that it names ([`paths_of`]), the commands that it runs ([`commands_of`]), and the agent that it starts
//! ([`agent_arguments`]). An argument that is present but not a text is distinguished from a missing one,
//! because a guard has to deny it.
//!
//! ```
//! use hooks_facts::tools::{ToolKind, ToolTable, paths_of};
//! use serde_json::json;
//!
//! let table = ToolTable::default();
//! let arguments = json!({"edits": [{"file_path": "src/a.rs", "new_string": "x"}]});
//! let kind = table.kind_of_call("MultiEdit", &arguments);
//! assert_eq!(kind, ToolKind::WriteFile);
//! let paths = paths_of(kind, &arguments);
//! assert_eq!(paths.found[0].text, "src/a.rs");
//! assert_eq!(paths.found[0].pointer, "/edits/0/file_path");
//! ```
//!
//! A [`Dialect`] converts a client's names of tools and arguments to one set of names and back.
//! [`Dialect::spellings`] translates a rule that was written in the words of one client to those of another.
//!
//! A tool that is not in the table is added with [`ToolTable::with`]:
//!
//! ```
//! use hooks_facts::tools::{ToolKind, ToolTable};
//!
//! let table = ToolTable::default().with("save_document", ToolKind::WriteFile);
//! assert_eq!(table.kind("saveDocument"), ToolKind::WriteFile);
//! ```

mod agent_arguments;
mod arguments;
mod background;
mod command_arguments;
mod dialect;
mod kind;
mod names;
mod patch;
mod path_arguments;
mod path_keys;
mod spelling;
mod table;
mod texts;
mod unlisted;
mod unlisted_paths;
mod verbs;
mod working_folder;

pub use agent_arguments::{AgentArguments, agent_arguments, with_agent_model};
pub use background::runs_in_background;
pub use command_arguments::{Command, CommandArgument, CommandArguments, commands_of};
pub use dialect::{Canonical, Dialect};
pub use kind::ToolKind;
pub use patch::patched_files;
pub use path_arguments::{PathArgument, PathArguments, PathRole, each_path, paths_of};
pub use spelling::Reach;
pub use table::ToolTable;
pub use texts::{TextArgument, each_text};
pub(crate) use unlisted::{commands_anywhere, unlisted_commands};
pub(crate) use unlisted_paths::UnlistedPaths;
pub use verbs::reads_by_name;
pub use working_folder::WorkingFolder;
