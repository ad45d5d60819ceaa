//! The hook.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::event::{
    AfterModelCall, BeforeModelCall, ErrorOccurred, ErrorType, ModelReply, PostToolUse, PreToolUse,
    ToolDecided, VerdictSource,
};
use hooks_core::{
    DecidingEvent, Ending, EventDecision, HookContext, HookRequest, Hooks, InformingEvent, Judged, Strength,
    conclude, tell,
};
use rig::agent::{
    AgentHook, DispatchAction, DispatchEvent, HookContext as RigContext, OutcomeAction, OutcomeEvent, RunId,
    RunSettled, StepEventKind,
};
use rig::completion::CompletionRequest;
use rig::effect::{EffectId, EffectKind, Outcome};
use rig::error::ErrorReport;
use rig::tool::{ToolOutput, ToolResult};
use serde_json::Value;

use crate::translate;

/// Governs an agent of rig; see the [crate] for an example. Clones share the calls in flight.
#[derive(Clone, Debug)]
pub struct GovernAgent {
    hooks: Hooks,
    context: Arc<HookContext>,
    model: Arc<str>,
    /// Ids of effects are unique within a run only.
    running: Arc<Mutex<HashMap<(RunId, EffectId), Running>>>,
}

/// A call that was let through and has no answer yet.
#[derive(Clone, Debug)]
struct Running {
    context: Arc<HookContext>,
    call: Call,
}

#[derive(Clone, Debug)]
enum Call {
    Tool(PreToolUse),
    Model { model: String, iteration: u64 },
}

impl GovernAgent {
    /// Governs by `hooks`. All runs of the agent are in `context`, so make an agent for each session.
    pub fn new(hooks: Hooks, context: impl Into<Arc<HookContext>>) -> Self {
        Self { hooks, context: context.into(), model: "default".into(), running: Arc::default() }
    }

    /// Names the model of requests that name none, which are those of an agent with one model. Prices and rules are about this name.
    #[must_use]
    pub fn model(mut self, name: impl Into<Arc<str>>) -> Self {
        self.model = name.into();
        self
    }

    /// The context at the current time, for the call with this id.
    fn at(&self, call: &str) -> Arc<HookContext> {
        let mut context = HookContext::clone(&self.context);
        context.timestamp = context.environment.clock.now();
        context.call_id = Some(call.to_owned());
        context.into()
    }

    async fn decide<E: DecidingEvent>(&self, context: &Arc<HookContext>, event: E) -> EventDecision<E> {
        let request = HookRequest::new(Arc::clone(context), event);
        let mut decision = conclude(&self.hooks, request, Ending::Closed).await;
        if decision.outcome.goes_ahead() {
            decision.commit();
        }
        decision
    }

    async fn report<E: InformingEvent>(&self, context: &Arc<HookContext>, event: E) {
        tell(&self.hooks, HookRequest::new(Arc::clone(context), event)).await;
    }

    fn running(&self) -> MutexGuard<'_, HashMap<(RunId, EffectId), Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn tool(&self, run: RunId, event: DispatchEvent<'_>, tool: &str, args: &str) -> DispatchAction {
        let id = event.call_id.map_or_else(|| event.id.to_string(), ToString::to_string);
        let context = self.at(&id);
        let Ok(args) = serde_json::from_str::<Value>(args) else {
            return DispatchAction::skip("the arguments are not JSON");
        };
        let mut call = PreToolUse::new(tool, args.clone());
        call.tool_use_id = Some(id);
        let EventDecision { request, outcome } = self.decide(&context, call).await;
        let call = request.event();
        let verdict = if outcome.goes_ahead() { Strength::Allow } else { Strength::Deny };
        self.report(&context, ToolDecided::about(call, verdict, VerdictSource::Hooks, outcome.reasons()))
            .await;
        if !outcome.goes_ahead() {
            return DispatchAction::skip(reason::<PreToolUse>(&outcome));
        }
        let running = Running { context, call: Call::Tool(call.clone()) };
        self.running().insert((run, event.id), running);
        if call.tool_args == args {
            return DispatchAction::proceed();
        }
        DispatchAction::rewrite_tool_args(event.kind, call.tool_args.clone())
    }

    async fn model_call(
        &self,
        run: RunId,
        event: DispatchEvent<'_>,
        request: &CompletionRequest,
        stream: bool,
    ) -> DispatchAction {
        let context = self.at(&format!("{}-{}", self.context.session_id, event.id));
        let model = request.model.clone().unwrap_or_else(|| self.model.to_string());
        let iteration = event.turn.try_into().unwrap_or(u64::MAX);
        let messages = match translate::messages(&request.chat_history) {
            Ok(messages) => messages,
            Err(error) => return DispatchAction::stop(format!("the messages cannot be judged: {error}")),
        };
        let call = BeforeModelCall::new(model.clone(), iteration, messages.clone());
        let EventDecision { request: judged, outcome } = self.decide(&context, call).await;
        if !outcome.goes_ahead() {
            return DispatchAction::stop(reason::<BeforeModelCall>(&outcome));
        }
        let judged = judged.event();
        let running = Running { context, call: Call::Model { model: judged.model.clone(), iteration } };
        self.running().insert((run, event.id), running);
        if judged.model == model && judged.messages == messages {
            return DispatchAction::proceed();
        }
        let mut request = request.clone();
        match translate::history(&request.chat_history, &messages, &judged.messages) {
            Ok(history) => request.chat_history = history,
            Err(error) => {
                return DispatchAction::stop(format!(
                    "a hook changed a message, which cannot be written: {error}"
                ));
            }
        }
        if judged.model != model {
            request.model = Some(judged.model.clone());
        }
        DispatchAction::patch(EffectKind::Completion { request, stream })
    }

    async fn tool_result(&self, running: &Running, call: &PreToolUse, result: &ToolResult) -> OutcomeAction {
        let clock = &running.context.environment.clock;
        let duration =
            clock.now().since(running.context.timestamp).as_millis().try_into().unwrap_or(u64::MAX);
        let output = translate::output(result.output());
        let error = result.error().map(ToString::to_string);
        let after = PostToolUse::after(call, output.clone(), error.clone(), duration);
        let EventDecision { request, outcome } = self.decide(&running.context, after).await;
        if let Some(error) = &request.event().error {
            self.report(&running.context, ErrorOccurred::new(error.clone(), ErrorType::Tool)).await;
        }
        let replaced = |output| {
            OutcomeAction::replace(Ok(Outcome::ToolResult { result: result.clone().with_output(output) }))
        };
        if !outcome.goes_ahead() {
            return replaced(ToolOutput::text(reason::<PostToolUse>(&outcome)));
        }
        match (&request.event().tool_result, &request.event().error) {
            (changed, _) if *changed != output => replaced(translate::tool_output(changed)),
            (_, Some(changed)) if error.as_ref() != Some(changed) => replaced(ToolOutput::text(changed)),
            _ => OutcomeAction::proceed(),
        }
    }

    async fn model_answer(
        &self,
        running: &Running,
        model: &str,
        iteration: u64,
        outcome: &Outcome,
    ) -> OutcomeAction {
        let Outcome::Completion(response) = outcome else {
            return OutcomeAction::stop("the answer of a model is no completion");
        };
        let message = match translate::answer(response) {
            Ok(message) => message,
            Err(error) => return OutcomeAction::stop(format!("the answer cannot be judged: {error}")),
        };
        let reply =
            ModelReply { response: message.clone(), usage: translate::usage(&response.usage), cost: None };
        let after = AfterModelCall::new(model, iteration, &reply);
        let EventDecision { request, outcome } = self.decide(&running.context, after).await;
        if !outcome.goes_ahead() {
            return OutcomeAction::stop(reason::<AfterModelCall>(&outcome));
        }
        if request.event().response == message {
            return OutcomeAction::proceed();
        }
        match translate::with_answer(response, &request.event().response) {
            Ok(changed) => OutcomeAction::replace(Ok(Outcome::Completion(changed))),
            Err(error) => {
                OutcomeAction::stop(format!("a hook changed the answer, which cannot be written: {error}"))
            }
        }
    }

    /// Stops the run if hooks withhold or change the text of an error: it cannot be replaced.
    async fn failed(&self, running: &Running, error: &ErrorReport) -> OutcomeAction {
        let text = error.to_string();
        match &running.call {
            Call::Tool(call) => {
                let after = PostToolUse::after(call, Value::Null, Some(text.clone()), 0);
                let EventDecision { request, outcome } = self.decide(&running.context, after).await;
                let shown = request.event().error.clone().unwrap_or_default();
                self.report(&running.context, ErrorOccurred::new(shown.clone(), ErrorType::Tool)).await;
                if !outcome.goes_ahead() {
                    return OutcomeAction::stop(reason::<PostToolUse>(&outcome));
                }
                if shown != text {
                    return OutcomeAction::stop(shown);
                }
            }
            Call::Model { model, .. } => {
                let mut event = ErrorOccurred::new(text, ErrorType::Model);
                event.current_model = Some(model.clone());
                self.report(&running.context, event).await;
            }
        }
        OutcomeAction::proceed()
    }
}

impl AgentHook for GovernAgent {
    fn observes(&self, kind: StepEventKind) -> bool {
        matches!(
            kind,
            StepEventKind::ToolDispatch | StepEventKind::CompletionDispatch | StepEventKind::RunSettled
        )
    }

    async fn on_dispatch(&self, run: &RigContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.kind {
            EffectKind::ToolCall { name, args } => self.tool(run.run_id(), event, name, args).await,
            EffectKind::Completion { request, stream } => {
                self.model_call(run.run_id(), event, request, *stream).await
            }
            _ => DispatchAction::proceed(),
        }
    }

    async fn on_run_settled(&self, run: &RigContext, _: RunSettled<'_>) {
        // Calls that a cancelled run never had an answer for.
        self.running().retain(|(id, _), _| *id != run.run_id());
    }

    async fn on_outcome(&self, run: &RigContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        let running = self.running().remove(&(run.run_id(), event.id));
        // A call without an entry was denied.
        let Some(running) = running else { return OutcomeAction::proceed() };
        let outcome = match event.outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                return self.failed(&running, error).await;
            }
        };
        match (&running.call, outcome) {
            (Call::Tool(call), Outcome::ToolResult { result }) => {
                self.tool_result(&running, call, result).await
            }
            (Call::Tool(_), _) => OutcomeAction::stop("the answer of a tool is no result"),
            (Call::Model { model, iteration }, outcome) => {
                self.model_answer(&running, model, *iteration, outcome).await
            }
        }
    }
}

fn reason<E: DecidingEvent>(outcome: &E::Outcome) -> String {
    outcome.text_for_agent().unwrap_or_else(|| "refused by a hook that gave no reason".to_owned())
}
