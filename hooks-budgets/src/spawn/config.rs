//! Configuration of child agents: plain data.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Rules and limits for the child agents of a tree, and the models they use. A session and all children below
/// it are a tree.
///
/// ```
/// use std::time::Duration;
/// use hooks_budgets::SpawnConfig;
/// use serde_json::json;
///
/// // Nothing is limited by default; a child that gives no sign of life loses its place after 15 minutes.
/// let config = SpawnConfig::default();
/// assert_eq!((config.concurrent, config.total, config.depth), (None, None, None));
/// assert_eq!(config.lease, Duration::from_secs(900));
///
/// let config: SpawnConfig = serde_json::from_value(json!({
///     "rate": {"children": 10, "per": "1m"},
///     "lease": "2m30s",
/// }))?;
/// assert_eq!(config.rate.map(|rate| rate.per), Some(Duration::from_secs(60)));
/// # Ok::<(), serde_json::Error>(())
/// ```
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
///
/// A model that a rule does not allow is replaced, or the child is denied if the rule names no replacement:
///
/// ```
/// use hooks_budgets::{SpawnConfig, SpawnRules};
/// use hooks_core::event::SubagentStart;
/// use hooks_core::{HookContext, HookRequest, Policy, Transform};
/// use hooks_facts::calls::CallReader;
/// use serde_json::json;
///
/// let config: SpawnConfig = serde_json::from_value(json!({
///     "tiers": {"cheap": ["small", "tiny"]},
///     "models": [
///         {"name": "cheap-tests", "agents": ["tester"], "tiers": ["cheap"], "replace_by": "small"},
///         {"name": "careful-reviews", "agents": ["reviewer"], "allow": ["large"]},
///     ],
/// }))?;
/// let rules = SpawnRules::new(&config, &CallReader::default())?;
/// let start = |agent: &str, model: &str| {
///     let mut child = SubagentStart::new(agent, "the API");
///     child.model = Some(model.to_owned());
///     HookRequest::new(HookContext::new("session-1", "lead"), child)
/// };
/// let rewrite = rules.transform(&start("tester", "large"))?.expect("the model is replaced");
/// assert_eq!(rewrite.model.as_deref(), Some("small"));
/// assert_eq!(
///     rules.judge(&start("reviewer", "tiny")).reasons()[0].for_agent(),
///     "`reviewer` may not use the model `tiny`; use one of `large`",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// A child keeps its variant in every process, because the variant follows from the id of the child:
///
/// ```
/// use hooks_budgets::{SpawnConfig, SpawnRules};
/// use hooks_core::event::SubagentStart;
/// use hooks_core::{HookContext, HookRequest, Transform};
/// use hooks_facts::calls::CallReader;
/// use serde_json::json;
///
/// let config: SpawnConfig = serde_json::from_value(json!({"variants": [{
///     "name": "short-answers",
///     "split": [{"name": "as-is", "share": 50}, {"name": "short", "share": 50, "instructions": "Be brief."}],
/// }]}))?;
/// let task_of_child = |number: u32| {
///     let rules = SpawnRules::new(&config, &CallReader::default()).expect("the shares make 100");
///     let mut child = SubagentStart::new("tester", "the API");
///     child.child_id = Some(format!("child-{number}"));
///     let request = HookRequest::new(HookContext::new("session-1", "lead"), child);
///     rules.transform(&request).expect("no error is possible").and_then(|rewrite| rewrite.task)
/// };
/// let short: Vec<_> = (0..100).filter_map(task_of_child).collect();
/// assert_eq!(short[0], "Be brief.\n\nthe API");
/// assert!((30..70).contains(&short.len()));
/// assert_eq!(short, (0..100).filter_map(task_of_child).collect::<Vec<_>>());
/// # Ok::<(), serde_json::Error>(())
/// ```
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
