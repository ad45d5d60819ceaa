//! What the strict policies are configured by: plain data, read from `hooks.yaml` by the `hooks` crate or
//! written in Rust. [`Hooks::from_policy`](hooks_core::Hooks::from_policy) builds the hooks of it.
//!
//! Every field is optional; an absent section switches its policy off, a present one is taken as written: a
//! limit of 0 means none at all, an empty list of allowed paths allows no path.

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

/// The classic policies, strictly read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PolicyConfig {
    /// How paths are read.
    pub paths: PathsConfig,
    /// Further tools, by name: what they do.
    pub tools: BTreeMap<String, ToolRole>,
    /// Which files may be written.
    pub write_guard: Option<WriteGuardConfig>,
    /// Which commands may not run.
    pub command_guard: Option<CommandGuardConfig>,
    /// How often the user may be asked.
    pub ask_user: Option<AskUserConfig>,
    /// How often tools and models may be called.
    pub limits: Option<LimitsConfig>,
    /// What may be spent on models.
    pub budget: Option<SpendBudgetConfig>,
    /// What is scrubbed from tool results.
    pub redaction: Option<RedactionConfig>,
    /// Keeps locked-out agents away from their artifacts.
    pub reviewer_lockout: Option<LockoutConfig>,
    /// Which children agents may start, and how many.
    pub spawn: Option<SpawnConfig>,
    /// Rules of one's own, in order.
    pub rules: Vec<RuleConfig>,
    /// What the agents cannot write, whatever else is allowed: the configuration itself, the settings of agent
    /// clients. Absolute, or relative to the root.
    pub protected: Vec<String>,
}

/// How paths are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PathsConfig {
    /// The folder that globs are relative to; the event's team root or working directory where absent.
    pub root: Option<PathBuf>,
    /// Whether names are compared without regard to case; as the platform does where absent.
    pub case_insensitive: Option<bool>,
    /// Whether patterns are read as Squad's are.
    pub dialect: PatternDialect,
}

/// How patterns and texts are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PatternDialect {
    /// `*` and `?` inside a segment, `**` whole segments, `{a,b}` alternatives.
    #[default]
    Standard,
    /// Squad's: back slashes are slashes, `?` is any character, braces are literal.
    Squad,
}

/// What a tool does.
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

/// Strict or not about what cannot be known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// Refuse it (law 4).
    #[default]
    Deny,
    /// Ask a person.
    Ask,
    /// Let it pass.
    Allow,
}

/// Which files may be written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WriteGuardConfig {
    /// Globs of what may be written, relative to the root. Empty: nothing.
    pub allow: Vec<String>,
    /// Globs of what may not, although it is allowed.
    pub deny: Vec<String>,
    /// A call of a writing tool that names no path at all.
    pub missing_path: OnUnknown,
}

/// Which commands may not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CommandGuardConfig {
    /// Patterns such as `rm -rf` or `git push --force`: a program, its first operands, its options.
    pub block: Vec<String>,
    /// Texts that no command may contain, wherever they stand in it, such as `| sh`. The empty text is in every
    /// command.
    pub fragments: Vec<String>,
    /// A command that cannot be known before it runs, or cannot be read.
    pub unresolvable: OnUnknown,
    /// A call of a shell tool that names no command at all.
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

/// How often the user may be asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskUserConfig {
    /// Questions per session; 0 means none.
    pub max_per_session: u64,
    /// Which questions count.
    #[serde(default)]
    pub counts: AskCounting,
    /// Whose questions are counted together.
    #[serde(default)]
    pub of: AskLevel,
}

/// Whose questions to the user are counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskLevel {
    /// Those of all agents of a session; one that it starts has its own.
    #[default]
    Session,
    /// Those of a session and of all below it.
    Tree,
}

/// Which questions to the user count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskCounting {
    /// Those that are asked.
    #[default]
    Asked,
    /// Also those that something else denies, as Squad counts them.
    Attempted,
}

/// What is scrubbed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedactionConfig {
    /// What is looked for; everything where absent.
    pub labels: Option<Vec<String>>,
    /// Further patterns, by the name of their marker.
    pub patterns: BTreeMap<String, String>,
    /// Whether texts are read and recorded as Squad's are: an address ends where the letters of its top-level
    /// name end (of `a@x.xn--p1ai`, the `--p1ai` stays), and a recorded list has index keys.
    pub dialect: PatternDialect,
}

/// Keeps locked-out agents away from their artifacts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LockoutConfig {
    /// Artifacts that are locked from the start: path or glob, and the agents that may not write them.
    pub locked: BTreeMap<String, Vec<String>>,
    /// Path arguments that are not looked at, by name. Each is a way around the lockout; Squad's lockout has some.
    pub ignored_arguments: Vec<String>,
    /// Who could write an artifact: with these known, it is seen when everyone is locked out of one.
    pub team: Vec<String>,
    /// What happens then.
    pub when_all_locked: AllLocked,
}

/// What happens when everyone in the team is locked out of an artifact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AllLocked {
    /// A person is asked; where nobody can be, it is denied.
    #[default]
    Ask,
    /// It is denied, with the advice to ask a person.
    Deny,
}

/// A rule of one's own. Everything that is given has to match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RuleConfig {
    /// Its name, as reasons give it.
    pub name: String,
    /// What it says.
    pub action: RuleAction,
    /// Tools, by name, without regard to case; `mcp__*` with a star at the end.
    pub tools: Vec<String>,
    /// Agents, by name, without regard to case.
    pub agents: Vec<String>,
    /// Paths: globs relative to the root. A call matches if one of its paths does.
    pub paths: Vec<String>,
    /// Command patterns, as in `command_guard`.
    pub commands: Vec<String>,
    /// What the model and the user read.
    pub reason: Option<String>,
    /// Calls that the rule has to match; checked when it is loaded.
    #[serde(rename = "match")]
    pub matches: Vec<RuleExample>,
    /// Calls that it must not match; checked when it is loaded.
    pub no_match: Vec<RuleExample>,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// It must not happen.
    #[default]
    Deny,
    /// A person decides.
    Ask,
    /// It may happen, unless another rule says otherwise.
    Allow,
}

/// A call, as an example of a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RuleExample {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub args: serde_json::Value,
    /// The agent; any where absent.
    #[serde(default)]
    pub agent: Option<String>,
}
