//! Dispatch of events by type: converts an event that is known by its name on the wire to its own type.

use std::sync::Arc;

use hooks::audit::Audit;
use hooks::audit::describe::Described;
use hooks::config::Config;
use hooks::event::WireEvent;
use hooks::{
    DecidingEvent, Ending, Evaluation, EventDecision, EventKind, HookContext, HookRequest, Hooks,
    InformingEvent, Judged, Judgement, Notes, Outcome, Strength, conclude, tell,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::unfinished::Unfinished;

/// Evaluates one expression for events that hooks decide and another for events that inform, each with the
/// event in its own type. The list of events is that of the core's table.
macro_rules! by_type {
    (
        @arms $wire:expr, $decided:ident => $decides:expr, $informed:ident => $informs:expr, $other:expr,
        deciding { $($Deciding:ident)* } informing { $($Informing:ident)* }
    ) => {
        match $wire {
            $( hooks::event::WireEvent::$Deciding($decided) => $decides, )*
            $( hooks::event::WireEvent::$Informing($informed) => $informs, )*
            _ => $other,
        }
    };
    ($wire:expr, decided($decided:ident) => $decides:expr, informed($informed:ident) => $informs:expr, other => $other:expr) => {
        hooks::for_each_event_type!(
            [$crate::event::by_type] { @arms $wire, $decided => $decides, $informed => $informs, $other, }
        )
    };
}
pub(crate) use by_type;

/// The notes of an outcome as JSON, without strength and reasons.
pub(crate) trait Noted {
    /// An object; empty if there are no notes.
    fn noted(&self) -> Map<String, Value>;
}

impl<E: hooks::Event, N: Notes + Serialize> Noted for Judgement<E, N> {
    fn noted(&self) -> Map<String, Value> {
        match self.notes().map(serde_json::to_value) {
            Some(Ok(Value::Object(notes))) => notes,
            _ => Map::new(),
        }
    }
}

/// Runs a whole decision to its `ending`, and waits until it is recorded. If it cannot be recorded and the
/// configuration closes on that, it becomes a denial. All hooks are asked, so that a denial has every reason. Every subcommand that decides calls this function, so
/// that all of them decide alike.
pub(crate) async fn decide_and_record<E>(
    hooks: &Hooks,
    request: HookRequest<E>,
    ending: Ending,
    recording: Option<&Audit>,
) -> EventDecision<E>
where
    E: DecidingEvent + Described,
{
    let mut decision = conclude(hooks, request.evaluated(Evaluation::Everyone), ending).await;
    if let Some(audit) = recording
        && let Some(reason) = audit.settled(&decision.request).await
    {
        decision.outcome.merge(E::Outcome::failed(reason, true));
    }
    decision
}

/// Decides as [`decide_and_record`] does, and commits the reservations unless the event does not go on.
pub(crate) async fn decide_and_commit<E>(
    hooks: &Hooks,
    request: HookRequest<E>,
    ending: Ending,
    recording: Option<&Audit>,
) -> EventDecision<E>
where
    E: DecidingEvent + Described,
{
    let mut decision = decide_and_record(hooks, request, ending, recording).await;
    // A host asks the user about these two events. An ask about another event ends it.
    let can_ask = matches!(E::KIND, EventKind::PreToolUse | EventKind::PermissionRequest);
    if can_ask || decision.outcome.goes_ahead() {
        decision.commit();
    }
    decision
}

/// Sends an informing event to the hooks, and waits until it is recorded. It can no longer be denied, so a
/// failure is only recorded with the other failures.
pub(crate) async fn tell_and_record<E>(
    hooks: &Hooks,
    request: HookRequest<E>,
    recording: Option<&Audit>,
) -> E::Outcome
where
    E: InformingEvent + Described,
{
    let outcome = tell(hooks, request.clone()).await;
    if let Some(audit) = recording {
        drop(audit.settled(&request).await);
    }
    outcome
}

/// Calls the hooks for an event, and returns their outcome as JSON after it is recorded, if it has to be.
pub(crate) async fn answer(
    hooks: &Hooks,
    context: HookContext,
    event: WireEvent,
    recording: Option<&Audit>,
) -> Value {
    let kind = event.kind();
    let mut outcome = Map::from_iter([("event".to_owned(), json!(kind))]);
    let fields = by_type!(event,
        decided(event) => decide_to_json(hooks, HookRequest::new(context, event), recording).await,
        informed(event) => informed(hooks, HookRequest::new(context, event), recording).await,
        other => failed(&format!("this program does not know what to do with `{kind}`"))
    );
    outcome.extend(fields);
    Value::Object(outcome)
}

/// Decides as `hooks run` does for a client that goes on with the event.
async fn decide_to_json<E>(
    hooks: &Hooks,
    request: HookRequest<E>,
    recording: Option<&Audit>,
) -> Map<String, Value>
where
    E: DecidingEvent<Outcome: Noted> + Described,
{
    let decision = decide_and_commit(hooks, request, Ending::Open, recording).await;
    let outcome = &decision.outcome;
    let mut fields = Map::from_iter([("decision".to_owned(), json!(outcome.strength()))]);
    if outcome.strength() >= Strength::Ask
        && let Some(text) = outcome.text_for_agent()
    {
        fields.insert("message".to_owned(), json!(text));
    }
    if !outcome.reasons().is_empty() {
        fields.insert("reasons".to_owned(), json!(outcome.reasons()));
    }
    if let Some(effective) = outcome.effective() {
        fields.insert("effective".to_owned(), json!(effective.event()));
    }
    fields.extend(outcome.noted());
    fields
}

async fn informed<E>(hooks: &Hooks, request: HookRequest<E>, recording: Option<&Audit>) -> Map<String, Value>
where
    E: InformingEvent<Outcome: Serialize> + Described,
{
    match serde_json::to_value(tell_and_record(hooks, request, recording).await) {
        Ok(Value::Object(outcome)) => outcome,
        Ok(_) => Map::new(),
        Err(error) => failed(&error.to_string()),
    }
}

fn failed(message: &str) -> Map<String, Value> {
    Map::from_iter([("error".to_owned(), json!({"message": message}))])
}

/// Completes the context of a parsed event with the folder, tenant and environment of this process, unless
/// the event has its own. Work that remains after the answer goes to `unfinished`.
pub(crate) fn here(mut context: HookContext, config: &Config, unfinished: &Unfinished) -> HookContext {
    let given = context.timestamp;
    context.tenant = context.tenant.or_else(|| config.tenant().map(str::to_owned));
    if context.cwd.as_os_str().is_empty() {
        context.cwd = std::env::current_dir().unwrap_or_default();
    }
    let mut environment = hooks::system();
    environment.background = Some(Arc::new(unfinished.clone()));
    context = context.with_environment(environment);
    if given.0 > 0 {
        context.timestamp = given;
    }
    context
}
