//! What the spawning of children is configured by: plain data.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Which children an agent may have, how many, and on which models. A session and all children below it are a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpawnConfig {
    /// How many children of a tree may live at once; 0 means none. Any number where absent.
    pub concurrent: Option<u64>,
    /// How many children a tree may have in all; 0 means none.
    pub total: Option<u64>,
    /// How many generations a tree may have: with 1, children have none of their own; 0 means none.
    pub depth: Option<u64>,
    /// How fast children may be started.
    pub rate: Option<SpawnRateConfig>,
    /// What each parent in a tree may have, beside what the tree may.
    pub per_parent: Option<ParentLimitConfig>,
    /// What some of the children may have, beside what the tree may.
    pub roles: Vec<RoleLimitConfig>,
    /// Which agents may be started: names without regard to case, `*` for any text. Any where absent.
    pub agents: Option<Vec<String>>,
    /// What has to be said of each child.
    pub require: Vec<SpawnRequirement>,
    /// Which models there are, as `agents`. Those of `models.catalog` where absent; any where there is none.
    pub known_models: Option<Vec<String>>,
    /// Models by the name of their tier. Those of `models.catalog` are added.
    pub tiers: BTreeMap<String, Vec<String>>,
    /// Which children need which models. All rules that a child falls under have to be kept.
    pub models: Vec<ModelRuleConfig>,
    /// Configurations that are tried out on a share of the children.
    pub variants: Vec<VariantsConfig>,
    /// After so long without a sign of life a child is taken for lost, and its place comes back.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub lease: Duration,
    /// How long a child may take from the decision to its start.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub waiting: Duration,
    /// Whether the agents of a tree are told at their next turn which children started, ended or fell silent.
    pub notices: bool,
}

impl Default for SpawnConfig {
    fn default() -> Self {
        Self {
            concurrent: None,
            total: None,
            depth: None,
            rate: None,
            per_parent: None,
            roles: Vec::new(),
            agents: None,
            require: Vec::new(),
            known_models: None,
            tiers: BTreeMap::new(),
            models: Vec::new(),
            variants: Vec::new(),
            lease: Duration::from_secs(15 * 60),
            waiting: Duration::from_secs(2 * 60),
            notices: true,
        }
    }
}

/// How fast the children of a tree may be started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpawnRateConfig {
    /// How many children; 0 means none.
    pub children: u64,
    /// In so long. Windows follow the store's time, one after the other.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub per: Duration,
}

/// What each parent may have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ParentLimitConfig {
    /// How many of its own children may live at once; 0 means none.
    pub concurrent: Option<u64>,
    /// How many children of its own it may have in all; 0 means none.
    pub total: Option<u64>,
}

/// What some of the children of a tree may have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RoleLimitConfig {
    /// What the role is called; its children are counted under it.
    pub name: String,
    /// Agents that have it: names without regard to case, `*` for any text. All where empty.
    pub agents: Vec<String>,
    /// Kinds of task that have it. All where empty.
    pub task_types: Vec<String>,
    /// How many may live at once; 0 means none.
    pub concurrent: Option<u64>,
    /// How many there may be in all; 0 means none.
    pub total: Option<u64>,
}

/// What has to be said of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpawnRequirement {
    /// Its charter: the path, and the file is there. Tools that start agents cannot say it, so this is of
    /// `subagent_start` alone.
    Charter,
    /// Its model.
    Model,
    /// The kind of task.
    TaskType,
    /// What it is to do.
    Task,
}

/// Which models some of the children need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ModelRuleConfig {
    /// Its name, as reasons give it.
    pub name: String,
    /// Agents that fall under it: names without regard to case, `*` for any text. All where empty.
    pub agents: Vec<String>,
    /// Kinds of task that fall under it. All where empty.
    pub task_types: Vec<String>,
    /// Models they may have.
    pub allow: Vec<String>,
    /// Tiers whose models they may have.
    pub tiers: Vec<String>,
    /// The model that a wrong one, or none, is replaced by. Denied where absent.
    pub replace_by: Option<String>,
}

/// Configurations that are tried out on a share of some of the children.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct VariantsConfig {
    /// What the trial is called. Two trials of different names share their children out independently.
    pub name: String,
    /// Agents that take part: names without regard to case, `*` for any text. All where empty.
    pub agents: Vec<String>,
    /// The configurations; their shares make 100.
    pub split: Vec<VariantConfig>,
}

/// One configuration that is tried out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct VariantConfig {
    /// What it is called; it is recorded with the child.
    pub name: String,
    /// How many children of a hundred have it.
    pub share: u64,
    /// The model they use; as asked for where absent.
    pub model: Option<String>,
    /// What stands before their task.
    pub instructions: Option<String>,
}
