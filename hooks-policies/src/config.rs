//! Configuration of the strict policies: plain data, read from `hooks.yaml` by the `hooks` crate or written
//! in Rust. [`Hooks::from_policy`](hooks_core::Hooks::from_policy) builds hooks from it.
//!
//! Every field is optional. A missing section switches its policy off; a present one is taken literally: a
//! limit of 0 allows nothing, an empty list of allowed paths allows no path.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hooks_facts::tools::ToolKind;
use serde::{Deserialize, Serialize};

pub use crate::limits::{
    CallLevel, CallLimitConfig, IterationLimitConfig, IterationSpan, LimitsConfig, LoopAction,
    LoopLimitConfig,
};
pub use crate::spawn::config::{
    ModelRuleConfig, ParentLimitConfig, RoleLimitConfig, SpawnConfig, SpawnRateConfig, SpawnRequirement,
    VariantConfig, VariantsConfig,
};
pub use crate::spend::{
    ModelPriceConfig, PriceCeilingConfig, SpendBudgetConfig, SpendEnforcement, SpendHoldConfig, SpendLevel,
    SpendLimitConfig, SpendThresholdsConfig, UnansweredCharge,
};
pub use crate::window::LimitWindow;

/// Configuration of the classic policies, strictly read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PolicyConfig {
    /// Options for resolving paths.
    pub paths: PathsConfig,
    /// Roles of further tools, by tool name.
    pub tools: BTreeMap<String, ToolRole>,
    /// Files that may be written.
    pub write_guard: Option<WriteGuardConfig>,
    /// Commands that are blocked.
    pub command_guard: Option<CommandGuardConfig>,
    /// Limit on questions to the user.
    pub ask_user: Option<AskUserConfig>,
    /// Limits on calls of tools and models.
    pub limits: Option<LimitsConfig>,
    /// Budget for calls of models.
    pub budget: Option<SpendBudgetConfig>,
    /// Data that is scrubbed from tool results.
    pub redaction: Option<RedactionConfig>,
    /// Keeps locked-out agents away from their artifacts.
    pub reviewer_lockout: Option<LockoutConfig>,
    /// Child agents that may be started, and how many.
    pub spawn: Option<SpawnConfig>,
    /// Custom rules, in order.
    pub rules: Vec<RuleConfig>,
    /// Files that agents cannot write, whatever else is allowed: the configuration itself, the settings of
    /// clients. Each is absolute or relative to the root.
    pub protected: Vec<String>,
}

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

/// Syntax of patterns and texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PatternDialect {
    /// `*` and `?` match inside a segment, `**` matches whole segments, `{a,b}` lists alternatives.
    #[default]
    Standard,
    /// Squad's syntax: back slashes are slashes, `?` is any character, braces are literal.
    Squad,
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

/// Reaction to a call that cannot be fully known before it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// Deny it (law 4).
    #[default]
    Deny,
    /// Ask the user.
    Ask,
    /// Allow it.
    Allow,
}

/// Files that may be written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WriteGuardConfig {
    /// Globs of files that may be written, relative to the root. If empty, no file may be written.
    pub allow: Vec<String>,
    /// Globs of files that may not be written although `allow` matches them.
    pub deny: Vec<String>,
    /// Reaction to a call of a writing tool that names no path.
    pub missing_path: OnUnknown,
}

/// Commands that are blocked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CommandGuardConfig {
    /// Patterns such as `rm -rf` or `git push --force`: a program, its first operands, its options.
    pub block: Vec<String>,
    /// Texts that no command may contain anywhere, such as `| sh`. Every command contains the empty text.
    pub fragments: Vec<String>,
    /// Reaction to a command that cannot be known before it runs, or cannot be parsed.
    pub unresolvable: OnUnknown,
    /// Reaction to a call of a shell tool that names no command.
    pub missing_command: OnUnknown,
}

impl Default for CommandGuardConfig {
    fn default() -> Self {
        Self {
            block: ["rm -rf", "git push --force", "git rebase", "git reset --hard"]
                .map(String::from)
                .to_vec(),
            fragments: Vec::new(),
            unresolvable: OnUnknown::Deny,
            missing_command: OnUnknown::Deny,
        }
    }
}

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

/// Data that is scrubbed from tool results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedactionConfig {
    /// Labels of the data to find; if missing, all.
    pub labels: Option<Vec<String>>,
    /// Further patterns, each with the name of its marker.
    pub patterns: BTreeMap<String, String>,
    /// Whether texts are read and recorded as Squad does: an address ends at the last letter of its top-level
    /// domain (of `a@x.xn--p1ai`, the `--p1ai` stays), and a recorded list has index keys.
    pub dialect: PatternDialect,
}

/// Keeps locked-out agents away from their artifacts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LockoutConfig {
    /// Artifacts that are locked from the start: a path or glob, and the agents that may not write it.
    pub locked: BTreeMap<String, Vec<String>>,
    /// Names of path arguments that are ignored. Each lets a call avoid the lockout; Squad's lockout ignores
    /// some.
    pub ignored_arguments: Vec<String>,
    /// All agents of the team. They are needed to detect that all of them are locked out of an artifact.
    pub team: Vec<String>,
    /// Reaction if all agents of the team are locked out of an artifact.
    pub when_all_locked: AllLocked,
}

/// Reaction if all agents of the team are locked out of an artifact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AllLocked {
    /// Ask the user; deny if the client cannot ask.
    #[default]
    Ask,
    /// Deny with the advice to ask the user.
    Deny,
}

/// Custom rule. A call matches if all given conditions match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RuleConfig {
    /// Name of the rule in reasons.
    pub name: String,
    /// Judgement on calls that match.
    pub action: RuleAction,
    /// Names of tools, without regard to case; `mcp__*` with a star at the end is a prefix.
    pub tools: Vec<String>,
    /// Names of agents, without regard to case.
    pub agents: Vec<String>,
    /// Globs relative to the root. A call matches if one of its paths does.
    pub paths: Vec<String>,
    /// Command patterns, as in `command_guard`.
    pub commands: Vec<String>,
    /// Reason that the model and the user read.
    pub reason: Option<String>,
    /// Calls that the rule has to match; checked when the rule is loaded.
    #[serde(rename = "match")]
    pub matches: Vec<RuleExample>,
    /// Calls that the rule must not match; checked when the rule is loaded.
    pub no_match: Vec<RuleExample>,
}

/// Judgement of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Deny the call.
    #[default]
    Deny,
    /// Ask the user.
    Ask,
    /// Allow the call, unless another rule denies it or asks.
    Allow,
}

/// Call that serves as an example of a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RuleExample {
    /// Name of the tool.
    pub tool: String,
    /// Arguments of the call.
    #[serde(default)]
    pub args: serde_json::Value,
    /// Name of the agent; if missing, any agent.
    #[serde(default)]
    pub agent: Option<String>,
}
