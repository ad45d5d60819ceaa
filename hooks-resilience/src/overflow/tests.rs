//! Tests of the layer from outside, in virtual time.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hooks_conversation::{Estimate, Summariser, SummaryRequest, Tokenizer};
use hooks_core::drivers::ModelRequest;
use hooks_core::event::{CompactionSource, Message, PreCompact, Role};
use hooks_core::state::OpId;
use hooks_core::testing::{Recorder, VirtualTime};
use hooks_core::time::{SeededRandom, Tick};
use hooks_core::{
    BoxError, CompactNotes, CompactOutcome, Composite, ContextNote, ContextPatch, Environment, EventKind,
    FailureLayer, HookContext, HookFuture, HookRequest, Hooks, Reason, Recovery, Verdict, WireEvent, hook_fn,
    policy_fn,
};
use serde_json::json;
use tower::{ServiceExt, service_fn};
use tower_layer::Layer;
use tower_service::Service;

use super::{Means, OverflowConfig, OverflowLayer};
use crate::call::{Call, Needs, Replied};
use crate::catalog::{Catalog, Model, Tier};
use crate::error::{ErrorKind, ModelError, NextModel, SameModel, Treatment, Treatments};
use crate::world::World;

const SECOND: Duration = Duration::from_secs(1);

/// A model with a limited window. It requires readiness before each call, answers after one second, and
/// records the calls.
pub(super) struct Window {
    tokens: u64,
    time: VirtualTime,
    sent: Arc<Mutex<Vec<Call>>>,
    /// Errors besides the size, in order.
    mishaps: Arc<Mutex<VecDeque<ModelError>>>,
    /// Number of instances that are ready and were not called.
    held: Arc<()>,
    ready: Option<Arc<()>>,
}

impl Window {
    pub(super) fn new(tokens: u64, time: &VirtualTime) -> Self {
        let (sent, mishaps, held) = Default::default();
        Self { tokens, time: time.clone(), sent, mishaps, held, ready: None }
    }

    pub(super) fn sent(&self) -> Vec<Call> {
        self.sent.lock().unwrap().clone()
    }
}

impl Clone for Window {
    fn clone(&self) -> Self {
        let Self { tokens, time, sent, mishaps, held, .. } = self;
        Self {
            tokens: *tokens,
            time: time.clone(),
            sent: Arc::clone(sent),
            mishaps: Arc::clone(mishaps),
            held: Arc::clone(held),
            ready: None,
        }
    }
}

impl Service<Call> for Window {
    type Response = Replied<&'static str>;
    type Error = ModelError;
    type Future = HookFuture<'static, Result<Self::Response, ModelError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.ready.get_or_insert_with(|| Arc::clone(&self.held));
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        assert!(self.ready.take().is_some(), "called without being ready");
        self.sent.lock().unwrap().push(call.clone());
        let (nap, mishap) =
            (hooks_core::time::Timer::sleep(&self.time, SECOND), self.mishaps.lock().unwrap().pop_front());
        let fits = tokens(call.messages()) <= self.tokens;
        HookFuture::later(async move {
            nap.await;
            match mishap {
                Some(mishap) => Err(mishap),
                None if fits => Ok(Replied::new(call, "answer")),
                None => Err(ModelError::new(ErrorKind::ContextOverflow, "prompt is too long")),
            }
        })
    }
}

pub(super) fn tokens(messages: &[Message]) -> u64 {
    messages.iter().map(|message| Estimate.message(message)).sum()
}

pub(super) fn world(time: &VirtualTime) -> World {
    let environment = Environment {
        clock: Arc::new(time.clone()),
        random: Arc::new(SeededRandom::new(1)),
        ..Environment::detached()
    };
    World::new(&environment, time.clone())
}

fn layer(time: &VirtualTime) -> OverflowLayer {
    OverflowLayer::new(OverflowConfig::default(), world(time)).unwrap()
}

pub(super) fn call(messages: Vec<Message>) -> Call {
    let request = ModelRequest { model: "m".to_owned(), iteration: 1, messages };
    Call::new(Arc::new(HookContext::default()), request, OpId(7))
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

/// A tool call and its result: about `tokens` tokens, unique by `id`.
fn exchange(id: &str, tokens: u64) -> [Message; 2] {
    let twice = format!("{id} {id} ");
    let text = twice.repeat(usize::try_from(tokens / Estimate.count(&twice)).unwrap());
    [
        Message {
            role: Role::Assistant,
            content: json!([{ "type": "tool_use", "id": id, "name": "read", "input": {} }]),
        },
        Message {
            role: Role::User,
            content: json!([{ "type": "tool_result", "tool_use_id": id, "content": text }]),
        },
    ]
}

/// A system message, a task, then exchanges of these sizes.
fn work(sizes: &[u64]) -> Vec<Message> {
    let mut messages = vec![Message::text(Role::System, "you are careful"), user("tidy up the notes")];
    for (index, size) in sizes.iter().enumerate() {
        messages.extend(exchange(&format!("call{index}"), *size));
    }
    messages
}

fn talk(turns: usize) -> Vec<Message> {
    let mut messages = vec![Message::text(Role::System, "you are careful")];
    for turn in 0..turns {
        messages.push(user(&format!("question {turn}: {}", "why ".repeat(50))));
        messages.push(Message::text(Role::Assistant, format!("answer {turn}: {}", "because ".repeat(50))));
    }
    messages.push(user("and now?"));
    messages
}

fn results(messages: &[Message]) -> Vec<&str> {
    messages.iter().filter_map(|message| message.content.get(0)?.get("content")?.as_str()).collect()
}

fn ask(
    time: &VirtualTime,
    layer: &OverflowLayer,
    inner: &Window,
    call: Call,
) -> Result<Replied<&'static str>, ModelError> {
    time.block_on(layer.layer(inner.clone()).oneshot(call)).expect("it waits for time alone")
}

/// Writes the same summary for every conversation.
fn summariser(text: &'static str, log: &Arc<Mutex<Vec<SummaryRequest>>>) -> Summariser {
    let log = Arc::clone(log);
    Summariser::new(service_fn(move |request| {
        log.lock().unwrap().push(request);
        std::future::ready(Ok::<_, BoxError>(text.to_owned()))
    }))
}

#[test]
fn what_fits_is_sent_as_it_is() {
    let time = VirtualTime::default();
    let (inner, recorder) = (Window::new(10_000, &time), Recorder::default());
    let replied =
        ask(&time, &layer(&time).with_hooks(recorder.clone()), &inner, call(work(&[100; 4]))).unwrap();
    assert_eq!(replied.reply, "answer");
    assert!(replied.failed.is_empty() && recorder.kinds().is_empty());
    assert_eq!(inner.sent().len(), 1);
}

#[test]
fn the_oldest_tool_results_go_first_and_the_answer_says_so() {
    let time = VirtualTime::default();
    let (inner, recorder) = (Window::new(3_000, &time), Recorder::default());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let layer = layer(&time).with_hooks(recorder.clone()).telling({
        let heard = Arc::clone(&heard);
        move |compacted| heard.lock().unwrap().push((compacted.means.to_vec(), compacted.tokens_after))
    });
    let before = work(&[1_000; 4]);
    let replied = ask(&time, &layer, &inner, call(before.clone())).unwrap();
    let after = replied.call.messages();
    let texts = results(after);
    assert!(
        texts[0].starts_with("[a tool result of") && texts[1].starts_with("[a tool result of"),
        "{texts:?}"
    );
    assert!(texts[2].starts_with("call2") && texts[3].starts_with("call3"));
    assert_eq!(after.len(), before.len());
    assert_eq!(replied.failed.len(), 1);
    assert_eq!((replied.failed[0].kind, replied.failed[0].at), (ErrorKind::ContextOverflow, Tick(SECOND)));
    assert_eq!(replied.call.now, Some(Tick(SECOND)), "time has passed");
    assert_eq!(recorder.kinds(), [EventKind::PreCompact, EventKind::PostCompact]);
    let seen = recorder.seen();
    let [WireEvent::PreCompact(compaction), WireEvent::PostCompact(done)] = &seen[..] else {
        panic!("{seen:?}")
    };
    assert_eq!(
        (compaction.source, compaction.current_token_count),
        (CompactionSource::Overflow, tokens(&before))
    );
    let spoken: Vec<_> = before.iter().filter(|message| message.role == Role::Assistant).cloned().collect();
    assert!(compaction.output_token_count > 0 && compaction.output_token_count == tokens(&spoken));
    assert_eq!(done.output_token_count, compaction.output_token_count);
    assert_eq!(done.compaction_strategy.as_deref(), Some("drop_tool_results"));
    assert_eq!(done.current_token_count, tokens(after));
    assert_eq!(*heard.lock().unwrap(), [(vec![Means::DropToolResults], tokens(after))]);
}

#[test]
fn what_stands_there_twice_stays_once_where_it_came_last() {
    let time = VirtualTime::default();
    let inner = Window::new(2_000, &time);
    let settings = OverflowConfig::default().with_means([Means::Deduplicate]);
    let layer = OverflowLayer::new(settings, world(&time)).unwrap();
    let file = "fn main() {}\n".repeat(200);
    let mut messages = vec![user(&file)];
    messages.extend(exchange("a", 200));
    messages.push(Message {
        role: Role::User,
        content: json!([{ "type": "tool_result", "tool_use_id": "b", "content": [{ "type": "text", "text": file }] }]),
    });
    messages.push(Message { role: Role::Tool, content: json!({ "tool_call_id": "c", "content": file }) });
    messages.push(user("go on"));
    let replied = ask(&time, &layer, &inner, call(messages.clone())).unwrap();
    let after = replied.call.messages();
    assert!(after[0].content.as_str().unwrap().contains("stand again further below"));
    assert!(after[3].content[0]["content"].as_str().unwrap().contains("stand again further below"));
    assert_eq!(after[4..], messages[4..]);
    assert_eq!(after[1..3], messages[1..3]);
}

#[test]
fn a_summary_takes_the_place_of_the_older_turns() {
    let time = VirtualTime::default();
    let (inner, log) = (Window::new(2_000, &time), Arc::default());
    let layer = layer(&time).with_summariser(summariser("they talked", &log));
    let mut before = talk(20);
    before.insert(4, user("Decision: the notes stay in Markdown"));
    let replied = ask(&time, &layer, &inner, call(before.clone())).unwrap();
    let after = replied.call.messages();
    assert_eq!(after[0], before[0]);
    assert_eq!(after[1], user("[summary of what came before: a record, not a request]\nthey talked"));
    assert_eq!(after[2], before[4], "a decision stays verbatim");
    assert_eq!(after.last(), before.last());
    assert!(after.len() > 4 && before.ends_with(&after[3..]), "the newest turns stay");
    let log = log.lock().unwrap();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].messages.len() + after.len(), before.len() + 1);
    assert!(!log[0].messages.contains(&before[4]) && log[0].max_tokens > 0);
}

/// Hooks that answer `pre_compact` with these notes.
fn noting(notes: CompactNotes) -> Hooks {
    let notes = Arc::new(Mutex::new(Some(notes)));
    let hook = hook_fn(move |_: HookRequest<PreCompact>| {
        let notes = notes.lock().unwrap().take().unwrap_or_default();
        async move { Ok(CompactOutcome::noting(notes)) }
    });
    Hooks::builder().stack(&FailureLayer::new("notes"), hook).build()
}

#[test]
fn the_hooks_own_summary_and_context_are_used() {
    let time = VirtualTime::default();
    let (inner, log, recorder) = (Window::new(2_000, &time), Arc::default(), Recorder::default());
    let notes = CompactNotes {
        context: ContextPatch::note(ContextNote::new("the reviewer is Dallas")),
        summary: Some("my own words".to_owned()),
        ..CompactNotes::default()
    };
    let hooks = Composite::default().and(noting(notes)).and(recorder.clone());
    let layer = layer(&time).with_hooks(hooks).with_summariser(summariser("not asked", &log));
    let replied = ask(&time, &layer, &inner, call(talk(20))).unwrap();
    let texts: Vec<_> =
        replied.call.messages().iter().filter_map(|message| message.content.as_str()).collect();
    assert_eq!(texts[1], "[kept while the conversation was compacted]\nthe reviewer is Dallas");
    assert_eq!(texts[2], "[summary of what came before: a record, not a request]\nmy own words");
    assert!(log.lock().unwrap().is_empty());
    let seen = recorder.seen();
    let Some(WireEvent::PostCompact(done)) = seen.last() else { panic!("{seen:?}") };
    assert_eq!(done.summary, "my own words");
}

#[test]
fn a_veto_leaves_the_error_and_says_why() {
    let time = VirtualTime::default();
    let inner = Window::new(500, &time);
    let veto = policy_fn("veto", |_: &HookRequest<PreCompact>| {
        Verdict::deny(Reason::new("veto", "test", "the audit needs all of it"))
    });
    let layer = layer(&time).with_hooks(Hooks::builder().policy(veto).build());
    let error = ask(&time, &layer, &inner, call(work(&[1_000; 4]))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ContextOverflow);
    assert!(error.message().contains("the audit needs all of it"), "{error}");
    assert_eq!(inner.sent().len(), 1);
}

#[test]
fn a_model_that_refuses_everything_is_asked_once_for_each_means_and_then_no_more() {
    let time = VirtualTime::default();
    let (inner, log, recorder) = (Window::new(0, &time), Arc::default(), Recorder::default());
    let layer = layer(&time).with_summariser(summariser("short", &log)).with_hooks(recorder.clone());
    let mut messages = talk(20);
    messages.splice(1..1, work(&[1_000; 8]).split_off(1));
    let error = ask(&time, &layer, &inner, call(messages)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ContextOverflow);
    let sizes: Vec<u64> = inner.sent().iter().map(|call| tokens(call.messages())).collect();
    assert!((2..=4).contains(&sizes.len()) && sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
    assert_eq!(error.failed().len(), sizes.len() - 1, "what was tried before this one");
    assert_eq!(recorder.kinds(), [EventKind::PreCompact], "nothing was compacted in the end");
}

#[test]
fn a_summariser_that_overflows_errs_or_hangs_ends_in_the_overflow() {
    for mode in ["overflows", "says nothing", "goes on for ever", "hangs", "says too much"] {
        let time = VirtualTime::default();
        let inner = Window::new(500, &time);
        let summariser = service_fn(move |request: SummaryRequest| async move {
            match mode {
                "overflows" => Err(BoxError::from(ModelError::new(ErrorKind::ContextOverflow, "too long"))),
                "says nothing" => Ok(" \n".to_owned()),
                "hangs" => pending().await,
                "goes on for ever" => Ok("word ".repeat(100_000)),
                _ => Ok("word ".repeat(usize::try_from(tokens(&request.messages)).unwrap())),
            }
        });
        let layer = layer(&time).with_summariser(Summariser::new(summariser));
        let deadline = Tick(SECOND * 20);
        let error = ask(&time, &layer, &inner, call(talk(20)).until(deadline)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ContextOverflow, "{mode}");
        assert_eq!(inner.sent().len(), 1, "{mode}");
        assert!(hooks_core::time::Clock::tick(&time) <= deadline, "{mode}");
    }
}

#[test]
fn what_did_not_become_as_small_as_it_should_is_tried_in_the_end() {
    let time = VirtualTime::default();
    // The target is 70 % of the refused size, 980 tokens; only 190 tokens can be removed.
    let inner = Window::new(1_300, &time);
    let mut messages = work(&[200]);
    messages.push(Message::text(Role::Assistant, "so ".repeat(1_150)));
    assert!(tokens(&messages) > 1_300);
    let replied = ask(&time, &layer(&time), &inner, call(messages)).unwrap();
    assert_eq!((replied.reply, inner.sent().len()), ("answer", 2));
}

#[test]
fn what_cannot_fit_is_not_sent() {
    let time = VirtualTime::default();
    let (inner, recorder) = (Window::new(10_000, &time), Recorder::default());
    let layer = layer(&time).with_hooks(recorder.clone());
    let mut small = Model::new("small", "p", Tier::Fast);
    small.context_tokens = Some(3_000);
    let catalog = Catalog::new([small]).unwrap();
    let messages = work(&[1_000; 4]);
    let needs = Needs { input_tokens: tokens(&messages), output_tokens: 500, ..Needs::default() };
    let mut request = call(messages).needing(needs);
    request.model = catalog.get("small").cloned();
    let replied = ask(&time, &layer, &inner, request).unwrap();
    let [sent] = &inner.sent()[..] else { panic!("one attempt") };
    assert!(sent.needs().tokens() <= 3_000 && sent.needs().input_tokens == tokens(sent.messages()));
    assert!(replied.failed.is_empty(), "nothing was tried before");
    assert_eq!(recorder.kinds(), [EventKind::PreCompact, EventKind::PostCompact]);
}

#[test]
fn other_errors_and_calls_that_may_not_be_repeated_pass() {
    let no = Recovery { retry: Some(false), ..Recovery::default() };
    let overflow = || ModelError::new(ErrorKind::ContextOverflow, "too long");
    let long = || call(work(&[1_000; 4]));
    let marked = long();
    marked.mark_effects();
    let mut row = Treatment::default_for(ErrorKind::ContextOverflow);
    (row.same_model, row.next_model) = (SameModel::No, NextModel::Any);
    let treatments = Treatments::default().with(ErrorKind::ContextOverflow, row);
    let time = VirtualTime::default();
    let plain = layer(&time);
    for (layer, call, mishap) in [
        (plain.clone(), long(), Some(ModelError::new(ErrorKind::Server, "500"))),
        (plain.clone(), long(), Some(overflow().with_proposal(no))),
        (plain.clone(), marked, None),
        (plain.clone().treating(&treatments), long(), None),
    ] {
        let inner = Window::new(500, &time);
        inner.mishaps.lock().unwrap().extend(mishap);
        assert!(ask(&time, &layer, &inner, call).is_err());
        assert_eq!(inner.sent().len(), 1);
    }
}

#[test]
fn another_error_of_a_shorter_conversation_is_the_answer_and_tells_the_story() {
    let time = VirtualTime::default();
    let inner = Window::new(3_000, &time);
    let first = ModelError::new(ErrorKind::ContextOverflow, "too long");
    inner.mishaps.lock().unwrap().extend([first, ModelError::new(ErrorKind::Network, "reset")]);
    let error = ask(&time, &layer(&time), &inner, call(work(&[1_000; 4]))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert_eq!(
        error.failed().iter().map(|failed| failed.kind).collect::<Vec<_>>(),
        [ErrorKind::ContextOverflow]
    );
}

#[test]
fn nothing_is_sent_after_the_deadline() {
    let time = VirtualTime::default();
    let inner = Window::new(3_000, &time);
    let error = ask(&time, &layer(&time), &inner, call(work(&[1_000; 4])).until(Tick(SECOND))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!((error.failed().len(), inner.sent().len()), (1, 1));
}

#[test]
fn hooks_that_hang_after_the_answer_do_not_lose_it() {
    let time = VirtualTime::default();
    let inner = Window::new(3_000, &time);
    let hangs = hook_fn(|_: HookRequest<hooks_core::event::PostCompact>| pending::<Result<(), _>>());
    let layer = layer(&time).with_hooks(Hooks::builder().hook(&FailureLayer::new("hangs"), hangs).build());
    let replied = ask(&time, &layer, &inner, call(work(&[1_000; 4])).until(Tick(SECOND * 10))).unwrap();
    assert_eq!(replied.reply, "answer");
}

#[test]
fn cancelled_anywhere_it_keeps_nothing() {
    let mut ended = false;
    for polls in 0..12 {
        let time = VirtualTime::default();
        let inner = Window::new(100, &time);
        let nap = time.clone();
        let summariser = service_fn(move |_: SummaryRequest| {
            let nap = hooks_core::time::Timer::sleep(&nap, SECOND);
            async move {
                nap.await;
                Ok::<_, BoxError>("short".to_owned())
            }
        });
        let layer = layer(&time).with_summariser(Summariser::new(summariser)).with_hooks(Recorder::default());
        let mut request = Box::pin(layer.layer(inner.clone()).oneshot(call(talk(20))));
        let mut cx = Context::from_waker(Waker::noop());
        for _ in 0..polls {
            if request.as_mut().poll(&mut cx).is_ready() {
                ended = true;
                break;
            }
            // A second passes.
            time.block_on(hooks_core::time::Timer::sleep(&time, SECOND));
        }
        drop(request);
        assert_eq!(Arc::strong_count(&inner.held), 1, "that of this test, after {polls} polls");
    }
    assert!(ended);
}
