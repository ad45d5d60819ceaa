use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use hooks_core::drivers::ModelRequest;
use hooks_core::event::{Message, ModelReply, Role, Usage};
use hooks_core::state::OpId;
use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, SeededRandom, Tick};
use hooks_core::{HookContext, Recovery};
use proptest::prelude::*;
use serde_json::json;
use tower::{ServiceBuilder, ServiceExt};
use tower_layer::Layer;
use tower_service::Service;

use super::*;
use crate::attempt::Attempt;
use crate::breaker::{Breaker, BreakerConfig, BreakerLayer, BreakerState};
use crate::call::{Call, Replied};
use crate::catalog::{Catalog, Model, Tier};
use crate::error::{Backoff, ErrorKind, ModelError, NextModel, SameModel, Treatment, Treatments};
use crate::health::{Health, HealthSettings, RetryBudgetConfig};
use crate::retry::Retry;
use crate::world::World;
use crate::{
    AttemptConfig, AttemptLayer, Chains, ChainsConfig, Classifiers, DeadlineLayer, FallbackConfig,
    FallbackLayer, RetryConfig, RetryLayer,
};

/// Next step of a scripted answer.
#[derive(Clone, Debug)]
enum Do {
    Say(Chunk),
    Wait(u64),
    Stall,
    Fail(ErrorKind),
    Panic,
    FailWith(Arc<Mutex<Option<ModelError>>>),
}

type ScriptedReply = Box<dyn FnMut(&Call) -> Result<Vec<Do>, ModelError> + Send>;

/// A stack with scripted answers, one after the other; the last one is repeated for ever.
#[derive(Clone)]
struct Script {
    time: VirtualTime,
    answers: Arc<Mutex<VecDeque<ScriptedReply>>>,
    calls: Arc<Mutex<Vec<Call>>>,
    model: Arc<Model>,
}

impl Service<Call> for Script {
    type Response = Replied<ModelStream>;
    type Error = ModelError;
    type Future = Ready<Result<Replied<ModelStream>, ModelError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        self.calls.lock().unwrap().push(call.clone());
        call.model = Some(Arc::clone(&self.model));
        let mut answers = self.answers.lock().unwrap();
        let mut answer = answers.pop_front().expect("there is an answer");
        let script = answer(&call);
        if answers.is_empty() {
            answers.push_back(answer);
        }
        let time = self.time.clone();
        ready(script.map(|script| {
            let script = stream::iter(script).then(move |step| {
                let time = time.clone();
                async move {
                    match step {
                        Do::Say(chunk) => Some(Ok(chunk)),
                        Do::Wait(seconds) => {
                            hooks_core::time::Timer::sleep(&time, Duration::from_secs(seconds)).await;
                            None
                        }
                        Do::Stall => std::future::pending().await,
                        Do::FailWith(error) => error.lock().unwrap().take().map(Err),
                        Do::Fail(kind) => Some(Err(ModelError::new(kind, "scripted"))),
                        Do::Panic => panic!("scripted"),
                    }
                }
            });
            Replied::new(call, ModelStream::new(script.filter_map(ready)))
        }))
    }
}

/// A stack, with the objects to observe it.
struct Rig {
    time: VirtualTime,
    health: Health,
    model: Arc<Model>,
    calls: Arc<Mutex<Vec<Call>>>,
    service: Resume<Script>,
}

fn rig(settings: StreamConfig, answers: Vec<ScriptedReply>) -> Rig {
    rig_of(HealthSettings::default(), settings, answers)
}

fn rig_of(health: HealthSettings, settings: StreamConfig, answers: Vec<ScriptedReply>) -> Rig {
    let time = VirtualTime::default();
    let world = World {
        clock: Arc::new(time.clone()),
        timer: Arc::new(time.clone()),
        random: Arc::new(SeededRandom::new(7)),
    };
    let mut model = Model::new("m", "p", Tier::Standard);
    model.prefill = true;
    let catalog = Catalog::new([model]).unwrap();
    let model = Arc::clone(&catalog.models()[0]);
    let health = Health::new(&catalog, health, world).unwrap();
    let called = Arc::default();
    let script = Script {
        time: time.clone(),
        answers: Arc::new(Mutex::new(answers.into())),
        calls: Arc::clone(&called),
        model: Arc::clone(&model),
    };
    let service = ResumeLayer::new(health.clone(), settings).unwrap().layer(script);
    Rig { time, health, model, calls: called, service }
}

fn settings() -> StreamConfig {
    StreamConfig::default().with_breaks(3, Backoff::new(Duration::from_millis(10), Duration::from_secs(1)))
}

fn call() -> Call {
    let request =
        ModelRequest { model: "m".into(), iteration: 1, messages: vec![Message::text(Role::User, "hi")] };
    Call::new(HookContext::new("s", "a").into(), request, OpId(1))
}

impl Rig {
    fn run(&self, call: Call) -> Result<ModelReply, ModelError> {
        let service = self.service.clone();
        self.time
            .block_on(async move { collect(service.oneshot(call).await?.reply).await })
            .expect("nothing waits for ever")
    }

    fn pass(&self, seconds: u64) {
        let passed = hooks_core::time::Timer::sleep(&self.time, Duration::from_secs(seconds));
        self.time.block_on(passed).expect("time passes");
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }
}

fn script(steps: &[Do]) -> ScriptedReply {
    let steps = steps.to_vec();
    Box::new(move |_| Ok(steps.clone()))
}

fn say(text: &str) -> Do {
    Do::Say(Chunk::Text(text.into()))
}

fn stop(reason: &str) -> Do {
    Do::Say(Chunk::Stop(reason.into()))
}

fn tool(id: &str) -> [Do; 4] {
    let args = |json: &str| Do::Say(Chunk::ToolArgs { id: id.into(), json: json.into() });
    [
        Do::Say(Chunk::ToolStart { id: id.into(), name: "ls".into() }),
        args("{\"path\""),
        args(":\".\"}"),
        Do::Say(Chunk::ToolEnd { id: id.into() }),
    ]
}

fn usage(input: u64, output: u64) -> Do {
    Do::Say(Chunk::Usage(Usage { input_tokens: input, output_tokens: output, ..Usage::default() }))
}

#[test]
fn a_stream_that_panics_has_broken() {
    let rest = script(&[say("two"), stop("end_turn")]);
    let rig = rig(settings(), vec![script(&[say("one "), Do::Panic]), rest]);
    assert_eq!(rig.run(call()).unwrap().response.content, json!("one two"));
    assert_eq!(rig.calls().len(), 2);
}

#[test]
fn a_whole_answer_passes_as_it_is() {
    let mut steps = vec![say("let me "), say("see")];
    steps.extend(tool("t1"));
    steps.extend([usage(10, 5), stop("tool_use")]);
    let rig = rig(settings(), vec![script(&steps)]);
    let call = call();
    let reply = rig.run(call.clone()).unwrap();
    let blocks = json!([
        { "type": "text", "text": "let me see" },
        { "type": "tool_use", "id": "t1", "name": "ls", "input": { "path": "." } },
    ]);
    assert_eq!(reply.response.content, blocks);
    assert_eq!(reply.usage.total(), 15);
    assert!(call.has_effects(), "a released tool call may have been run");
    assert_eq!(rig.calls().len(), 1);
}

#[test]
fn nothing_released_is_asked_again_as_it_was() {
    for first in
        [vec![Do::Fail(ErrorKind::Overloaded)], vec![], vec![Do::Stall], vec![usage(9, 0), Do::Stall]]
    {
        let rig =
            rig(settings(), vec![script(&first), script(&[say("done"), usage(10, 1), stop("end_turn")])]);
        let reply = rig.run(call()).unwrap();
        assert_eq!(reply.response.content, json!("done"));
        let called = rig.calls();
        assert_eq!(called.len(), 2);
        assert_eq!(called[0].request(), called[1].request());
    }
}

#[test]
fn text_is_gone_on_with_behind_its_last_word() {
    let first = script(&[usage(10, 1), say("The quick "), say("brown "), Do::Fail(ErrorKind::StreamBroken)]);
    let second = script(&[usage(14, 0), say(" fox"), usage(14, 3), stop("end_turn")]);
    let rig = rig(settings(), vec![first, second]);
    let reply = rig.run(call()).unwrap();
    assert_eq!(reply.response.content, json!("The quick brown fox"));
    let called = rig.calls();
    assert_eq!(called[1].messages()[1], Message::text(Role::Assistant, "The quick brown"));
    assert!(called[1].needs().prefill);
    // The broken part had three words and a space: 6 tokens, and the 10 it reported.
    assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (24, 9));
}

#[test]
fn a_beginning_the_caller_gave_is_gone_on_with() {
    let first = script(&[say("1, 2"), Do::Fail(ErrorKind::StreamBroken)]);
    let rig = rig(settings(), vec![first, script(&[say("}"), stop("end_turn")])]);
    let mut request = call().request().clone();
    request.messages.push(Message::text(Role::Assistant, "{"));
    rig.run(call().with_request(request)).unwrap();
    let messages = rig.calls()[1].messages().to_vec();
    assert_eq!(messages.last(), Some(&Message::text(Role::Assistant, "{1, 2")));
    assert_eq!(messages.len(), 2);
}

#[test]
fn a_short_beginning_that_comes_again_is_meant() {
    let first = script(&[say("ha"), Do::Fail(ErrorKind::StreamBroken)]);
    let rig = rig(settings(), vec![first, script(&[say("ha"), stop("end_turn")])]);
    assert_eq!(rig.run(call()).unwrap().response.content, json!("haha"));
}

#[test]
fn a_tool_call_whose_end_is_not_told_ends_with_the_answer() {
    for (reason, tools) in [("tool_use", 1), ("max_tokens", 0)] {
        let steps = [&tool("t1")[..3], &[stop(reason)]].concat();
        let chunks = begun(&steps).unwrap();
        let stream = ModelStream::new(
            stream::iter(chunks).map(|chunk| chunk.map_err(|kind| ModelError::new(kind, "scripted"))),
        );
        let collected = VirtualTime::default().block_on(collect(stream)).unwrap();
        let content = match collected {
            Ok(reply) => reply.response.content,
            Err(error) => error.received().unwrap().0.content.clone(),
        };
        assert_eq!(content.as_array().map_or(0, Vec::len), tools, "{reason}: {content}");
    }
}

#[test]
fn text_may_be_said_anew() {
    let first = script(&[say("The quick "), Do::Fail(ErrorKind::Server)]);
    let second = script(&[say("A slow fox"), stop("end_turn")]);
    let rig = rig(settings().with_after_text(AfterText::Restart), vec![first, second]);
    let reply = rig.run(call()).unwrap();
    assert_eq!(reply.response.content, json!("A slow fox"));
    assert_eq!(rig.calls()[0].request(), rig.calls()[1].request());
}

#[test]
fn text_may_be_all_there_is() {
    let first = script(&[usage(10, 0), say("The quick "), Do::Fail(ErrorKind::Server)]);
    let rig = rig(settings().with_after_text(AfterText::Fail), vec![first]);
    let error = rig.run(call()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamBroken);
    let (message, usage) = error.received().unwrap();
    assert_eq!(message.content, json!("The quick "));
    assert_eq!((usage.input_tokens, usage.output_tokens), (10, 4));
    assert_eq!(error.failed().len(), 1);
    assert_eq!(error.failed()[0].kind, ErrorKind::Server);
}

#[test]
fn a_released_tool_call_is_never_asked_for_again() {
    for rule in [AfterText::Resume, AfterText::Restart, AfterText::Fail] {
        let mut steps = tool("t1").to_vec();
        steps.push(Do::Fail(ErrorKind::StreamBroken));
        let rig = rig(settings().with_after_text(rule), vec![script(&steps)]);
        let error = rig.run(call()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StreamBroken);
        assert_eq!(error.received().unwrap().0.content[0]["id"], "t1");
        assert_eq!(rig.calls().len(), 1);
    }
}

#[test]
fn a_tool_call_that_breaks_off_was_never_released() {
    let first =
        [vec![say("look: ")], tool("t1")[..2].to_vec(), vec![Do::Fail(ErrorKind::StreamBroken)]].concat();
    let second = [tool("t2").to_vec(), vec![stop("tool_use")]].concat();
    let rig = rig(settings(), vec![script(&first), script(&second)]);
    let reply = rig.run(call()).unwrap();
    let ids: Vec<_> = reply.response.content.as_array().unwrap().iter().map(|block| &block["id"]).collect();
    assert_eq!(ids, [&json!(null), &json!("t2")]);
}

#[test]
fn errors_that_do_not_pass_end_it() {
    for kind in [ErrorKind::ContentFilter, ErrorKind::InvalidRequest, ErrorKind::Authentication] {
        let rig = rig(settings(), vec![script(&[Do::Fail(kind)])]);
        assert_eq!(rig.run(call()).unwrap_err().kind(), kind);
        assert_eq!(rig.calls().len(), 1);
    }
    let rig = rig(settings(), vec![script(&[say("I will "), Do::Fail(ErrorKind::ContentFilter)])]);
    let error = rig.run(call()).unwrap_err();
    assert_eq!((error.kind(), error.received().is_some()), (ErrorKind::ContentFilter, true));
}

#[test]
fn what_is_done_about_a_break_is_as_the_host_has_it() {
    let gone_on = |kind, treatment: Option<Treatment>| {
        let treatments =
            treatment.map_or_else(Treatments::default, |changed| Treatments::default().with(kind, changed));
        let health = HealthSettings { treatments, ..HealthSettings::default() };
        let answers = vec![script(&[Do::Fail(kind)]), script(&[say("done"), stop("end_turn")])];
        let rig = rig_of(health, settings(), answers);
        rig.run(call()).is_ok()
    };
    let treated = |kind, same_model, next_model| {
        Some(Treatment { same_model, next_model, ..Treatment::default_for(kind) })
    };
    let (broken, refused) = (ErrorKind::StreamBroken, ErrorKind::ContentFilter);
    assert!(gone_on(broken, None) && !gone_on(refused, None));
    assert!(!gone_on(broken, treated(broken, SameModel::No, NextModel::No)));
    assert!(!gone_on(broken, treated(broken, SameModel::Backoff(0), NextModel::No)));
    assert!(gone_on(broken, treated(broken, SameModel::Backoff(1), NextModel::No)));
    assert!(gone_on(refused, treated(refused, SameModel::No, NextModel::Any)));
}

#[test]
fn what_hooks_say_is_not_to_be_tried_again_ends_it() {
    let forbidden = Recovery { retry: Some(false), ..Recovery::default() };
    let error = ModelError::new(ErrorKind::Server, "scripted").with_proposal(forbidden);
    let rig = rig(settings(), vec![script(&[Do::FailWith(Arc::new(Mutex::new(Some(error))))])]);
    rig.run(call()).unwrap_err();
    assert_eq!(rig.calls().len(), 1);
}

#[test]
fn going_on_is_paid_from_the_retry_budget() {
    let budget = RetryBudgetConfig { ratio: 0.0, per_minute: 0, burst: 2 };
    let patient = settings().with_breaks(50, Backoff::new(Duration::ZERO, Duration::ZERO));
    for chained in [true, false] {
        let breaker =
            BreakerConfig { failures_in_a_row: 1_000, minimum_calls: 1_000, ..BreakerConfig::default() };
        let health = HealthSettings { budget, breaker, ..HealthSettings::default() };
        let steps = [say("The quick "), Do::Fail(ErrorKind::StreamBroken)];
        let rig = rig_of(health, patient, vec![script(&steps)]);
        let restart = patient.with_after_text(AfterText::Restart);
        let error = match chained {
            true => through_a_stack(&rig, restart, call()).unwrap_err(),
            false => {
                let mut call = call();
                call.model = Some(Arc::clone(&rig.model));
                read(&rig, restart, tower::layer::util::Identity::new(), call).unwrap_err()
            }
        };
        assert_eq!((rig.calls().len(), error.received().is_some()), (3, true), "chained: {chained}");
    }
}

#[test]
fn breaks_are_counted() {
    let rig = rig(settings(), vec![script(&[Do::Fail(ErrorKind::Server)])]);
    let error = rig.run(call()).unwrap_err();
    assert_eq!((error.kind(), rig.calls().len(), error.failed().len()), (ErrorKind::Server, 4, 4));
}

#[test]
fn a_break_counts_against_the_model() {
    let breaks = settings().with_breaks(50, Backoff::new(Duration::ZERO, Duration::ZERO));
    let rig = rig(breaks, vec![script(&[Do::Fail(ErrorKind::Server)])]);
    assert_eq!(rig.health.breaker(&rig.model), BreakerState::Closed);
    rig.run(call()).unwrap_err();
    assert_ne!(rig.health.breaker(&rig.model), BreakerState::Closed);
}

/// Reads a stream of the client to its end, through a whole stack.
fn through_a_stack(rig: &Rig, settings: StreamConfig, call: Call) -> Result<ModelReply, ModelError> {
    let models = Catalog::new([Model::clone(&rig.model)]).unwrap();
    let chains = Chains::new(&models, &ChainsConfig::default()).unwrap();
    let chain = FallbackLayer::new(chains, rig.health.clone(), FallbackConfig::default()).unwrap();
    read(rig, settings, chain, call)
}

/// Reads a stream through a stack with `chain` as its chain.
fn read<L>(rig: &Rig, settings: StreamConfig, chain: L, call: Call) -> Result<ModelReply, ModelError>
where
    L: Layer<Attempts>,
    L::Service: Service<Call, Response = Replied<ModelStream>, Error = ModelError, Future: Send>
        + Clone
        + Send
        + 'static,
{
    let (world, health) = (rig.health.world().clone(), rig.health.clone());
    let classifiers = Classifiers::new(Arc::new(rig.time.clone()));
    let reply: fn(Replied<ModelStream>) -> ModelStream = |replied| replied.reply;
    let client = tower::util::MapResponse::new(rig.service.get_ref().clone(), reply);
    let attempts = ServiceBuilder::new()
        .layer(RetryLayer::new(health.clone(), RetryConfig::default()).unwrap())
        .layer(BreakerLayer::new(health.clone()))
        .layer(AttemptLayer::new(world.clone(), AttemptConfig::default().streaming(), classifiers).unwrap())
        .layer(BeginLayer)
        .service(client);
    let stack = ServiceBuilder::new()
        .layer(ResumeLayer::new(health, settings).unwrap())
        .layer(DeadlineLayer::new(world, Duration::from_secs(600)).unwrap())
        .layer(chain)
        .service(attempts);
    rig.time
        .block_on(async move { collect(stack.oneshot(call).await?.reply).await })
        .expect("nothing waits for ever")
}

/// The layers below a chain.
type Attempts = Retry<
    Breaker<
        Attempt<
            Begin<tower::util::MapResponse<Script, fn(Replied<ModelStream>) -> ModelStream>>,
            Classifiers,
        >,
    >,
>;

#[test]
fn a_model_that_breaks_every_stream_is_left_alone() {
    let rig = rig(settings(), vec![script(&[say("The quick "), Do::Fail(ErrorKind::StreamBroken)])]);
    let opened = Arc::new(Mutex::new(0));
    let count = Arc::clone(&opened);
    rig.health.on_transition(move |change| {
        *count.lock().unwrap() += usize::from(change.to == BreakerState::Open);
    });
    // Four calls a minute.
    for call_number in 1..=3 {
        let error = through_a_stack(&rig, settings().with_after_text(AfterText::Fail), call()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StreamBroken);
        assert_eq!(*opened.lock().unwrap(), call_number / 3, "after {call_number} calls");
        rig.pass(15);
    }
    // The first chunk of a probe is no success yet.
    through_a_stack(&rig, settings().with_after_text(AfterText::Fail), call()).unwrap_err();
    assert_eq!((*opened.lock().unwrap(), rig.health.breaker(&rig.model)), (2, BreakerState::Open));
}

#[test]
fn a_model_that_is_well_again_is_known_by_a_whole_answer() {
    let broken = || script(&[say("The quick "), Do::Fail(ErrorKind::StreamBroken)]);
    let whole = script(&[say("The quick "), say("brown fox"), stop("end_turn")]);
    let rig = rig(settings(), vec![broken(), broken(), broken(), whole]);
    let fail = settings().with_after_text(AfterText::Fail);
    for _ in 0..3 {
        through_a_stack(&rig, fail, call()).unwrap_err();
    }
    assert_eq!(rig.health.breaker(&rig.model), BreakerState::Open);
    rig.pass(15);
    through_a_stack(&rig, fail, call()).unwrap();
    assert_eq!(rig.health.breaker(&rig.model), BreakerState::Closed);
}

#[test]
fn a_stall_is_a_break_after_its_time() {
    let patient = settings().with_patience(Duration::from_secs(20), Duration::from_secs(5));
    let first = script(&[Do::Wait(19), say("a "), Do::Wait(4), say("b "), Do::Stall]);
    let once = |answers| rig(patient.with_after_text(AfterText::Fail), answers);
    let rig = once(vec![first]);
    let error = rig.run(call()).unwrap_err();
    assert_eq!(error.failed()[0].kind, ErrorKind::IdleTimeout);
    assert_eq!(rig.time.tick().0.as_secs(), 28);
    let rig = once(vec![script(&[Do::Wait(21), say("late")]), script(&[say("in time"), stop("stop")])]);
    assert_eq!(rig.run(call()).unwrap().response.content, json!("in time"));
    assert_eq!(rig.time.tick().0.as_secs(), 20);
}

#[test]
fn nobody_waits_beyond_the_deadline() {
    let rig = rig(settings(), vec![script(&[say("a "), Do::Stall])]);
    let error = rig.run(call().until(Tick(Duration::from_secs(7)))).unwrap_err();
    assert_eq!((error.kind(), error.received().is_some()), (ErrorKind::DeadlineExceeded, true));
    assert_eq!(rig.time.tick().0.as_secs(), 7);
    assert_eq!(rig.calls().len(), 1);
}

#[test]
fn a_stream_that_stalls_after_its_end_has_ended() {
    let rig = rig(settings(), vec![script(&[say("all"), stop("end_turn"), Do::Fail(ErrorKind::Network)])]);
    assert_eq!(rig.run(call()).unwrap().response.content, json!("all"));
}

#[test]
fn who_answers_otherwise_is_not_believed() {
    let sent = "The answer to your question is, after much thought, that it depends";
    let again = "The answer to your question is, after much thought, forty-two";
    let first = script(&[say(sent), Do::Fail(ErrorKind::Server)]);
    let rig = rig(settings(), vec![first, script(&[say(again), stop("end_turn")])]);
    let error = rig.run(call()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StreamBroken);
    assert_eq!(error.received().unwrap().0.content, json!(sent));
}

#[test]
fn a_model_that_cannot_go_on_is_not_asked_to() {
    let first = script(&[say("The quick "), Do::Fail(ErrorKind::Server)]);
    let none = || Err(ModelError::new(ErrorKind::NoModel, "none can"));
    let rig = rig(settings(), vec![first, Box::new(move |_| none())]);
    let error = rig.run(call()).unwrap_err();
    assert_eq!((error.kind(), error.received().is_some()), (ErrorKind::StreamBroken, true));
}

#[test]
fn truncated_and_refused_answers_are_errors_with_what_came() {
    for (reason, kind) in [("max_tokens", ErrorKind::OutputTruncated), ("refusal", ErrorKind::ContentFilter)]
    {
        let rig = rig(settings(), vec![script(&[say("so far"), usage(3, 2), stop(reason)])]);
        let error = rig.run(call()).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.received().unwrap().0.content, json!("so far"));
        assert_eq!(error.received().unwrap().1.total(), 5);
    }
}

#[test]
fn nonsense_is_refused() {
    let rig = rig(settings(), vec![script(&[])]);
    for (first, idle) in [(0, 1), (1, 0)] {
        let settings = settings().with_patience(Duration::from_secs(first), Duration::from_secs(idle));
        assert!(ResumeLayer::new(rig.health.clone(), settings).is_err());
    }
}

/// Reaction of a provider to a partial answer.
#[derive(Clone, Copy, Debug)]
enum Manner {
    GoesOn,
    SaysAllAgain,
}

/// A provider that answers `text` and `tools` tool calls, and breaks at these places, one in each stream.
fn provider(text: String, tools: usize, cuts: Vec<usize>, manner: Manner, size: usize) -> Vec<ScriptedReply> {
    let answer = move |call: &Call, cut: Option<usize>| {
        let messages = call.messages();
        let sent = messages.get(1).and_then(|message| message.content.as_str()).unwrap_or_default();
        let rest = match manner {
            Manner::GoesOn => text.strip_prefix(sent).unwrap_or(&text),
            Manner::SaysAllAgain if sent.len() >= 4 => &text,
            // A shorter repetition counts as intended.
            Manner::SaysAllAgain => text.strip_prefix(sent).unwrap_or(&text),
        };
        let letters: Vec<char> = rest.chars().collect();
        let mut steps: Vec<Do> =
            letters.chunks(size).map(|piece| say(&piece.iter().collect::<String>())).collect();
        for number in 0..tools {
            steps.extend(tool(&format!("t{number}")));
        }
        steps.push(stop(if tools > 0 { "tool_use" } else { "end_turn" }));
        if let Some(cut) = cut {
            steps.truncate(cut.min(steps.len() - 1));
            steps.push(Do::Fail(ErrorKind::StreamBroken));
        }
        Ok(steps)
    };
    let mut answers: Vec<ScriptedReply> = Vec::new();
    for cut in cuts.into_iter().map(Some).chain([None]) {
        let answer = answer.clone();
        answers.push(Box::new(move |call| answer(call, cut)));
    }
    answers
}

proptest! {
    #[test]
    fn nothing_is_doubled_wherever_it_breaks(
        text in "[a-z]{3,9}( [a-z]{3,9}|\n\n[A-Z][a-z]{2,5}){0,12}",
        tools in 0usize..3,
        cuts in proptest::collection::vec(0usize..60, 1..4),
        says_again: bool,
        anew: bool,
        size in 1usize..9,
    ) {
        let manner = if says_again { Manner::SaysAllAgain } else { Manner::GoesOn };
        let rule = if anew { AfterText::Restart } else { AfterText::Resume };
        let rig = rig(settings().with_after_text(rule), provider(text.clone(), tools, cuts, manner, size));
        let (content, whole) = match rig.run(call()) {
            Ok(reply) => (reply.response.content, true),
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::StreamBroken);
                (error.received().unwrap().0.content.clone(), false)
            }
        };
        let blocks = match content {
            serde_json::Value::String(text) => vec![json!({ "type": "text", "text": text })],
            other => other.as_array().unwrap().clone(),
        };
        prop_assert_eq!(&blocks[0]["text"], &json!(text));
        let ids: Vec<_> = blocks[1..].iter().map(|block| block["id"].as_str().unwrap().to_owned()).collect();
        let all: Vec<_> = (0..tools).map(|number| format!("t{number}")).collect();
        prop_assert!(all.starts_with(&ids), "{:?}", ids);
        prop_assert_eq!(whole, whole && ids == all);
        // Only a released tool call keeps the answer from being complete.
        prop_assert!(whole || !ids.is_empty());
    }
}

/// The chunks of a client that answers with a script.
fn begun(steps: &[Do]) -> Result<Vec<Result<Chunk, ErrorKind>>, ErrorKind> {
    let Rig { time, service, .. } = rig(settings(), vec![script(steps)]);
    let client =
        tower::util::MapResponse::new(service.into_inner(), |replied: Replied<ModelStream>| replied.reply);
    let begun = time.block_on(async {
        let stream = BeginLayer.layer(client).oneshot(call()).await;
        let stream = stream.map_err(|error| error.downcast::<ModelError>().unwrap().kind())?;
        Ok(stream.map(|chunk| chunk.map_err(|error| error.kind())).collect().await)
    });
    begun.unwrap_or(Err(ErrorKind::FirstByteTimeout))
}

#[test]
fn what_goes_wrong_before_the_first_piece_is_an_error_of_the_attempt() {
    assert_eq!(begun(&[Do::Fail(ErrorKind::Overloaded)]), Err(ErrorKind::Overloaded));
    assert_eq!(begun(&[usage(3, 0), Do::Fail(ErrorKind::Server)]), Err(ErrorKind::Server));
    assert_eq!(begun(&[usage(3, 0), say("")]), Err(ErrorKind::StreamBroken));
    assert_eq!(begun(&[usage(3, 0), Do::Stall]), Err(ErrorKind::FirstByteTimeout));
}

#[test]
fn nothing_is_lost_before_the_first_piece() {
    let steps = [usage(3, 0), say("a"), Do::Fail(ErrorKind::Server)];
    let chunks = begun(&steps).unwrap();
    assert!(
        matches!(&chunks[..], [Ok(Chunk::Usage(_)), Ok(Chunk::Text(text)), Err(ErrorKind::Server)] if text == "a")
    );
}

#[test]
fn a_stream_may_be_dropped_anywhere() {
    let steps = [say("a "), Do::Wait(3), say("b "), Do::Fail(ErrorKind::Server)];
    for polls in 0..12 {
        let rig = rig(settings(), vec![script(&steps), script(&[Do::Wait(1), say("c"), stop("stop")])]);
        let service = rig.service.clone();
        rig.time.block_on(async {
            let mut stream = service.oneshot(call()).await.unwrap().reply;
            for _ in 0..polls {
                // One poll, with any result; then everything is dropped.
                drop(std::future::poll_fn(|cx| Poll::Ready(stream.poll_next_unpin(cx))).await);
                hooks_core::time::Timer::sleep(&rig.time, Duration::from_secs(1)).await;
            }
        });
        assert_eq!(rig.health.breaker(&rig.model), BreakerState::Closed);
        assert_eq!(Arc::strong_count(&rig.calls), 2, "nothing keeps the stack alive");
    }
}
