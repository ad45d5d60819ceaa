//! An agent file in the form of summer 2026, as published then: nineteen events, real commands.

use std::path::Path;

use hooks_config::ConfigReader;
use hooks_core::event::{
    AfterModelCall, AgentSwitched, BeforeModelCall, EndReason, ErrorOccurred, ErrorType, Level,
    MaxIterations, Message, ModelReply, Notification, PostCompact, PostToolUse, PreCompact, PreToolUse,
    PromptKind, Role, SessionEnd, SessionStart, Stop, SubagentStop, ToolDecided, TurnEnd, TurnStart, Usage,
    UserInputRequested, UserPromptSubmitted, VerdictSource,
};
use hooks_core::{HookContext, Hooks, Judged, Strength};
use serde_json::json;

const FILE: &str = r#"
agents:
  root:
    model: acme/large
    description: Keeps a log of everything it does.
    hooks:
      session_start: [{ type: command, command: "cat > log.session_start; echo started" }]
      session_end: [{ type: command, command: "cat > log.session_end" }]
      user_prompt_submit: [{ type: command, command: "cat > log.user_prompt_submit" }]
      turn_start: [{ type: command, command: "cat > log.turn_start" }]
      turn_end: [{ type: command, command: "cat > log.turn_end" }]
      before_llm_call: [{ type: command, command: "cat > log.before_llm_call" }]
      after_llm_call: [{ type: command, command: "cat > log.after_llm_call" }]
      pre_tool_use:
        - matcher: shell
          hooks:
            - name: no destruction
              type: command
              timeout: 10
              command: |
                cat > log.pre_tool_use
                if grep -q '"cmd":"rm -rf' log.pre_tool_use; then echo "recursive removal is not for agents" >&2; exit 2; fi
            - name: no sudo
              type: command
              command: |
                if grep -q '"cmd":"sudo '; then
                  echo '{"decision": "block", "reason": "nobody becomes root here"}'
                fi
            - name: readable sizes
              type: command
              command: |
                if grep -q '"cmd":"ls '; then
                  echo '{"hook_specific_output": {"updated_input": {"cmd": "ls -h src"}}}'
                fi
      post_tool_use:
        - matcher: "*"
          hooks: [{ type: command, command: "cat > log.post_tool_use" }]
      permission_request:
        - hooks: [{ type: command, command: "cat > log.permission_request" }]
      on_tool_approval_decision: [{ type: command, command: "cat > log.on_tool_approval_decision" }]
      pre_compact: [{ type: command, command: "cat > log.pre_compact; echo 'keep every path'" }]
      before_compaction:
        - type: command
          command: |
            cat > log.before_compaction
            echo '{"hookSpecificOutput": {"summary": "pinned"}}'
      after_compaction: [{ type: command, command: "cat > log.after_compaction" }]
      subagent_stop: [{ type: command, command: "cat > log.subagent_stop" }]
      on_agent_switch: [{ type: command, command: "cat > log.on_agent_switch" }]
      on_user_input: [{ type: command, command: "cat > log.on_user_input" }]
      stop: [{ type: command, command: "cat > log.stop" }]
      notification: [{ type: command, command: "cat > log.notification" }]
      on_error: [{ type: command, command: "cat > log.on_error" }]
      on_max_iterations: [{ type: command, command: "cat > log.on_max_iterations" }]
"#;

fn here(folder: &Path) -> HookContext {
    HookContext::new("s-1", "root").in_dir(folder).with_environment(hooks_system::system())
}

/// Fires every other event once.
async fn fire_all(hooks: &Hooks, folder: &Path) {
    let on = hooks.on(here(folder));
    let call = PreToolUse::new("shell", json!({"cmd": "echo hi"}));
    let started = on.session_start(SessionStart::default()).await;
    assert_eq!(started.additional_context[0].text, "started");
    on.user_prompt_submitted(UserPromptSubmitted::new("hello", PromptKind::Initial)).await;
    on.turn_start(TurnStart::new(1)).await;
    on.before_model_call(BeforeModelCall::new("m", 1, vec![Message::text(Role::User, "hello")])).await;
    let reply =
        ModelReply { response: Message::text(Role::Assistant, "hi"), usage: Usage::default(), cost: None };
    on.after_model_call(AfterModelCall::new("m", 1, &reply)).await;
    on.tool_decided(ToolDecided::about(&call, Strength::Allow, VerdictSource::Hooks, &[])).await;
    on.post_tool_use(PostToolUse::after(&call, json!("hi"), None, 3)).await;
    let compacted = on.pre_compact(PreCompact::default()).await;
    let notes = compacted.outcome.notes().unwrap();
    assert_eq!(notes.context.additional_context[0].text, "keep every path");
    assert_eq!(notes.summary, None, "a summary in camelCase is none");
    on.post_compact(PostCompact::after(&PreCompact::default(), "short", 10)).await;
    on.subagent_stop(SubagentStop::default()).await;
    on.agent_switched(AgentSwitched::new("root", "helper")).await;
    on.user_input_requested(UserInputRequested::new("which?")).await;
    on.stop(Stop::new("done")).await;
    on.notification(Notification::new(Level::Warning, "slow")).await;
    on.error_occurred(ErrorOccurred::new("broke", ErrorType::Tool)).await;
    on.max_iterations(MaxIterations::new(9)).await;
    on.turn_end(TurnEnd::new(1, hooks_core::event::TurnEndReason::Normal)).await;
    let mut end = SessionEnd::default();
    end.reason = EndReason::Complete;
    on.session_end(end).await;
}

#[tokio::test]
async fn the_example_means_what_it_meant() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        ConfigReader::default().parse(FILE, "agent.yaml").unwrap_or_else(|errors| panic!("{errors}"));
    let hooks = config.hooks();
    let decision_on = async |tool: &str, argument: &str, line: &str| {
        let call = PreToolUse::new(tool, json!({ argument: line }));
        hooks.on(here(folder.path())).pre_tool_use(call).await
    };
    for (line, reason) in
        [("rm -rf build", "recursive removal is not for agents"), ("sudo reboot", "nobody becomes root here")]
    {
        // docker-agent's tool, and the tool of another client.
        for (tool, argument) in [("shell", "cmd"), ("Bash", "command")] {
            let refused = decision_on(tool, argument, line).await;
            assert_eq!(
                refused.outcome.shown_reason().map(|reason| reason.message.as_str()),
                Some(reason),
                "{line}"
            );
            assert!(refused.outcome.is_denied());
        }
    }
    assert!(decision_on("shell", "cmd", "echo hi").await.outcome.goes_ahead());
    let listed = decision_on("Bash", "command", "ls src").await;
    assert!(listed.outcome.goes_ahead());
    assert_eq!(listed.request.event().tool_args, json!({"command": "ls -h src"}));
    fire_all(&hooks, folder.path()).await;
    let logged = |name: &str| {
        let log = std::fs::read_to_string(folder.path().join(format!("log.{name}"))).unwrap_or_default();
        let log: serde_json::Value =
            serde_json::from_str(&log).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(log["hook_event_name"], name);
        log
    };
    for name in [
        "session_start",
        "session_end",
        "user_prompt_submit",
        "turn_start",
        "turn_end",
        "before_llm_call",
        "after_llm_call",
        "pre_tool_use",
        "post_tool_use",
        "on_tool_approval_decision",
        "pre_compact",
        "before_compaction",
        "after_compaction",
        "subagent_stop",
        "on_agent_switch",
        "on_user_input",
        "stop",
        "notification",
        "on_error",
        "on_max_iterations",
    ] {
        logged(name);
    }
    assert_eq!(logged("post_tool_use")["tool_response"], "hi");
    assert_eq!(logged("stop")["stop_response"], "done");
    assert_eq!(logged("on_agent_switch")["to_agent"], "helper");
}
