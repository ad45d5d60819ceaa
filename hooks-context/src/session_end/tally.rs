//! Counts of events in a session that the end event does not include.

use hooks_core::event::{AfterModelCall, PreToolUse, SubagentStart, UserPromptSubmitted};
use hooks_core::{Decision, Event, Gate, HookContext, HookRequest, Judged, Observer, PromptOutcome};
use serde::{Deserialize, Serialize};

use crate::sessions::Sessions;

/// The most sessions that are counted at once. Beyond it, the session without events for the longest time
/// loses its counts.
const MOST: usize = 4_096;

/// Name of the tool with which a model records a decision.
const DECIDE: &str = "squad_decide";

/// Counts events in the sessions of this process.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::session_end::SessionTally;
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tally = Arc::new(SessionTally::default());
/// let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
///     Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell"))
/// });
/// let hooks = Hooks::builder().policy(no_shell).observer::<PreToolUse>(tally.clone()).build();
/// let context = HookContext::new("session-1", "backend");
/// hooks.on(context.clone()).pre_tool_use(PreToolUse::new("bash", ().into())).await;
/// assert_eq!(tally.take(&context).denials, 1);
/// assert_eq!(tally.take(&context).denials, 0); // the counts were taken
/// # }
/// ```
#[derive(Debug)]
pub struct SessionTally(Sessions<Counts>);

/// Counts of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Counts {
    /// Decisions that a model recorded.
    pub decisions: u64,
    /// Standing wishes that were found.
    pub directives: u64,
    /// Prompts and tool calls that hooks changed.
    pub rewrites: u64,
    /// Prompts, tool calls and children that hooks denied.
    pub denials: u64,
    /// Cost of the model calls, in millionths of a US dollar, as far as it was reported.
    pub cost_micro_usd: u64,
}

impl Default for SessionTally {
    fn default() -> Self {
        Self(Sessions::most(MOST))
    }
}

impl SessionTally {
    /// Returns the counts of the session of `context`, and forgets them.
    pub fn take(&self, context: &HookContext) -> Counts {
        self.0.take(context).unwrap_or_default()
    }

    fn count(&self, context: &HookContext, count: impl FnOnce(&mut Counts)) {
        self.0.change(context, count);
    }

    fn judged<E: Event>(
        &self,
        request: &HookRequest<E>,
        outcome: &impl Judged<E>,
        more: impl Fn(&mut Counts),
    ) {
        self.count(request.context(), |counts| {
            counts.denials = counts.denials.saturating_add(u64::from(outcome.is_denied()));
            let is_changed = outcome.effective().is_some() || request.revision() > 0;
            counts.rewrites = counts.rewrites.saturating_add(u64::from(is_changed));
            more(counts);
        });
    }
}

impl Observer<UserPromptSubmitted> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<UserPromptSubmitted>, outcome: &PromptOutcome) {
        let found = outcome.notes().map_or(0, |notes| notes.directives.len() as u64);
        self.judged(request, outcome, |counts| counts.directives = counts.directives.saturating_add(found));
    }
}

impl Observer<PreToolUse> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<PreToolUse>, outcome: &Decision<PreToolUse>) {
        let decides = request.event().tool_name == DECIDE && outcome.goes_ahead();
        self.judged(request, outcome, |counts| {
            counts.decisions = counts.decisions.saturating_add(u64::from(decides));
        });
    }
}

impl Observer<SubagentStart> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<SubagentStart>, outcome: &Decision<SubagentStart>) {
        self.judged(request, outcome, |_| {});
    }
}

impl Observer<AfterModelCall> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<AfterModelCall>, _outcome: &Gate<AfterModelCall>) {
        let cost = request.event().cost.unwrap_or_default().0;
        self.count(request.context(), |counts| {
            counts.cost_micro_usd = counts.cost_micro_usd.saturating_add(cost);
        });
    }
}
