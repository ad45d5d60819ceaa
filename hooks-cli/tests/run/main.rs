//! `hooks run` as clients call it: a process for each event, with payloads as clients send them.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![expect(clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use hooks_protocols::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

mod approving;
mod checked;
#[path = "../../../hooks-protocols/tests/clients/support.rs"]
#[expect(dead_code, reason = "the model of the clients is shared with the crate that has it")]
mod clients;
mod counted;
mod languages;
mod lines;
mod names;
mod outside;
mod pinned;
mod prompts;
mod reasons;
mod recorded;
mod rewriting;
mod session_counts;
#[path = "../support/terminal.rs"]
mod terminal;
mod transcripts;
mod transcripts_of_agents;
mod trying;

/// A project with a configuration, and a home.
struct World {
    folder: TempDir,
}

/// The output of the program.
#[derive(Debug)]
struct Told {
    exit: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Told {
    fn answer(&self) -> Value {
        if self.stdout.is_empty() { Value::Null } else { serde_json::from_str(&self.stdout).unwrap() }
    }

    #[track_caller]
    fn is_silent(&self) {
        assert!(self.exit == Some(0) && self.stdout.is_empty() && self.stderr.is_empty(), "{self:?}");
    }

    #[track_caller]
    fn says(&self, text: &str) {
        assert!(self.stdout.contains(text) || self.stderr.contains(text), "{text}: {self:?}");
    }
}

impl World {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("app/.git")).unwrap();
        let world = Self { folder };
        if !config.is_empty() {
            world.write("app/hooks.yaml", config);
        }
        world
    }

    fn path(&self, path: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(path).to_str().unwrap().to_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, options: &[&str], payload: &str) -> Told {
        self.run_with(options, &[], payload)
    }

    fn run_with(&self, options: &[&str], variables: &[(&str, &str)], payload: &str) -> Told {
        self.started("run", options, variables, payload)
    }

    /// Runs a subcommand.
    fn program(&self, command: &str, options: &[&str], stdin: &str) -> Told {
        self.started(command, options, &[], stdin)
    }

    fn started(&self, name: &str, options: &[&str], variables: &[(&str, &str)], payload: &str) -> Told {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command
            .arg(name)
            .args(options)
            .current_dir(self.path("app"))
            .env_clear()
            .env("HOME", self.path("home"))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, payload) = (child.stdin.take(), payload.replace("/home/ada/app", &self.path("app")));
        let writer = thread::spawn(move || drop(stdin.map(|mut stdin| stdin.write_all(payload.as_bytes()))));
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        drop(writer.join());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Told { exit: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Forgets which rules the sessions began with, as if each began with the next event.
    fn sessions_begin(&self) {
        drop(fs::remove_dir_all(self.path("home/.local/state/hooks/rules")));
    }

    /// Runs a tool call of Claude Code.
    fn claude(&self, tool: &str, arguments: &Value) -> Told {
        self.run(&["--client", "claude", "--event", "PreToolUse"], &claude(tool, arguments))
    }
}

fn claude(tool: &str, arguments: &Value) -> String {
    json!({"session_id": "s", "transcript_path": "/home/ada/.claude/t.jsonl", "cwd": "/home/ada/app", "prompt_id": "p",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": arguments, "tool_use_id": "toolu_1"})
    .to_string()
}

const DENIED: &str = "version: 1\nrules: [{ name: r, action: deny, tools: ['*'], reason: outer rules }]\n";
const OTHER: &str = "version: 1\nrules: [{ name: r, action: deny, tools: ['*'], reason: inner rules }]\n";

#[test]
fn every_payload_is_answered() {
    let world = World::new("version: 1\n");
    for sent in clients::payloads() {
        let told = world.run(&["--client", sent.client.name(), "--event", &sent.event], &sent.stdin);
        told.is_silent();
        // The same without options that name client and event. In camelCase, Copilot's payloads for both
        // spellings of an event are alike.
        let told = world.run(&[], &sent.stdin);
        assert_eq!(
            (told.exit, told.stdout.as_str()),
            (Some(0), ""),
            "{} {}: {told:?}",
            sent.client,
            sent.event
        );
    }
    for sent in
        clients::read_payloads(include_str!("../../../hooks-protocols/tests/clients/documented.jsonl"))
    {
        let told = world.run(&["--client", sent.client.name(), "--event", &sent.event], &sent.stdin);
        assert!(told.exit == Some(0) && told.stderr.is_empty(), "{} {}: {told:?}", sent.client, sent.event);
        assert!(!told.stdout.contains("denied"), "{} {}: {told:?}", sent.client, sent.event);
    }
}

#[test]
fn every_tool_call_can_be_denied_and_nothing_else_is_on_standard_output() {
    let world = World::new(DENIED);
    for sent in clients::payloads() {
        if !sent.event.eq_ignore_ascii_case("PreToolUse") && sent.event != "BeforeTool" {
            continue;
        }
        for options in [&["--client", sent.client.name(), "--event", &sent.event][..], &[]] {
            let told = world.run(options, &sent.stdin);
            let exit = u8::try_from(told.exit.unwrap()).unwrap();
            let effect = clients::honoured(sent.client, &sent.event, exit, &told.stderr, &told.stdout);
            assert_eq!(effect, clients::Effect::Denied, "{told:?}");
            told.says("outer rules");
        }
    }
}

/// One configuration with the names of one client governs the same call of every client.
#[test]
fn one_file_governs_all_clients() {
    let world = World::new(
        "version: 1
write_guard: { allow: [src/**] }
command_guard: { block: [sudo] }
ask_user: { max_per_session: 0 }
rules:
  - { name: shells, action: deny, tools: [bash], commands: [make], reason: no make }
  - { name: fetching, action: deny, tools: [WebFetch], reason: no fetching }
limits: { calls: [{ tools: [read_file], most: 0, of: team, per: session }] }
",
    );
    let denied: &[(Client, &str, Value, &str)] = &[
        (Client::Claude, "Bash", json!({"command": "make all"}), "no make"),
        (Client::Codex, "Bash", json!({"command": "make all"}), "no make"),
        (Client::Gemini, "run_shell_command", json!({"command": "make all"}), "no make"),
        (Client::Copilot, "bash", json!({"command": "make all"}), "no make"),
        (Client::VsCode, "runInTerminal", json!({"command": "make all"}), "no make"),
        (Client::Cursor, "Shell", json!({"command": "make all"}), "no make"),
        (Client::DockerAgent, "shell", json!({"cmd": "make all"}), "no make"),
        (Client::OpenCode, "bash", json!({"command": "make all"}), "no make"),
        (Client::OpenCode, "bash", json!({"command": "sudo ls"}), "sudo"),
        (Client::OpenCode, "write", json!({"filePath": "/home/ada/app/x", "content": ""}), "x"),
        (Client::OpenCode, "edit", json!({"filePath": "x", "oldString": "", "newString": "a"}), "x"),
        (
            Client::OpenCode,
            "apply_patch",
            json!({"patchText": "*** Begin Patch\n*** Add File: x\n+a\n*** End Patch"}),
            "x",
        ),
        (Client::OpenCode, "webfetch", json!({"url": "https://a", "format": "text"}), "no fetching"),
        (Client::OpenCode, "question", json!({"questions": []}), "may not be asked"),
        (Client::OpenCode, "read", json!({"filePath": "/home/ada/app/src/a"}), "may not be called"),
        (Client::Qwen, "run_shell_command", json!({"command": "make all"}), "no make"),
        (Client::Qwen, "monitor", json!({"command": "sudo ls"}), "sudo"),
        (Client::Qwen, "write_file", json!({"file_path": "/home/ada/app/x", "content": ""}), "x"),
        (Client::Qwen, "ask_user_question", json!({"questions": []}), "may not be asked"),
        (Client::Qwen, "read_file", json!({"file_path": "/home/ada/app/src/a"}), "may not be called"),
        (Client::Kimi, "Shell", json!({"command": "make all"}), "no make"),
        (Client::Kimi, "Shell", json!({"command": "sudo ls"}), "sudo"),
        (Client::Kimi, "WriteFile", json!({"path": "/home/ada/app/x", "content": ""}), "x"),
        (Client::Kimi, "StrReplaceFile", json!({"path": "x", "edit": {"old": "a", "new": "b"}}), "x"),
        (Client::Kimi, "FetchURL", json!({"url": "https://a"}), "no fetching"),
        (Client::Kimi, "AskUserQuestion", json!({"questions": []}), "may not be asked"),
        (Client::Kimi, "ReadFile", json!({"path": "/home/ada/app/src/a"}), "may not be called"),
        (Client::Goose, "developer__shell", json!({"command": "make all"}), "no make"),
        (Client::Goose, "developer__shell", json!({"command": "sudo ls"}), "sudo"),
        (Client::Goose, "developer__write", json!({"path": "/home/ada/app/x", "content": ""}), "x"),
        (Client::Goose, "developer__edit", json!({"path": "x", "before": "a", "after": "b"}), "x"),
        (Client::Droid, "Execute", json!({"command": "make all"}), "no make"),
        (Client::Droid, "Execute", json!({"command": "sudo ls"}), "sudo"),
        (Client::Droid, "Create", json!({"file_path": "/home/ada/app/x", "content": ""}), "x"),
        (Client::Droid, "FetchUrl", json!({"url": "https://a"}), "no fetching"),
        (Client::Droid, "Read", json!({"file_path": "/home/ada/app/src/a"}), "may not be called"),
        (Client::Claude, "Bash", json!({"command": "sudo ls"}), "sudo"),
        (Client::Gemini, "run_shell_command", json!({"command": "sudo ls"}), "sudo"),
        (Client::Copilot, "bash", json!({"command": "sudo ls"}), "sudo"),
        (Client::VsCode, "runTerminalCommand", json!({"command": "sudo ls"}), "sudo"),
        (Client::Cursor, "Shell", json!({"command": "sudo ls"}), "sudo"),
        (Client::DockerAgent, "shell", json!({"cmd": "sudo ls"}), "sudo"),
        (Client::Claude, "Write", json!({"file_path": "/home/ada/app/x", "content": ""}), "x"),
        (
            Client::Codex,
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Add File: x\n+a\n*** End Patch"}),
            "x",
        ),
        (Client::Gemini, "write_file", json!({"file_path": "/home/ada/app/x", "content": ""}), "x"),
        (Client::Copilot, "create", json!({"path": "/home/ada/app/x", "file_text": ""}), "x"),
        (Client::VsCode, "createFile", json!({"filePath": "/home/ada/app/x", "content": ""}), "x"),
        (Client::Cursor, "Write", json!({"file_path": "/home/ada/app/x", "content": ""}), "x"),
        (Client::DockerAgent, "write_file", json!({"path": "/home/ada/app/x", "content": ""}), "x"),
        (Client::Claude, "WebFetch", json!({"url": "https://a"}), "no fetching"),
        (Client::Gemini, "web_fetch", json!({"prompt": "https://a"}), "no fetching"),
        (Client::Copilot, "web_fetch", json!({"url": "https://a"}), "no fetching"),
        (Client::VsCode, "fetch", json!({"url": "https://a"}), "no fetching"),
        (Client::DockerAgent, "fetch", json!({"urls": ["https://a"]}), "no fetching"),
        (Client::Claude, "AskUserQuestion", json!({"questions": []}), "may not be asked"),
        (Client::Codex, "request_user_input", json!({"questions": []}), "may not be asked"),
        (Client::Gemini, "ask_user", json!({"questions": []}), "may not be asked"),
        (Client::Copilot, "ask_user", json!({"question": "?"}), "may not be asked"),
        (Client::VsCode, "askQuestions", json!({"questions": []}), "may not be asked"),
        (Client::DockerAgent, "user_prompt", json!({"message": "?"}), "may not be asked"),
        (Client::Claude, "Read", json!({"file_path": "/home/ada/app/src/a"}), "may not be called"),
        (Client::Gemini, "read_file", json!({"file_path": "/home/ada/app/src/a"}), "may not be called"),
        (Client::Copilot, "view", json!({"path": "/home/ada/app/src/a"}), "may not be called"),
        (Client::Cursor, "Read", json!({"file_path": "/home/ada/app/src/a"}), "may not be called"),
        (Client::DockerAgent, "read_file", json!({"path": "/home/ada/app/src/a"}), "may not be called"),
    ];
    for (client, tool, arguments, reason) in denied {
        let told =
            world.run(&["--client", client.name(), "--event", pre(*client)], &call(*client, tool, arguments));
        let denies = told.stdout.contains("den") || told.stdout.contains("block");
        assert!(denies && told.stdout.contains(reason), "{client} {tool}: {told:?}");
    }
    // Windsurf has an event for each kind of call, and reads a denial from the exit code.
    for (event, info, reason) in [
        ("pre_run_command", json!({"command_line": "make all", "cwd": "/home/ada/app"}), "no make"),
        ("pre_run_command", json!({"command_line": "sudo ls", "cwd": "/home/ada/app"}), "sudo"),
        ("pre_write_code", json!({"file_path": "/home/ada/app/x", "edits": []}), "x"),
        ("pre_read_code", json!({"file_path": "/home/ada/app/src/a"}), "may not be called"),
    ] {
        let sent = json!({"agent_action_name": event, "trajectory_id": "s", "tool_info": info}).to_string();
        let told = world.run(&["--client", "windsurf", "--event", event], &sent);
        let is_denied = told.exit == Some(2) && told.stdout.is_empty() && told.stderr.contains(reason);
        assert!(is_denied, "{event}: {told:?}");
    }
    for (client, tool, arguments) in [
        (Client::Claude, "Bash", json!({"command": "ls"})),
        (Client::Gemini, "run_shell_command", json!({"command": "ls"})),
        (Client::Copilot, "create", json!({"path": "/home/ada/app/src/x", "file_text": ""})),
        (
            Client::Codex,
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Add File: src/x\n+a\n*** End Patch"}),
        ),
        (Client::Cursor, "Write", json!({"file_path": "/home/ada/app/src/x", "content": ""})),
        (Client::DockerAgent, "shell", json!({"cmd": "ls"})),
        (Client::OpenCode, "bash", json!({"command": "ls"})),
    ] {
        let told =
            world.run(&["--client", client.name(), "--event", pre(client)], &call(client, tool, &arguments));
        assert!(told.exit == Some(0) && !told.stdout.contains("den"), "{client} {tool}: {told:?}");
    }
}

/// The first example of docs/command-hooks.md for every client: the guard reads the command with
/// docker-agent's names.
#[test]
fn a_guard_in_docker_agents_words_serves_every_client() {
    let world = World::new(
        r#"version: 1
hooks:
  tool_guard:
    - matcher: shell
      hooks:
        - { name: no pushes, type: command, command: 'grep -q "\"cmd\":\"git push\"" || exit 0; echo not now >&2; exit 2' }
    - matcher: write_file
      hooks:
        - { name: no keys, type: command, command: 'grep -q "\"path\":\"keys\"" || exit 0; echo not there >&2; exit 2' }
"#,
    );
    let line = || json!({"command": "git push"});
    for (client, event, tool, arguments, reason) in [
        (Client::Claude, "PreToolUse", "Bash", line(), "not now"),
        (Client::Codex, "PreToolUse", "Bash", line(), "not now"),
        (Client::Gemini, "BeforeTool", "run_shell_command", line(), "not now"),
        (Client::Copilot, "preToolUse", "bash", line(), "not now"),
        (Client::VsCode, "PreToolUse", "runInTerminal", line(), "not now"),
        (Client::Cursor, "preToolUse", "Shell", line(), "not now"),
        (Client::Qwen, "PreToolUse", "run_shell_command", line(), "not now"),
        (Client::Kimi, "PreToolUse", "Shell", line(), "not now"),
        (Client::DockerAgent, "pre_tool_use", "shell", json!({"cmd": "git push"}), "not now"),
        (Client::Claude, "PreToolUse", "Write", json!({"file_path": "keys", "content": ""}), "not there"),
        (
            Client::Gemini,
            "BeforeTool",
            "write_file",
            json!({"file_path": "keys", "content": ""}),
            "not there",
        ),
        (Client::Copilot, "preToolUse", "create", json!({"path": "keys", "file_text": ""}), "not there"),
        (Client::VsCode, "PreToolUse", "createFile", json!({"filePath": "keys", "content": ""}), "not there"),
        (Client::Cursor, "preToolUse", "Write", json!({"file_path": "keys", "content": ""}), "not there"),
    ] {
        let told = world.run(&["--client", client.name(), "--event", event], &call(client, tool, &arguments));
        assert!(told.stdout.contains("den") && told.stdout.contains(reason), "{client} {tool}: {told:?}");
    }
}

/// The client's event before a tool runs.
fn pre(client: Client) -> &'static str {
    match client {
        Client::Gemini => "BeforeTool",
        Client::Copilot | Client::Cursor => "preToolUse",
        Client::DockerAgent => "pre_tool_use",
        Client::OpenCode => "tool.execute.before",
        _ => "PreToolUse",
    }
}

/// A payload of a call as the client sends it.
fn call(client: Client, tool: &str, arguments: &Value) -> String {
    let at = "/home/ada/app";
    match client {
        Client::Copilot => {
            json!({"sessionId": "s", "timestamp": 1, "cwd": at, "toolName": tool, "toolArgs": arguments})
        }
        Client::Cursor => {
            json!({"conversation_id": "s", "hook_event_name": "preToolUse", "cursor_version": "2", "cwd": at,
            "workspace_roots": [at], "tool_name": tool, "tool_input": arguments, "tool_use_id": "t"})
        }
        Client::Gemini => {
            json!({"session_id": "s", "cwd": at, "hook_event_name": "BeforeTool", "tool_name": tool,
            "tool_input": arguments})
        }
        Client::Goose => {
            json!({"event": "PreToolUse", "session_id": "s", "matcher_context": tool, "working_dir": at,
            "tool_name": tool, "tool_input": arguments, "tool_call_id": "t"})
        }
        Client::DockerAgent => {
            json!({"session_id": "s", "cwd": at, "hook_event_name": "pre_tool_use", "tool_name": tool,
            "tool_input": arguments, "tool_use_id": "t"})
        }
        _ => json!({"session_id": "s", "cwd": at, "hook_event_name": pre(client), "tool_name": tool,
            "tool_input": arguments, "tool_use_id": "t"}),
    }
    .to_string()
}

#[test]
fn a_named_configuration_of_an_inner_repository_means_that_one() {
    let world = World::new("");
    let rules = "version: 1\nwrite_guard: { allow: ['**'], deny: [secrets/**] }\n";
    fs::create_dir_all(world.folder.path().join("app/inner/.git")).unwrap();
    for place in ["app/inner/hooks.yaml", "app/inner/.hooks/hooks.yaml"] {
        world.write(place, rules);
        let inner = world.path("app/inner");
        let call = |file: &str| {
            let file = world.path(&format!("app/inner/{file}"));
            claude("Write", &json!({"file_path": file, "content": ""}))
        };
        let line = ["--client", "claude", "--event", "PreToolUse", "--config", &world.path(place)];
        for variables in [&[("CLAUDE_PROJECT_DIR", inner.as_str())][..], &[]] {
            let sent =
                |file: &str| call(file).replace("\"cwd\":\"/home/ada/app\"", &format!("\"cwd\":\"{inner}\""));
            world.run_with(&line, variables, &sent("secrets/x")).says("secrets");
            world.run_with(&line, variables, &sent("open/x")).is_silent();
        }
    }
    // A configuration outside of the project counts for every project that names it.
    world.write("shared/hooks.yaml", rules);
    let line = ["--client", "claude", "--event", "PreToolUse", "--config", &world.path("shared/hooks.yaml")];
    let file = world.path("app/secrets/x");
    world.run(&line, &claude("Write", &json!({"file_path": file, "content": ""}))).says("secrets");
}

#[test]
fn the_outermost_configuration_of_a_project_governs() {
    let world = World::new(DENIED);
    world.write("app/packages/one/hooks.yaml", OTHER);
    fs::create_dir_all(world.path("app/packages/one/.git")).unwrap();
    let deep =
        claude("Bash", &json!({"command": "ls"})).replace("/home/ada/app", "/home/ada/app/packages/one");
    world.run(&["--client", "claude", "--event", "PreToolUse"], &deep).says("outer rules");
    // If there is no outer configuration, the next inner one counts, in any folder up to the repository.
    fs::remove_file(world.path("app/hooks.yaml")).unwrap();
    world.sessions_begin();
    world.run(&["--client", "claude", "--event", "PreToolUse"], &deep).says("inner rules");
    // If the client names the project, the folder in which an agent works does not count.
    let elsewhere = [("CLAUDE_PROJECT_DIR", &*world.path("app"))];
    let told = world.run_with(&["--client", "claude", "--event", "PreToolUse"], &elsewhere, &deep);
    told.says("there is no `hooks.yaml`");
}

#[test]
fn a_configuration_is_named_or_the_users_or_missing() {
    let world = World::new("");
    let payload = claude("Bash", &json!({"command": "ls"}));
    let options = ["--client", "claude", "--event", "PreToolUse"];
    world.run(&options, &payload).says("there is no `hooks.yaml`");
    world.write("home/.config/hooks/hooks.yaml", OTHER);
    world.run(&options, &payload).says("inner rules");
    world.write("app/.hooks/hooks.yaml", DENIED);
    world.sessions_begin();
    world.run(&options, &payload).says("outer rules");
    world.write("named.yaml", "version: 1\n");
    world.run_with(&options, &[("HOOKS_CONFIG", &*world.path("named.yaml"))], &payload).is_silent();
    let path = world.path("named.yaml");
    let named = [&options[..], &["--config", &path]].concat();
    world.run(&named, &payload).is_silent();
    // An event that hooks do not decide goes on, with a message.
    let end = r#"{"session_id": "s", "cwd": "/nowhere", "hook_event_name": "SessionEnd"}"#;
    fs::remove_file(world.path("home/.config/hooks/hooks.yaml")).unwrap();
    let told = world.run(&["--client", "claude", "--event", "SessionEnd"], end);
    assert_eq!((told.exit, told.stdout.as_str()), (Some(1), ""), "{told:?}");
    told.says("there is no `hooks.yaml`");
}

#[test]
fn an_agent_does_not_make_its_own_rules() {
    let world = World::new("");
    world.write("home/.config/hooks/hooks.yaml", "version: 1\n");
    for path in ["hooks.yaml", ".hooks/hooks.yaml", "deep/hooks.yaml"] {
        let told = world
            .claude("Write", &json!({"file_path": format!("/home/ada/app/{path}"), "content": "version: 1"}));
        told.says("is protected by");
    }
    // Moving the root of the repository to a folder above does not work either.
    let above = world.path("hooks.yaml");
    world.claude("Bash", &json!({"command": format!("echo 'version: 1' > {above}")})).says("is protected by");
    // If a project has a configuration, other files of that name govern nothing.
    world.write("app/.hooks/hooks.yaml", "version: 1\n");
    world.sessions_begin();
    let write = |path: &str| world.claude("Write", &json!({"file_path": path, "content": ""}));
    write("/home/ada/app/.hooks/hooks.yaml").says("is protected by");
    write("/home/ada/app/templates/hooks.yaml").is_silent();
}

#[test]
fn a_denial_tells_the_model_what_to_do_and_not_how_to_change_the_rules() {
    let world = World::new(
        "version: 1\nwrite_guard: { allow: [src/**], deny: [src/gen/**] }\n\
         command_guard: { block: [rm -rf], fragments: [curl] }\nask_user: { max_per_session: 0 }\n\
         limits: { calls: [{ tools: [deploy], most: 0, of: team, per: day }] }\nspawn: { depth: 0 }\n\
         rules: [{ name: fetching, tools: [fetch], reason: no network here }]\n",
    );
    for (tool, arguments, expected) in [
        (
            "Write",
            json!({"file_path": "/home/ada/app/x", "content": ""}),
            "write to a file that matches `src/**`",
        ),
        ("Write", json!({"file_path": "/home/ada/app/src/gen/x", "content": ""}), "write elsewhere"),
        ("Bash", json!({"command": "rm -rf build"}), "do it without `rm -rf`"),
        ("Bash", json!({"command": "curl example.org"}), "leave it out"),
        ("AskUserQuestion", json!({"question": "Which one?"}), "go on without an answer"),
        ("deploy", json!({}), "may not be called"),
        ("fetch", json!({}), "no network here"),
    ] {
        let told = world.claude(tool, &arguments);
        told.says("deny");
        told.says(expected);
        for option in ["_guard", "limits", "ask_user", "raise", "take", "rule `"] {
            assert!(!told.stdout.contains(option), "{option}: {}", told.stdout);
        }
    }
}

#[test]
fn an_agent_does_not_replace_the_program_that_governs_it() {
    let world = World::new("version: 1\n");
    let program = env!("CARGO_BIN_EXE_hooks");
    let bash = |command: String| world.claude("Bash", &json!({ "command": command }));
    for command in ["cp /bin/true", "rm -f", "chmod -x", "mv /tmp/other", "python3 patch.py"] {
        bash(format!("{command} {program}")).says("deny");
    }
    world.claude("Write", &json!({"file_path": program, "content": ""})).says("is protected by");
    for command in ["check hooks.yaml", "test --config hooks.yaml"] {
        bash(format!("{program} {command}")).is_silent();
    }
    bash(format!("ls -l {program}")).is_silent();
    bash("cargo build --release".to_owned()).is_silent();
}

#[test]
fn what_is_counted_is_counted_over_processes() {
    let world = World::new("version: 1\nask_user: { max_per_session: 2 }\n");
    let ask = |call: &str| {
        let payload =
            claude("AskUserQuestion", &json!({"questions": [{"question": call}]})).replace("toolu_1", call);
        world.run(&["--client", "claude", "--event", "PreToolUse"], &payload)
    };
    ask("a").is_silent();
    ask("a").is_silent();
    ask("b").is_silent();
    ask("c").says("2");
    // A call of another tool is not counted, and is no reason to open the store.
    world.claude("Bash", &json!({"command": "ls"})).is_silent();
}

#[test]
fn the_clients_of_a_team_share_a_counter() {
    let world =
        World::new("version: 1\nlimits: { calls: [{ tools: [bash], most: 1, of: team, per: day }] }\n");
    let mut allowed = Vec::new();
    for (client, tool) in [
        (Client::Gemini, "run_shell_command"),
        (Client::Claude, "Bash"),
        (Client::Codex, "Bash"),
        (Client::Copilot, "bash"),
        (Client::Cursor, "Shell"),
        (Client::DockerAgent, "shell"),
    ] {
        let payload = call(client, tool, &json!({"command": "ls", "cmd": "ls"}));
        let told = world.run(&["--client", client.name(), "--event", pre(client)], &payload);
        if told.exit == Some(0) && !told.stdout.contains("den") {
            allowed.push(client);
        }
    }
    assert_eq!(allowed, [Client::Gemini]);
}

/// An allow suppresses the client's own question to the user, so it is sent only if a rule allows explicitly.
#[test]
fn a_guard_that_lets_a_call_through_approves_nothing() {
    let write = json!({"file_path": "src/a.rs", "content": "x"});
    let guard = "version: 1\nwrite_guard: { allow: [src/**] }\n";
    World::new(guard).claude("Write", &write).is_silent();
    let rule = "rules: [{ name: sources, action: allow, tools: [Write], reason: they are in git }]\n";
    World::new(&format!("{guard}{rule}")).claude("Write", &write).says("\"permissionDecision\":\"allow\"");
}

#[test]
fn nothing_is_opened_that_is_not_needed() {
    let world =
        World::new("version: 1\nask_user: { max_per_session: 2 }\nwrite_guard: { allow: [src/**] }\n");
    world.claude("Bash", &json!({"command": "ls"})).is_silent();
    let kept = fs::read_dir(world.path("home/.local/state/hooks")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept, ["rules"], "neither store nor log");
}

#[test]
fn cursor_tells_twice_and_counts_once() {
    let world = World::new("version: 1\nlimits: { calls: [{ most: 1, of: team, per: session }] }\n");
    let at = "/home/ada/app";
    let first = json!({"conversation_id": "s", "generation_id": "g", "hook_event_name": "preToolUse", "cursor_version": "2",
        "workspace_roots": [at], "cwd": at, "tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let second = json!({"conversation_id": "s", "generation_id": "g", "hook_event_name": "beforeShellExecution",
        "cursor_version": "2", "workspace_roots": [at], "command": "ls", "cwd": at});
    let told = |event: &str, payload: &Value| {
        world.run(&["--client", "cursor", "--event", event], &payload.to_string())
    };
    told("preToolUse", &first).is_silent();
    told("beforeShellExecution", &second).is_silent();
    let another = first.to_string().replace("\"t\"", "\"u\"");
    world.run(&["--client", "cursor", "--event", "preToolUse"], &another).says("deny");
}

#[test]
fn results_are_changed_in_the_clients_own_shape() {
    let world = World::new("version: 1\nredaction: {}\n");
    let payload = json!({"session_id": "s", "cwd": "/home/ada/app", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "cat x"}, "tool_use_id": "t",
        "tool_response": {"stdout": "mail ada@example.com", "stderr": "", "interrupted": false, "isImage": false}});
    let told = world.run(&["--client", "claude", "--event", "PostToolUse"], &payload.to_string());
    let output = &told.answer()["hookSpecificOutput"]["updatedToolOutput"];
    assert_eq!(output["interrupted"], false, "{told:?}");
    assert!(output["stdout"].as_str().is_some_and(|text| !text.contains("ada@example.com")), "{told:?}");
}

#[test]
fn what_a_client_cannot_be_told_is_in_the_log_of_its_user() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new(
        "version: 1\nrules: [{ name: r, action: ask, commands: [git push], reason: think twice }]\n",
    );
    let payload = claude("Bash", &json!({"command": "git push"})).replace("prompt_id", "turn_id");
    let told = world.run(&["--client", "codex", "--event", "PreToolUse"], &payload);
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    let log = world.path("home/.local/state/hooks/run.log");
    let text = fs::read_to_string(&log).unwrap();
    assert!(
        text.contains("codex PreToolUse: Codex CLI does not support `ask` at `PreToolUse`: denied instead"),
        "{text}"
    );
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
}

/// A handler that hangs is denied in time and is killed, and the log has both.
#[test]
fn what_hangs_ends_with_its_denial() {
    let world = World::new(
        "version: 1\nhooks:\n  tool_guard: { hooks: { name: slow, type: command, command: 'sleep 1.5; echo > ../ran' } }\n",
    );
    let line = ["--client", "claude", "--event", "PreToolUse", "--deadline", "600ms"];
    let told = world.run(&line, &claude("Bash", &json!({"command": "ls"})));
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    told.says("did not answer within 600ms");
    let text = fs::read_to_string(world.path("home/.local/state/hooks/run.log")).unwrap();
    assert!(text.contains("claude PreToolUse: failed: the hooks did not answer within 600ms"), "{text}");
    #[expect(clippy::disallowed_methods, reason = "a process is given the time that it would need")]
    thread::sleep(std::time::Duration::from_millis(1400));
    assert!(!Path::new(&world.path("ran")).exists(), "it outlived its denial");
}

/// A system call that never returns cannot be cancelled; the log contains it all the same.
#[test]
fn what_cannot_be_given_up_is_written_down() {
    let world = World::new("version: 1\n");
    let line = "sleep 2 | \"$0\" run --client claude --event PreToolUse --deadline 200ms";
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let output = Command::new("/bin/sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_hooks")])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", world.path("home"))
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("did not answer within 200ms"));
    let text = fs::read_to_string(world.path("home/.local/state/hooks/run.log")).unwrap();
    assert!(text.contains("claude PreToolUse: failed: the hooks did not answer within 200ms"), "{text}");
}

#[test]
fn the_rest_of_the_command_line() {
    let world = World::new("version: 1\n");
    let printed = |args: &[&str]| {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let output =
            Command::new(env!("CARGO_BIN_EXE_hooks")).args(args).current_dir(world.folder.path()).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (status, script) = printed(&["completions", shell]);
        assert!(status == Some(0) && script.contains("hooks"), "{shell}");
    }
    let (status, page) = printed(&["man", "run"]);
    assert!(status == Some(0) && page.contains("deadline"), "{page}");
    assert_eq!(printed(&["man", "dance"]).0, Some(2));
    let (_, version) = printed(&["--version"]);
    assert!(version.starts_with("hooks 0."), "{version}");
}

#[test]
fn an_agent_writes_nothing_that_decides_whether_it_is_governed() {
    let world = World::new("version: 1\n");
    let config = world.path("app/hooks.yaml");
    let write = |path: &str, options: &[&str]| {
        let options = [&["--client", "claude", "--event", "PreToolUse"], options].concat();
        world.run(&options, &claude("Write", &json!({"file_path": path, "content": "x"})))
    };
    for path in [
        // A later `hooks init` would find it.
        world.path("app/.hooks/hooks.yaml"),
        world.path("home/.claude.json"),
        world.path("home/.claude/projects/-app/s.jsonl"),
        world.path("home/.codex/sessions/2026/11/23/rollout-1.jsonl"),
        world.path("home/.copilot/config.json"),
        world.path("home/.copilot/session-state/s/events.jsonl"),
        world.path("home/.gemini/trustedFolders.json"),
        world.path("home/.gemini/extensions/a/gemini-extension.json"),
        world.path("home/.local/state/hooks/transcripts/claude/a/b.json"),
        world.path("home/.local/state/hooks/calls/a"),
        "/etc/claude-code/managed-settings.json".to_owned(),
    ] {
        for options in [&[][..], &["--config", &config]] {
            let told = write(&path, options);
            assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{path}: {told:?}");
        }
    }
    for path in [
        world.path("app/src/hooks.rs"),
        world.path("home/.claude/projects/-app/memory/notes.md"),
        world.path("home/.copilot/session-state/s/plan.md"),
    ] {
        write(&path, &["--config", &config]).is_silent();
    }
}

/// Patterns have no `..`, so the paths of such a home are resolved first.
#[test]
fn a_home_or_a_folder_with_parents_in_its_path_is_no_mistake() {
    let world = World::new("");
    world.write("home/.config/hooks/hooks.yaml", "version: 1\n");
    let home = world.path("app/../home");
    let line = ["--client", "claude", "--event", "PreToolUse"];
    let call = |path: &str| claude("Write", &json!({"file_path": path, "content": "x"}));
    let told = world.run_with(&line, &[("HOME", &*home)], &call("/home/ada/app/src/a.rs"));
    told.is_silent();
    // What is protected is protected there as well.
    for path in [world.path("home/.claude/settings.json"), world.path("home/.config/hooks/hooks.yaml")] {
        world.run_with(&line, &[("HOME", &*home)], &call(&path)).says("deny");
    }
    let below =
        call("/home/ada/app/src/a.rs").replace("\"cwd\":\"/home/ada/app\"", "\"cwd\":\"/home/ada/app/x/..\"");
    fs::create_dir_all(world.folder.path().join("app/x")).unwrap();
    world.run(&line, &below).is_silent();
    let config = world.path("app/../home/.config/hooks/hooks.yaml");
    world.run(&[&line[..], &["--config", &config]].concat(), &call("/home/ada/app/src/a.rs")).is_silent();
}
