//! Properties of all conversations.

use std::collections::HashSet;
use std::sync::Arc;

use hooks_conversation::message::places;
use hooks_conversation::{Summariser, SummaryRequest};
use hooks_core::BoxError;
use hooks_core::event::{Message, Role};
use hooks_core::testing::VirtualTime;
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::{ServiceExt, service_fn};
use tower_layer::Layer;

use super::tests::{Window, call, tokens, world};
use super::{Keep, Marked, Means, OverflowConfig, OverflowLayer};
use crate::call::Call;
use crate::error::ErrorKind;

/// One step of a conversation.
#[derive(Clone, Debug)]
enum Step {
    Says(Role, String),
    /// Tool calls and their results, in the shape of a provider, with a remark of the user beside or before
    /// them.
    Uses(u8, Vec<String>, Option<String>),
    /// A result without a call.
    Orphan(String),
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0..4usize, 0..400usize).prop_map(|(word, times)| ["file ", "漢字", "x", "привет "][word].repeat(times)),
        2 => "[ -~]{0,300}",
        1 => (1..30usize).prop_map(|times| "Decision: we keep it. ".repeat(times)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let role = prop_oneof![1 => Just(Role::System), 4 => Just(Role::User), 4 => Just(Role::Assistant)];
    prop_oneof![
        4 => (role, text()).prop_map(|(role, text)| Step::Says(role, text)),
        6 => (0..5u8, prop::collection::vec(text(), 1..4), prop::option::weighted(0.2, text()))
            .prop_map(|(shape, results, remark)| Step::Uses(shape, results, remark)),
        1 => text().prop_map(Step::Orphan),
    ]
}

/// The messages of a conversation; each call has its own id.
fn conversation() -> impl Strategy<Value = Vec<Message>> {
    prop::collection::vec(step(), 0..20).prop_map(|steps| {
        let (mut messages, mut next) = (Vec::new(), 0);
        for step in steps {
            match step {
                Step::Says(role, text) => messages.push(Message::text(role, text)),
                Step::Orphan(text) => messages.push(Message { role: Role::Tool, content: json!(text) }),
                Step::Uses(shape, results, remark) => {
                    let results: Vec<_> = results
                        .into_iter()
                        .map(|text| {
                            next += 1;
                            (format!("id{next}"), text)
                        })
                        .collect();
                    messages.extend(uses(shape, &results, remark));
                }
            }
        }
        messages
    })
}

fn uses(shape: u8, results: &[(String, String)], remark: Option<String>) -> Vec<Message> {
    let blocks = |make: &dyn Fn(&String, &String) -> Value| -> Value {
        results.iter().map(|(id, text)| make(id, text)).collect()
    };
    let assistant = |content| Message { role: Role::Assistant, content };
    match shape {
        0 => {
            let mut content =
                blocks(&|id, text| json!({ "type": "tool_result", "tool_use_id": id, "content": text }));
            if let (Some(list), Some(remark)) = (content.as_array_mut(), remark) {
                list.push(json!({ "type": "text", "text": remark }));
            }
            let calls = blocks(&|id, _| json!({ "type": "tool_use", "id": id, "name": "t", "input": {} }));
            vec![assistant(calls), Message { role: Role::User, content }]
        }
        1 => {
            let calls = blocks(&|id, _| json!({ "id": id, "type": "function" }));
            let answers = results.iter().map(|(id, text)| Message {
                role: Role::Tool,
                content: json!({ "tool_call_id": id, "content": text }),
            });
            let calls = assistant(json!({ "content": "so", "tool_calls": calls }));
            // The user writes before the tools are done.
            let between = remark.map(|remark| Message::text(Role::User, remark));
            [calls].into_iter().chain(between).chain(answers).collect()
        }
        2 => vec![
            assistant(blocks(&|id, _| json!({ "toolUse": { "toolUseId": id, "name": "t" } }))),
            Message {
                role: Role::User,
                content: blocks(
                    &|id, text| json!({ "toolResult": { "toolUseId": id, "content": [{ "text": text }] } }),
                ),
            },
        ],
        3 => vec![
            assistant(blocks(&|id, _| json!({ "type": "function_call", "call_id": id }))),
            Message {
                role: Role::Tool,
                content: blocks(
                    &|id, text| json!({ "type": "function_call_output", "call_id": id, "output": text }),
                ),
            },
        ],
        // Results without ids.
        _ => {
            let answers = results.iter().map(|(_, text)| Message { role: Role::Tool, content: json!(text) });
            [assistant(json!({ "tool": "read" }))].into_iter().chain(answers).collect()
        }
    }
}

/// Behaviour of the summariser.
#[derive(Clone, Copy, Debug)]
enum Answers {
    None,
    Short,
    Long,
    Errs,
}

#[derive(Debug)]
struct Run {
    sent: Vec<Vec<Message>>,
    /// The kind of the final error, if there was one.
    ended: Option<ErrorKind>,
}

fn run(messages: &[Message], window: u64, percent: u8, summariser: Answers) -> Run {
    let time = VirtualTime::default();
    let settings = OverflowConfig::default().with_target_percent(percent);
    let layer = OverflowLayer::new(settings, world(&time)).unwrap();
    let layer = match summariser {
        Answers::None => layer,
        _ => layer.with_summariser(Summariser::new(service_fn(move |request: SummaryRequest| async move {
            match summariser {
                Answers::Short => Ok("it was short".to_owned()),
                Answers::Long => Ok("word ".repeat(usize::try_from(request.max_tokens).unwrap_or(0))),
                _ => Err(BoxError::from("no")),
            }
        }))),
    };
    let inner = Window::new(window, &time);
    let answer = time.block_on(layer.layer(inner.clone()).oneshot(call(messages.to_vec()))).unwrap();
    let sent = inner.sent().iter().map(|call: &Call| call.messages().to_vec()).collect();
    Run { sent, ended: answer.err().map(|error| error.kind()) }
}

/// Messages that have to stay verbatim.
fn kept(messages: &[Message]) -> Vec<&Message> {
    let is_request = |message: &Message| {
        message.role == Role::User
            && !places::holds_results(message)
            && message.content.as_str().is_some_and(|text| !text.is_empty())
    };
    let newest = messages.iter().rposition(is_request);
    let keep = Marked::default();
    let stays = |index: usize, message: &Message| {
        message.role == Role::System || Some(index) == newest || keep.keeps(message)
    };
    messages.iter().enumerate().filter(|(index, message)| stays(*index, message)).map(|(_, it)| it).collect()
}

/// Whether `whole` contains the messages of `part` in this order.
fn stands_in<'a>(part: impl IntoIterator<Item = &'a Message>, whole: &[Message]) -> bool {
    let mut whole = whole.iter();
    part.into_iter().all(|wanted| whole.any(|message| message == wanted))
}

fn ids<'a>(messages: &'a [Message], of: impl Fn(&'a Message) -> Vec<&'a str>) -> HashSet<&'a str> {
    messages.iter().flat_map(of).collect()
}

/// Whether each result stands after its call, and each call has its result.
fn pairs_are_whole(messages: &[Message]) -> bool {
    let mut called = HashSet::new();
    for message in messages {
        if places::answered(message).any(|id| !called.contains(id)) {
            return false;
        }
        called.extend(places::called(message));
    }
    called == ids(messages, |message| places::answered(message).collect())
}

/// Whether each result without an id still follows a message of the model or another result.
fn results_without_ids_follow_a_model(messages: &[Message]) -> bool {
    messages.windows(2).all(|pair| {
        let is_bare = pair[1].role == Role::Tool && pair[1].content.is_string();
        !is_bare || matches!(pair[0].role, Role::Assistant | Role::Tool)
    })
}

proptest! {
    #[test]
    fn it_ends_shrinks_and_keeps_what_has_to_be_kept(
        messages in conversation(),
        share in 0..100u64,
        percent in 1..=95u8,
        summariser in prop::sample::select(vec![Answers::None, Answers::Short, Answers::Long, Answers::Errs]),
    ) {
        let window = tokens(&messages) * share / 100;
        let Run { sent, ended } = run(&messages, window, percent, summariser);
        prop_assert!(sent.len() <= 4, "{} attempts", sent.len());
        prop_assert_eq!(&sent[0], &messages);
        prop_assert!(matches!(ended, None | Some(ErrorKind::ContextOverflow)));
        let sizes: Vec<u64> = sent.iter().map(|messages| tokens(messages)).collect();
        prop_assert!(sizes.is_sorted_by(|a, b| a > b), "{:?}", sizes);
        let bare = results_without_ids_follow_a_model(&messages);
        for shorter in &sent {
            prop_assert!(stands_in(kept(&messages), shorter), "lost what has to stay: {:?}", shorter);
            prop_assert!(pairs_are_whole(shorter), "a call and its result were parted: {:?}", shorter);
            prop_assert!(!bare || results_without_ids_follow_a_model(shorter), "{:?}", shorter);
        }
        if ended.is_none() {
            prop_assert!(sizes.last().is_some_and(|size| *size <= window));
        }
    }

    #[test]
    fn the_same_conversation_is_compacted_the_same(messages in conversation(), share in 0..100u64) {
        let window = tokens(&messages) * share / 100;
        let [one, two] = [(); 2].map(|()| run(&messages, window, 70, Answers::Short));
        prop_assert_eq!(one.sent, two.sent);
    }

    #[test]
    fn what_the_user_says_beside_results_stays(
        messages in conversation(),
        remark in "[a-z]{1,20}",
        share in 0..100u64,
    ) {
        let mut messages = messages;
        messages.extend(uses(0, &[("last".to_owned(), "x".repeat(4_000))], Some(remark.clone())));
        let window = tokens(&messages) * share / 100;
        let note = json!({ "type": "text", "text": remark });
        for shorter in run(&messages, window, 50, Answers::Short).sent {
            let found = shorter.iter().any(|message| {
                message.content.as_array().is_some_and(|blocks| blocks.contains(&note))
            });
            prop_assert!(found, "{:?}", shorter);
        }
    }

    #[test]
    fn dropping_and_deduplicating_change_no_shape(messages in conversation()) {
        let time = VirtualTime::default();
        let settings =
            OverflowConfig::default().with_means([Means::Deduplicate, Means::DropToolResults]).with_target_percent(1);
        let layer = OverflowLayer::new(settings, world(&time)).unwrap();
        let inner = Window::new(0, &time);
        let _refused = time.block_on(layer.layer(inner.clone()).oneshot(call(messages.clone())));
        for shorter in inner.sent() {
            let after = shorter.messages();
            prop_assert_eq!(after.len(), messages.len());
            for (before, after) in messages.iter().zip(after) {
                prop_assert_eq!(before.role, after.role);
                prop_assert_eq!(places::called(before), places::called(after));
                prop_assert!(places::answered(before).eq(places::answered(after)));
                prop_assert_eq!(before.content.as_array().map(Vec::len), after.content.as_array().map(Vec::len));
            }
        }
    }

    #[test]
    fn no_json_is_too_odd(
        contents in prop::collection::vec(hooks_core::testing::json(), 0..6),
        roles in prop::collection::vec(prop::sample::select(vec![Role::User, Role::Assistant, Role::Tool]), 6),
    ) {
        let messages: Vec<Message> =
            contents.into_iter().zip(roles).map(|(content, role)| Message { role, content }).collect();
        prop_assert!(run(&messages, 0, 50, Answers::Short).sent.len() <= 4);
        let _kept: Arc<dyn Keep> = Arc::new(Marked::default());
    }
}
