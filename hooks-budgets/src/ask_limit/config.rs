//! Configuration of the limit on questions: plain data.

use serde::{Deserialize, Serialize};

/// Limit on questions to the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskUserConfig {
    /// Questions per session; with 0, no question is allowed.
    pub max_per_session: u64,
    /// Questions that are counted.
    #[serde(default)]
    pub counts: AskCounting,
    /// Sessions whose questions are counted together.
    #[serde(default)]
    pub of: AskLevel,
}

/// Sessions whose questions to the user are counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskLevel {
    /// Questions of all agents of a session; a child session has its own counter.
    #[default]
    Session,
    /// Questions of a session and of all sessions below it.
    Tree,
}

/// Questions to the user that are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskCounting {
    /// Questions that are asked.
    #[default]
    Asked,
    /// Also questions that another hook denies, as Squad counts them.
    Attempted,
}
