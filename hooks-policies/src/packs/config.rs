//! A pack as it is written: named rules with a severity, each with examples.

use serde::{Deserialize, Serialize};

use crate::config::RuleExample;

/// Named set of rules about one program or service.
///
/// ```
/// use hooks_policies::packs::{PackConfig, Severity};
/// use serde_json::json;
///
/// let pack: PackConfig = serde_json::from_value(json!({
///     "name": "team",
///     "about": "Deployments of the team",
///     "rules": [{
///         "name": "deploy",
///         "severity": "high",
///         "commands": ["deployctl promote"],
///         "reason": "this goes to production",
///         "match": ["deployctl promote api"],
///         "no_match": ["deployctl status api"],
///     }],
/// }))?;
/// assert_eq!(pack.rules[0].severity, Severity::High);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PackConfig {
    /// Name of the pack.
    pub name: String,
    /// Actions that the pack guards against, in one line.
    #[serde(default)]
    pub about: String,
    /// Globs of files by which a project shows that it uses what the pack is about.
    #[serde(default)]
    pub files: Vec<String>,
    /// Options with which the programs of the pack only show or plan something, such as `--help` and `--dry-run`. A command
    /// with one of them matches no rule.
    #[serde(default)]
    pub idle: Vec<String>,
    /// The rules, in order.
    pub rules: Vec<PackRuleConfig>,
}

/// Rule of a pack. A call matches if all given conditions match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PackRuleConfig {
    /// Name of the rule in reasons.
    pub name: String,
    /// Severity, which selects the action: `critical` denies, the others ask.
    pub severity: Severity,
    /// Action in place of that of the severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<PackAction>,
    /// Reason that the model and the user read.
    pub reason: String,
    /// Names of tools; any tool if missing.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Command patterns, as in `rules`.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Globs of files that the call reads.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Globs of files that the call writes.
    #[serde(default)]
    pub writes: Vec<String>,
    /// Calls that the rule has to match.
    #[serde(rename = "match", default)]
    pub matches: Vec<PackExample>,
    /// Calls that the rule must not match.
    #[serde(default)]
    pub no_match: Vec<PackExample>,
}

/// Harm that a rule of a pack prevents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Can be undone with some work. The rule asks.
    #[default]
    Medium,
    /// Hard to undo, or seen by others. The rule asks.
    High,
    /// Destroys what cannot be brought back. The rule denies.
    Critical,
}

/// Action of a rule of a pack. A pack never allows a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PackAction {
    /// Deny the call.
    Deny,
    /// Ask the user.
    Ask,
}

/// Example of a rule of a pack: a command, or a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PackExample {
    /// Command for the tool `bash`.
    Command(String),
    /// Call of any tool.
    Call(RuleExample),
}

/// Entry of `packs`: a name, a path, or a map with both and what differs from the pack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PackEntry {
    /// Pack with some of its rules, or with other actions.
    Use(PackUse),
    /// Name of a pack of Hooks, or a file or folder with packs, relative to the folder of the project.
    Name(String),
}

impl PackEntry {
    /// Returns the use of the pack.
    pub fn usage(&self) -> PackUse {
        match self {
            Self::Name(name) => PackUse { name: name.clone(), ..PackUse::default() },
            Self::Use(usage) => usage.clone(),
        }
    }
}

/// Use of a pack: all of its rules, or some, with their own action or another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PackUse {
    /// Name of a pack of Hooks, or a file or folder with packs, relative to the folder of the project.
    pub name: String,
    /// Action of all its rules, in place of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<PackAction>,
    /// Least severity of the rules that are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Severity>,
    /// Names of rules that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
}

impl Severity {
    /// Returns the action of rules with this severity.
    pub const fn action(self) -> PackAction {
        match self {
            Self::Critical => PackAction::Deny,
            Self::High | Self::Medium => PackAction::Ask,
        }
    }

    /// Returns the name in `hooks.yaml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
        }
    }
}

impl PackRuleConfig {
    /// Returns the action of the rule.
    pub fn action(&self) -> PackAction {
        self.action.unwrap_or_else(|| self.severity.action())
    }
}

impl PackConfig {
    /// Returns the pack with the rules and actions of one use.
    ///
    /// # Errors
    /// Returns the names in `except` that are no rules of the pack.
    ///
    /// ```
    /// use hooks_policies::packs::{PackConfig, PackUse};
    /// use serde_json::json;
    ///
    /// let pack: PackConfig = serde_json::from_value(json!({
    ///     "name": "a",
    ///     "rules": [{"name": "x", "severity": "high", "reason": "x", "commands": ["x"]}],
    /// }))?;
    /// let usage: PackUse = serde_json::from_value(json!({"name": "a", "except": ["y"]}))?;
    /// assert_eq!(pack.used(&usage).unwrap_err(), ["y"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn used(mut self, usage: &PackUse) -> Result<Self, Vec<String>> {
        let is_rule = |name: &str| self.rules.iter().any(|rule| rule.name == name);
        let unknown: Vec<_> = usage.except.iter().filter(|name| !is_rule(name)).cloned().collect();
        if !unknown.is_empty() {
            return Err(unknown);
        }
        self.rules.retain(|rule| {
            !usage.except.contains(&rule.name) && usage.at_least.is_none_or(|least| rule.severity >= least)
        });
        for rule in &mut self.rules {
            rule.action = usage.action.or(rule.action);
        }
        Ok(self)
    }
}

impl PackExample {
    /// Returns the call of the example.
    pub fn call(&self) -> RuleExample {
        match self {
            Self::Call(call) => call.clone(),
            Self::Command(command) => RuleExample {
                tool: "bash".to_owned(),
                args: serde_json::json!({ "command": command }),
                agent: None,
            },
        }
    }
}
