//! Tests of hooks inside and outside of a stack.

use std::future::ready;
use std::sync::{Arc, Mutex};

use hooks_conversation::{Estimate, Tokenizer};
use hooks_core::drivers::{GovernModel, ModelCall, ModelOutcome, ModelRequest};
use hooks_core::event::{BeforeModelCall, ErrorOccurred, ErrorType, Message, ModelReply, Role, Usage};
use hooks_core::state::OpId;
use hooks_core::testing::{Recorder, ScriptedModel, VirtualTime};
use hooks_core::{
    Composite, FailureLayer, HookContext, HookRequest, Hooks, Reason, Recovery, Verdict, WireEvent, hook_fn,
    policy_fn,
};
use serde_json::json;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::{Governed, Resilient};
use crate::attempt::{AttemptConfig, AttemptLayer};
use crate::call::{Call, FailedAttempt, Needs, Replied};
use crate::catalog::{Catalog, Model, Tier};
use crate::chain::{Chains, ChainsConfig};
use crate::classify::Classified;
use crate::error::{ErrorKind, ModelError, Treatment, Treatments};
use crate::fallback::{FallbackConfig, FallbackLayer};
use crate::health::{Health, HealthSettings};
use crate::retry::{RetryConfig, RetryLayer};
use crate::world::World;

fn run<T>(future: impl Future<Output = T>) -> T {
    VirtualTime::default().block_on(future).expect("it waits for nothing")
}

fn reply(text: &str) -> ModelReply {
    ModelReply { response: Message::text(Role::Assistant, text), usage: Usage::default(), cost: None }
}

fn request(model: &str) -> ModelRequest {
    ModelRequest { model: model.to_owned(), iteration: 1, messages: vec![Message::text(Role::User, "hello")] }
}

fn call_of(model: &str) -> Call {
    let catalog = Catalog::new([Model::new(model, "p", Tier::Fast)]).unwrap();
    let mut call = Call::new(Arc::new(HookContext::new("s", "Ripley")), request("preferred"), OpId(1));
    call.model = catalog.get(model).cloned();
    call
}

/// Denies one model.
fn forbids(model: &'static str) -> Hooks {
    let rule = policy_fn("tenant", move |request: &HookRequest<BeforeModelCall>| {
        match request.event().model == model {
            true => Verdict::deny(Reason::new("tenant", "model", "not for this tenant")),
            false => Verdict::NO_OPINION,
        }
    });
    Hooks::builder().policy(rule).build()
}

fn fails_with(
    error: fn() -> ModelError,
) -> impl Service<ModelRequest, Response = ModelReply, Error = ModelError, Future: Send> + Clone + Send + 'static
{
    service_fn(move |_: ModelRequest| ready(Err(error())))
}

#[test]
fn each_attempt_is_judged_by_the_model_it_goes_to() {
    let client = ScriptedModel::saying(["hello", "hello"]);
    let governed = Governed::new(GovernModel::new(forbids("large"), client.clone()));
    let error = run(governed.clone().oneshot(call_of("large"))).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Stopped, "not for this tenant"));
    assert_eq!(error.model().map(|model| &**model), Some("large"));
    assert!(client.calls().is_empty());
    let answer = run(governed.oneshot(call_of("small"))).unwrap();
    assert_eq!(answer.response.content, "hello");
    let calls = client.calls();
    assert_eq!(
        (calls.len(), &*calls[0].model),
        (1, "small"),
        "the client is asked for the model of the attempt"
    );
}

#[test]
fn the_clients_error_comes_through_with_what_the_hooks_propose() {
    let proposes = hook_fn(|_: HookRequest<ErrorOccurred>| async {
        Ok(Recovery { retry: Some(false), backoff_ms: Some(500), ..Recovery::default() })
    });
    let recorder = Recorder::default();
    let hooks = Composite::default()
        .and(Hooks::builder().hook(&FailureLayer::new("proposes"), proposes).build())
        .and(recorder.clone());
    let client = fails_with(|| ModelError::new(ErrorKind::ContextOverflow, "too long").with_status(400));
    let error = run(Governed::new(GovernModel::new(hooks, client)).oneshot(call_of("m"))).unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::ContextOverflow, Some(400)));
    assert_eq!(error.proposal().and_then(|proposal| proposal.backoff_ms), Some(500));
    assert!(error.forbids_retry());
    let seen = recorder.seen();
    let Some(WireEvent::ErrorOccurred(event)) = seen.get(1) else { panic!("{seen:?}") };
    assert_eq!((event.error_type, event.attempt, event.recoverable), (ErrorType::ContextOverflow, 1, true));
    assert_eq!(event.current_model.as_deref(), Some("m"));
}

#[test]
fn an_error_that_nobody_classified_is_unknown_and_still_there() {
    let client =
        service_fn(|_: ModelRequest| ready(Err::<ModelReply, _>(std::io::Error::other("broken pipe"))));
    let error =
        run(Governed::new(GovernModel::new(Hooks::default(), client)).oneshot(call_of("m"))).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Unknown, "broken pipe"));
    assert!(error.proposal().is_none(), "the hooks proposed nothing");
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.is::<std::io::Error>());
}

/// A stack that records its calls and answers, after one failure.
fn stack(
    log: &Arc<Mutex<Vec<Call>>>,
) -> impl Service<Call, Response = Replied<ModelReply>, Error = ModelError, Future: Send>
+ Clone
+ Send
+ Sync
+ use<> {
    let log = Arc::clone(log);
    service_fn(move |call: Call| {
        log.lock().unwrap().push(call.clone());
        let mut replied = Replied::new(call, reply("hello"));
        let error = ModelError::new(ErrorKind::Server, "500");
        replied.failed.push(FailedAttempt::new("m", &error, Default::default()));
        ready(Ok(replied))
    })
}

fn world() -> World {
    World::new(&hooks_core::Environment::detached(), VirtualTime::default())
}

#[test]
fn a_stack_serves_as_a_plain_model() {
    let (log, told) = (Arc::default(), Arc::new(Mutex::new(0)));
    let model = Resilient::new(stack(&log), world())
        .in_context(HookContext::new("s", "Ripley"))
        .needing(Needs { output_tokens: 100, ..Needs::default() })
        .telling({
            let told = Arc::clone(&told);
            move |replied| *told.lock().unwrap() += replied.failed.len()
        });
    let picture = json!([{ "type": "tool_result", "content": [{ "type": "image", "source": {} }] }]);
    let mut sent = request("m");
    sent.messages.push(Message { role: Role::Tool, content: picture });
    let outcome = run(GovernModel::new(Hooks::default(), model.clone())
        .oneshot(ModelCall { context: Arc::default(), request: sent.clone() }))
    .unwrap();
    assert!(matches!(outcome, ModelOutcome::Replied(_, answer) if answer == reply("hello")));
    assert_eq!(*told.lock().unwrap(), 1);
    let counted = sent.messages.iter().map(|message| Estimate.message(message)).sum();
    let calls = log.lock().unwrap();
    let wanted =
        Needs { input_tokens: counted, output_tokens: 100, tools: true, vision: true, ..Needs::default() };
    assert_eq!((*calls[0].needs(), &*calls[0].context().agent_name), (wanted, "Ripley"));
}

#[test]
fn a_call_has_the_id_of_its_context_or_one_of_its_own() {
    let log = Arc::default();
    let model = Resilient::new(stack(&log), world());
    let mut context = HookContext::new("s", "Ripley");
    for id in [None, None, Some("call-1"), Some("call-1"), Some("call-2")] {
        context.call_id = id.map(str::to_owned);
        let call = ModelCall { context: Arc::new(context.clone()), request: request("m") };
        run(model.clone().oneshot(call)).unwrap();
    }
    let ids: Vec<OpId> = log.lock().unwrap().iter().map(Call::id).collect();
    assert_eq!(ids[2], ids[3]);
    let mut distinct = ids.clone();
    distinct.sort_by_key(|id| id.0);
    distinct.dedup();
    assert_eq!(distinct.len(), 4, "{ids:?}");
}

#[test]
fn a_kind_of_work_has_its_own_chain() {
    let catalog = Catalog::new([
        Model::new("opus", "anthropic", Tier::Premium),
        Model::new("haiku", "anthropic", Tier::Fast),
    ]);
    let (catalog, world) = (catalog.unwrap(), world());
    let config = ChainsConfig::default().with_default("premium").with_task("title", "fast");
    let chains = Chains::new(&catalog, &config).unwrap();
    let health = Health::new(&catalog, HealthSettings::default(), world.clone()).unwrap();
    let served = service_fn(|call: Call| {
        let answer = reply(call.model_name());
        ready(Ok::<_, ModelError>(Replied::new(call, answer)))
    });
    let stack = FallbackLayer::new(chains, health, FallbackConfig::default()).unwrap().layer(served);
    let is_title = |message: &Message| message.content == json!("a title, please");
    let model = Resilient::new(stack, world)
        .finding_task(move |_, request| request.messages.iter().any(is_title).then(|| "title".into()));
    for (says, wanted) in [("hello", "opus"), ("a title, please", "haiku")] {
        let messages = vec![Message::text(Role::User, says)];
        let sent = ModelRequest { messages, ..ModelRequest::default() };
        let replied = run(Service::<ModelRequest>::call(&mut model.clone(), sent)).unwrap();
        assert_eq!(replied, reply(wanted));
    }
}

#[test]
fn hooks_around_the_whole_call_hear_how_often_it_was_tried() {
    let recorder = Recorder::default();
    let failing = service_fn(|_: Call| {
        let error = || ModelError::new(ErrorKind::Network, "reset");
        let failed = [(); 3].map(|()| FailedAttempt::new("m", &error(), Default::default()));
        ready(Err::<Replied<ModelReply>, _>(error().with_failed(failed.to_vec())))
    });
    let model =
        GovernModel::new(recorder.clone(), Resilient::new(failing, world())).describing(ModelError::describe);
    let outcome = run(model.oneshot(ModelCall { context: Arc::default(), request: request("m") })).unwrap();
    let ModelOutcome::Failed(error, _) = outcome else { panic!("{outcome:?}") };
    assert!(error.downcast_ref::<ModelError>().is_some_and(|error| error.kind() == ErrorKind::Network));
    let seen = recorder.seen();
    let Some(WireEvent::ErrorOccurred(event)) = seen.get(1) else { panic!("{seen:?}") };
    assert_eq!((event.error_type, event.attempt), (ErrorType::Network, 4));
}

#[test]
fn hooks_around_each_attempt_hear_how_often_it_was_tried_and_what_the_host_makes_of_it() {
    let recorder = Recorder::default();
    let (time, catalog) = (VirtualTime::default(), Catalog::new([Model::new("m", "p", Tier::Fast)]).unwrap());
    let environment =
        hooks_core::Environment { clock: Arc::new(time.clone()), ..hooks_core::Environment::detached() };
    let world = World::new(&environment, time.clone());
    let hopeless = Treatment::default_for(ErrorKind::InvalidRequest);
    for (kind, recoverable) in [(ErrorKind::Network, true), (ErrorKind::Server, false)] {
        let treatments = Treatments::default().with(ErrorKind::Server, hopeless);
        let settings = HealthSettings { treatments, ..HealthSettings::default() };
        let health = Health::new(&catalog, settings, world.clone()).unwrap();
        let client =
            service_fn(move |_: ModelRequest| ready(Err::<ModelReply, _>(ModelError::new(kind, "x"))));
        let governed = Governed::new(GovernModel::new(recorder.clone(), client)).treating_by(health.clone());
        let attempt = AttemptLayer::new(world.clone(), AttemptConfig::default(), Classified).unwrap();
        let stack = RetryLayer::new(health, RetryConfig::default()).unwrap().layer(attempt.layer(governed));
        let mut call = call_of("m");
        call.set_tried(1);
        time.block_on(stack.oneshot(call)).unwrap().unwrap_err();
        let seen = recorder.seen();
        let heard = seen.iter().filter_map(|event| match event {
            WireEvent::ErrorOccurred(event) if event.error_type == kind.error_type() => Some(event),
            _ => None,
        });
        let heard: Vec<_> = heard.map(|event| (event.attempt, event.recoverable)).collect();
        let attempts: &[u32] = if recoverable { &[2, 3] } else { &[2] };
        let wanted: Vec<_> = attempts.iter().map(|attempt| (*attempt, recoverable)).collect();
        assert_eq!(heard, wanted, "{kind}");
    }
}
