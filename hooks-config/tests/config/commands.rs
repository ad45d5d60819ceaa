//! Handlers in a configuration: agent files of docker-agent, and the `hooks:` section.

use std::sync::{Arc, Mutex};

use hooks_command::output::{End, Finished};
use hooks_command::process::{Runner, Start};
use hooks_command::{Builtin, BuiltinCall, Profile};
use hooks_config::{Config, ConfigErrors, ConfigReader};
use hooks_core::event::{
    Notification, PostToolUse, PreToolUse, PromptKind, SessionStart, Stop, SubagentStart, UserPromptSubmitted,
};
use hooks_core::{EventKind, HookContext, HookFuture, Judged, ReasonKind, Strength};
use serde_json::{Value, json};

/// Commands whose text is their behaviour: `exit N`, or the output itself.
#[derive(Clone, Default)]
struct Played(Arc<Mutex<Vec<(String, Value)>>>);

impl Played {
    fn started(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(command, _)| command.clone()).collect()
    }

    fn read(&self) -> Vec<Value> {
        self.0.lock().unwrap().iter().map(|(_, input)| input.clone()).collect()
    }
}

impl Runner for Played {
    fn run(&self, start: Start) -> HookFuture<'static, Finished> {
        let command = start.handler.command.clone();
        self.0.lock().unwrap().push((command.clone(), Value::Object((*start.input).clone())));
        let (end, stdout) = match command.strip_prefix("exit ") {
            Some(status) => (End::Exited(status.parse().unwrap()), String::new()),
            None => (End::Exited(0), command),
        };
        HookFuture::now(Finished { end, stdout, stderr: "told on stderr\n".to_owned() })
    }
}

fn config(text: &str, played: &Played) -> Config {
    let reader = ConfigReader::default().runner(Arc::new(played.clone()));
    reader.parse(text, "agent.yaml").unwrap_or_else(|errors| panic!("{errors}"))
}

fn refused(text: &str) -> ConfigErrors {
    Config::parse(text, "agent.yaml").unwrap_err()
}

fn here() -> HookContext {
    HookContext::new("s-1", "root").in_dir("/work")
}

fn call(command: &str) -> PreToolUse {
    PreToolUse::new("shell", json!({"cmd": command, "cwd": "."}))
}

#[test]
fn everything_that_is_wrong_at_once_each_at_its_place() {
    let text = r#"
agents:
  root:
    model: acme/large
    hooks:
      tool_gaurd:
        - hooks: { type: command, command: x }
      pre_tool_use:
        - matcher: "*.py"
          hooks:
            - type: command
              comand: ./a.sh
        - type: command
          command: ./b.sh
        - hooks: []
      turn_end:
        - type: command
          command: ./c.sh
          on_error: block
        - matcher: shell
          hooks: [{ type: command, command: ./d.sh }]
        - { type: script, command: ./e.sh }
        - { type: model, model: acme/judge, schema: verdict }
        - { type: command, command: ./f.sh, timeout: soon, env: [A] }
        - { type: builtin, command: add_dat }
  second:
    hooks:
      stop: { type: command }
"#;
    let errors = refused(text);
    let found: Vec<_> = errors
        .errors()
        .iter()
        .map(|error| {
            (error.line, error.column, error.path.as_str(), error.hint.as_deref().unwrap_or_default())
        })
        .collect();
    let at = "agents.root.hooks";
    let path = |below: &str| format!("{at}.{below}");
    let paths = [
        (6, 7, path("tool_gaurd"), "did you mean `tool_guard`?"),
        (9, 20, path("pre_tool_use[0].matcher"), "a glob star is written `.*` here"),
        (12, 15, path("pre_tool_use[0].hooks[0].comand"), "did you mean `command`?"),
        (13, 11, path("pre_tool_use[1]"), "put the hook under `hooks:`"),
        (15, 18, path("pre_tool_use[2].hooks"), "list at least one, or leave the entry out"),
        (19, 21, path("turn_end[0].on_error"), "write `warn` or `ignore`"),
        (
            20,
            11,
            path("turn_end[1].matcher"),
            "write the hooks of this event as a list, without `matcher` and `hooks`",
        ),
        (22, 19, path("turn_end[2].type"), ""),
        (23, 11, path("turn_end[3]"), "write what the model is to judge"),
        (23, 53, path("turn_end[3].schema"), ""),
        (24, 54, path("turn_end[4].timeout"), "write it as `timeout: 5`"),
        (24, 65, path("turn_end[4].env"), "write it as `env: { NAME: value }`"),
        (25, 37, path("turn_end[5].command"), "did you mean `add_date`?"),
        (28, 13, "agents.second.hooks.stop".to_owned(), "write the line that the shell runs"),
    ];
    let wanted: Vec<_> =
        paths.iter().map(|(line, column, path, hint)| (*line, *column, path.as_str(), *hint)).collect();
    assert_eq!(found, wanted, "{errors}");
    let shown = errors.to_string();
    for words in
        ["type takes one of command, builtin, model", "warning: line 25, column 37", "line 24, column 54"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let json = serde_json::to_value(errors.errors()).unwrap();
    assert_eq!((&json[0]["level"], &json[12]["level"]), (&json!("error"), &json!("warning")));
    assert!(
        json[0]["text"]
            .as_str()
            .unwrap()
            .starts_with("line 6, column 7: agents.root.hooks.tool_gaurd: unknown event")
    );
}

#[test]
fn words_of_other_systems_are_understood_in_hints() {
    for (event, hint) in [
        ("session_begin", "did you mean `session_start`?"),
        ("before_tool_use", "did you mean `pre_tool_use`?"),
        ("PreToolUse", "did you mean `pre_tool_use`?"),
        ("before_model_call", "did you mean `before_llm_call`?"),
        ("tool_input_tranform", "did you mean `tool_input_transform`?"),
        ("xyz", ""),
    ] {
        let errors = refused(&format!("agents: {{ root: {{ hooks: {{ {event}: [] }} }} }}"));
        assert_eq!(errors.errors()[0].hint.as_deref().unwrap_or_default(), hint, "{event}");
    }
}

#[test]
fn an_agent_file_of_either_generation() {
    let text = r"
models: { main: { provider: acme, model: large } }
agents:
  root:
    model: main
    instruction: Be kind.
    hooks:
      pre_tool_use:
        matcher: shell
        hooks: { type: command, command: ./a.sh }
      stop: { type: command, command: ./b.sh }
  helper:
    add_date: true
    add_prompt_files: [RULES.md]
    hooks:
      turn_start: [{ type: builtin, command: add_git_status }]
permissions: { allow: [read_file] }
";
    let config = Config::parse(text, "agent.yaml").unwrap();
    assert_eq!(config.doubts(), []);
    let wanted = [("helper", vec![("turn_start", 3)]), ("root", vec![("pre_tool_use", 1), ("stop", 1)])];
    assert_eq!(config.handlers(), wanted);
    assert_eq!(config.hooks().hooked(), [EventKind::PreToolUse, EventKind::Stop, EventKind::TurnStart]);

    let newer = "agents: { root: { hooks: { tool_guard: [{ hooks: { type: command, command: x } }] } } }";
    assert!(Config::parse(newer, "agent.yaml").is_ok());
    let july = ConfigReader::default().hook_profile(Profile::July);
    let errors = july.parse(newer, "agent.yaml").unwrap_err();
    assert!(errors.to_string().contains("no event `tool_guard` in this profile"), "{errors}");
}

#[tokio::test]
async fn handlers_decide_rewrite_and_are_asked_about_what_will_run() {
    let played = Played::default();
    let text = r#"
version: 1
hooks:
  tool_input_transform:
    - matcher: shell
      hooks: { type: command, command: '{"hook_specific_output": {"updated_input": {"cmd": "ls -h"}}}' }
  tool_guard:
    - matcher: shell|edit_.*
      hooks: { name: guard, type: command, command: "{}" }
    - matcher: write_file
      hooks: { name: no writes, type: command, command: exit 2 }
  pre_tool_use:
    - matcher: broken
      hooks: { name: flaky, type: command, command: exit 1 }
    - matcher: asking
      hooks: { name: judge, type: command, command: '{"hook_specific_output": {"permission_decision": "ask", "permission_decision_reason": "hm"}}' }
"#;
    let hooks = config(text, &played).hooks();
    let decision = hooks.on(here()).pre_tool_use(call("ls")).await;
    assert!(decision.outcome.goes_ahead());
    assert_eq!(decision.request.event().tool_args, json!({"cmd": "ls -h", "cwd": "."}));
    let read = played.read();
    assert_eq!(read.len(), 2, "{read:?}");
    assert_eq!(read[0]["tool_input"], json!({"cmd": "ls", "cwd": "."}));
    assert_eq!(read[1]["tool_input"], json!({"cmd": "ls -h", "cwd": "."}));
    assert_eq!((&read[1]["hook_event_name"], &read[1]["cwd"]), (&json!("tool_guard"), &json!("/work")));

    let event_decision = async |tool: &str| {
        let decision = hooks.on(here()).pre_tool_use(PreToolUse::new(tool, json!({}))).await;
        let reason = decision.outcome.shown_reason().cloned();
        (decision.outcome.strength(), reason)
    };
    let (strength, reason) = event_decision("write_file").await;
    let reason = reason.unwrap();
    assert_eq!((strength, &*reason.policy, &*reason.rule), (Strength::Deny, "no writes", "tool_guard"));
    assert_eq!((reason.kind, reason.message.as_str()), (ReasonKind::Policy, "told on stderr"));
    let (strength, reason) = event_decision("broken").await;
    assert_eq!((strength, reason.unwrap().kind), (Strength::Deny, ReasonKind::Failure));
    assert_eq!(event_decision("asking").await.0, Strength::Ask);
    let before = played.started().len();
    assert_eq!(event_decision("read_file").await, (Strength::NoOpinion, None));
    assert_eq!(played.started().len(), before, "nothing is started for a tool that nobody matches");
}

#[tokio::test]
async fn a_rewrite_of_an_approving_hook_is_judged_again() {
    let played = Played::default();
    let rewrites =
        r#"{"hook_specific_output": {"permission_decision": "allow", "updated_input": {"cmd": "rm x"}}}"#;
    let text = format!(
        "version: 1\ncommand_guard: {{ block: [rm] }}\nhooks:\n  tool_guard: {{ hooks: {{ type: command, command: '{{}}' }} }}\n  pre_tool_use: {{ hooks: {{ type: command, command: '{rewrites}' }} }}\n"
    );
    let hooks = config(&text, &played).hooks();
    let decision = hooks.on(here()).pre_tool_use(PreToolUse::new("bash", json!({"command": "ls"}))).await;
    assert_eq!(decision.request.event().tool_args, json!({"command": "rm x"}));
    let guards: Vec<_> =
        played.read().into_iter().filter(|input| input["hook_event_name"] == "tool_guard").collect();
    assert_eq!(guards.last().unwrap()["tool_input"]["cmd"], "rm x");
    assert!(decision.outcome.is_denied(), "the command guard judges what will run");
}

#[tokio::test]
async fn other_events_in_our_names_and_theirs() {
    let played = Played::default();
    let text = r#"
version: 1
hooks:
  user_prompt_submitted: { type: command, command: "seen" }
  user_followup_submit: { type: command, command: '{"decision": "block", "reason": "enough"}' }
  session_start: { type: command, command: "team: payments" }
  tool_response_transform: { hooks: { type: command, command: '{"hook_specific_output": {"updated_tool_response": "[masked]"}}' } }
  post_tool_use: { hooks: { type: command, command: '{"continue": false, "stop_reason": "five times"}' } }
  stop: { type: command, command: '{"decision": "block"}' }
  notification: { type: command, command: exit 2 }
  subagent_start: { type: command, command: exit 1, name: census }
"#;
    let hooks = config(text, &played).hooks();
    let on = hooks.on(here());
    let first = on.user_prompt_submitted(UserPromptSubmitted::new("hi", PromptKind::Initial)).await;
    assert_eq!(first.outcome.notes().unwrap().additional_context[0].text, "seen");
    let later = on.user_prompt_submitted(UserPromptSubmitted::new("and?", PromptKind::FollowUp)).await;
    assert!(later.outcome.is_denied());
    assert_eq!(later.outcome.shown_reason().unwrap().message, "enough");
    let started = on.session_start(SessionStart::default()).await;
    assert_eq!(started.additional_context[0].text, "team: payments");
    let ran = PostToolUse::after(&call("ls"), json!("secret"), None, 1);
    let after = on.post_tool_use(ran).await;
    assert_eq!(after.request.event().tool_result, "[masked]");
    assert_eq!(after.outcome.notes().unwrap().stop.as_deref(), Some("five times"));
    assert_eq!(played.read().last().unwrap()["tool_response"], "[masked]");
    assert!(on.stop(Stop::new("done")).await.outcome.goes_ahead());
    on.notification(Notification::new(hooks_core::event::Level::Error, "broke")).await;
    assert_eq!(played.read().last().unwrap()["notification_message"], "broke");
    let child = on.subagent_start(SubagentStart::new("reader", "read")).await;
    assert_eq!(child.outcome.shown_reason().unwrap().kind, ReasonKind::Failure);
    let read = played.read();
    let input = read.last().unwrap();
    assert_eq!(
        (&input["hook_event_name"], &input["agent_name"], &input["task"]),
        (&json!("subagent_start"), &json!("reader"), &json!("read"))
    );
}

#[tokio::test]
async fn a_failure_closes_what_would_go_ahead() {
    let block = |hook: &str| {
        format!(
            "{{ user_prompt_submit: {hook}, before_llm_call: {hook}, tool_input_transform: {{ hooks: {hook} }}, \
             tool_response_transform: {{ hooks: {hook} }} }}"
        )
    };
    let ours = |hook: &str| format!("version: 1\nhooks: {}\n", block(hook));
    let (broken, opened) =
        ("{ type: command, command: exit 1 }", "{ type: command, command: exit 1, on_error: warn }");
    let theirs = format!("agents: {{ root: {{ hooks: {} }} }}\n", block(broken));
    for (text, goes) in [(ours(broken), false), (ours(opened), true), (theirs, true)] {
        let hooks = config(&text, &Played::default()).hooks();
        let on = hooks.on(here());
        let message = on.user_prompt_submitted(UserPromptSubmitted::new("hi", PromptKind::Initial)).await;
        assert_eq!(message.outcome.goes_ahead(), goes, "{text}");
        let model = on.before_model_call(hooks_core::event::BeforeModelCall::new("m", 1, Vec::new())).await;
        assert_eq!(model.outcome.goes_ahead(), goes, "{text}");
        assert_eq!(on.pre_tool_use(call("ls")).await.outcome.goes_ahead(), goes, "{text}");
        let ran = on.post_tool_use(PostToolUse::after(&call("ls"), json!("secret"), None, 1)).await;
        assert_eq!(ran.outcome.goes_ahead(), goes, "{text}");
        assert_eq!(ran.outcome.notes().and_then(|notes| notes.stop.as_deref()), None, "the run goes on");
        if !goes {
            assert_eq!(ran.outcome.shown_reason().unwrap().kind, ReasonKind::Failure);
        }
    }
    // For this event docker-agent cannot block, and a warning explains that.
    let decision = |agents: &str| {
        format!(
            "{agents} tool_response_transform: {{ hooks: {{ type: command, command: x, on_error: block }} }}"
        )
    };
    assert_eq!(Config::parse(&decision("version: 1\nhooks:\n "), "hooks.yaml").unwrap().doubts(), []);
    let agents = Config::parse(&decision("agents:\n root:\n  hooks:\n   "), "agent.yaml").unwrap();
    assert!(agents.doubts()[0].to_string().contains("on_error: block has no effect"));
}

/// The file of an earlier generation is valid, and its hook still warns.
#[tokio::test]
async fn a_block_on_an_observer_is_a_warning() {
    let hook = "{ type: command, command: exit 1, on_error: block, name: flaky }";
    for text in [
        format!("agents: {{ root: {{ hooks: {{ session_start: {hook} }} }} }}\n"),
        format!("version: 1\nhooks: {{ session_start: {hook} }}\n"),
    ] {
        let config = config(&text, &Played::default());
        let [doubt] = config.doubts() else { panic!("{:?}", config.doubts()) };
        assert!(doubt.path.ends_with("session_start.on_error"), "{}", doubt.path);
        let patch = config.hooks().on(here()).session_start(SessionStart::default()).await;
        assert!(patch.system_messages[0].contains("flaky"), "{:?}", patch.system_messages);
    }
    // docker-agent itself refuses such a block since September.
    let exactly = |profile| {
        hooks_config::parse_hooks(
            "stop: { type: command, command: x, on_error: block }",
            "hooks",
            profile,
            &hooks_config::standard_builtins(),
        )
    };
    assert!(exactly(Profile::September).is_err() && exactly(Profile::July).is_ok());
}

#[tokio::test]
async fn a_hook_without_a_name_has_its_place() {
    let text = "version: 1\nhooks:\n  tool_guard:\n    - hooks:\n        - { type: command, command: \"ls\" }\n        \
                - { type: command, command: \"exit 9\" }\n        - { type: command, command: \"exit 8\", name: eight }\n";
    let decided = config(text, &Played::default()).hooks().on(here()).pre_tool_use(call("ls")).await;
    let names: Vec<_> = decided.outcome.reasons().iter().map(|reason| reason.policy.to_string()).collect();
    assert_eq!(names, ["tool_guard[0].hooks[1]", "eight"]);
}

#[tokio::test]
async fn a_hook_can_hide_a_result_from_the_user() {
    let text = r#"
version: 1
hooks:
  post_tool_use: { hooks: { type: command, command: '{"suppress_output": true}' } }
"#;
    let hooks = config(text, &Played::default()).hooks();
    let ran = hooks.on(here()).post_tool_use(PostToolUse::after(&call("ls"), json!("a"), None, 1)).await;
    assert!(ran.outcome.notes().is_some_and(|notes| notes.suppress_output));
}

#[tokio::test]
async fn the_safer_option_of_july_asks_about_harmful_commands() {
    let text = "agents: { root: { safer: true, hooks: {} } }\n";
    for (profile, strength) in [(Profile::July, Strength::Ask), (Profile::September, Strength::NoOpinion)] {
        let config = ConfigReader::default().hook_profile(profile).parse(text, "agent.yaml").unwrap();
        let decided = config.hooks().on(here()).pre_tool_use(call("rm -rf /srv")).await;
        assert_eq!(decided.outcome.strength(), strength, "{profile}");
    }
}

#[test]
fn the_function_that_only_labels_is_told() {
    let text = "version: 1\nhooks: { pre_tool_use: { hooks: { type: builtin, command: safer_shell } } }\n";
    let config = Config::parse(text, "hooks.yaml").unwrap();
    let [doubt] = config.doubts() else { panic!("{:?}", config.doubts()) };
    assert!(doubt.to_string().contains("only labels"), "{doubt}");
    let july = format!("hook_profile: 2026-07\n{text}");
    assert_eq!(Config::parse(&july, "hooks.yaml").unwrap().doubts(), []);
}

/// A summary in another spelling: one report names both spellings of every name.
#[tokio::test]
async fn a_summary_in_camel_case_is_told_once() {
    let text = r#"
version: 1
hooks:
  before_compaction:
    type: command
    command: '{"hookSpecificOutput": {"hookEventName": "before_compaction", "summary": "s"}}'
"#;
    let hooks = config(text, &Played::default()).hooks();
    let compacted = hooks.on(here()).pre_compact(hooks_core::event::PreCompact::default()).await.outcome;
    let told = compacted.notes().unwrap().context.system_messages.join("\n");
    for name in ["hookSpecificOutput", "hook_specific_output", "hookEventName", "hook_event_name"] {
        assert!(told.contains(&format!("`{name}`")), "{name}: {told}");
    }
}

#[tokio::test]
async fn a_warning_reaches_the_user_where_there_is_a_way() {
    let warns = "{ type: command, command: exit 1, on_error: warn, name: flaky }";
    let says = r#"{ type: command, command: '{"system_message": "look out"}' }"#;
    let text = format!(
        "version: 1\nhooks: {{ user_prompt_submit: [{warns}, {says}], session_start: [{warns}, {says}], \
         turn_start: [{warns}, {says}], pre_compact: [{warns}, {says}] }}\n"
    );
    let hooks = config(&text, &Played::default()).hooks();
    let on = hooks.on(here());
    let message = on.user_prompt_submitted(UserPromptSubmitted::new("hi", PromptKind::Initial)).await.outcome;
    let compacted = on.pre_compact(hooks_core::event::PreCompact::default()).await.outcome;
    assert!(message.goes_ahead() && compacted.goes_ahead());
    for told in [
        &message.notes().unwrap().system_messages,
        &on.session_start(SessionStart::default()).await.system_messages,
        &on.turn_start(hooks_core::event::TurnStart::new(1)).await.system_messages,
        &compacted.notes().unwrap().context.system_messages,
    ] {
        assert!(told.len() == 2 && told[0].contains("flaky") && told[1] == "look out", "{told:?}");
    }
}

#[tokio::test]
async fn each_agent_has_its_own() {
    let played = Played::default();
    let text = "agents:\n  root: { hooks: { stop: { type: command, command: of root } } }\n  \
                helper: { hooks: { stop: { type: command, command: of helper } } }\n";
    let hooks = config(text, &played).hooks();
    for agent in ["helper", "root", "stranger"] {
        hooks.on(HookContext::new("s", agent)).stop(Stop::new("done")).await;
    }
    assert_eq!(played.started(), ["of helper", "of root", "of root"]);
}

#[tokio::test]
async fn builtins_come_with_us() {
    let played = Played::default();
    let text = r#"
version: 1
hooks:
  turn_start:
    - { type: builtin, command: add_date }
    - { type: builtin, command: add_context, args: ["Session {{ .SessionID }}"] }
  before_llm_call: { type: builtin, command: max_iterations, args: ["2"] }
"#;
    let config = config(text, &played);
    assert_eq!(config.doubts(), []);
    let hooks = config.hooks();
    let begun = hooks.on(here()).turn_start(hooks_core::event::TurnStart::new(1)).await;
    let texts: Vec<_> = begun.additional_context.iter().map(|note| note.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.starts_with("Today's date: ")), "{texts:?}");
    assert!(texts.contains(&"Session s-1"), "{texts:?}");
    let third = hooks_core::event::BeforeModelCall::new("m", 3, Vec::new());
    assert!(hooks.on(here()).before_model_call(third).await.outcome.is_denied());
}

#[tokio::test]
async fn a_builtin_that_redacts_knows_the_patterns_of_the_configuration() {
    let text = r#"
version: 1
redaction: { patterns: { EMPLOYEE_ID: 'E-\d{6}' } }
hooks:
  tool_input_transform: { hooks: { type: builtin, command: redact_secrets } }
"#;
    let mut own = hooks_config::standard_builtins();
    own.register("redact_more", Never);
    for reader in [ConfigReader::default(), ConfigReader::default().builtins(own)] {
        let hooks = reader.parse(text, "hooks.yaml").unwrap().hooks();
        let decision = hooks.on(here()).pre_tool_use(call("fire E-123456 at a@example.org")).await;
        let args = &decision.request.event().tool_args;
        assert_eq!(args["cmd"], "fire [EMPLOYEE_ID_REDACTED] at [EMAIL_REDACTED]");
    }
}

/// A builtin that no handler names.
struct Never;

impl Builtin for Never {
    fn run(&self, _call: BuiltinCall) -> HookFuture<'static, Result<Value, String>> {
        HookFuture::now(Err("nobody asked".to_owned()))
    }
}

#[test]
fn the_section_has_a_profile_of_its_own() {
    let text =
        "version: 1\nhook_profile: 2026-07\nhooks:\n  stop: { type: command, command: x, on_error: fail }\n";
    let config = Config::parse(text, "hooks.yaml").unwrap();
    assert_eq!(config.doubts().len(), 1);
    let errors = refused(&text.replace("2026-07", "2026-08"));
    assert_eq!(errors.errors()[0].path, "hook_profile");
    let errors = refused("version: 1\nhooks:\n  stop:\n    - { type: command, comand: x }\n");
    assert_eq!(
        errors.errors().iter().filter(|error| error.path == "hooks.stop[0].comand").count(),
        1,
        "{errors}"
    );
}
