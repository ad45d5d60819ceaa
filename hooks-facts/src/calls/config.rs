//! Settings of a reader of calls: plain data.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::globs::PatternDialect;
use crate::tools::ToolKind;

/// Options for resolving paths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PathsConfig {
    /// Folder that globs are relative to; if missing, the event's team root or working directory.
    pub root: Option<PathBuf>,
    /// Whether names are compared without regard to case; if missing, as the platform does.
    pub case_insensitive: Option<bool>,
    /// Syntax of patterns: the standard one, or Squad's.
    pub dialect: PatternDialect,
}

/// Effect of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolRole {
    /// Writes files.
    Write,
    /// Deletes files.
    Delete,
    /// Runs a command.
    Shell,
    /// Asks the user.
    AskUser,
    /// Reads only.
    Read,
}

impl From<ToolRole> for ToolKind {
    fn from(role: ToolRole) -> Self {
        match role {
            ToolRole::Write => Self::WriteFile,
            ToolRole::Delete => Self::DeleteFile,
            ToolRole::Shell => Self::Shell,
            ToolRole::AskUser => Self::AskUser,
            ToolRole::Read => Self::Read,
        }
    }
}
