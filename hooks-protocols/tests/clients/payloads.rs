//! Payloads as real clients send them: each is decoded as the right event, without loss.

use hooks_core::EventKind::{self, *};
use hooks_core::event;
use hooks_core::{HookContext, WireEvent};
use hooks_protocols::{
    Client, DecodeError, Decoded, KnownEvent, Limits, Payload, decode, failure, payload, recognise,
};
use serde_json::{Value, json};

use super::support::{Effect, effect, payload_of, payloads, read_payloads};

/// The kind of our event for a client's event. Written by hand, to detect mistakes in the tables.
fn kind_of(event: &str) -> Option<EventKind> {
    Some(match event {
        "SessionStart" | "sessionStart" => SessionStart,
        "UserPromptSubmit" | "UserPromptExpansion" | "userPromptSubmitted" | "BeforeAgent" => {
            UserPromptSubmitted
        }
        "PreToolUse" | "preToolUse" | "BeforeTool" => PreToolUse,
        "PermissionRequest" | "permissionRequest" => PermissionRequest,
        "PostToolUse" | "PostToolUseFailure" | "postToolUse" | "postToolUseFailure" | "AfterTool" => {
            PostToolUse
        }
        "Stop" | "agentStop" | "AfterAgent" => Stop,
        "SubagentStart" | "subagentStart" => SubagentStart,
        "SubagentStop" | "subagentStop" => SubagentStop,
        "PreCompact" | "PreCompress" => PreCompact,
        "PostCompact" => PostCompact,
        "BeforeModel" => BeforeModelCall,
        "AfterModel" => AfterModelCall,
        "ErrorOccurred" | "errorOccurred" => ErrorOccurred,
        "SessionEnd" | "sessionEnd" => SessionEnd,
        "Notification" => Notification,
        "StopFailure" => ErrorOccurred,
        "Setup"
        | "InstructionsLoaded"
        | "PostToolBatch"
        | "BeforeToolSelection"
        | "userPromptTransformed"
        | "PreToolUseResult"
        | "BeforeShellExecution" => return None,
        other => panic!("{other}"),
    })
}

#[test]
fn every_payload_is_read_and_nothing_is_lost() {
    for sent in payloads() {
        let decoded = decode(sent.client, Some(&sent.event), sent.stdin.as_bytes()).unwrap();
        // Qwen Code reports the result of a failed call there.
        let is_result = sent.client == Client::Qwen && sent.event == "PostToolBatch";
        let expected = if is_result { Some(PostToolUse) } else { kind_of(&sent.event) };
        assert_eq!(decoded.event.as_ref().map(WireEvent::kind), expected, "{}", sent.event);
        assert!(!decoded.context.session_id.is_empty(), "{}", sent.stdin);
        assert_eq!(decoded.context.cwd.to_str(), Some("/home/ada/app"), "{}", sent.stdin);
        let before: Value = serde_json::from_str(&sent.stdin).unwrap();
        assert_eq!(Value::Object(payload(&decoded)), before, "{} {}", sent.client, sent.event);
    }
}

/// Payloads from the vendors' documentation that were not recorded.
#[test]
fn every_documented_payload_is_read_and_nothing_is_lost() {
    for sent in read_payloads(include_str!("documented.jsonl")) {
        let decoded = decode(sent.client, Some(&sent.event), sent.stdin.as_bytes()).unwrap();
        let expected = documented_kind_of(sent.client, &sent.event);
        assert_eq!(decoded.event.as_ref().map(WireEvent::kind), expected, "{} {}", sent.client, sent.event);
        let before: Value = serde_json::from_str(&sent.stdin).unwrap();
        assert_eq!(Value::Object(payload(&decoded)), before, "{} {}", sent.client, sent.event);
        // Squad's pipeline sends no working directory, nor do the events of Cursor's editor itself.
        let places = ["/cwd", "/workspace_roots", "/working_dir", "/tool_info/cwd"];
        let says_where = places.iter().any(|place| before.pointer(place).is_some());
        assert_eq!(says_where, decoded.context.cwd.starts_with("/home/ada/app"), "{}", sent.stdin);
        if let Some((client, event)) = recognise(sent.stdin.as_bytes()) {
            assert_eq!((client, event), (sent.client, &*sent.event), "{}", sent.stdin);
        }
    }
}

fn documented_kind_of(client: Client, event: &str) -> Option<EventKind> {
    if matches!(client, Client::VsCode | Client::Kimi | Client::Goose | Client::Droid) {
        return kind_of(event);
    }
    Some(match event {
        "sessionStart" | "session_start" => SessionStart,
        "beforeSubmitPrompt" | "user_prompt_submit" | "onUserPromptSubmitted" => UserPromptSubmitted,
        "preToolUse"
        | "beforeShellExecution"
        | "beforeMCPExecution"
        | "beforeReadFile"
        | "beforeTabFileRead"
        | "pre_tool_use"
        | "preTool"
        | "onPreToolUse" => PreToolUse,
        "postToolUse"
        | "postToolUseFailure"
        | "afterShellExecution"
        | "afterMCPExecution"
        | "afterFileEdit"
        | "afterTabFileEdit"
        | "tool_response_transform"
        | "post_tool_use"
        | "postTool" => PostToolUse,
        "pre_user_prompt" => UserPromptSubmitted,
        "pre_read_code" | "pre_write_code" | "pre_run_command" | "pre_mcp_tool_use" => PreToolUse,
        "post_read_code" | "post_write_code" | "post_run_command" | "post_mcp_tool_use" => PostToolUse,
        "post_cascade_response" => Stop,
        "post_cascade_response_with_transcript" | "post_setup_worktree" => return None,
        "permission_request" => PermissionRequest,
        "on_tool_approval_decision" => ToolDecided,
        "subagentStart" => SubagentStart,
        "subagentStop" | "subagent_stop" => SubagentStop,
        "turn_start" => TurnStart,
        "turn_end" => TurnEnd,
        "before_llm_call" => BeforeModelCall,
        "after_llm_call" | "afterAgentResponse" => AfterModelCall,
        "preCompact" | "pre_compact" | "before_compaction" => PreCompact,
        "after_compaction" => PostCompact,
        "stop" => Stop,
        "on_agent_switch" => AgentSwitched,
        "on_user_input" => UserInputRequested,
        "notification" => Notification,
        "on_error" => ErrorOccurred,
        "on_max_iterations" | "on_session_resume" => MaxIterations,
        "sessionEnd" | "session_end" | "onSessionEnd" => SessionEnd,
        "afterAgentThought" | "workspaceOpen" => return None,
        other => panic!("{other:?}"),
    })
}

#[test]
fn a_payload_is_recognised_as_what_it_is_or_not_at_all() {
    let mut unknown = Vec::new();
    for sent in payloads() {
        match recognise(sent.stdin.as_bytes()) {
            Some((client, event)) => {
                assert_eq!(client, sent.client, "{}", sent.stdin);
                // Some payloads of Copilot are the same in both spellings.
                assert!(event.eq_ignore_ascii_case(&sent.event), "{event}: {}", sent.stdin);
            }
            None => unknown.push(format!("{} {}", sent.client, sent.event)),
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn what_shells_do_to_a_payload() {
    let sent = payload_of(Client::Gemini, "BeforeTool");
    let plain = decode(Client::Gemini, None, sent.as_bytes()).unwrap();
    for bytes in [
        [b"\xef\xbb\xbf", sent.as_bytes()].concat(),
        [sent.as_bytes(), b"\r\n"].concat(),
        [b" \n", sent.as_bytes(), b" \n\n"].concat(),
    ] {
        let decoded = decode(Client::Gemini, Some("BeforeTool"), &bytes).unwrap();
        assert_eq!((decoded.event, decoded.extra), (plain.event.clone(), plain.extra.clone()));
    }
}

/// A payload that would need a repair is refused, as a repair would change it.
#[test]
fn a_path_that_is_not_text_and_half_a_character_are_denied() {
    let sent = payload_of(Client::Claude, "PreToolUse");
    let at = sent.find("/home/ada/app").unwrap();
    let mut bytes = sent.clone().into_bytes();
    bytes[at + 1] = 0xff;
    let error = decode(Client::Claude, None, &bytes).unwrap_err();
    assert!(matches!(error, DecodeError::NotUtf8 { at: byte } if byte == at + 1), "{error}");
    let cut = sent.replace("echo hello", "echo \\ud83d");
    let error = decode(Client::Claude, None, cut.as_bytes()).unwrap_err();
    assert!(matches!(error, DecodeError::HalfPair { .. }), "{error}");
    for (client, event) in
        [(Client::Claude, "PreToolUse"), (Client::Gemini, "BeforeTool"), (Client::Copilot, "preToolUse")]
    {
        let reply = failure(KnownEvent::Event(client, event), &error.to_string());
        assert_eq!(effect(client, event, &reply), Effect::Denied, "{client}");
    }
}

/// Arguments that are JSON in a string are parsed as strictly as the payload.
#[test]
fn json_in_a_text_is_read_strictly() {
    let sent = |text: &str| {
        json!({"hook_event_name": "beforeMCPExecution", "tool_name": "t", "tool_input": text}).to_string()
    };
    let read = |text: &str| decode(Client::Cursor, None, sent(text).as_bytes());
    assert_eq!(read(r#"{"a": "b"}"#).unwrap().call(), Some(("t", &json!({"a": "b"}))));
    assert_eq!(read("no JSON").unwrap().call(), Some(("t", &json!("no JSON"))));
    for text in
        [r#"{"a": 1, "\u0061": 2}"#, r#"{"a": "\ud800"}"#, r#"{"a": 18446744073709551616}"#, &"[".repeat(128)]
    {
        assert!(read(text).is_err(), "{text}");
    }
}

/// Programs in Go ignore the case of names, and use the last one.
#[test]
fn arguments_whose_names_differ_in_case_only_are_refused_for_clients_that_do_not_see_it() {
    let sent = |arguments: Value| {
        json!({"hook_event_name": "pre_tool_use", "tool_name": "shell", "tool_input": arguments}).to_string()
    };
    let two = sent(json!({"cmd": "ls", "CMD": "rm -rf /"}));
    let error = decode(Client::DockerAgent, None, two.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "`cmd` and `CMD` are one name to docker-agent; give one of them");
    assert!(decode(Client::DockerAgent, None, sent(json!({"cmd": "ls", "cwd": "."})).as_bytes()).is_ok());
    let claude = two.replace("pre_tool_use", "PreToolUse");
    assert!(decode(Client::Claude, None, claude.as_bytes()).is_ok());
}

#[test]
fn a_payload_that_names_two_events_is_refused() {
    let two =
        json!({"hookEventName": "PreToolUse", "hook_event_name": "Stop", "tool_name": "t", "tool_input": {}})
            .to_string();
    let error = decode(Client::VsCode, Some("Stop"), two.as_bytes()).unwrap_err();
    assert_eq!(error.events(), ["Stop", "PreToolUse"]);
    let reply = failure(KnownEvent::Events(Client::VsCode, &error.events()), "x");
    assert!(reply.stdout.contains("deny"), "{reply:?}");
}

#[test]
fn unknown_fields_and_events_are_passed_on() {
    let sent = json!({"session_id": "s", "cwd": "/a", "hook_event_name": "PreTea", "kettle": {"on": true}});
    let decoded = decode(Client::Claude, None, sent.to_string().as_bytes()).unwrap();
    assert_eq!((decoded.event_name.as_str(), &decoded.event), ("PreTea", &None));
    assert_eq!(decoded.extra["kettle"], json!({"on": true}));
    assert_eq!(Value::Object(payload(&decoded)), sent);
}

/// The payload does not name its event: with a mistake in the settings, the call would bypass the hooks that
/// decide.
#[test]
fn a_tool_call_under_a_name_that_no_event_has_is_refused() {
    let calls = [
        (
            Client::Copilot,
            json!({"sessionId": "s", "cwd": "/a", "toolName": "bash", "toolArgs": {"command": "ls"}}),
        ),
        (
            Client::CopilotSdk,
            json!({"sessionId": "s", "input": {"cwd": "/a", "toolName": "bash", "toolArgs": {"command": "ls"}}}),
        ),
        (
            Client::Squad,
            json!({"sessionId": "s", "agentName": "a", "toolName": "bash", "arguments": {"command": "ls"}}),
        ),
    ];
    for (client, sent) in calls {
        for event in ["pretool_use", "Foo", " preToolUse"] {
            let error = decode(client, Some(event), sent.to_string().as_bytes()).unwrap_err().to_string();
            assert!(error.contains(&format!("`{event}` is not an event of")), "{client}: {error}");
            let reply = failure(KnownEvent::Event(client, event), &error);
            assert!(
                reply.exit == 2 || ["deny", "block"].iter().any(|word| reply.stdout.contains(word)),
                "{client}: {reply:?}"
            );
        }
    }
    let tea = json!({"sessionId": "s", "cwd": "/a", "kettle": true}).to_string();
    assert_eq!(decode(Client::Copilot, Some("preTea"), tea.as_bytes()).unwrap().event, None);
}

#[test]
fn numbers_where_texts_should_be_do_not_hide_a_call() {
    let sent = json!({"session_id": 7, "cwd": null, "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": [1], "tool_use_id": 3, "duration_ms": -1});
    let decoded = decode(Client::Claude, None, sent.to_string().as_bytes()).unwrap();
    assert_eq!(decoded.call(), Some(("Bash", &json!([1]))));
    assert_eq!(Value::Object(payload(&decoded)), sent);
}

#[test]
fn what_cannot_be_read_says_why() {
    let refused = |client, event, text: &str| decode(client, event, text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        refused(Client::Claude, Some("PreToolUse"), r#"{"hook_event_name": "Stop"}"#),
        "the hook was called for `PreToolUse` and the payload is of `Stop`; correct the hook settings"
    );
    assert_eq!(
        refused(Client::Claude, None, r#"{"hook_event_name": "BeforeTool"}"#),
        "`BeforeTool` is not an event of Claude Code; Gemini CLI has it, so call with `--client gemini`"
    );
    assert_eq!(
        refused(Client::Claude, None, "{}"),
        "the payload of Claude Code does not name its event; name it: `--event Setup`"
    );
    assert_eq!(
        refused(Client::Codex, Some("PreToolUse"), r#"{"tool_name": 7}"#),
        "the payload of `PreToolUse` cannot be read: the fields of `pre_tool_use` cannot be read: missing field `tool_name`"
    );
    let limits = Limits { bytes: 10, ..Limits::default() };
    let error = Payload::read(b"{          }", limits).unwrap_err();
    assert!(matches!(error, DecodeError::TooLong { limit: 10, .. }));
}

#[test]
fn a_call_of_another_process_is_the_same_in_every_client() {
    let call = |client: Client, event: &str, sent: Value| {
        let decoded = decode(client, Some(event), sent.to_string().as_bytes()).unwrap();
        let (tool, args) = decoded.call().unwrap();
        let canonical = client.dialect(event).to_canonical(tool, args.clone());
        (canonical.name, canonical.arguments)
    };
    let expected = ("bash".to_owned(), json!({"command": "ls"}));
    for (client, event, sent) in [
        (Client::Claude, "PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}})),
        (Client::Codex, "PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}})),
        (
            Client::Gemini,
            "BeforeTool",
            json!({"tool_name": "run_shell_command", "tool_input": {"command": "ls"}}),
        ),
        (Client::Copilot, "preToolUse", json!({"toolName": "bash", "toolArgs": {"command": "ls"}})),
        (Client::Copilot, "PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}})),
        (Client::Copilot, "permissionRequest", json!({"toolName": "bash", "toolInput": {"command": "ls"}})),
        (
            Client::CopilotSdk,
            "preToolUse",
            json!({"hookType": "preToolUse", "input": {"toolName": "bash", "toolArgs": {"command": "ls"}}}),
        ),
        (
            Client::VsCode,
            "PreToolUse",
            json!({"tool_name": "runTerminalCommand", "tool_input": {"command": "ls"}}),
        ),
        (Client::Cursor, "preToolUse", json!({"tool_name": "Shell", "tool_input": {"command": "ls"}})),
        (Client::Cursor, "beforeShellExecution", json!({"command": "ls"})),
        (Client::DockerAgent, "tool_guard", json!({"tool_name": "shell", "tool_input": {"cmd": "ls"}})),
        (Client::DockerAgentJuly, "pre_tool_use", json!({"tool_name": "shell", "tool_input": {"cmd": "ls"}})),
        (Client::Squad, "preTool", json!({"toolName": "bash", "arguments": {"command": "ls"}})),
        (Client::Squad, "onPreToolUse", json!({"toolName": "bash", "toolArgs": {"command": "ls"}})),
    ] {
        assert_eq!(call(client, event, sent), expected, "{client} {event}");
    }
}

#[test]
fn a_tool_that_starts_an_agent_starts_a_child() {
    let claude = json!({"subagent_type": "explore", "prompt": "list the files", "description": "list"});
    let copilot = json!({"agent_type": "explore", "prompt": "list the files", "name": "one", "mode": "sync"});
    for (client, name, sent) in [
        (Client::Claude, "PreToolUse", json!({"tool_name": "Agent", "tool_input": claude})),
        (Client::Claude, "PreToolUse", json!({"tool_name": "Task", "tool_input": claude})),
        (
            Client::Codex,
            "PreToolUse",
            json!({"tool_name": "spawn_agent", "tool_input": {"agent_type": "explore", "message": "list the files"}}),
        ),
        (
            Client::Gemini,
            "BeforeTool",
            json!({"tool_name": "invoke_agent", "tool_input": {"agent_name": "explore", "prompt": "list the files"}}),
        ),
        (Client::Copilot, "preToolUse", json!({"toolName": "task", "toolArgs": copilot})),
        (Client::Copilot, "PreToolUse", json!({"tool_name": "Agent", "tool_input": copilot})),
        (
            Client::DockerAgent,
            "tool_guard",
            json!({"tool_name": "transfer_task", "tool_input": {"agent": "explore", "task": "list the files"}}),
        ),
    ] {
        let decoded = decode(client, Some(name), sent.to_string().as_bytes()).unwrap();
        assert_eq!(
            decoded.child(),
            Some(event::SubagentStart::new("explore", "list the files")),
            "{client} {sent}"
        );
    }
    let decoded = decode(Client::Claude, None, payload_of(Client::Claude, "PreToolUse").as_bytes()).unwrap();
    assert_eq!(decoded.child(), None);
}

#[test]
fn an_envelope_is_kept() {
    let sent = json!({"jsonrpc": "2.0", "id": 7, "method": "hooks.invoke", "params": {"sessionId": "s", "hookType": "preToolUse",
        "input": {"sessionId": "s", "timestamp": 1, "workingDirectory": "/a", "toolName": "bash", "toolArgs": {"command": "ls"}}}});
    let read = Payload::read(sent.to_string().as_bytes(), Limits::default()).unwrap();
    assert_eq!(read.recognised(), Some((Client::CopilotSdk, "preToolUse")));
    let decoded = read.decode(Client::CopilotSdk, None).unwrap();
    assert_eq!(Value::Object(payload(&decoded)), sent);
    let reply = hooks_protocols::encode(&decoded, &hooks_protocols::Answer::deny("no"));
    let expected = json!({"jsonrpc": "2.0", "id": 7, "result": {"output": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}});
    assert_eq!(reply.stdout, expected.to_string());
}

/// Limits count children by an ID that distinguishes children of the same name.
#[test]
fn a_child_is_the_same_from_its_start_to_its_stop() {
    let at = json!({"session_id": "s", "sessionId": "s", "cwd": "/a", "agent_type": "explore", "agentName": "explore"});
    for (client, start, stop, key) in [
        (Client::Claude, "SubagentStart", "SubagentStop", "agent_id"),
        (Client::Codex, "SubagentStart", "SubagentStop", "agent_id"),
        (Client::Copilot, "subagentStart", "subagentStop", "agentId"),
        (Client::Copilot, "SubagentStart", "SubagentStop", "agent_id"),
        (Client::VsCode, "SubagentStart", "SubagentStop", "agent_id"),
        (Client::Cursor, "subagentStart", "subagentStop", "subagent_id"),
    ] {
        let mut sent = at.clone();
        sent[key] = "child-7".into();
        for event in [start, stop] {
            let decoded = decode(client, Some(event), sent.to_string().as_bytes()).unwrap();
            let child = match &decoded.event {
                Some(WireEvent::SubagentStart(start)) => start.child_id.as_deref(),
                Some(WireEvent::SubagentStop(stop)) => stop.child_id.as_deref(),
                other => panic!("{other:?}"),
            };
            assert_eq!(child, Some("child-7"), "{client} {event}");
            assert_eq!(Value::Object(payload(&decoded)), sent, "{client} {event}");
        }
    }
}

#[test]
fn of_a_call_that_is_told_twice_one_event_counts() {
    let at = json!({"conversation_id": "s", "cursor_version": "2", "cwd": "/a", "tool_name": "Shell", "tool_input": {},
        "command": "ls"});
    let told = |event: &str| decode(Client::Cursor, Some(event), at.to_string().as_bytes()).unwrap();
    assert!(!told("preToolUse").is_told_elsewhere());
    assert!(told("beforeShellExecution").is_told_elsewhere());
}

/// The fields of docker-agent's payloads that our drivers know.
#[test]
fn docker_agent_gets_what_our_drivers_know() {
    let context = HookContext::new("parent", "lead").in_dir("/a");
    let sent = |name: &str, event: WireEvent| {
        let decoded = Decoded::from_event(Client::DockerAgent, name, context.clone(), event).unwrap();
        let sent = Value::Object(payload(&decoded));
        // Each field is read again, as far as an event of docker-agent has it.
        let again = decode(Client::DockerAgent, None, sent.to_string().as_bytes()).unwrap();
        assert_eq!(Value::Object(payload(&again)), sent, "{name}");
        (sent, again)
    };

    let mut stop = event::SubagentStop::default();
    stop.agent_name = "reader".to_owned();
    stop.child_id = Some("child".to_owned());
    let (stopped, again) = sent("subagent_stop", stop.into());
    assert_eq!(
        stopped,
        json!({"hook_event_name": "subagent_stop", "session_id": "child", "parent_session_id": "parent",
            "agent_name": "reader", "cwd": "/a"})
    );
    assert_eq!(again.context.session_id, "parent", "the hooks of the parent are asked");

    let (reached, _) = sent("on_max_iterations", event::MaxIterations::new(20).into());
    assert_eq!(reached["notification_message"], "the limit of 20 iterations is reached");
    let (reached, _) = sent("on_max_iterations", event::MaxIterations::new(20).saying("enough").into());
    assert_eq!(reached["notification_message"], "enough");
    let (more, _) = sent("on_session_resume", event::MaxIterations::resumed(30).from_limit(20).into());
    assert_eq!((&more["previous_max_iterations"], &more["new_max_iterations"]), (&json!(20), &json!(30)));

    let mut compaction = event::PreCompact::default();
    (compaction.current_token_count, compaction.output_token_count) = (900, 70);
    (compaction.max_tokens, compaction.source) = (1000, event::CompactionSource::ToolOverflow);
    let numbers = json!({"session_id": "parent", "agent_name": "lead", "cwd": "/a", "input_tokens": 900,
        "output_tokens": 70, "context_limit": 1000, "compaction_reason": "tool_overflow"});
    let (before, _) = sent("before_compaction", compaction.clone().into());
    let (after, _) = sent("after_compaction", event::PostCompact::after(&compaction, "short", 50).into());
    for (sent, name, summary) in
        [(before, "before_compaction", json!(null)), (after, "after_compaction", json!("short"))]
    {
        let mut wanted = numbers.clone();
        wanted["hook_event_name"] = name.into();
        if !summary.is_null() {
            wanted["summary"] = summary;
        }
        assert_eq!(sent, wanted, "{name}");
    }
}

/// Qwen Code fires `UserPromptSubmit` for results too, and replaces the result of a failed call only at the end of
/// its batch.
#[test]
fn events_of_qwen_code_with_several_meanings() {
    let changed = |event: &str, change: &dyn Fn(&mut Value)| {
        let mut sent: Value = serde_json::from_str(&payload_of(Client::Qwen, event)).unwrap();
        change(&mut sent);
        let decoded = decode(Client::Qwen, Some(event), sent.to_string().as_bytes()).unwrap();
        assert_eq!(Value::Object(payload(&decoded)), sent);
        decoded
    };
    let results = changed("UserPromptSubmit", &|sent| sent["prompt"] = "".into());
    assert_eq!(results.event, None);
    let call = |sent: &mut Value, text: &str, status: &str| {
        let mut call = sent["tool_calls"][0].clone();
        call["status"] = "error".into();
        call["tool_use_id"] = text.into();
        call["tool_response"]["error"] = text.into();
        let for_model = json!({"error": format!("{text}, with its output")});
        call["tool_response"]["response_parts"][0]["functionResponse"]["response"] = for_model;
        call["tool_response"]["execution_status"] = status.into();
        sent["tool_calls"].as_array_mut().unwrap().push(call);
    };
    let denied = changed("PostToolBatch", &|sent| call(sent, "denied", "not_started"));
    assert_eq!(denied.event, None);
    let failed = changed("PostToolBatch", &|sent| {
        call(sent, "first", "error");
        call(sent, "last", "error");
    });
    assert!(failed.is_told_elsewhere());
    let Some(WireEvent::PostToolUse(done)) = failed.event else { panic!("{failed:?}") };
    assert_eq!((&*done.tool_name, done.tool_use_id.as_deref()), ("run_shell_command", Some("last")));
    assert_eq!((&done.tool_result, done.error.as_deref()), (&json!("last, with its output"), Some("last")));
}
