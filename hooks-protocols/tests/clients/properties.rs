//! Properties of any event, any answer and any bytes.

use hooks_core::event::*;
use hooks_core::testing::{Arbitrary, any_context, any_event, json as any_json, text};
use hooks_core::{EventKind, Strength, WireEvent};
use hooks_protocols::{
    Ability, Answer, Client, DecodeError, Decoded, KnownEvent, Rewrite, Wish, capabilities, decode, encode,
    failure, payload, recognise,
};
use proptest::prelude::*;
use serde_json::Value;

use super::support::{Effect, effect, payloads};

fn any_client() -> impl Strategy<Value = Client> {
    prop::sample::select(Client::ALL)
}

/// A client and the name of one of its events.
fn any_place() -> impl Strategy<Value = (Client, &'static str)> {
    let places: Vec<_> =
        Client::ALL.iter().flat_map(|client| client.events().map(|event| (*client, event))).collect();
    prop::sample::select(places)
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let strength =
        prop::sample::select(vec![Strength::NoOpinion, Strength::Allow, Strength::Ask, Strength::Deny]);
    let rewrite = prop::option::of(prop_oneof![
        any_json().prop_map(Rewrite::Arguments),
        text().prop_map(|command| Rewrite::Arguments(serde_json::json!({ "command": command }))),
        text().prop_map(Rewrite::Prompt),
        any_json().prop_map(|result| Rewrite::Result(result.into())),
    ]);
    let texts = || prop::collection::vec(text(), 0..2);
    let maybe = || prop::option::of(text());
    (strength, maybe(), rewrite, texts(), texts(), maybe(), any::<bool>(), maybe()).prop_map(
        |(strength, reason, rewrite, context, messages, stop, quiet, summary)| {
            let mut answer = Answer::default();
            answer.strength = strength;
            answer.reason = reason;
            answer.rewrite = rewrite;
            (answer.context, answer.messages) = (context, messages);
            (answer.stop, answer.quiet, answer.summary) = (stop, quiet, summary);
            answer
        },
    )
}

/// Any event of the given kind.
fn event_of(kind: EventKind) -> BoxedStrategy<WireEvent> {
    fn any_wire_event<E: Arbitrary + Into<WireEvent>>() -> BoxedStrategy<WireEvent> {
        any_event::<E>().prop_map(Into::into).boxed()
    }
    match kind {
        EventKind::SessionStart => any_wire_event::<SessionStart>(),
        EventKind::SessionEnd => any_wire_event::<SessionEnd>(),
        EventKind::UserPromptSubmitted => any_wire_event::<UserPromptSubmitted>(),
        EventKind::TurnStart => any_wire_event::<TurnStart>(),
        EventKind::TurnEnd => any_wire_event::<TurnEnd>(),
        EventKind::BeforeModelCall => any_wire_event::<BeforeModelCall>(),
        EventKind::AfterModelCall => any_wire_event::<AfterModelCall>(),
        EventKind::PreToolUse => any_wire_event::<PreToolUse>(),
        EventKind::PermissionRequest => any_wire_event::<PermissionRequest>(),
        EventKind::ToolDecided => any_wire_event::<ToolDecided>(),
        EventKind::PostToolUse => any_wire_event::<PostToolUse>(),
        EventKind::UserInputRequested => any_wire_event::<UserInputRequested>(),
        EventKind::ErrorOccurred => any_wire_event::<ErrorOccurred>(),
        EventKind::PreCompact => any_wire_event::<PreCompact>(),
        EventKind::PostCompact => any_wire_event::<PostCompact>(),
        EventKind::SubagentStart => any_wire_event::<SubagentStart>(),
        EventKind::SubagentSpawned => any_wire_event::<SubagentSpawned>(),
        EventKind::SpawnFailed => any_wire_event::<SpawnFailed>(),
        EventKind::SubagentStop => any_wire_event::<SubagentStop>(),
        EventKind::AgentSwitched => any_wire_event::<AgentSwitched>(),
        EventKind::Stop => any_wire_event::<Stop>(),
        EventKind::MaxIterations => any_wire_event::<MaxIterations>(),
        EventKind::Notification => any_wire_event::<Notification>(),
        EventKind::WorktreeCreated => any_wire_event::<WorktreeCreated>(),
        _ => any_wire_event::<Route>(),
    }
}

/// An event of ours in the form of one of the clients.
fn any_sent() -> impl Strategy<Value = Decoded> {
    let typed = any_place().prop_filter_map("has a type", |(client, name)| {
        Some((client, name, capabilities(client, name)?.event()?))
    });
    typed.prop_flat_map(|(client, name, kind)| {
        (event_of(kind), any_context())
            .prop_map(move |(event, context)| Decoded::from_event(client, name, context, event).unwrap())
    })
}

proptest! {
    /// A payload that is encoded and decoded again is the same, for all fields that the client sends.
    #[test]
    fn there_and_back(sent in any_sent()) {
        // A client that omits empty fields would have no tool here.
        prop_assume!(sent.call().is_none_or(|(tool, _)| !tool.is_empty()));
        // The calls of a batch are only read.
        prop_assume!(sent.event_name != "PostToolBatch");
        let written = payload(&sent);
        let bytes = serde_json::to_vec(&written).unwrap();
        let read = decode(sent.client, Some(&sent.event_name), &bytes);
        // Without the keys that distinguish the event from others, the payload is refused.
        prop_assume!(!matches!(read, Err(DecodeError::OtherEvent { .. })));
        let read = read.unwrap();
        prop_assert_eq!(payload(&read), written);
        // Encoding and decoding a second time changes nothing more.
        let again = decode(sent.client, Some(&sent.event_name), &serde_json::to_vec(&payload(&read)).unwrap()).unwrap();
        prop_assert_eq!(&again.event, &read.event);
        if let Some((tool, arguments)) = sent.call() {
            let written = read.call().unwrap();
            // Events for one kind of tool have its name and some arguments; other events have those of the
            // call. Empty values may be omitted.
            if !is_of_one_tool(&sent) && arguments.is_object() {
                prop_assert_eq!(written, (tool, arguments));
            }
        }
    }

    /// No bytes cause a panic, and every decoded payload can be answered.
    #[test]
    fn any_bytes(client in any_client(), bytes in prop::collection::vec(any::<u8>(), 0..200), answer in any_answer()) {
        if let Ok(decoded) = decode(client, None, &bytes) {
            drop(encode(&decoded, &answer));
        }
        let _recognised = recognise(&bytes);
    }

    /// Payloads with another value in one of their fields do not cause a panic either.
    #[test]
    fn payloads_gone_wrong(at in any::<prop::sample::Index>(), key in any::<prop::sample::Index>(), value in any_json(), answer in any_answer()) {
        let sent = payloads();
        let sent = at.get(&sent);
        let mut fields: Value = serde_json::from_str(&sent.stdin).unwrap();
        let fields = fields.as_object_mut().unwrap();
        let key = key.get(&fields.keys().cloned().collect::<Vec<_>>()).clone();
        fields.insert(key, value);
        let bytes = serde_json::to_vec(fields).unwrap();
        match decode(sent.client, Some(&sent.event), &bytes) {
            Ok(decoded) => {
                prop_assert_eq!(&payload(&decoded), &*fields);
                drop(encode(&decoded, &answer));
            }
            Err(error) => drop(failure(KnownEvent::Event(sent.client, &sent.event), &error.to_string())),
        }
    }

    /// A reply is one JSON object or empty, and never both an object and the text of exit code 2.
    #[test]
    fn replies_are_objects_or_nothing(sent in any_sent(), answer in any_answer()) {
        let encoded = encode(&sent, &answer);
        let is_object = serde_json::from_str::<Value>(&encoded.stdout).is_ok_and(|value| value.is_object());
        prop_assert!(encoded.stdout.is_empty() || is_object, "{}", encoded.stdout);
        prop_assert!(encoded.exit == 0 || (encoded.stdout.is_empty() && encoded.stderr.starts_with("hooks: ")));
        prop_assert!(!encoded.stdout.contains('\n'));
    }

    /// Holds in every tested client without a user: a denied or asked call does not run, a changed call does
    /// not run with its original arguments, and no other call is stopped.
    #[test]
    fn nothing_is_weaker_than_it_was_meant(at in any::<prop::sample::Index>(), answer in any_answer()) {
        let calls: Vec<_> = payloads().into_iter().filter(|sent| ["PreToolUse", "BeforeTool", "preToolUse"].contains(&&*sent.event)).collect();
        let sent = at.get(&calls);
        let decoded = decode(sent.client, Some(&sent.event), sent.stdin.as_bytes()).unwrap();
        let is_changed = match &answer.rewrite {
            Some(Rewrite::Arguments(arguments)) => decoded.call().unwrap().1 != arguments,
            other => other.is_some(),
        };
        let encoded = encode(&decoded, &answer);
        let effect = effect(sent.client, &sent.event, &encoded);
        match answer.strength {
            Strength::Deny | Strength::Ask => prop_assert_eq!(effect, Effect::Denied),
            _ if is_changed => prop_assert_ne!(effect, Effect::Ran),
            _ if answer.stop.is_some() => {}
            _ => prop_assert_eq!(effect, Effect::Ran),
        }
    }

    /// If the client supports a denial, the reply denies and notes nothing; otherwise, the note records that.
    #[test]
    fn a_denial_is_said_or_noted(sent in any_sent(), reason in text()) {
        let encoded = encode(&sent, &Answer::deny(reason));
        let is_unsafe = encoded.degraded.iter().any(hooks_protocols::Degraded::is_unsafe);
        let has_output = !encoded.stdout.is_empty() || encoded.exit == 2;
        let always_speaks = sent.client == Client::Squad || sent.client == Client::CopilotSdk;
        prop_assert!(has_output != is_unsafe || always_speaks, "{:?}", encoded);
        if capabilities(sent.client, &sent.event_name).unwrap().can(Wish::Deny) == Ability::Yes {
            prop_assert!(has_output || sent.client == Client::Cursor);
        }
    }
}

/// Whether the event is for one kind of tool, whose name the payload omits.
fn is_of_one_tool(sent: &Decoded) -> bool {
    sent.client == Client::Windsurf
        || sent.client == Client::Cursor
            && !matches!(&*sent.event_name, "preToolUse" | "postToolUse" | "postToolUseFailure")
}
