//! What is counted: one table.

use self::Instrument::{Counter, Histogram, Money};

/// What tells the series of a family apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Label {
    /// Whose agents.
    Tenant,
    /// The name of the team's folder.
    Team,
    /// The agent.
    Agent,
    /// The repository.
    Repo,
    /// The tool.
    Tool,
    /// The model.
    Model,
    /// The event.
    Event,
    /// What was decided.
    Verdict,
    /// The policy that decided.
    Policy,
    /// Its rule.
    Rule,
    /// Whether a rule decided or something broke.
    Kind,
    /// What came of it.
    Outcome,
    /// Of which type.
    Type,
    /// Why it ended.
    Reason,
}

impl Label {
    /// How many there are.
    pub(super) const COUNT: usize = 14;

    /// Its name.
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

/// How a family is counted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Instrument {
    /// A number that grows.
    Counter,
    /// Money: counted in millionths of a US dollar, shown in dollars.
    Money,
    /// Durations, in buckets with these upper bounds in seconds.
    Histogram(&'static [f64]),
}

/// Series with one name.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Family {
    /// Its name, with dots, as OpenTelemetry has it.
    pub name: &'static str,
    /// Its name in Prometheus' text.
    pub prometheus: &'static str,
    /// What it says, in a sentence.
    pub help: &'static str,
    /// Its unit, as UCUM has it.
    pub unit: &'static str,
    /// How it is counted.
    pub instrument: Instrument,
    /// What tells its series apart.
    pub labels: &'static [Label],
}

/// What a tool, a model or a child takes.
const WORK: &[f64] = &[0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0];
/// What a stack of hooks takes.
const HOOK: &[f64] =
    &[0.000_001, 0.000_005, 0.000_025, 0.000_1, 0.000_5, 0.001, 0.005, 0.025, 0.1, 1.0, 10.0];
/// What a session takes.
const SESSION: &[f64] =
    &[1.0, 10.0, 60.0, 300.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0, 28_800.0, 86_400.0];

/// Writes the table and the names of its rows.
macro_rules! families {
    ($( $id:ident $name:literal $prometheus:literal $unit:literal $instrument:expr, [$($label:ident)*] $help:literal; )*) => {
        /// Everything that is counted.
        pub const FAMILIES: &[Family] = &[ $( Family {
            name: $name,
            prometheus: $prometheus,
            help: $help,
            unit: $unit,
            instrument: $instrument,
            labels: &[$(Label::$label),*],
        }, )* ];

        /// The rows of [`FAMILIES`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Row { $( $id, )* }
    };
}

families! {
    Decisions "hooks.decisions" "hooks_decisions_total" "{decision}" Counter, [Tenant Team Agent Event Verdict]
        "Events that hooks decided about, by the final verdict.";
    Denials "hooks.denials" "hooks_denials_total" "{denial}" Counter, [Tenant Team Agent Event Policy Rule Kind]
        "Denials, by the policy and the rule of the reason that is shown.";
    ToolCalls "hooks.tool.calls" "hooks_tool_calls_total" "{call}" Counter, [Tenant Team Agent Tool Outcome]
        "Tool calls that ran, by what came of them.";
    ToolDuration "hooks.tool.duration" "hooks_tool_duration_seconds" "s" Histogram(WORK), [Tenant Team Tool]
        "How long tool calls took.";
    ModelCalls "hooks.model.calls" "hooks_model_calls_total" "{call}" Counter, [Tenant Team Agent Model]
        "Model calls that were answered.";
    ModelDuration "hooks.model.duration" "hooks_model_duration_seconds" "s" Histogram(WORK), [Tenant Team Model]
        "How long model calls took, from the hooks before them to the hooks after them.";
    Tokens "hooks.tokens" "hooks_tokens_total" "{token}" Counter, [Tenant Team Agent Model Type]
        "Tokens, as the provider said; cached ones are part of the input, reasoning of the output.";
    Cost "hooks.cost" "hooks_cost_usd_total" "{USD}" Money, [Tenant Team Agent Model]
        "What model calls cost in US dollars, as far as their answers said.";
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
        "Calls of tools whose results are reused, by what the cache said.";
    AgentSpawn "squad.agent.spawn" "squad_agent_spawn_total" "{agent}" Counter, [Tenant Agent Repo]
        "Child agents that were created, under Squad's name.";
    AgentComplete "squad.agent.complete" "squad_agent_complete_total" "{agent}" Counter, [Tenant Agent Repo Outcome]
        "Child agents that ended, under Squad's name.";
    ToolCall "squad.tool.call" "squad_tool_call_total" "{call}" Counter, [Tenant Agent Repo Tool]
        "Tool calls that ran, under Squad's name.";
    Folded "hooks.metrics.folded" "hooks_metrics_folded_total" "{name}" Counter, []
        "Names that were counted as `other`, because there are too many.";
}

/// The most labels of a family.
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
