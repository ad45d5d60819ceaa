//! Events by their type: what is known by name only on the wire is asked about by type.

use std::sync::Arc;

use hooks::audit::Audit;
use hooks::audit::describe::Described;
use hooks::config::Config;
use hooks::event::WireEvent;
use hooks::{
    DecidingEvent, HookContext, HookRequest, Hooks, InformingEvent, Judged, Judgement, Notes, Outcome,
    Strength, decide, observe, reserve, tell,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::unfinished::Unfinished;

/// Evaluates one expression for the events that are decided about and another for those that inform, each with
/// the event under its own type.
macro_rules! by_type {
    ($wire:expr, decided($decided:ident) => $decides:expr, informed($informed:ident) => $informs:expr, other => $other:expr) => {
        $crate::event::by_type!(@match $wire, $decided, $decides, $informed, $informs, $other;
            UserPromptSubmitted BeforeModelCall AfterModelCall PreToolUse PermissionRequest PostToolUse PreCompact
            SubagentStart SubagentStop Stop MaxIterations Route WorktreeCreated;
            SessionStart SessionEnd TurnStart TurnEnd ToolDecided UserInputRequested ErrorOccurred PostCompact
            SubagentSpawned SpawnFailed AgentSwitched Notification)
    };
    (@match $wire:expr, $decided:ident, $decides:expr, $informed:ident, $informs:expr, $other:expr;
        $($Deciding:ident)*; $($Informing:ident)*) => {
        match $wire {
            $( hooks::event::WireEvent::$Deciding($decided) => $decides, )*
            $( hooks::event::WireEvent::$Informing($informed) => $informs, )*
            _ => $other,
        }
    };
}
pub(crate) use by_type;

/// What an outcome says beside strength and reasons, as JSON.
pub(crate) trait Noted {
    /// An object; empty where nothing is noted.
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

/// Waits until what was decided is on the record; where it cannot be, `outcome` becomes a denial if that is what it means.
pub(crate) async fn settle<E>(recording: Option<&Audit>, request: &HookRequest<E>, outcome: &mut E::Outcome)
where
    E: DecidingEvent + Described,
{
    if let Some(audit) = recording
        && let Some(reason) = audit.settled(request).await
    {
        outcome.merge(E::Outcome::failed(reason, true));
    }
}

/// Waits until an event that was told of is on the record. Nothing can be refused any more: that it is not is noted where
/// failures are.
pub(crate) async fn settle_told<E>(recording: Option<&Audit>, request: &HookRequest<E>)
where
    E: InformingEvent + Described,
{
    if let Some(audit) = recording {
        drop(audit.settled(request).await);
    }
}

/// Asks the hooks about an event and answers their outcome as JSON, once it is on the record where it is put there.
pub(crate) async fn answer(
    hooks: &Hooks,
    context: HookContext,
    event: WireEvent,
    recording: Option<&Audit>,
) -> Value {
    let kind = event.kind();
    let mut outcome = Map::from_iter([("event".to_owned(), json!(kind))]);
    let said = by_type!(event,
        decided(event) => decided(hooks, HookRequest::new(context, event), recording).await,
        informed(event) => informed(hooks, HookRequest::new(context, event), recording).await,
        other => failed(&format!("this program does not know what to do with `{kind}`"))
    );
    outcome.extend(said);
    Value::Object(outcome)
}

/// Decides, takes places, and lets the observers see it, as a host does that runs what is allowed.
async fn decided<E>(hooks: &Hooks, request: HookRequest<E>, recording: Option<&Audit>) -> Map<String, Value>
where
    E: DecidingEvent<Outcome: Noted> + Described,
{
    let mut decided = decide(hooks, request).await;
    reserve(hooks, &mut decided).await;
    observe(hooks, &decided.request, &decided.outcome);
    settle(recording, &decided.request, &mut decided.outcome).await;
    if decided.outcome.goes_ahead() {
        decided.outcome.take_holds().commit();
    }
    let outcome = &decided.outcome;
    let mut said = Map::from_iter([("decision".to_owned(), json!(outcome.strength()))]);
    if outcome.strength() >= Strength::Ask
        && let Some(reason) = outcome.shown_reason()
    {
        said.insert("message".to_owned(), json!(reason.message));
    }
    if !outcome.reasons().is_empty() {
        said.insert("reasons".to_owned(), json!(outcome.reasons()));
    }
    if let Some(effective) = outcome.effective() {
        said.insert("effective".to_owned(), json!(effective.event()));
    }
    said.extend(outcome.noted());
    said
}

async fn informed<E>(hooks: &Hooks, request: HookRequest<E>, recording: Option<&Audit>) -> Map<String, Value>
where
    E: InformingEvent<Outcome: Serialize> + Described,
{
    let outcome = tell(hooks, request.clone()).await;
    settle_told(recording, &request).await;
    match serde_json::to_value(outcome) {
        Ok(Value::Object(outcome)) => outcome,
        Ok(_) => Map::new(),
        Err(error) => failed(&error.to_string()),
    }
}

fn failed(message: &str) -> Map<String, Value> {
    Map::from_iter([("error".to_owned(), json!({"message": message}))])
}

/// Puts an event that was read where this process is, as far as it does not say itself where it happens. What is still
/// to be done when it is answered goes to `unfinished`.
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
