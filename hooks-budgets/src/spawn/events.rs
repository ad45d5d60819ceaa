//! Hooks of a budget on events other than the one that it decides about.

use std::sync::Arc;

use hooks_core::event::{
    ChildStatus, EventKind, PostToolUse, PreToolUse, SessionEnd, SpawnFailed, SubagentSpawned, SubagentStart,
    SubagentStop, TurnStart,
};
use hooks_core::{
    ContextPatch, Decision, FailureLayer, Gate, HookContext, HookError, HookRequest, HooksBuilder, Judged,
    Observer, Reason, Recovery, Reservation, ResultPatch, hook_fn, later,
};
use hooks_facts::tools::ToolKind;

use super::NAME;
use super::budget::{Engine, SpawnBudget, is_of};
use super::child_request::{ChildRequest, given};
use super::notices;

/// Adds `budget` to all events that it handles.
pub(crate) fn add_to(builder: &mut HooksBuilder, budget: &SpawnBudget) {
    let (guard, rules) = (FailureLayer::new(NAME), budget.rules().clone());
    builder.add_transform::<SubagentStart>(rules.clone());
    builder.add_transform::<PreToolUse>(rules.clone());
    builder.add_policy::<SubagentStart>(rules.clone());
    builder.add_policy::<PreToolUse>(rules);
    builder.add_reserve::<SubagentStart>(budget.clone());
    builder.add_reserve::<PreToolUse>(budget.clone());
    let (spawned, failed, turn, end) = (budget.clone(), budget.clone(), budget.clone(), budget.clone());
    *builder = std::mem::take(builder)
        .observer::<SubagentStop>(budget.clone())
        .observer::<PreToolUse>(budget.clone())
        .observer::<PostToolUse>(budget.clone())
        .hook(&guard, hook_fn(move |request| exists(Arc::clone(&spawned.0), request)))
        .hook(&guard, hook_fn(move |request| was_not_created(Arc::clone(&failed.0), request)))
        .hook(&guard, hook_fn(move |request| begins_a_turn(Arc::clone(&turn.0), request)))
        .hook(&guard, hook_fn(move |request| session_ends(Arc::clone(&end.0), request)));
    builder.add_extension(Arc::new(budget.clone()));
}

/// Handles a child that exists. If it was not asked about before, it is counted now if there is room; it runs
/// in either case.
async fn exists(engine: Arc<Engine>, request: HookRequest<SubagentSpawned>) -> Result<(), HookError> {
    let (event, context) = (request.event(), request.context());
    let mut start = SubagentStart::new(event.agent_name.clone(), event.task.clone());
    (start.model, start.task_type) = (event.model.clone(), event.task_type.clone());
    (start.depth, start.child_id) = (event.depth, event.child_id.clone());
    let child = ChildRequest::of_start(&HookRequest::new(Arc::clone(context), start));
    if child.child.is_none() {
        // Several requests are possible, and the event does not identify one.
        return Ok(());
    }
    if let Reservation::Held(place) = engine.take(&child, context).await? {
        place.commit();
    }
    Ok(())
}

async fn was_not_created(
    engine: Arc<Engine>,
    request: HookRequest<SpawnFailed>,
) -> Result<Recovery, HookError> {
    let event = request.event();
    let child = given(event.child_id.as_deref());
    engine.give_back(child.as_deref(), &event.agent_name, request.context()).await?;
    Ok(Recovery::default())
}

async fn begins_a_turn(
    engine: Arc<Engine>,
    request: HookRequest<TurnStart>,
) -> Result<ContextPatch, HookError> {
    let context = request.context();
    let registry = engine.registry(context).await?;
    let (known, _) = registry.known().await?;
    if engine.is_due(context) {
        engine.beat(&registry, &known, |entry| is_of(entry, context)).await?;
    }
    if engine.notices {
        notices::note_for_turn(&registry, &known, context).await
    } else {
        Ok(ContextPatch::default())
    }
}

/// Ends the child whose own session ends, whether or not its end is reported.
async fn session_ends(engine: Arc<Engine>, request: HookRequest<SessionEnd>) -> Result<(), HookError> {
    let context = request.context();
    let registry = engine.registry(context).await?;
    let (known, _) = registry.known().await?;
    let is_own = |child: &Option<String>| child.as_ref() == Some(&context.session_id);
    let status = match &request.event().error {
        None => ChildStatus::Completed,
        Some(_) => ChildStatus::Error,
    };
    for known in known.iter().filter(|known| !known.has_ended() && is_own(&known.entry.child)) {
        engine.end_one(known, status, &registry).await?;
    }
    Ok(())
}

impl Observer<SubagentStop> for SpawnBudget {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&self, request: &HookRequest<SubagentStop>, outcome: &Gate<SubagentStop>) {
        // A child whose stop is denied goes on.
        if !outcome.goes_ahead() {
            return;
        }
        let (engine, context) = (Arc::clone(&self.0), Arc::clone(request.context()));
        let event = request.event().clone();
        recorded(EventKind::SubagentStop, request.context(), async move {
            let (child, call) = (given(event.child_id.as_deref()), given(context.call_id.as_deref()));
            engine.end(child.as_deref(), call.as_deref(), &event.agent_name, event.status, &context).await
        });
    }
}

/// Treats a call as a sign of life of its agent.
impl Observer<PreToolUse> for SpawnBudget {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&self, request: &HookRequest<PreToolUse>, _outcome: &Decision<PreToolUse>) {
        self.lives(EventKind::PreToolUse, request.context());
    }
}

/// Treats a result as a sign of life of its agent, and as the end of a child that the call started and about
/// which no other event arrived.
impl Observer<PostToolUse> for SpawnBudget {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&self, request: &HookRequest<PostToolUse>, _outcome: &ResultPatch) {
        let (event, context) = (request.event(), request.context());
        self.lives(EventKind::PostToolUse, context);
        if self.0.reader.table().kind_of_call(&event.tool_name, &event.tool_args) != ToolKind::SpawnAgent {
            return;
        }
        let Some(call) = given(event.tool_use_id.as_deref().or(context.call_id.as_deref())) else { return };
        let status = match &event.error {
            None => ChildStatus::Completed,
            Some(_) => ChildStatus::Error,
        };
        let (engine, here) = (Arc::clone(&self.0), Arc::clone(context));
        recorded(EventKind::PostToolUse, context, async move {
            let registry = engine.registry(&here).await?;
            let (known, _) = registry.known().await?;
            let is_its = |entry: &super::child::Entry| {
                entry.child.is_none()
                    && entry.call.as_ref() == Some(&call)
                    && entry.session == here.session_id
            };
            for known in known.iter().filter(|known| !known.has_ended() && is_its(&known.entry)) {
                engine.end_one(known, status, &registry).await?;
            }
            Ok(())
        });
    }
}

impl SpawnBudget {
    /// Stores from time to time a sign of life of the agent of `context`.
    fn lives(&self, event: EventKind, context: &Arc<HookContext>) {
        if !self.0.is_due(context) {
            return;
        }
        let (engine, here) = (Arc::clone(&self.0), Arc::clone(context));
        recorded(event, context, async move {
            let registry = engine.registry(&here).await?;
            let (known, _) = registry.known().await?;
            engine.beat(&registry, &known, |entry| is_of(entry, &here)).await
        });
    }
}

/// Runs work whose result no caller awaits; a failure is recorded, and the lease of the entry ends by itself.
fn recorded(
    event: EventKind,
    context: &Arc<HookContext>,
    work: impl Future<Output = Result<(), HookError>> + Send + 'static,
) {
    let here = Arc::clone(context);
    later::run(context.environment.background.as_ref(), async move {
        if let Err(error) = work.await {
            here.environment.failures.record(&here, event, &Reason::failure(NAME, &error));
        }
    });
}
