//! Configuration of the guards: plain data, read from `hooks.yaml` or written in Rust.
//!
//! A missing section switches its policy off; a present one is taken literally: an empty list of allowed
//! paths allows no path.

use std::collections::BTreeMap;

use hooks_facts::commands::Effect;
use serde::{Deserialize, Serialize};

use crate::packs::PackConfig;
pub use crate::rules::ArgumentCondition;

/// Configuration of the policies of this crate; [`Guards`](crate::Guards) builds them.
///
/// ```
/// use hooks_core::{EventKind, Hooks};
/// use hooks_policies::config::{CommandGuardConfig, GuardsSettings, WriteGuardConfig};
///
/// // Nothing is judged by default.
/// assert!(Hooks::from_policy(GuardsSettings::default())?.hooked().is_empty());
/// let config = GuardsSettings {
///     write_guard: Some(WriteGuardConfig { allow: vec!["src/**".into()], ..WriteGuardConfig::default() }),
///     command_guard: Some(CommandGuardConfig::default()),
///     protected: vec!["hooks.yaml".into()],
///     ..GuardsSettings::default()
/// };
/// assert_eq!(Hooks::from_policy(config)?.hooked(), [EventKind::PreToolUse]);
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuardsSettings {
    /// Files that may be written.
    pub write_guard: Option<WriteGuardConfig>,
    /// Files that may be read.
    pub read_guard: Option<ReadGuardConfig>,
    /// Commands that are blocked.
    pub command_guard: Option<CommandGuardConfig>,
    /// Keeps locked-out agents away from their artifacts.
    pub reviewer_lockout: Option<LockoutConfig>,
    /// Custom rules, in order.
    pub rules: Vec<RuleConfig>,
    /// Packs of rules.
    pub packs: Vec<PackConfig>,
    /// Files that agents cannot write, whatever else is allowed: the configuration itself, the settings of
    /// clients. Each is absolute or relative to the root.
    pub protected: Vec<String>,
}

/// Reaction to a call that cannot be fully known before it runs.
///
/// The reaction to a command that starts with a variable:
///
/// ```
/// use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
/// use hooks_facts::calls::CallReader;
/// use hooks_policies::CommandGuard;
/// use hooks_policies::config::{CommandGuardConfig, OnUnknown};
/// use serde_json::json;
///
/// for (unresolvable, strength) in [
///     (OnUnknown::Deny, Strength::Deny), // the default
///     (OnUnknown::Ask, Strength::Ask),
///     (OnUnknown::Allow, Strength::NoOpinion),
/// ] {
///     let config = CommandGuardConfig { unresolvable, ..CommandGuardConfig::default() };
///     let guard = CommandGuard::new(&config, &CallReader::default())?;
///     let event = PreToolUse::new("bash", json!({"command": "$EDITOR notes.md"}));
///     assert_eq!(guard.judge(&HookRequest::new(HookContext::default(), event)).strength(), strength);
/// }
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
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
///
/// ```
/// use hooks_policies::config::{OnUnknown, WriteGuardConfig};
///
/// let config: WriteGuardConfig = serde_json::from_str(r#"{"allow": ["src/**"], "missing_path": "ask"}"#)?;
/// assert_eq!(config.missing_path, OnUnknown::Ask);
/// let misspelt = serde_json::from_str::<WriteGuardConfig>(r#"{"allowed": ["src/**"]}"#);
/// assert!(misspelt.expect_err("an unknown field").to_string().starts_with("unknown field `allowed`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WriteGuardConfig {
    /// Globs of files that may be written: relative to the root, absolute, or below the user's home (`~/x`). If empty, no file
    /// may be written.
    pub allow: Vec<String>,
    /// Globs of files that may not be written although `allow` matches them.
    pub deny: Vec<String>,
    /// Files that single agents may write; for these agents they replace `allow`. `deny` applies to all agents.
    pub agents: BTreeMap<String, AgentWritesConfig>,
    /// Reaction to a call of a writing tool that names no path.
    pub missing_path: OnUnknown,
}

/// Files that one agent may write.
///
/// ```
/// use hooks_policies::config::WriteGuardConfig;
/// use serde_json::json;
///
/// let config: WriteGuardConfig = serde_json::from_value(json!({
///     "allow": ["src/**", "docs/**"],
///     "agents": {"writer": {"allow": ["docs/**"]}},
/// }))?;
/// assert_eq!(config.agents["writer"].allow, ["docs/**"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AgentWritesConfig {
    /// Globs of the only files that the agent may write, as in `write_guard.allow`.
    pub allow: Vec<String>,
    /// Globs of files that the agent may not write.
    pub deny: Vec<String>,
}

/// Files that may be read, by tools and by commands.
///
/// ```
/// use hooks_policies::config::ReadGuardConfig;
///
/// let config: ReadGuardConfig = serde_json::from_str(r#"{"deny": ["**/.env", "~/.ssh/**"]}"#)?;
/// assert!(config.allow.is_empty());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ReadGuardConfig {
    /// Named sets of files that may not be read. `deny` and `except` add to them.
    pub sets: Vec<ReadSet>,
    /// Globs of files that may not be read: relative to the root, absolute, or below the home of any user (`~/x`). A glob that
    /// begins with `**/` applies outside of the root too.
    pub deny: Vec<String>,
    /// Globs of files that may be read although `deny` matches them.
    pub except: Vec<String>,
    /// Globs of the only files that may be read. If empty, each file may be read unless `deny` matches it.
    pub allow: Vec<String>,
    /// Files that single agents may read, besides the lists above.
    pub agents: BTreeMap<String, AgentReadsConfig>,
    /// Reaction to a command that may read files which it does not name.
    pub unknown: OnUnknownReads,
}

/// Named set of files that agents may not read.
///
/// ```
/// use hooks_policies::config::{ReadGuardConfig, ReadSet};
///
/// let config: ReadGuardConfig = serde_json::from_str(r#"{"sets": ["secrets"]}"#)?;
/// assert_eq!(config.sets, [ReadSet::Secrets]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadSet {
    /// Places of secrets: keys, settings with passwords, sign-ins of programs, histories. `hooks secrets` prints them.
    Secrets,
}

/// Files that one agent may read.
///
/// ```
/// use hooks_policies::config::ReadGuardConfig;
/// use serde_json::json;
///
/// let config: ReadGuardConfig = serde_json::from_value(json!({"agents": {"writer": {"allow": ["docs/**"]}}}))?;
/// assert_eq!(config.agents["writer"].allow, ["docs/**"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AgentReadsConfig {
    /// Globs of files that the agent may not read.
    pub deny: Vec<String>,
    /// Globs of the only files that the agent may read; for this agent they replace `read_guard.allow`.
    pub allow: Vec<String>,
}

/// Reaction to a command that may read files which it does not name, such as a script or an unknown program.
///
/// ```
/// use hooks_policies::config::{OnUnknownReads, ReadGuardConfig};
///
/// assert_eq!(ReadGuardConfig::default().unknown, OnUnknownReads::Allow);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnUnknownReads {
    /// Allow it: most programs read some file, and `hooks explain` names those whose reads are not known.
    #[default]
    Allow,
    /// Ask the user.
    Ask,
    /// Deny it.
    Deny,
}

/// Commands that are blocked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CommandGuardConfig {
    /// Patterns such as `rm -rf` or `git push --force`: a program, its first operands, its options.
    pub block: Vec<String>,
    /// Consequences that no command may have, whatever the program: `device-write`, `discard-work`, ...
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Texts that no command may contain anywhere, such as `| sh`. Every command contains the empty text.
    pub fragments: Vec<String>,
    /// Reaction to a command that cannot be known before it runs, or cannot be parsed.
    pub unresolvable: OnUnknown,
    /// Reaction to a call of a shell tool that names no command.
    pub missing_command: OnUnknown,
    /// Judgement of scripts that the session wrote.
    pub written_scripts: WrittenScripts,
}

/// Judgement of a script, task or hook that the session wrote and that a command runs.
///
/// ```
/// use hooks_policies::config::{CommandGuardConfig, WrittenScripts};
///
/// let config: CommandGuardConfig = serde_json::from_str(r#"{"written_scripts": "off"}"#)?;
/// assert_eq!(config.written_scripts, WrittenScripts::Off);
/// assert_eq!(WrittenScripts::default(), WrittenScripts::Judge);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WrittenScripts {
    /// Remember the files that a session writes, and judge a command by the content of those that it runs.
    #[default]
    Judge,
    /// Judge only the words of a command. No file is remembered.
    Off,
}

impl Default for CommandGuardConfig {
    fn default() -> Self {
        Self {
            block: ["rm -rf", "git push --force", "git rebase", "git reset --hard"]
                .map(String::from)
                .to_vec(),
            effects: Vec::new(),
            fragments: Vec::new(),
            unresolvable: OnUnknown::Deny,
            missing_command: OnUnknown::Deny,
            written_scripts: WrittenScripts::Judge,
        }
    }
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
///
/// ```
/// use hooks_policies::config::{AllLocked, LockoutConfig};
/// use serde_json::json;
///
/// let config: LockoutConfig = serde_json::from_value(json!({
///     "locked": {"src/auth.rs": ["backend"]},
///     "team": ["backend", "frontend"],
///     "when_all_locked": "deny",
/// }))?;
/// assert_eq!(config.when_all_locked, AllLocked::Deny);
/// assert_eq!(AllLocked::default(), AllLocked::Ask);
/// # Ok::<(), serde_json::Error>(())
/// ```
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
    /// Names of tools, without regard to case; `*` is any text, and a text between slashes is a regular expression for
    /// the whole name.
    pub tools: Vec<String>,
    /// Names of agents, without regard to case.
    pub agents: Vec<String>,
    /// Globs of files that the call reads or writes: relative to the root, absolute, or below a home (`~/x`). A call matches if
    /// one of its files does.
    pub paths: Vec<String>,
    /// Globs of files that the call reads, by a tool or by a command.
    pub reads: Vec<String>,
    /// Globs of files that the call writes, by a tool or by a command.
    pub writes: Vec<String>,
    /// Command patterns, as in `command_guard`.
    pub commands: Vec<String>,
    /// Consequences of the call's commands, whatever the program. A call matches if its commands have one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Conditions on arguments, by name. Names of inner arguments have dots: `options.amount`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, ArgumentCondition>,
    /// Tokens of source text that the call writes, outside of comments and strings; `_` is any name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<String>,
    /// Modules that source text imports which the call writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
    /// Results that the rule judges in place of calls: a result that matches is withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<RuleResults>,
    /// Reason that the model and the user read.
    pub reason: Option<String>,
    /// Calls that the rule has to match; checked when the rule is loaded.
    #[serde(rename = "match")]
    pub matches: Vec<RuleExample>,
    /// Calls that the rule must not match; checked when the rule is loaded.
    pub no_match: Vec<RuleExample>,
}

impl RuleConfig {
    /// Options that decide which calls a rule is about.
    pub const CONDITIONS: [&str; 10] =
        ["tools", "agents", "paths", "reads", "writes", "commands", "effects", "args", "content", "imports"];
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

/// Results that a rule judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RuleResults {
    /// Results of calls that failed.
    Failed,
    /// Results of calls that did not fail.
    Ok,
    /// All results.
    Any,
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
