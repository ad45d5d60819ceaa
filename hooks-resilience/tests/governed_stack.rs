//! The whole stack with hooks innermost: a fallback cannot circumvent a policy, and a conversation that does
//! not fit is compacted before a model with a larger window is called.
// Marks the helpers as tests, which the lints exempt.
#![cfg(test)]

use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_conversation::{Estimate, Tokenizer};
use hooks_core::drivers::{GovernModel, ModelRequest};
use hooks_core::event::{BeforeModelCall, EventKind, Message, ModelReply, Role, Usage};
use hooks_core::state::OpId;
use hooks_core::testing::{Recorder, VirtualTime};
use hooks_core::time::SeededRandom;
use hooks_core::{
    Composite, Environment, HookContext, HookRequest, Hooks, Live, Reason, Verdict, WireEvent, policy_fn,
};
use hooks_resilience::{
    AttemptConfig, AttemptLayer, BreakerLayer, Call, Catalog, Chains, ChainsConfig, Classified,
    DeadlineLayer, ErrorKind, FallbackConfig, FallbackLayer, Governed, Health, HealthSettings, Model,
    ModelError, OverflowConfig, OverflowLayer, PacingLayer, Replied, Resilient, RetryConfig, RetryLayer,
    Tier, World,
};
use serde_json::json;
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

/// Model names with their real windows, which the catalog knows as well.
const MODELS: [(&str, u64); 2] = [("small", 2_000), ("large", 20_000)];

struct Rig {
    time: VirtualTime,
    world: World,
    sent: Arc<Mutex<Vec<ModelRequest>>>,
    recorder: Recorder,
}

impl Rig {
    fn new() -> Self {
        let time = VirtualTime::default();
        let environment = Environment {
            clock: Arc::new(time.clone()),
            random: Arc::new(SeededRandom::new(7)),
            ..Environment::detached()
        };
        let world = World::new(&environment, time.clone());
        Self { time, world, sent: Arc::default(), recorder: Recorder::default() }
    }

    /// The whole stack, with `hooks` around each attempt and each compaction.
    fn stack(
        &self,
        hooks: Hooks,
    ) -> impl Service<Call, Response = Replied<ModelReply>, Error = ModelError, Future: Send> + Clone + use<>
    {
        let hooks = Live::new(Composite::default().and(hooks).and(self.recorder.clone()));
        let catalog = Catalog::new(MODELS.map(|(name, window)| {
            let mut model = Model::new(name, "p", Tier::Standard);
            model.context_tokens = Some(window);
            model
        }));
        let catalog = catalog.unwrap();
        let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("standard")).unwrap();
        let health = Health::new(&catalog, HealthSettings::default(), self.world.clone()).unwrap();
        let sent = Arc::clone(&self.sent);
        let client = service_fn(move |request: ModelRequest| {
            let window =
                MODELS.iter().find(|(name, _)| *name == request.model).map_or(0, |(_, window)| *window);
            let tokens: u64 = request.messages.iter().map(|message| Estimate.message(message)).sum();
            let reply = format!("{} read it", request.model);
            sent.lock().unwrap().push(request);
            ready(match tokens <= window {
                true => Ok(ModelReply {
                    response: Message::text(Role::Assistant, reply),
                    usage: Usage::default(),
                    cost: None,
                }),
                false => Err(ModelError::new(ErrorKind::ContextOverflow, "prompt is too long")),
            })
        });
        ServiceBuilder::new()
            .layer(DeadlineLayer::new(self.world.clone(), Duration::from_secs(600)).unwrap())
            .layer(FallbackLayer::new(chains, health.clone(), FallbackConfig::default()).unwrap())
            .layer(
                OverflowLayer::new(OverflowConfig::default(), self.world.clone())
                    .unwrap()
                    .with_hooks(hooks.clone()),
            )
            .layer(RetryLayer::new(health.clone(), RetryConfig::default()).unwrap())
            .layer(PacingLayer::new(health.clone()))
            .layer(BreakerLayer::new(health))
            .layer(AttemptLayer::new(self.world.clone(), AttemptConfig::default(), Classified).unwrap())
            .service(Governed::new(GovernModel::new(hooks, client)))
    }

    fn send(&self, messages: Vec<Message>) -> Result<Replied<ModelReply>, ModelError> {
        let request = ModelRequest { model: String::new(), iteration: 1, messages };
        let call = Call::new(Arc::new(HookContext::new("s", "Ripley")), request, OpId(1));
        self.time.block_on(self.stack(Hooks::default()).oneshot(call)).expect("it waits for time alone")
    }

    fn calls(&self) -> Vec<String> {
        self.sent.lock().unwrap().iter().map(|request| request.model.clone()).collect()
    }
}

/// A task, and tool results with these numbers of tokens.
fn work(results: &[usize]) -> Vec<Message> {
    let mut messages = vec![Message::text(Role::User, "tidy up the notes")];
    for (index, tokens) in results.iter().enumerate() {
        let content = json!([{ "type": "tool_use", "id": format!("t{index}"), "name": "read", "input": {} }]);
        messages.push(Message { role: Role::Assistant, content });
        let content = json!({ "tool_call_id": format!("t{index}"), "content": "abcd".repeat(*tokens) });
        messages.push(Message { role: Role::Tool, content });
    }
    messages
}

#[test]
fn a_hook_that_forbids_one_model_lets_the_chain_go_on_to_the_next() {
    let rig = Rig::new();
    let rule = policy_fn("tenant", |request: &HookRequest<BeforeModelCall>| match &*request.event().model {
        "small" => Verdict::deny(Reason::new("tenant", "model", "not for this tenant")),
        _ => Verdict::NO_OPINION,
    });
    let model = Resilient::new(rig.stack(Hooks::builder().policy(rule).build()), rig.world.clone());
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&told);
    let model = model.telling(move |replied| {
        let failed = replied.failed.iter().map(|failed| (failed.model.to_string(), failed.kind));
        listener.lock().unwrap().extend(failed);
    });
    let request = ModelRequest { messages: work(&[]), ..ModelRequest::default() };
    let reply = rig.time.block_on(model.oneshot(request)).unwrap().unwrap();
    assert_eq!(reply.response.content, "large read it");
    assert_eq!(rig.calls(), ["large"]);
    assert_eq!(*told.lock().unwrap(), [("small".to_owned(), ErrorKind::Stopped)]);
    let judged: Vec<_> = rig
        .recorder
        .seen()
        .into_iter()
        .filter_map(|event| match event {
            WireEvent::BeforeModelCall(before) => Some(before.model),
            _ => None,
        })
        .collect();
    assert_eq!(judged, ["small", "large"]);
}

#[test]
fn a_conversation_that_does_not_fit_is_compacted_for_the_same_model() {
    let rig = Rig::new();
    let replied = rig.send(work(&[900, 900, 900])).unwrap();
    assert_eq!(replied.reply.response.content, "small read it");
    assert_eq!(rig.calls(), ["small", "small"]);
    assert_eq!(replied.failed.len(), 1);
    let kinds = rig.recorder.kinds();
    assert!(kinds.contains(&EventKind::PreCompact) && kinds.contains(&EventKind::PostCompact), "{kinds:?}");
}

#[test]
fn what_compaction_cannot_save_goes_to_a_larger_window_as_it_was() {
    let rig = Rig::new();
    let mut messages = work(&[900]);
    messages.push(Message::text(Role::User, "word ".repeat(2_000)));
    let replied = rig.send(messages.clone()).unwrap();
    assert_eq!(replied.reply.response.content, "large read it");
    let sent = rig.sent.lock().unwrap();
    let last = sent.last().unwrap();
    assert_eq!((&*last.model, &last.messages), ("large", &messages));
    assert!(replied.failed.iter().all(|failed| failed.kind == ErrorKind::ContextOverflow));
    assert!(!rig.recorder.kinds().contains(&EventKind::PostCompact));
}
