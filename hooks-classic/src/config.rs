//! Configuration of the classic policies: plain data, read from `hooks.yaml` by the `hooks` crate or written
//! in Rust. [`Hooks::from_policy`](hooks_core::Hooks::from_policy) builds hooks from it.
//!
//! Every field is optional. A missing section switches its policy off; a present one is taken literally: a
//! limit of 0 allows nothing, an empty list of allowed paths allows no path.

use std::collections::BTreeMap;

use hooks_budgets::{AskUserConfig, LimitsConfig, SpawnConfig, SpendBudgetConfig};
use hooks_facts::calls::{PathsConfig, ToolRole};
use hooks_policies::config::{
    CommandGuardConfig, LockoutConfig, ReadGuardConfig, RuleConfig, WriteGuardConfig,
};
use hooks_policies::packs::PackEntry;
use hooks_redaction::RedactionConfig;
use serde::{Deserialize, Serialize};

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
    /// Files that may be read.
    pub read_guard: Option<ReadGuardConfig>,
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
    /// Packs of rules: names of packs of Hooks, files and folders with packs, or maps that choose among their rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<PackEntry>,
    /// Files that agents cannot write, whatever else is allowed: the configuration itself, the settings of
    /// clients. Each is absolute or relative to the root.
    pub protected: Vec<String>,
}
