//! Shell calls of Claude Code under `hooks exec` (`sandbox.calls: wrapped`): real processes and the real kernel, in throw-away
//! folders. The command lines are those that Claude Code 2.1.330 starts its shell with.
//!
//! Where the kernel refuses a mechanism, the command must not run, and the reason is printed. The tests accept nothing else, and that only
//! without `HOOKS_SANDBOX_REQUIRED`.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "support/held.rs"]
mod held;

use std::fs;
use std::io::{BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use held::is_held;
use serde_json::{Value, json};

const WRAPPED: &str =
    "version: 1\nsandbox: { calls: wrapped }\nredaction: { patterns: { TICKET: 'TICKET-\\d{6}' } }\n";

const SESSION: &str = "session-1";

/// A home, and a project with rules in it.
struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new(rules: &str) -> Self {
        let folder = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
        let root = folder.path().canonicalize().unwrap();
        let world = Self { _folder: folder, root };
        fs::create_dir_all(world.project().join("sub")).unwrap();
        fs::create_dir_all(world.home().join(".ssh")).unwrap();
        fs::write(world.home().join(".ssh/id_rsa"), "KEY\n").unwrap();
        fs::write(world.rules(), rules).unwrap();
        world
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    fn project(&self) -> PathBuf {
        self.root.join("home/project")
    }

    fn rules(&self) -> PathBuf {
        self.project().join("hooks.yaml")
    }

    fn settings(&self) -> PathBuf {
        self.home().join(".claude/settings.json")
    }

    fn named_shell(&self) -> Option<PathBuf> {
        let settings: Value = serde_json::from_str(&fs::read_to_string(self.settings()).unwrap()).unwrap();
        Some(settings.get("env")?.get("CLAUDE_CODE_SHELL")?.as_str()?.into())
    }

    #[expect(clippy::disallowed_methods, reason = "the test starts the program")]
    fn command(&self, program: impl AsRef<std::ffi::OsStr>, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.project()).env_clear();
        command.env("HOME", self.home()).env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn hooks(&self, words: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_hooks"), words).output().unwrap()
    }

    /// Runs `hooks init claude`, and starts the shell as the client does at its own start.
    fn wired(rules: &str) -> (Self, PathBuf) {
        let world = Self::new(rules);
        let done = world.hooks(&["init", "claude"]);
        assert!(done.status.success(), "{done:?}");
        let shell = world.named_shell().unwrap();
        world.start(&shell);
        (world, shell)
    }

    fn start(&self, shell: &PathBuf) {
        let done = self.command(shell, &["-c", "env"]).output().unwrap();
        assert!(text(&done.stdout).contains("PATH="), "{done:?}");
    }

    /// A command of an agent, in the form of the client.
    fn in_shell(&self, shell: &PathBuf, command: &str) -> Command {
        let line = format!(
            "source /nowhere 2>/dev/null || true && eval '{command}' < /dev/null && pwd -P >| {}",
            self.ending().display()
        );
        let mut command = self.command(shell, &["-c", &line]);
        command.env("CLAUDE_CODE_SESSION_ID", SESSION);
        command
    }

    /// The file in which the client looks for the folder that a command ended in.
    fn ending(&self) -> PathBuf {
        let name = self.root.file_name().unwrap().to_str().unwrap().replace('.', "");
        PathBuf::from(format!("/tmp/claude-{name}-cwd"))
    }

    fn event(&self, event: &str, more: &Value, variables: &[(&str, &str)]) -> Value {
        self.event_of("claude", event, more, variables)
    }

    fn event_of(&self, client: &str, event: &str, more: &Value, variables: &[(&str, &str)]) -> Value {
        let mut payload = json!({"session_id": SESSION, "transcript_path": "/t", "cwd": self.project(),
            "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut command =
            self.command(env!("CARGO_BIN_EXE_hooks"), &["run", "--client", client, "--event", event]);
        let mut child = command.envs(variables.iter().copied()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        let output = text(&done.stdout);
        if output.is_empty() { Value::Null } else { serde_json::from_str(&output).unwrap() }
    }

    /// The reason for which a shell call is denied; `None` if it is not.
    fn denied(&self, tool: &str, variables: &[(&str, &str)]) -> Option<String> {
        let call = json!({"tool_name": tool, "tool_input": {"command": "ls"}, "tool_use_id": "t-1"});
        let answer = self.event("PreToolUse", &call, variables);
        let output = answer.get("hookSpecificOutput")?;
        (output.get("permissionDecision")? == "deny")
            .then(|| output.get("permissionDecisionReason").unwrap().as_str().unwrap().to_owned())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(fs::remove_file(self.ending()));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_that_fails_is_redacted_and_held() {
    let (world, shell) = World::wired(WRAPPED);
    let script = "printf TICKET-%s 123456; printf TICKET-%s 654321 >&2; cat; cat ~/.ssh/id_rsa; echo x > ~/out; exit 9";
    let mut child = world.in_shell(&shell, script).spawn().unwrap();
    // The command cannot read it.
    let mut input = child.stdin.take().unwrap();
    drop(input.write_all(b"typed"));
    let done = child.wait_with_output().unwrap();
    drop(input);
    if is_held(&done) {
        assert_eq!((done.status.code(), &*text(&done.stdout)), (Some(9), "[TICKET_REDACTED]"));
        let errors = text(&done.stderr);
        assert!(errors.starts_with("[TICKET_REDACTED]") && errors.contains("id_rsa"), "{errors}");
    }
    assert!(!world.home().join("out").exists());
}

#[test]
fn the_folder_that_a_command_ends_in_is_handed_on() {
    let (world, shell) = World::wired(WRAPPED);
    let done = world.in_shell(&shell, "cd sub").output().unwrap();
    if is_held(&done) {
        assert!(done.status.success(), "{done:?}");
        let folder = fs::read_to_string(world.ending()).unwrap();
        assert_eq!(folder, format!("{}\n", world.project().join("sub").display()));
    }
    // A folder that exists only in the sandbox is not handed on.
    fs::remove_file(world.ending()).unwrap();
    let done = world.in_shell(&shell, "mkdir /tmp/inside && cd /tmp/inside").output().unwrap();
    assert!(!is_held(&done) || done.status.success(), "{done:?}");
    assert!(!world.ending().exists());
}

/// A client that gives a call up kills its process group at once. An agent can make it do so.
#[test]
fn what_a_killed_command_has_created_does_not_stay() {
    use std::os::unix::process::CommandExt;
    let (world, shell) = World::wired(WRAPPED);
    let script = "mkdir .claude; echo {} > .claude/settings.local.json; echo made; exec sleep 600";
    let mut child = world.in_shell(&shell, script).process_group(0).spawn().unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let settings = world.project().join(".claude/settings.local.json");
    let is_made = settings.exists();
    let group = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    let done = child.wait_with_output().unwrap();
    // The output ends when the last process has ended.
    output.read_line(&mut line).unwrap();
    assert_eq!(line, if is_made { "made\n" } else { "" }, "{done:?}");
    assert!(!settings.exists());
}

#[test]
fn by_other_rules_the_shell_is_the_usual_one() {
    let (world, shell) = World::wired(WRAPPED);
    fs::write(world.rules(), "version: 1\n").unwrap();
    let done = world.in_shell(&shell, "echo x > ~/out; exit 3").output().unwrap();
    assert_eq!(done.status.code(), Some(3), "{done:?}");
    assert!(world.home().join("out").exists());
    // The rules of the project, and the first rules of the user, which `hooks init` wrote.
    fs::remove_file(world.rules()).unwrap();
    fs::remove_file(world.home().join(".config/hooks/hooks.yaml")).unwrap();
    let done = world.in_shell(&shell, "echo x > ~/without").output().unwrap();
    assert_eq!(done.status.code(), Some(125), "{done:?}");
    fs::write(world.rules(), "version: 1\nsandbox: [").unwrap();
    let done = world.in_shell(&shell, "echo x > ~/without").output().unwrap();
    assert_eq!(done.status.code(), Some(125), "{done:?}");
    assert!(!world.home().join("without").exists());
}

/// Another project, into which a command goes, does not change the rules of the session.
#[test]
fn the_rules_are_those_of_the_session() {
    let (world, shell) = World::wired(WRAPPED);
    let shell_text = shell.display().to_string();
    let process = std::process::id().to_string();
    let variables = [("CLAUDE_CODE_SHELL", &*shell_text), ("CLAUDE_PID", &*process)];
    assert_eq!(world.denied("Bash", &variables), None);
    let other = world.home().join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("hooks.yaml"), "version: 1\n").unwrap();
    let done = world.in_shell(&shell, "echo x > out").current_dir(&other).output().unwrap();
    assert!(!is_held(&done) || !done.status.success(), "{done:?}");
    assert!(!other.join("out").exists());
}

#[test]
fn a_call_that_would_not_be_wrapped_is_denied() {
    let (world, shell) = World::wired(WRAPPED);
    let named = shell.display().to_string();
    let process = std::process::id().to_string();
    let good = [("CLAUDE_CODE_SHELL", &*named), ("CLAUDE_PID", &*process)];
    let denied = |variables: &[(&str, &str)], why: &str| {
        let reason = world.denied("Bash", variables).unwrap();
        assert!(reason.contains(why) && reason.contains("hooks init claude"), "{reason}");
    };
    assert_eq!(world.denied("Bash", &good), None);
    assert_eq!(world.denied("Read", &[]), None, "only shell calls are wrapped");
    denied(&[], "name no shell");
    assert!(world.denied("Monitor", &[]).is_some() && world.denied("mcp__a__bash", &[]).is_none());
    assert_eq!(world.denied("Monitor", &good), None);
    denied(&good[..1], "does not name its process");
    denied(&[good[0], ("CLAUDE_PID", "no number")], "does not name its process");
    denied(&[("CLAUDE_CODE_SHELL", "/bin/bash"), good[1]], "is not the file of `hooks`");
    assert!(world.denied("PowerShell", &good).unwrap().contains("PowerShell"));
    let start = |variables: &[(&str, &str)]| {
        let answer = world.event("SessionStart", &json!({"source": "startup"}), variables);
        answer.get("systemMessage").and_then(Value::as_str).map(str::to_owned)
    };
    assert_eq!(start(&good), None);
    assert!(start(&[]).unwrap().contains("hooks init claude"));
    let whole = fs::read_to_string(&shell).unwrap();
    fs::write(&shell, whole.replace("exec --shell", "exec")).unwrap();
    denied(&good, "was changed");
    fs::write(&shell, whole).unwrap();
    fs::set_permissions(&shell, fs::Permissions::from_mode(0o644)).unwrap();
    denied(&good, "is not an executable file");
    // `hooks init` mends it.
    assert!(world.hooks(&["init", "claude"]).status.success());
    assert_eq!(world.denied("Bash", &good), None);
    fs::remove_file(&shell).unwrap();
    denied(&good, "is not there");
}

/// Claude Code chooses its shell before its first command, and keeps it.
#[test]
fn a_client_with_another_shell_runs_one_command() {
    let (world, shell) = World::wired(WRAPPED);
    let named = shell.display().to_string();
    #[expect(clippy::disallowed_methods, reason = "the test needs a process that runs on")]
    let mut client = Command::new("sleep").arg("60").spawn().unwrap();
    let process = client.id().to_string();
    let variables = [("CLAUDE_CODE_SHELL", &*named), ("CLAUDE_PID", &*process)];
    let ended = |response: &Value| {
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1",
            "tool_response": response});
        world.event("PostToolUse", &call, &variables).get("systemMessage").map(Value::to_string)
    };
    let response = json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false});
    assert_eq!(world.denied("Bash", &variables), None);
    assert_eq!(world.denied("Bash", &variables), None, "no command has ended");
    assert!(ended(&response).unwrap().contains("took another shell"));
    assert!(world.denied("Bash", &variables).unwrap().contains("took another shell"));
    // A command in our shell shows the opposite.
    let done = world.in_shell(&shell, "true").env("CLAUDE_PID", &process).output().unwrap();
    assert!(!is_held(&done) || done.status.success(), "{done:?}");
    assert_eq!(world.denied("Bash", &variables), None);
    assert_eq!(ended(&response), None);
    client.kill().unwrap();
    client.wait().unwrap();
    // The process has ended, and another may get its number.
    assert!(world.denied("Bash", &variables).unwrap().contains("does not name its process"));
}

#[test]
fn doctor_sees_the_shell() {
    let (world, shell) = World::wired(WRAPPED);
    let report = || text(&world.hooks(&["doctor", "claude"]).stdout);
    assert!(report().contains("shell calls run in the sandbox"), "{}", report());
    fs::remove_file(&shell).unwrap();
    assert!(report().contains("is not there, so they are denied"), "{}", report());
    let settings = fs::read_to_string(world.settings()).unwrap();
    fs::write(world.settings(), settings.replace("CLAUDE_CODE_SHELL", "OTHER")).unwrap();
    assert!(report().contains("no settings name a shell"), "{}", report());
}

#[test]
fn init_writes_the_shell_only_if_the_rules_want_it() {
    let world = World::new("version: 1\n");
    assert!(world.hooks(&["init", "claude"]).status.success());
    assert_eq!(world.named_shell(), None);
    fs::write(world.rules(), WRAPPED).unwrap();
    assert!(world.hooks(&["init", "claude"]).status.success());
    let shell = world.named_shell().unwrap();
    assert!(shell.ends_with(".local/state/hooks/shell/bash"), "{}", shell.display());
    let again = world.hooks(&["init", "claude"]);
    assert!(text(&again.stdout).contains("nothing to do"), "{again:?}");
    // The rules of the project are named.
    assert!(world.hooks(&["init", "claude", "--scope", "project"]).status.success());
    let of_project = fs::read_to_string(world.project().join(".claude/settings.json")).unwrap();
    assert!(of_project.contains("hooks/shell/") && !of_project.contains("hooks/shell/bash"), "{of_project}");
    fs::write(world.rules(), "version: 1\n").unwrap();
    assert!(world.hooks(&["init", "claude", "--scope", "project"]).status.success());
    let of_project = fs::read_to_string(world.project().join(".claude/settings.json")).unwrap();
    assert!(!of_project.contains("CLAUDE_CODE_SHELL"), "{of_project}");
}

#[test]
fn init_leaves_another_shell_alone_and_removes_its_own() {
    let world = World::new(WRAPPED);
    fs::create_dir_all(world.home().join(".claude")).unwrap();
    let other = "{\n  \"env\": {\n    \"CLAUDE_CODE_SHELL\": \"/bin/zsh\"\n  }\n}\n";
    fs::write(world.settings(), other).unwrap();
    let refused = world.hooks(&["init", "claude"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("`/bin/zsh`"), "{refused:?}");
    assert_eq!(fs::read_to_string(world.settings()).unwrap(), other);
    let mine = "{\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n";
    fs::write(world.settings(), mine).unwrap();
    assert!(world.hooks(&["init", "claude"]).status.success());
    let shell = world.named_shell().unwrap();
    assert!(shell.is_file());
    // Changed by hand meanwhile, so that the old bytes are no longer those of this file.
    let text = fs::read_to_string(world.settings()).unwrap();
    fs::write(world.settings(), text.replace("\"b\"", "\"c\"")).unwrap();
    assert!(world.hooks(&["init", "claude", "--remove"]).status.success());
    assert_eq!(fs::read_to_string(world.settings()).unwrap(), mine.replace("\"b\"", "\"c\""));
}

/// Clients that take a changed command: the event before a call, the tool, and the path to the changed arguments in an answer.
const CARRIERS: [(&str, &str, &str, &str); 3] = [
    ("codex", "PreToolUse", "Bash", "/hookSpecificOutput/updatedInput"),
    ("gemini", "BeforeTool", "run_shell_command", "/hookSpecificOutput/tool_input"),
    ("copilot", "preToolUse", "bash", "/modifiedArgs"),
];

/// The answer to a call of one of them.
fn called(world: &World, client: &str, event: &str, tool: &str, command: &str) -> Value {
    let input = json!({"command": command, "timeout": 7});
    let call = json!({"tool_name": tool, "tool_input": input, "toolName": tool, "toolArgs": input, "tool_use_id": "t-1",
        "sessionId": SESSION, "timestamp": if client == "copilot" { json!(1) } else { json!("2026-11-27T00:00:00Z") },
        "turn_id": "u", "model": "m", "permission_mode": "default"});
    world.event_of(client, event, &call, &[])
}

#[test]
fn a_carried_command_runs_in_the_sandbox_once() {
    let world = World::new(WRAPPED);
    let script = "printf TICKET-%s 123456; cat ~/.ssh/id_rsa; echo x > ~/out; cat <<E\nhere\nE\nexit 9";
    for (client, event, tool, path) in CARRIERS {
        let answer = called(&world, client, event, tool, script);
        let changed = answer.pointer(path).unwrap_or_else(|| panic!("{client}: {answer}"));
        assert_eq!(changed.get("timeout"), Some(&json!(7)), "{client}: the other arguments stay");
        let text = changed.get("command").unwrap().as_str().unwrap();
        let (line, original) = text.split_once('\n').unwrap();
        assert!(line.ends_with(" && exit || exit") && line.contains("/hooks exec --call "), "{line}");
        assert_eq!(original, script);
        let of_server = called(&world, client, event, "mcp__files__bash", script);
        assert!(of_server.pointer(path).is_none(), "{client}: its server runs it elsewhere");
        // The client reports the changed command in later events, and to its other hooks.
        assert!(
            called(&world, client, event, tool, text).pointer(path).is_none(),
            "{client}: it is carried already"
        );
        let denied = called(&world, client, event, tool, &text.replace("exit 9", "exit 8")).to_string();
        assert!(denied.contains("deny"), "{client}: {denied}");
        let done = world.command("/bin/bash", &["-c", text]).output().unwrap();
        if is_held(&done) {
            assert_eq!(done.status.code(), Some(9), "{client}: {done:?}");
            assert_eq!(self::text(&done.stdout), "[TICKET_REDACTED]here\n", "{client}");
        }
        assert!(!world.home().join("out").exists());
        let again = world.command("/bin/bash", &["-c", text]).output().unwrap();
        assert_eq!(again.status.code(), Some(125), "{client}: {again:?}");
        assert!(self::text(&again.stderr).contains("each runs once") && again.stdout.is_empty(), "{again:?}");
        let denied = called(&world, client, event, tool, text).to_string();
        assert!(
            denied.contains("deny"),
            "{client}: a command that ran is no reason to run it again: {denied}"
        );
    }
    let unknown = world.hooks(&["exec", "--call", "../rules/x"]);
    assert_eq!(unknown.status.code(), Some(125), "{unknown:?}");
}

/// The shell ends in the first line if the wrapper is not found.
#[test]
fn a_carried_form_without_its_program_runs_nothing() {
    let world = World::new(WRAPPED);
    let answer = called(&world, "codex", "PreToolUse", "Bash", "echo ran > ran");
    let changed = answer.pointer("/hookSpecificOutput/updatedInput/command").and_then(Value::as_str);
    let (line, original) =
        changed.and_then(|text| text.split_once('\n')).unwrap_or_else(|| panic!("{answer}"));
    let (program, rest) = line.split_once(" exec ").unwrap();
    let gone = format!("{program}-gone exec {rest}\n{original}");
    let done = world.command("/bin/bash", &["-c", &gone]).output().unwrap();
    assert_eq!(done.status.code(), Some(127), "{done:?}");
    assert!(!world.project().join("ran").exists());
}

/// Hooks after the call are about the original.
#[test]
fn the_original_is_judged_after_the_call_too() {
    let rules = "rules:\n  - { name: a, commands: [echo], results: any, reason: of the original }\n  \
                 - { name: b, commands: [exit], results: any, reason: of the wrapper }\n";
    let world = World::new(&format!("{WRAPPED}{rules}"));
    let judged = |input: &Value| {
        let call = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "t-1", "tool_response": "x",
            "turn_id": "u", "model": "m", "permission_mode": "default"});
        world.event_of("codex", "PostToolUse", &call, &[]).to_string()
    };
    let answer = called(&world, "codex", "PreToolUse", "Bash", "echo x");
    let changed = answer.pointer("/hookSpecificOutput/updatedInput").unwrap_or_else(|| panic!("{answer}"));
    for _ in 0..2 {
        let answer = judged(changed);
        assert!(answer.contains("of the original") && !answer.contains("of the wrapper"), "{answer}");
        // Also after it ran.
        world
            .command("/bin/bash", &["-c", changed.get("command").unwrap().as_str().unwrap()])
            .output()
            .unwrap();
    }
    let own = json!({"command": "exit"});
    assert!(judged(&own).contains("of the wrapper"), "the rule has an effect");
}

/// The only record of a command that waits.
fn record(world: &World) -> PathBuf {
    let folder = fs::read_dir(world.home().join(".local/state/hooks/carried")).unwrap();
    let mut files = folder.map(|entry| entry.unwrap().path());
    files.find(|file| file.extension().is_some_and(|ending| ending == "json")).unwrap()
}

/// Other rules may hold less.
#[test]
fn a_command_that_other_rules_carry_is_carried_by_these() {
    let world = World::new(WRAPPED);
    let changed = |command: &str| {
        let answer = called(&world, "codex", "PreToolUse", "Bash", command);
        Some(answer.pointer("/hookSpecificOutput/updatedInput/command")?.as_str().unwrap().to_owned())
    };
    let text = changed("echo x").unwrap();
    assert_eq!(changed(&text), None);
    let record = record(&world);
    let mut of_others: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    *of_others.get_mut("config").unwrap() = json!("/other/hooks.yaml");
    fs::write(&record, of_others.to_string()).unwrap();
    let again = changed(&text).unwrap();
    assert!(again != text && again.ends_with("\necho x"), "{again}");
}

#[test]
fn a_record_is_of_its_user_and_ends() {
    let world = World::new(WRAPPED);
    called(&world, "codex", "PreToolUse", "Bash", "echo x");
    let record = record(&world);
    let folder = record.parent().unwrap();
    assert_eq!(fs::metadata(&record).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    let mut old: Value = serde_json::from_str(&fs::read_to_string(&record).unwrap()).unwrap();
    let at = old.get("at").unwrap().as_u64().unwrap();
    *old.get_mut("at").unwrap() = json!(at - 2 * 60 * 60 * 1_000);
    fs::write(&record, old.to_string()).unwrap();
    let id = record.file_stem().unwrap().to_str().unwrap();
    let done = world.hooks(&["exec", "--call", id]);
    assert_eq!((done.status.code(), &*text(&done.stdout)), (Some(125), ""), "{done:?}");
    assert!(text(&done.stderr).contains("too old"), "{done:?}");
}

#[test]
fn without_the_setting_nothing_is_changed() {
    let world = World::new("version: 1\n");
    for (client, event, tool, path) in CARRIERS {
        assert!(called(&world, client, event, tool, "ls").pointer(path).is_none(), "{client}");
    }
    assert!(!world.home().join(".local/state/hooks/carried").exists());
}

/// The lists of a client have to allow the wrapper: they judge the command below it.
#[test]
fn init_has_the_lists_allow_the_wrapper() {
    let world = World::new("version: 1\n");
    let files = [("codex", ".codex/rules/hooks.rules"), ("gemini", ".gemini/policies/hooks.toml")];
    for (client, file) in files {
        assert!(world.hooks(&["init", client]).status.success());
        assert!(!world.home().join(file).exists(), "{client}");
    }
    fs::write(world.rules(), WRAPPED).unwrap();
    for (client, file) in files {
        let file = world.home().join(file);
        assert!(world.hooks(&["init", client]).status.success());
        let rules = fs::read_to_string(&file).unwrap();
        assert!(
            rules.contains("/hooks") && rules.contains("--call") && rules.contains("\"exit\""),
            "{rules}"
        );
        // A file of the same name that someone else wrote stays.
        fs::write(&file, "# mine\n").unwrap();
        assert!(world.hooks(&["init", client, "--remove"]).status.success());
        assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\n");
        fs::write(&file, rules).unwrap();
        assert!(world.hooks(&["init", client, "--remove"]).status.success());
        assert!(!file.exists(), "{client}");
    }
    let done = world.hooks(&["init", "copilot"]);
    assert!(text(&done.stdout).contains("--allow-tool 'shell(exit:*)'"), "{done:?}");
}
