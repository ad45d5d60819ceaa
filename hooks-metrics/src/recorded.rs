//! Counting of events that were recorded earlier, or by other processes.

use std::collections::BTreeMap;
use std::time::Duration;

use hooks_core::cache::CacheAnswer;
use hooks_core::event::{MicroUsd, Usage};
use hooks_core::{EventKind, Strength};

use super::family::{Label, Row};
use super::names::NameId;
use super::observe::ChildEnd;
use super::registry::{Metrics, Who};

/// An event as the record of it states it.
///
/// ```
/// use hooks_core::EventKind;
/// use hooks_core::event::{MicroUsd, Usage};
/// use hooks_metrics::{Metrics, RecordedEvent};
///
/// let metrics = Metrics::default();
/// metrics.fold(&RecordedEvent {
///     agent: "backend",
///     model: Some("opus"),
///     usage: Some(Usage { input_tokens: 900, output_tokens: 100, ..Usage::default() }),
///     cost: Some(MicroUsd(1_500_000)),
///     ..RecordedEvent::new(EventKind::AfterModelCall)
/// });
/// let text = metrics.prometheus();
/// assert!(text.contains(r#"hooks_tokens_total{agent="backend",model="opus",type="input"} 900"#));
/// assert!(text.contains(r#"hooks_cost_usd_total{agent="backend",model="opus"} 1.5"#));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RecordedEvent<'r> {
    /// The event.
    pub kind: EventKind,
    /// Tenant whose hooks decided.
    pub tenant: Option<&'r str>,
    /// Name of the team's folder.
    pub team: &'r str,
    /// Agent that acted.
    pub agent: &'r str,
    /// Repository, as `owner/name`.
    pub repo: Option<&'r str>,
    /// Name of the tool.
    pub tool: Option<&'r str>,
    /// Name of the model.
    pub model: Option<&'r str>,
    /// Name of the child agent.
    pub child: Option<&'r str>,
    /// Strength of the decision; `None` if the event is not decided.
    pub strength: Option<Strength>,
    /// Policy that decided.
    pub policy: Option<&'r str>,
    /// Rule that decided.
    pub rule: Option<&'r str>,
    /// Answers that rules in the shadow would have given, with policy and rule.
    pub would: &'r [(Strength, &'r str, &'r str)],
    /// Whether a hook, a tool or a model failed.
    pub failed: bool,
    /// Answer of the cache.
    pub cache: Option<CacheAnswer>,
    /// Duration of the tool call, the child agent or the session.
    pub duration: Option<Duration>,
    /// Tokens used.
    pub usage: Option<Usage>,
    /// Cost of the model call.
    pub cost: Option<MicroUsd>,
    /// Modes of the standing wishes in a message.
    pub directives: &'r [String],
    /// Number of findings that were removed from a result, by label.
    pub redacted: &'r BTreeMap<String, u64>,
}

impl RecordedEvent<'_> {
    /// An event of which nothing else is known.
    pub const fn new(kind: EventKind) -> Self {
        Self {
            kind,
            tenant: None,
            team: "",
            agent: "",
            repo: None,
            tool: None,
            model: None,
            child: None,
            strength: None,
            policy: None,
            rule: None,
            would: &[],
            failed: false,
            cache: None,
            duration: None,
            usage: None,
            cost: None,
            directives: &[],
            redacted: const { &BTreeMap::new() },
        }
    }
}

impl Metrics {
    /// Counts an event by its record.
    ///
    /// A record does not have everything that a running process counts: durations of hooks and model calls are
    /// missing, the type of an error is `unknown`, and a session ends with `complete` or `error`. Summaries of
    /// sessions do not change.
    pub fn fold(&self, event: &RecordedEvent<'_>) {
        let tenants = &self.config().tenants;
        let is_counted = |tenant: &str| tenants.iter().any(|one| one == tenant);
        if !tenants.is_empty() && !event.tenant.is_some_and(is_counted) {
            return;
        }
        let who = Who {
            tenant: self.name(Label::Tenant, event.tenant.unwrap_or_default()),
            team: self.name(Label::Team, event.team),
            agent: self.name(Label::Agent, event.agent),
            repo: self.name(Label::Repo, event.repo.unwrap_or_default()),
        };
        if event.kind.decides()
            && let Some(strength) = event.strength
        {
            self.decided(who, event, strength);
        }
        for mode in event.directives {
            self.wished(who, mode);
        }
        let child = event.child.unwrap_or_default();
        match event.kind {
            EventKind::PostToolUse => {
                let tool = event.tool.unwrap_or_default();
                let tool = self.tool_ended(who, tool, event.failed, event.duration.unwrap_or_default());
                self.redacted(who, tool, event.redacted);
            }
            EventKind::AfterModelCall => {
                let (model, usage) = (event.model.unwrap_or_default(), event.usage.unwrap_or_default());
                self.model_answered(who, model, usage, event.cost);
            }
            EventKind::SubagentSpawned => self.child_began(who, child, event.model),
            EventKind::SubagentStop if event.strength != Some(Strength::Deny) => {
                let status = if event.failed { "error" } else { "completed" };
                let usage = event.usage.unwrap_or_default();
                let (model, tokens) = (event.model, usage.input_tokens.saturating_add(usage.output_tokens));
                let duration = event.duration.unwrap_or_default();
                self.child_ended(who, &ChildEnd { agent: child, model, status, duration, tokens });
            }
            EventKind::ErrorOccurred => {
                let kind = self.name(Label::Type, "unknown");
                self.add(Row::Errors, [who.tenant, who.team, who.agent, kind], 1);
            }
            EventKind::SessionEnd => {
                let reason = if event.failed { "error" } else { "complete" };
                self.session_ended(who, reason, event.duration.unwrap_or_default());
            }
            _ => {}
        }
        if let (Some(answer), Some(tool)) = (event.cache, event.tool) {
            let (tool, outcome) = (self.name(Label::Tool, tool), self.name(Label::Outcome, answer.name()));
            self.add(Row::CacheCalls, [who.tenant, who.team, tool, outcome], 1);
        }
    }

    fn decided(&self, who: Who, event: &RecordedEvent<'_>, strength: Strength) {
        let name = self.name(Label::Event, event.kind.name());
        let verdict = self.name(Label::Verdict, strength.name());
        if event.kind == EventKind::UserPromptSubmitted {
            self.prompted(who, verdict);
        }
        self.add(Row::Decisions, [who.tenant, who.team, who.agent, name, verdict], 1);
        for (would, policy, rule) in event.would {
            self.would_have(who, name, *would, policy, rule);
        }
        if strength == Strength::Deny {
            let part = |label, text: Option<&str>| text.map_or(NameId::ABSENT, |text| self.name(label, text));
            let policy = part(Label::Policy, event.policy);
            let rule = part(Label::Rule, event.rule);
            let kind = self.name(Label::Kind, if event.failed { "failure" } else { "policy" });
            self.add(Row::Denials, [who.tenant, who.team, who.agent, name, policy, rule, kind], 1);
        }
    }
}
