//! The law of the encoder: a recording shows, for every denial that we send, that the tool did not run.

use hooks_core::OnFailure;
use hooks_protocols::{
    Answer, Checked, Client, EncodedAnswer, Instead, KnownEvent, Rewrite, capabilities, decode, encode,
    failure,
};
use serde_json::{Value, json};

use super::support::{Effect, effect, payload_of};

/// An answer that was given to a real client, and its effect.
struct Recorded {
    client: Client,
    /// The version of the client in the recording.
    version: &'static str,
    event: &'static str,
    exit: u8,
    stderr: &'static str,
    stdout: &'static str,
    /// The effect of the answer; see `recorded.tsv`.
    effect: &'static str,
}

fn recorded() -> Vec<Recorded> {
    let lines = include_str!("recorded.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap();
        Recorded {
            client: next().parse().unwrap(),
            version: next(),
            event: next(),
            exit: next().parse().unwrap(),
            stderr: next(),
            stdout: next(),
            effect: next(),
        }
    };
    lines.map(row).collect()
}

/// Whether a reply equals the recorded one: the same exit code and object, and a text on stderr if there was
/// one.
fn is_same(encoded: &EncodedAnswer, row: &Recorded) -> bool {
    let object = |text: &str| serde_json::from_str::<Value>(text).ok();
    encoded.exit == row.exit
        && encoded.stderr.is_empty() == row.stderr.is_empty()
        && object(&encoded.stdout) == object(row.stdout)
}

/// The effect of our reply, which has to be in the recordings.
fn effect_of(client: Client, event: &str, answer: &Answer) -> &'static str {
    let decoded = decode(client, Some(event), payload(client, event).as_bytes()).unwrap();
    recorded_effect(client, event, &encode(&decoded, answer))
}

fn recorded_effect(client: Client, event: &str, encoded: &EncodedAnswer) -> &'static str {
    let found = recorded()
        .into_iter()
        .find(|row| row.client == client && row.event == event && is_same(encoded, row));
    found.unwrap_or_else(|| panic!("nobody tried at {client} {event}: {encoded:?}")).effect
}

/// The payload of the call that was denied in the recordings.
fn payload(client: Client, event: &str) -> String {
    let result = json!({"stdout": "TOKEN", "stderr": "", "interrupted": false, "isImage": false});
    match (client, event) {
        (Client::Claude, "PostToolUse") => {
            json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {}, "tool_response": result})
                .to_string()
        }
        _ => payload_of(client, event),
    }
}

const CALLS: &[(Client, &str)] = &[
    (Client::Claude, "PreToolUse"),
    (Client::Codex, "PreToolUse"),
    (Client::Gemini, "BeforeTool"),
    (Client::Copilot, "preToolUse"),
    (Client::Copilot, "PreToolUse"),
    (Client::Qwen, "PreToolUse"),
];

#[test]
fn recordings_are_of_the_versions_that_count_as_tested() {
    for row in recorded() {
        assert_eq!(row.client.tested(), Some(row.version));
    }
}

#[test]
fn no_denied_tool_ran() {
    for (client, event) in CALLS {
        assert_eq!(
            effect_of(*client, event, &Answer::deny("MARK")),
            "denied, the model knows why",
            "{client}"
        );
        assert!(effect_of(*client, event, &Answer::ask("MARK")).starts_with("denied"), "{client} {event}");
    }
    for event in ["permissionRequest", "PermissionRequest"] {
        assert_eq!(effect_of(Client::Copilot, event, &Answer::deny("MARK")), "denied, the model knows why");
    }
}

#[test]
fn no_tool_ran_as_it_was_where_it_was_to_be_changed() {
    // Qwen Code takes no changed arguments.
    for (client, event) in CALLS.iter().filter(|(client, _)| *client != Client::Qwen) {
        let arguments = match client {
            Client::Codex => json!({"command": "echo changed > changed.txt"}),
            Client::Gemini => json!({"command": "echo changed > changed.txt", "description": "a step"}),
            _ => json!({"command": "echo changed > changed.txt", "description": "x"}),
        };
        let answer = Answer::default().rewritten(Rewrite::Arguments(arguments));
        // A redirection that only the changed command has would hide it from lists.
        let original = payload_of(*client, event).replace("echo hello", "echo hello > hello.txt");
        let decoded = decode(*client, Some(event), original.as_bytes()).unwrap();
        let mut encoded = encode(&decoded, &answer);
        if *client == Client::Gemini {
            // Arguments that are merged into the original ones may omit unchanged fields.
            encoded.stdout = encoded.stdout.replace(",\"description\":\"a step\"", "");
        }
        assert_eq!(recorded_effect(*client, event, &encoded), "changed", "{client} {event}");
    }
}

#[test]
fn no_withheld_result_reached_the_model() {
    for (client, event) in [
        (Client::Claude, "PostToolUse"),
        (Client::Codex, "PostToolUse"),
        (Client::Gemini, "AfterTool"),
        (Client::Copilot, "postToolUse"),
        (Client::Copilot, "PostToolUse"),
        (Client::Qwen, "PostToolUse"),
    ] {
        assert_eq!(effect_of(client, event, &Answer::deny("MARK")), "the result was replaced", "{client}");
        // The same holds if the payload cannot be decoded.
        let mut failed = failure(KnownEvent::Event(client, event), "MARK");
        failed.stdout = failed.stdout.replace("hooks failed, so this is denied: ", "");
        let effect = recorded_effect(client, event, &failed);
        assert!(matches!(effect, "the result was replaced" | "the run ended"), "{client} {event}: {effect}");
    }
}

#[test]
fn no_refused_prompt_reached_the_model() {
    for (client, event) in [
        (Client::Claude, "UserPromptSubmit"),
        (Client::Codex, "UserPromptSubmit"),
        (Client::Claude, "UserPromptExpansion"),
        (Client::Gemini, "BeforeAgent"),
        (Client::Copilot, "userPromptSubmitted"),
        (Client::Copilot, "UserPromptSubmit"),
        (Client::Qwen, "UserPromptSubmit"),
        (Client::Codex, "SessionStart"),
        (Client::Gemini, "BeforeModel"),
    ] {
        assert_eq!(effect_of(client, event, &Answer::deny("MARK")), "no model call", "{client} {event}");
    }
}

#[test]
fn who_had_to_go_on_went_on() {
    for (client, event) in [
        (Client::Claude, "Stop"),
        (Client::Codex, "Stop"),
        (Client::Gemini, "AfterAgent"),
        (Client::Copilot, "agentStop"),
        (Client::Copilot, "Stop"),
        (Client::Qwen, "Stop"),
    ] {
        assert_eq!(
            effect_of(client, event, &Answer::deny("MARK")),
            "went on, the model knows why",
            "{client}"
        );
    }
}

#[test]
fn what_was_added_reached_the_model() {
    for (client, event) in [
        (Client::Claude, "SessionStart"),
        (Client::Claude, "UserPromptSubmit"),
        (Client::Claude, "PreToolUse"),
        (Client::Claude, "PostToolUse"),
        (Client::Codex, "SessionStart"),
        (Client::Codex, "UserPromptSubmit"),
        (Client::Codex, "PreToolUse"),
        (Client::Codex, "PostToolUse"),
        (Client::Gemini, "SessionStart"),
        (Client::Gemini, "BeforeAgent"),
        (Client::Gemini, "AfterTool"),
        (Client::Copilot, "sessionStart"),
        (Client::Copilot, "userPromptSubmitted"),
        (Client::Copilot, "preToolUse"),
        (Client::Copilot, "postToolUse"),
        (Client::Copilot, "SessionStart"),
        (Client::Copilot, "UserPromptSubmit"),
        (Client::Copilot, "PreToolUse"),
        (Client::Copilot, "PostToolUse"),
        (Client::Qwen, "SessionStart"),
        (Client::Qwen, "UserPromptSubmit"),
        (Client::Qwen, "PostToolUse"),
    ] {
        assert_eq!(
            effect_of(client, event, &Answer::context("MARK")),
            "ran, the model knows",
            "{client} {event}"
        );
    }
}

#[test]
fn a_failure_before_a_call_denies_whatever_was_known() {
    for (client, event) in CALLS {
        let decoded = decode(*client, Some(event), payload_of(*client, event).as_bytes()).unwrap();
        for place in [
            KnownEvent::Decoded(&decoded),
            KnownEvent::Event(*client, event),
            KnownEvent::Event(*client, "NoSuchEvent"),
            KnownEvent::Client(*client),
            KnownEvent::Nowhere,
        ] {
            for reason in ["the disk is full", "", "{\"decision\": \"allow\"}", "{}"] {
                let encoded = failure(place, reason);
                assert_eq!(
                    effect(*client, event, &encoded),
                    Effect::Denied,
                    "{client} {event} {place:?} {encoded:?}"
                );
            }
        }
    }
}

#[test]
fn a_failure_where_nothing_is_decided_stops_nothing() {
    for (client, event) in [
        (Client::Claude, "Stop"),
        (Client::Claude, "SessionStart"),
        (Client::Codex, "SessionEnd"),
        (Client::Copilot, "agentStop"),
    ] {
        let encoded = failure(KnownEvent::Event(client, event), "the disk is full");
        assert_eq!(
            (encoded.exit, encoded.stdout.as_str(), encoded.stderr.as_str()),
            (1, "", "hooks: the disk is full\n")
        );
    }
}

/// If the settings name one event and the payload another, and hooks decide one of them, both are denied as
/// far as the client supports it.
#[test]
fn an_event_in_doubt_is_denied_at_both() {
    let decides = |client, event| {
        let row = capabilities(client, event).unwrap();
        row.checked() == Some(Checked::Settings)
            || row.event().is_some_and(|kind| kind.on_failure() == OnFailure::Closes)
    };
    let is_enforced = |client, event| decides(client, event) && !CANNOT_BE_DENIED.contains(&(client, event));
    let mut pairs = 0;
    for client in Client::ALL.iter().copied() {
        for called in client.events() {
            for sent in client.events().filter(|sent| *sent != called) {
                let encoded = failure(KnownEvent::Events(client, &[called, sent]), "in doubt");
                let enforced: Vec<&str> =
                    [called, sent].into_iter().filter(|event| is_enforced(client, event)).collect();
                if enforced.is_empty() {
                    continue;
                }
                pairs += 1;
                for event in enforced {
                    assert!(
                        denies(client, event, &encoded),
                        "{client} {called} {sent} at {event}: {encoded:?}"
                    );
                }
            }
        }
    }
    assert!(pairs > 1000, "{pairs}");
}

/// Whether a reply denies an event: with the recorded denial of tool calls, with the fields of this event
/// alone, or with exit code 2.
fn denies(client: Client, event: &str, encoded: &EncodedAnswer) -> bool {
    let fields = |encoded: &EncodedAnswer| {
        let output: Value = serde_json::from_str(&encoded.stdout).unwrap_or_default();
        output.get("output").cloned().unwrap_or(output)
    };
    let expected = failure(KnownEvent::Event(client, event), "in doubt");
    let has_words = match (fields(&expected), fields(encoded)) {
        (Value::Object(expected), Value::Object(fields)) => {
            expected.iter().all(|(key, value)| match fields.get(key) {
                // Qwen Code looks for each field alone, whatever event the answer names.
                Some(Value::Object(found)) if client == Client::Qwen => {
                    let inside = value.as_object().into_iter().flatten();
                    inside
                        .filter(|(key, _)| *key != "hookEventName")
                        .all(|(key, value)| found.get(key) == Some(value))
                }
                found => found == Some(value),
            })
        }
        _ => expected.exit == 2,
    };
    if CALLS.contains(&(client, event)) {
        return effect(client, event, encoded) == Effect::Denied;
    }
    // The effect of Copilot's fields together with a nonzero exit code was not recorded.
    let by_exit = encoded.exit == 2 && !encoded.stderr.trim().is_empty() && client != Client::Copilot;
    (has_words && encoded.exit == 0) || by_exit
}

/// Events that hooks decide, and that the client cannot deny.
const CANNOT_BE_DENIED: &[(Client, &str)] = &[
    // A child is denied at the call of the tool that starts it.
    (Client::Claude, "SubagentStart"),
    (Client::Codex, "SubagentStart"),
    (Client::Copilot, "subagentStart"),
    (Client::Copilot, "SubagentStart"),
    (Client::CopilotSdk, "subagentStart"),
    (Client::VsCode, "SubagentStart"),
    (Client::Squad, "onSubagentStart"),
    (Client::Squad, "onBeforeSpawn"),
    (Client::Qwen, "SubagentStart"),
    (Client::Kimi, "SubagentStart"),
    // Another event of the same call is denied.
    (Client::CopilotSdk, "preMcpToolCall"),
    // The tool failed or ran already, and its text cannot be removed.
    (Client::Claude, "PostToolUseFailure"),
    (Client::Copilot, "postToolUseFailure"),
    (Client::Copilot, "PostToolUseFailure"),
    (Client::CopilotSdk, "postToolUseFailure"),
    // The batch of the call ends with another event.
    (Client::Qwen, "PostToolUseFailure"),
    // It runs these hooks without waiting for them.
    (Client::Kimi, "PostToolUse"),
    (Client::Kimi, "PostToolUseFailure"),
    (Client::Windsurf, "post_write_code"),
    (Client::Windsurf, "post_read_code"),
    (Client::Windsurf, "post_run_command"),
    (Client::Windsurf, "post_mcp_tool_use"),
    (Client::Goose, "PostToolUse"),
    (Client::Goose, "PostToolUseFailure"),
    (Client::Cursor, "postToolUse"),
    (Client::Cursor, "postToolUseFailure"),
    (Client::Cursor, "afterShellExecution"),
    (Client::Cursor, "afterMCPExecution"),
    (Client::Cursor, "afterFileEdit"),
    (Client::Cursor, "afterTabFileEdit"),
    // The model answered already.
    (Client::Cursor, "afterAgentResponse"),
    (Client::DockerAgent, "after_llm_call"),
    (Client::DockerAgentJuly, "after_llm_call"),
    (Client::OpenCode, "message.part.updated"),
    // goose ignores the answer there.
    (Client::Goose, "UserPromptSubmit"),
    // The user decided already.
    (Client::DockerAgent, "on_max_iterations"),
    (Client::DockerAgent, "on_session_resume"),
    (Client::DockerAgentJuly, "on_max_iterations"),
    (Client::DockerAgentJuly, "on_session_resume"),
    // The session hook cannot reject.
    (Client::Squad, "onUserPromptSubmitted"),
];

#[test]
fn where_a_failure_cannot_deny_is_known() {
    let mut found = Vec::new();
    for client in Client::ALL {
        for event in client.events() {
            let row = capabilities(*client, event).unwrap();
            let closes = row.checked() == Some(Checked::Settings)
                || row.event().is_some_and(|kind| kind.on_failure() == OnFailure::Closes);
            let encoded = failure(KnownEvent::Event(*client, event), "the disk is full");
            if !closes {
                assert_eq!(encoded.exit, 1, "{client} {event}");
            } else if encoded.degraded.iter().any(|note| note.instead == Instead::NotEnforced) {
                found.push((*client, event));
            } else {
                assert!(
                    encoded.stdout.contains("the disk is full") || encoded.exit == 2,
                    "{client} {event}: {encoded:?}"
                );
            }
        }
    }
    found.sort_unstable();
    let mut known = CANNOT_BE_DENIED.to_vec();
    known.sort_unstable();
    assert_eq!(found, known);
}

/// Recorded: a change of settings that is blocked does not hold in the session, and a run that ends after a batch asks the
/// model no more. A run went on whatever the answer to a failed call was.
#[test]
fn what_only_claude_code_asks_has_the_recorded_effect() {
    let claude = |event: &str| {
        let payload = json!({"session_id": "s", "cwd": "/a", "hook_event_name": event}).to_string();
        decode(Client::Claude, Some(event), payload.as_bytes()).unwrap()
    };
    let blocked = encode(&claude("ConfigChange"), &Answer::deny("MARK"));
    assert_eq!(recorded_effect(Client::Claude, "ConfigChange", &blocked), "the session kept its settings");
    let mut stop = Answer::default();
    stop.stop = Some("MARK".to_owned());
    let ended = encode(&claude("PostToolBatch"), &stop);
    assert_eq!(recorded_effect(Client::Claude, "PostToolBatch", &ended), "the run ended");
    let failed = payload_of(Client::Claude, "PostToolUseFailure");
    let failed = decode(Client::Claude, None, failed.as_bytes()).unwrap();
    let unheard = encode(&failed, &stop);
    assert_eq!((&*unheard.stdout, unheard.degraded.len()), ("", 1), "{unheard:?}");
}

/// Names are copied into keys and records, so their length is limited.
#[test]
fn names_that_are_longer_than_any_are_refused() {
    let names = ["session_id", "cwd", "tool_use_id"];
    for (name, length, is_read) in
        names.iter().flat_map(|name| [(name, 64 << 10, true), (name, 65_537, false)])
    {
        let mut payload = json!({"session_id": "s", "cwd": "/a", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
        payload[*name] = format!("/{}", "x".repeat(length - 1)).into();
        let read = decode(Client::Claude, None, payload.to_string().as_bytes());
        match (is_read, read) {
            (true, Ok(_)) => {}
            (false, Err(error)) => assert!(error.to_string().contains("65537 bytes long"), "{error}"),
            (_, read) => panic!("{name}, {length}: {read:?}"),
        }
    }
}

#[test]
fn a_working_folder_that_is_deeper_than_any_is_refused() {
    for (parts, is_read) in [(128, true), (129, false)] {
        // The root is the first part.
        let folder = "/a".repeat(parts - 1);
        let payload = json!({"session_id": "s", "cwd": folder, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let read = decode(Client::Claude, None, payload.to_string().as_bytes());
        assert_eq!(read.is_ok(), is_read, "{parts}: {read:?}");
    }
}
