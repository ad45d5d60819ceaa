//! Configuration of child agents: plain data.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Rules and limits for the child agents of a tree, and the models they use. A session and all children below
/// it are a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SpawnConfig {
    /// Children of a tree that may be alive at the same time; with 0, no child is allowed. If missing,
    /// unlimited.
    pub concurrent: Option<u64>,
    /// Children that a tree may have in total; with 0, no child is allowed.
    pub total: Option<u64>,
    /// Generations in a tree: with 1, children cannot start children; with 0, no child is allowed.
    pub depth: Option<u64>,
    /// Rate at which children may be started.
    pub rate: Option<SpawnRateConfig>,
    /// Limits for each parent in a tree, in addition to those of the tree.
    pub per_parent: Option<ParentLimitConfig>,
    /// Limits for some of the children, in addition to those of the tree.
    pub roles: Vec<RoleLimitConfig>,
    /// Agents that may be started: names without regard to case, `*` for any text. If missing, any agent.
    pub agents: Option<Vec<String>>,
    /// Fields that each child must have.
    pub require: Vec<SpawnRequirement>,
    /// Known models, in the syntax of `agents`. If missing, those of `models.catalog`; without a catalog, any
    /// model.
    pub known_models: Option<Vec<String>>,
    /// Models by the name of their tier. Those of `models.catalog` are added.
    pub tiers: BTreeMap<String, Vec<String>>,
    /// Models that some of the children need. A child has to satisfy all rules that apply to it.
    pub models: Vec<ModelRuleConfig>,
    /// Variants that are tried out on a share of the children.
    pub variants: Vec<VariantsConfig>,
    /// Time without a sign of life after which a child is presumed lost and its place is given back.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub lease: Duration,
    /// Time that a child may take from the decision to its start.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub waiting: Duration,
    /// Whether agents are notified at their next turn of children of their tree that started, ended or fell
    /// silent.
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

/// Rate at which the children of a tree may be started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpawnRateConfig {
    /// Number of children; with 0, no child is allowed.
    pub children: u64,
    /// Length of the time window. Windows follow the store's time, one after the other.
    #[serde(with = "hooks_core::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub per: Duration,
}

/// Limits for each parent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ParentLimitConfig {
    /// Own children that may be alive at the same time; with 0, no child is allowed.
    pub concurrent: Option<u64>,
    /// Own children in total; with 0, no child is allowed.
    pub total: Option<u64>,
}

/// Limits for some of the children of a tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RoleLimitConfig {
    /// Name of the role, under which its children are counted.
    pub name: String,
    /// Agents with this role: names without regard to case, `*` for any text. If empty, all.
    pub agents: Vec<String>,
    /// Kinds of task with this role. If empty, all.
    pub task_types: Vec<String>,
    /// Children that may be alive at the same time; with 0, no child is allowed.
    pub concurrent: Option<u64>,
    /// Children in total; with 0, no child is allowed.
    pub total: Option<u64>,
}

/// Field that a child must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpawnRequirement {
    /// Charter: the path of an existing file. Tools that start agents cannot name one, so this applies only
    /// to `subagent_start`.
    Charter,
    /// Model.
    Model,
    /// Kind of task.
    TaskType,
    /// Text of the task.
    Task,
}

/// Models that some of the children need.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ModelRuleConfig {
    /// Name of the rule in reasons.
    pub name: String,
    /// Agents that the rule applies to: names without regard to case, `*` for any text. If empty, all.
    pub agents: Vec<String>,
    /// Kinds of task that the rule applies to. If empty, all.
    pub task_types: Vec<String>,
    /// Models that these children may use.
    pub allow: Vec<String>,
    /// Tiers whose models these children may use.
    pub tiers: Vec<String>,
    /// Model that replaces a wrong or missing one. If unset, the child is denied.
    pub replace_by: Option<String>,
}

/// Variants that are tried out on a share of some of the children.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct VariantsConfig {
    /// Name of the trial. Trials with different names assign children independently.
    pub name: String,
    /// Agents that take part: names without regard to case, `*` for any text. If empty, all.
    pub agents: Vec<String>,
    /// The variants; their shares add up to 100.
    pub split: Vec<VariantConfig>,
}

/// One variant of a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct VariantConfig {
    /// Name of the variant; it is recorded with the child.
    pub name: String,
    /// Percentage of children that get this variant.
    pub share: u64,
    /// Model of these children; if missing, the requested one.
    pub model: Option<String>,
    /// Text that is put before their task.
    pub instructions: Option<String>,
}
