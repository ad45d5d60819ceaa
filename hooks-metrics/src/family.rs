//! The table of all metrics.

use self::Instrument::{Counter, Histogram, Money};

/// Labels that distinguish the series of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Label {
    /// Tenant of the agents.
    Tenant,
    /// Name of the team's folder.
    Team,
    /// Name of the agent.
    Agent,
    /// Name of the repository.
    Repo,
    /// Name of the tool.
    Tool,
    /// Name of the model.
    Model,
    /// Name of the event.
    Event,
    /// Verdict of a decision.
    Verdict,
    /// Name of the policy that decided.
    Policy,
    /// Name of the rule that decided.
    Rule,
    /// Kind of a reason: a rule decided, or a hook failed.
    Kind,
    /// Outcome of a call or a child agent.
    Outcome,
    /// Type of a token or an error.
    Type,
    /// Reason why a session ended.
    Reason,
}

impl Label {
    /// Number of labels.
    pub(super) const COUNT: usize = 14;

    /// Name of the label.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::Team => "team",
            Self::Agent => "agent",
            Self::Repo => "repo",
            Self::Tool => "tool",
            Self::Model => "model",
            Self::Event => "event",
            Self::Verdict => "verdict",
            Self::Policy => "policy",
            Self::Rule => "rule",
            Self::Kind => "kind",
            Self::Outcome => "outcome",
            Self::Type => "type",
            Self::Reason => "reason",
        }
    }
}

/// Kind of counter of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Instrument {
    /// A number that grows.
    Counter,
    /// An amount of money: counted in millionths of a US dollar, shown in dollars.
    Money,
    /// Durations in buckets with these upper bounds, in seconds.
    Histogram(&'static [f64]),
}

/// The series with one name.
///
/// ```
/// use hooks_metrics::{FAMILIES, Instrument};
///
/// let cost = FAMILIES.iter().find(|family| family.name == "hooks.cost").ok_or("missing")?;
/// assert_eq!((cost.prometheus, cost.unit), ("hooks_cost_usd_total", "{USD}"));
/// assert_eq!(cost.instrument, Instrument::Money);
/// let labels: Vec<_> = cost.labels.iter().map(|label| label.name()).collect();
/// assert_eq!(labels, ["tenant", "team", "agent", "model"]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Family {
    /// Name with dots, as in OpenTelemetry.
    pub name: &'static str,
    /// Name in the Prometheus text.
    pub prometheus: &'static str,
    /// Description in one sentence.
    pub help: &'static str,
    /// Unit in UCUM form.
    pub unit: &'static str,
    /// Kind of counter.
    pub instrument: Instrument,
    /// Labels of its series.
    pub labels: &'static [Label],
}

/// Bounds for the duration of a tool call, a model call or a child agent.
const WORK: &[f64] = &[0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0];
/// Bounds for the duration of a stack of hooks.
const HOOK: &[f64] =
    &[0.000_001, 0.000_005, 0.000_025, 0.000_1, 0.000_5, 0.001, 0.005, 0.025, 0.1, 1.0, 10.0];
/// Bounds for the duration of a session.
const SESSION: &[f64] =
    &[1.0, 10.0, 60.0, 300.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0, 28_800.0, 86_400.0];

/// Defines the table and the names of its rows.
macro_rules! families {
    ($( $id:ident $name:literal $prometheus:literal $unit:literal $instrument:expr, [$($label:ident)*] $help:literal; )*) => {
        /// All metrics.
        pub const FAMILIES: &[Family] = &[ $( Family {
            name: $name,
            prometheus: $prometheus,
            help: $help,
            unit: $unit,
            instrument: $instrument,
            labels: &[$(Label::$label),*],
        }, )* ];

        /// Rows of [`FAMILIES`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Row { $( $id, )* }
    };
}

families! {
    Decisions "hooks.decisions" "hooks_decisions_total" "{decision}" Counter, [Tenant Team Agent Event Verdict]
        "Events that hooks decided about, by the final verdict.";
    Denials "hooks.denials" "hooks_denials_total" "{denial}" Counter, [Tenant Team Agent Event Policy Rule Kind]
        "Denials, by the policy and the rule of the reason that is shown.";
    Shadow "hooks.shadow" "hooks_shadow_total" "{decision}" Counter, [Tenant Team Agent Event Verdict Policy Rule]
        "Denials and questions of rules in the shadow, which changed no answer.";
    Prompts "hooks.prompts" "hooks_prompts_total" "{prompt}" Counter, [Tenant Team Agent Verdict]
        "Messages of users, by the final verdict.";
    Directives "hooks.directives" "hooks_directives_total" "{directive}" Counter, [Tenant Team Agent Type]
        "Standing wishes that were found in messages of users, by their mode.";
    ToolCalls "hooks.tool.calls" "hooks_tool_calls_total" "{call}" Counter, [Tenant Team Agent Tool Outcome]
        "Tool calls that ran, by what came of them.";
    ToolDuration "hooks.tool.duration" "hooks_tool_duration_seconds" "s" Histogram(WORK), [Tenant Team Agent Repo Tool]
        "How long tool calls took.";
    Redactions "hooks.redactions" "hooks_redactions_total" "{finding}" Counter, [Tenant Team Agent Tool Type]
        "Findings that were removed from results of tools, by their label.";
    ModelCalls "hooks.model.calls" "hooks_model_calls_total" "{call}" Counter, [Tenant Team Agent Model]
        "Model calls that were answered.";
    ModelDuration "hooks.model.duration" "hooks_model_duration_seconds" "s" Histogram(WORK), [Tenant Team Model]
        "How long model calls took, from the hooks before them to the hooks after them.";
    Tokens "hooks.tokens" "hooks_tokens_total" "{token}" Counter, [Tenant Team Agent Model Type]
        "Tokens, as reported by the provider; cached ones are part of the input, reasoning of the output.";
    Cost "hooks.cost" "hooks_cost_usd_total" "{USD}" Money, [Tenant Team Agent Model]
        "Cost of model calls in US dollars, as far as their answers report it.";
    Errors "hooks.errors" "hooks_errors_total" "{error}" Counter, [Tenant Team Agent Type]
        "Errors of models, tools, network and permissions.";
    Sessions "hooks.sessions" "hooks_sessions_total" "{session}" Counter, [Tenant Team Agent Reason]
        "Sessions that ended, by the reason.";
    SessionDuration "hooks.session.duration" "hooks_session_duration_seconds" "s" Histogram(SESSION), [Tenant Team]
        "How long sessions lasted.";
    AgentDuration "hooks.agent.duration" "hooks_agent_duration_seconds" "s" Histogram(WORK), [Tenant Team Outcome]
        "How long child agents lived.";
    HookDuration "hooks.hook.duration" "hooks_hook_duration_seconds" "s" Histogram(HOOK), [Event]
        "How long a stack of hooks took to answer, where a layer measures it.";
    CacheCalls "hooks.cache.calls" "hooks_cache_calls_total" "{call}" Counter, [Tenant Team Tool Outcome]
        "Calls of tools whose results are reused, by the answer of the cache.";
    AgentSpawn "squad.agent.spawn" "squad_agent_spawn_total" "{agent}" Counter, [Tenant Agent Repo Model]
        "Child agents that were created, under Squad's name.";
    AgentComplete "squad.agent.complete" "squad_agent_complete_total" "{agent}" Counter, [Tenant Agent Repo Outcome]
        "Child agents that ended, under Squad's name.";
    AgentLifetime "squad.agent.duration" "squad_agent_duration_seconds" "s" Histogram(WORK), [Tenant Agent Repo Outcome]
        "How long child agents lived, under Squad's name.";
    AgentTokens "squad.agent.tokens" "squad_agent_tokens_total" "{token}" Counter, [Tenant Agent Repo Model]
        "Tokens of child agents that ended, as far as their ends report them.";
    ToolCall "squad.tool.call" "squad_tool_call_total" "{call}" Counter, [Tenant Agent Repo Tool]
        "Tool calls that ran, under Squad's name.";
    Folded "hooks.metrics.folded" "hooks_metrics_folded_total" "{name}" Counter, []
        "Names that were counted as `other`, because there are too many.";
}

/// Limit on the labels of a family.
pub(super) const MOST_LABELS: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_keeps_to_the_rules_of_both_formats() {
        for family in FAMILIES {
            assert!(family.labels.len() <= MOST_LABELS && Label::Reason as usize + 1 == Label::COUNT);
            let base = family.name.replace('.', "_");
            let suffix = match family.instrument {
                Counter => "_total",
                Money => "_usd_total",
                Histogram(bounds) => {
                    assert!(bounds.is_sorted());
                    "_seconds"
                }
            };
            assert_eq!(family.prometheus, format!("{base}{suffix}"));
            assert!(family.help.ends_with('.') && !family.help.contains(['\n', '\\']));
        }
        assert_eq!(FAMILIES[Row::Folded as usize].name, "hooks.metrics.folded");
    }
}
