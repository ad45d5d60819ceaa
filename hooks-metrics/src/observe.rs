//! Counting of each event.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{
    AfterModelCall, AgentSwitched, BeforeModelCall, ErrorOccurred, Event, MaxIterations, MicroUsd,
    Notification, PermissionRequest, PostCompact, PostToolUse, PreCompact, PreToolUse, Route, SessionEnd,
    SessionStart, SpawnFailed, Stop, SubagentSpawned, SubagentStart, SubagentStop, ToolDecided, TurnEnd,
    TurnStart, Usage, UserInputRequested, UserPromptSubmitted, WorktreeCreated,
};
use hooks_core::{HookRequest, HooksBuilder, Judged, Observer, ReasonKind, Strength};

use super::family::{Label, Row};
use super::names::NameId;
use super::registry::{Metrics, Who};

/// Name of the observers.
const NAME: &str = "metrics";

/// End of a child agent.
pub(super) struct ChildEnd<'e> {
    /// Name of the child.
    pub(super) agent: &'e str,
    pub(super) model: Option<&'e str>,
    pub(super) status: &'e str,
    pub(super) duration: Duration,
    pub(super) tokens: u64,
}

/// Counting that is specific to an event.
trait Count: Event {
    /// Counts the event, which `who` caused.
    fn count(_metrics: &Metrics, _who: Who, _request: &HookRequest<Self>, _outcome: &Self::Outcome) {}
}

macro_rules! observers {
    (deciding { $($Deciding:ident)* } informing { $($Informing:ident)* }) => {
        $(
            impl Observer<$Deciding> for Metrics {
                fn name(&self) -> &'static str {
                    NAME
                }

                fn observe(&self, request: &HookRequest<$Deciding>, outcome: &<$Deciding as Event>::Outcome) {
                    if self.counts(request.context()) {
                        let who = self.who(request.context());
                        self.judged(who, request, outcome);
                        $Deciding::count(self, who, request, outcome);
                    }
                }
            }
        )*
        $(
            impl Observer<$Informing> for Metrics {
                fn name(&self) -> &'static str {
                    NAME
                }

                fn observe(&self, request: &HookRequest<$Informing>, outcome: &<$Informing as Event>::Outcome) {
                    if self.counts(request.context()) {
                        $Informing::count(self, self.who(request.context()), request, outcome);
                    }
                }
            }
        )*

        impl Metrics {
            /// Adds observers to every slot of a set, and the counters as an extension of the set. In a set,
            /// use either this or [`MetricsLayer`](super::MetricsLayer): with both, an event is counted
            /// twice.
            pub fn add_to(&self, mut builder: HooksBuilder) -> HooksBuilder {
                builder.add_extension(Arc::new(self.clone()));
                $( builder = builder.observer::<$Deciding>(self.clone()); )*
                counted_informing!(builder, self);
                builder
            }
        }
    };
}

/// Adds the informing events that count something; the slots of the others stay empty.
macro_rules! counted_informing {
    ($builder:ident, $self:ident) => {
        $builder = $builder
            .listener::<SessionEnd>($self.clone())
            .listener::<ErrorOccurred>($self.clone())
            .listener::<SubagentSpawned>($self.clone())
    };
}

hooks_core::for_each_event_type! { [observers] {} }

macro_rules! nothing_more {
    ($($Event:ident)*) => { $( impl Count for $Event {} )* };
}
nothing_more! {
    PreToolUse PermissionRequest PreCompact SubagentStart Stop MaxIterations Route WorktreeCreated
    SessionStart TurnStart TurnEnd ToolDecided UserInputRequested PostCompact SpawnFailed AgentSwitched Notification
}

impl Metrics {
    /// Counts a verdict, and a denial by its rule.
    fn judged<E: Event<Outcome: Judged<E>>>(&self, who: Who, request: &HookRequest<E>, outcome: &E::Outcome) {
        let event = self.name(Label::Event, E::KIND.name());
        let verdict = self.name(Label::Verdict, outcome.strength().name());
        self.add(Row::Decisions, [who.tenant, who.team, who.agent, event, verdict], 1);
        for reason in outcome.reasons() {
            if let Some(would) = reason.would.filter(|would| *would >= Strength::Ask) {
                self.would_have(who, event, would, &reason.policy, &reason.rule);
            }
        }
        if !outcome.is_denied() {
            return;
        }
        let (mut policy, mut rule, mut kind) = (NameId::ABSENT, NameId::ABSENT, NameId::ABSENT);
        if let Some(reason) = outcome.shown_reason() {
            policy = self.name(Label::Policy, &reason.policy);
            rule = self.name(Label::Rule, &reason.rule);
            kind =
                self.name(Label::Kind, if reason.kind == ReasonKind::Failure { "failure" } else { "policy" });
        }
        self.add(Row::Denials, [who.tenant, who.team, who.agent, event, policy, rule, kind], 1);
        self.summaries().add(request.context(), |session| session.denied(policy, rule));
    }
}

impl Metrics {
    /// Counts an answer that a rule in the shadow would have given.
    pub(super) fn would_have(&self, who: Who, event: NameId, would: Strength, policy: &str, rule: &str) {
        let verdict = self.name(Label::Verdict, would.name());
        let (policy, rule) = (self.name(Label::Policy, policy), self.name(Label::Rule, rule));
        self.add(Row::Shadow, [who.tenant, who.team, who.agent, event, verdict, policy, rule], 1);
    }

    /// Counts a tool call that ran; returns the number of the tool.
    pub(super) fn tool_ended(&self, who: Who, tool: &str, is_error: bool, duration: Duration) -> NameId {
        let tool = self.name(Label::Tool, tool);
        let outcome = self.name(Label::Outcome, if is_error { "error" } else { "ok" });
        self.add(Row::ToolCalls, [who.tenant, who.team, who.agent, tool, outcome], 1);
        self.add(Row::ToolCall, [who.tenant, who.agent, who.repo, tool], 1);
        self.took(Row::ToolDuration, [who.tenant, who.team, who.agent, who.repo, tool], duration);
        tool
    }

    /// Counts what was removed from the result of a tool call.
    pub(super) fn redacted(&self, who: Who, tool: NameId, findings: &BTreeMap<String, u64>) {
        for (label, count) in findings {
            let label = self.name(Label::Type, label);
            self.add(Row::Redactions, [who.tenant, who.team, who.agent, tool, label], *count);
        }
    }

    /// Counts an answer of a model; returns the number of the model.
    pub(super) fn model_answered(
        &self,
        who: Who,
        model: &str,
        usage: Usage,
        cost: Option<MicroUsd>,
    ) -> NameId {
        let Who { tenant, team, agent, .. } = who;
        let model = self.name(Label::Model, model);
        self.add(Row::ModelCalls, [tenant, team, agent, model], 1);
        let tokens = [
            ("input", usage.input_tokens),
            ("output", usage.output_tokens),
            ("cached", usage.cached_tokens),
            ("reasoning", usage.reasoning_tokens),
        ];
        for (name, tokens) in tokens.into_iter().filter(|(_, tokens)| *tokens > 0) {
            let kind = self.name(Label::Type, name);
            self.add(Row::Tokens, [tenant, team, agent, model, kind], tokens);
        }
        if let Some(cost) = cost {
            self.add(Row::Cost, [tenant, team, agent, model], cost.0);
        }
        model
    }

    /// Counts a child agent that was created.
    pub(super) fn child_began(&self, who: Who, child: &str, model: Option<&str>) {
        let (child, model) =
            (self.name(Label::Agent, child), self.name(Label::Model, model.unwrap_or_default()));
        self.add(Row::AgentSpawn, [who.tenant, child, who.repo, model], 1);
    }

    /// Counts a child agent that ended.
    pub(super) fn child_ended(&self, who: Who, child: &ChildEnd<'_>) {
        let status = self.name(Label::Outcome, child.status);
        let agent = self.name(Label::Agent, child.agent);
        self.add(Row::AgentComplete, [who.tenant, agent, who.repo, status], 1);
        self.took(Row::AgentDuration, [who.tenant, who.team, status], child.duration);
        self.took(Row::AgentLifetime, [who.tenant, agent, who.repo, status], child.duration);
        if child.tokens > 0 {
            let model = self.name(Label::Model, child.model.unwrap_or_default());
            self.add(Row::AgentTokens, [who.tenant, agent, who.repo, model], child.tokens);
        }
    }

    /// Counts a message of the user.
    pub(super) fn prompted(&self, who: Who, verdict: NameId) {
        self.add(Row::Prompts, [who.tenant, who.team, who.agent, verdict], 1);
    }

    /// Counts a standing wish by its mode.
    pub(super) fn wished(&self, who: Who, mode: &str) {
        let mode = self.name(Label::Type, mode);
        self.add(Row::Directives, [who.tenant, who.team, who.agent, mode], 1);
    }

    /// Counts a session that ended.
    pub(super) fn session_ended(&self, who: Who, reason: &str, duration: Duration) {
        let reason = self.name(Label::Reason, reason);
        self.add(Row::Sessions, [who.tenant, who.team, who.agent, reason], 1);
        self.took(Row::SessionDuration, [who.tenant, who.team], duration);
    }
}

impl Count for PostToolUse {
    fn count(metrics: &Metrics, who: Who, request: &HookRequest<Self>, _outcome: &Self::Outcome) {
        let event = request.event();
        let duration = Duration::from_millis(event.duration_ms);
        let tool = metrics.tool_ended(who, &event.tool_name, event.error.is_some(), duration);
        metrics.redacted(who, tool, &event.redacted);
        metrics.summaries().add(request.context(), |session| {
            session.ran(tool, event.error.is_some(), event.duration_ms);
        });
    }
}

impl Count for UserPromptSubmitted {
    fn count(metrics: &Metrics, who: Who, _request: &HookRequest<Self>, outcome: &Self::Outcome) {
        metrics.prompted(who, metrics.name(Label::Verdict, outcome.strength().name()));
        for directive in outcome.notes().into_iter().flat_map(|notes| &notes.directives) {
            metrics.wished(who, &directive.mode);
        }
    }
}

impl Count for BeforeModelCall {
    fn count(metrics: &Metrics, _who: Who, request: &HookRequest<Self>, outcome: &Self::Outcome) {
        if outcome.goes_ahead() {
            metrics.open_calls().begin(request.context());
        }
    }
}

impl Count for AfterModelCall {
    fn count(metrics: &Metrics, who: Who, request: &HookRequest<Self>, _outcome: &Self::Outcome) {
        let Self { model, usage, cost, .. } = request.event();
        let model = metrics.model_answered(who, model, *usage, *cost);
        if let Some(duration) = metrics.open_calls().end(request.context()) {
            metrics.took(Row::ModelDuration, [who.tenant, who.team, model], duration);
        }
        metrics.summaries().add(request.context(), |session| {
            session.model_calls += 1;
            let sum = &mut session.usage;
            sum.input_tokens = sum.input_tokens.saturating_add(usage.input_tokens);
            sum.output_tokens = sum.output_tokens.saturating_add(usage.output_tokens);
            sum.cached_tokens = sum.cached_tokens.saturating_add(usage.cached_tokens);
            sum.reasoning_tokens = sum.reasoning_tokens.saturating_add(usage.reasoning_tokens);
            session.cost = session.cost.saturating_add(cost.unwrap_or_default().0);
        });
    }
}

impl Count for SubagentSpawned {
    fn count(metrics: &Metrics, who: Who, request: &HookRequest<Self>, _outcome: &Self::Outcome) {
        let event = request.event();
        metrics.child_began(who, &event.agent_name, event.model.as_deref());
    }
}

impl Count for SubagentStop {
    fn count(metrics: &Metrics, who: Who, request: &HookRequest<Self>, outcome: &Self::Outcome) {
        // The child agent is made to continue.
        if !outcome.goes_ahead() {
            return;
        }
        let event = request.event();
        metrics.child_ended(
            who,
            &ChildEnd {
                agent: &event.agent_name,
                model: event.model.as_deref(),
                status: status_name(event),
                duration: Duration::from_millis(event.duration_ms),
                tokens: event.tokens_used,
            },
        );
    }
}

impl Count for ErrorOccurred {
    fn count(metrics: &Metrics, who: Who, request: &HookRequest<Self>, _outcome: &Self::Outcome) {
        let kind = metrics.name(Label::Type, error_name(request.event()));
        metrics.add(Row::Errors, [who.tenant, who.team, who.agent, kind], 1);
        metrics.summaries().add(request.context(), |session| session.errors += 1);
    }
}

impl Count for SessionEnd {
    fn count(metrics: &Metrics, who: Who, request: &HookRequest<Self>, _outcome: &Self::Outcome) {
        let event = request.event();
        metrics.session_ended(who, reason_name(event), Duration::from_millis(event.duration_ms));
    }
}

fn status_name(event: &SubagentStop) -> &'static str {
    use hooks_core::event::ChildStatus;
    match event.status {
        ChildStatus::Completed => "completed",
        ChildStatus::Error => "error",
        ChildStatus::Timeout => "timeout",
        _ => "unknown",
    }
}

fn error_name(event: &ErrorOccurred) -> &'static str {
    use hooks_core::event::ErrorType;
    match event.error_type {
        ErrorType::Model => "model",
        ErrorType::Tool => "tool",
        ErrorType::Network => "network",
        ErrorType::Permission => "permission",
        ErrorType::ContextOverflow => "context_overflow",
        _ => "unknown",
    }
}

fn reason_name(event: &SessionEnd) -> &'static str {
    use hooks_core::event::EndReason;
    match event.reason {
        EndReason::Complete => "complete",
        EndReason::Error => "error",
        EndReason::Abort => "abort",
        EndReason::Timeout => "timeout",
        EndReason::UserExit => "user_exit",
        _ => "unknown",
    }
}
