//! `hooks doctor`: finds reasons for which calls bypass hooks, and finds none in a correct set-up.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

#[path = "support/terminal.rs"]
mod terminal;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A project, a home, and a folder of programs.
struct TestProject(TempDir);

impl TestProject {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for folder in ["home", "work/.git", "work/below", "bin"] {
            fs::create_dir_all(place.0.path().join(folder)).unwrap();
        }
        place
    }

    /// Runs the program; returns its exit status and its output.
    fn hooks(&self, args: &[&str]) -> (Option<i32>, String) {
        self.hooks_in("work", args)
    }

    fn hooks_in(&self, folder: &str, args: &[&str]) -> (Option<i32>, String) {
        let output = self.command(folder, args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }

    fn command(&self, folder: &str, args: &[&str]) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(args).current_dir(self.0.path().join(folder)).stdin(Stdio::null());
        // Most tests are about the settings of a project.
        if args.first() == Some(&"init") && !args.contains(&"--scope") {
            command.args(["--scope", "project"]);
        }
        command.env_clear().env("HOME", self.0.path().join("home")).env("PATH", self.0.path().join("bin"));
        command
    }

    /// The sessions whose rules are pinned.
    fn pins(&self) -> usize {
        let pins = self.0.path().join("home/.local/state/hooks/rules/sessions");
        fs::read_dir(pins).into_iter().flatten().count()
    }

    /// Creates a file, with its folders.
    fn put(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The states of the findings for a client, with their descriptions.
    fn findings(&self, client: &str) -> Vec<(String, String)> {
        let (_, out) = self.hooks(&["doctor", client, "--format", "json"]);
        let report: Value = serde_json::from_str(&out).unwrap();
        let findings = report.pointer("/0/findings").and_then(Value::as_array).unwrap();
        let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap().to_owned();
        findings.iter().map(|one| (text(one, "state"), text(one, "what"))).collect()
    }

    fn program(&self, name: &str, script: &str) -> String {
        let path = self.0.path().join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Makes the settings call another program.
    fn call(&self, settings: &str, program: &str) {
        let path = self.0.path().join("work").join(settings);
        let text = fs::read_to_string(&path).unwrap().replace(env!("CARGO_BIN_EXE_hooks"), program);
        fs::write(&path, text).unwrap();
    }
}

#[track_caller]
fn is_found(findings: &[(String, String)], state: &str, what: &str) {
    assert!(findings.iter().any(|(is, text)| is == state && text.contains(what)), "{findings:#?}");
}

#[test]
fn nothing_is_wrong_where_nothing_is() {
    let (status, out) = TestProject::new().hooks(&["doctor"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("no client is wired"), "{out}");
}

#[test]
fn whoever_was_wired_denies() {
    let place = TestProject::new();
    fs::write(place.0.path().join("work/agent.yaml"), "agents:\n  root:\n    model: m\n").unwrap();
    for client in [
        "claude",
        "gemini",
        "copilot",
        "vscode",
        "cursor",
        "docker-agent",
        "opencode",
        "qwen",
        "windsurf",
        "goose",
        "droid",
        "codex",
    ] {
        assert_eq!(place.hooks(&["init", client]).0, Some(0), "{client}");
        let findings = place.findings(client);
        is_found(&findings, "good", "a denial denies");
        is_found(&findings, "good", "can be used");
        // What is left is to trust the hooks, and the folder.
        let wrong: Vec<_> = findings.iter().filter(|(state, _)| state == "bad").collect();
        let left = match client {
            "codex" => 2,
            "gemini" | "copilot" => 1,
            _ => 0,
        };
        assert_eq!(wrong.len(), left, "{client}: {wrong:?}");
        assert!(wrong.iter().all(|(_, what)| what.contains("trust")), "{client}: {wrong:?}");
    }
    assert_eq!(place.hooks(&["doctor", "claude"]).0, Some(0));
    assert_eq!(place.hooks(&["doctor", "codex"]).0, Some(1));
}

/// Claude Code looks for settings in the folder in which it is started, and not in its parents.
#[test]
fn whoever_stands_below_the_settings_is_told() {
    let place = TestProject::new();
    let (status, out) = place.hooks_in("work/below", &["init", "claude"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("not in a folder below"), "{out}");
    assert!(place.0.path().join("work/.claude/settings.json").exists());
    let (status, out) = place.hooks_in("work/below", &["doctor", "claude"]);
    assert_eq!(status, Some(1));
    assert!(out.contains("started here, it does not read these"), "{out}");
    assert!(!place.hooks(&["doctor", "claude"]).1.contains("started here"));
    // The user's own settings govern there.
    assert_eq!(place.hooks(&["init", "claude", "--scope", "user"]).0, Some(0));
    let (status, out) = place.hooks_in("work/below", &["doctor", "claude"]);
    assert_eq!(status, Some(0), "{out}");
}

#[test]
fn whoever_lets_calls_through_is_found() {
    let settings = ".claude/settings.json";
    for (script, what) in [
        ("echo '{}'", "must be denied is not"),
        ("cat > /dev/null; exit 1", "must be denied is not"),
        (
            "echo so; echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"x\"}}'",
            "must be denied is not",
        ),
    ] {
        let place = TestProject::new();
        assert_eq!(place.hooks(&["init", "claude"]).0, Some(0));
        place.call(settings, &place.program("hooks", script));
        is_found(&place.findings("claude"), "bad", what);
        assert_eq!(place.hooks(&["doctor", "claude"]).0, Some(1));
    }
}

#[test]
fn what_is_gone_or_broken_is_found() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "gemini"]).0, Some(0));
    fs::write(place.0.path().join("work/hooks.yaml"), "version: 1\nrules: 3\n").unwrap();
    is_found(&place.findings("gemini"), "bad", "everything is denied");
    place.call(".gemini/settings.json", "/nowhere/hooks");
    is_found(&place.findings("gemini"), "bad", "is not there");
    let path = place.0.path().join("work/.gemini/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"BeforeTool\"", "\"BeforeTools\"")).unwrap();
    is_found(&place.findings("gemini"), "bad", "does not call us for `BeforeTool`");
    fs::write(&path, "{").unwrap();
    is_found(&place.findings("gemini"), "bad", "cannot be read by its client");
}

#[test]
fn who_switches_all_hooks_off_is_found_wherever_that_is() {
    for (client, place, text, is_off) in [
        ("claude", "home/.claude/settings.json", "{\"disableAllHooks\": true}", true),
        ("claude", "home/.claude/settings.json", "{\n  \"x\": \"\\\"disableAllHooks\\\": true\"\n}", false),
        ("claude", "work/.claude/settings.local.json", "{\"disableAllHooks\":true}", true),
        ("codex", "home/.codex/config.toml", "[features]\nhooks = false\n", true),
        ("gemini", "home/.gemini/settings.json", "{\"hooksConfig\": {\"x\": 1, \"enabled\": false}}", true),
        ("gemini", "home/.gemini/settings.json", "{\"hooksConfig\": {\"enabled\": true}}", false),
        ("copilot", "home/.copilot/settings.json", "{\"disableAllHooks\": true}", true),
        ("qwen", "home/.qwen/settings.json", "{\"disableAllHooks\": true}", true),
        ("droid", "home/.factory/settings.json", "{\"hooksDisabled\": true}", true),
        ("droid", "work/.factory/settings.local.json", "{\"hooksDisabled\": true}", true),
        ("droid", "work/.factory/settings.local.json", "{\"disableAllHooks\": true}", false),
    ] {
        let place_of = TestProject::new();
        assert_eq!(place_of.hooks(&["init", client]).0, Some(0), "{client}");
        let path = place_of.0.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let found = place_of.findings(client);
        let is_found = found.iter().filter(|(state, what)| state == "bad" && what.contains("all hooks off"));
        assert_eq!(is_found.count(), usize::from(is_off), "{client} {text}: {found:#?}");
    }
}

#[test]
fn versions_are_compared_with_what_was_tested() {
    let place = TestProject::new();
    place.program("claude", "echo '9.9.9 (Claude Code)'");
    is_found(&place.findings("claude"), "doubtful", "version 9.9.9");
    is_found(&place.findings("claude"), "bad", "nothing governs it here");
    assert_eq!(place.hooks(&["doctor"]).0, Some(1));
    place.program("claude", "exit 1");
    is_found(&place.findings("claude"), "doubtful", "names none");
    is_found(&place.findings("codex"), "absent", "is not there");
}

/// A comment, a byte order mark or a trailing comma: the client drops the file, so `init` refuses it.
#[test]
fn settings_that_the_client_drops_are_found() {
    for (client, settings) in [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")] {
        for change in [
            |text: &str| text.replacen('{', "{ // mine\n", 1),
            |text: &str| format!("\u{feff}{text}"),
            |text: &str| text.trim_end().strip_suffix('}').unwrap().trim_end().to_owned() + ",\n}\n",
        ] {
            let place = TestProject::new();
            assert_eq!(place.hooks(&["init", client]).0, Some(0));
            let path = place.0.path().join("work").join(settings);
            let text = change(&fs::read_to_string(&path).unwrap());
            fs::write(&path, &text).unwrap();
            is_found(&place.findings(client), "bad", "drops");
            assert_eq!(place.hooks(&["doctor", client]).0, Some(1), "{text}");
            assert_eq!(place.hooks(&["init", client]).0, Some(2), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}

#[test]
fn a_folder_that_is_trusted_is_no_finding() {
    for (client, file, text) in [
        ("gemini", ".gemini/trustedFolders.json", "{\"PLACE\": \"TRUST_FOLDER\"}"),
        ("copilot", ".copilot/config.json", "{\"trusted_folders\": [\"PLACE\"]}"),
    ] {
        let place = TestProject::new();
        assert_eq!(place.hooks(&["init", client]).0, Some(0));
        assert_eq!(place.hooks(&["doctor", client]).0, Some(1), "{client}");
        let path = place.0.path().join("home").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let work = place.0.path().canonicalize().unwrap().join("work");
        fs::write(&path, text.replace("PLACE", work.to_str().unwrap())).unwrap();
        assert_eq!(place.hooks(&["doctor", client]).0, Some(0), "{client}: {:?}", place.findings(client));
    }
}

#[test]
fn a_changed_hook_of_ours_is_found() {
    for (client, settings, before, after, what) in [
        (
            "claude",
            ".claude/settings.json",
            "\"hooks\": [\n          {",
            "\"matcher\": \"Write\", \"hooks\": [\n          {",
            "matcher",
        ),
        (
            "claude",
            ".claude/settings.json",
            "\"type\": \"command\"",
            "\"type\": \"command\", \"if\": \"Bash(git *)\"",
            "`if: ",
        ),
        (
            "claude",
            ".claude/settings.json",
            "\"type\": \"command\"",
            "\"type\": \"command\", \"async\": true",
            "`async: true`",
        ),
        ("claude", ".claude/settings.json", "\"type\": \"command\"", "\"type\": \"prompt\"", "no `type: "),
        (
            "claude",
            ".claude/settings.json",
            "\"onFailure\": \"block\"",
            "\"onFailure\": \"continue\"",
            "no `onFailure: ",
        ),
        ("claude", ".claude/settings.json", "\"timeout\": 30", "\"timeout\": 1", "`timeout: 1`"),
        ("gemini", ".gemini/settings.json", "\"timeout\": 60000", "\"timeout\": 60", "`timeout: 60`"),
        ("qwen", ".qwen/settings.json", "\"timeout\": 60000", "\"timeout\": 1000", "`timeout: 1000`"),
        (
            "cursor",
            ".cursor/hooks.json",
            "\"failClosed\": true",
            "\"failClosed\": false",
            "no `failClosed: true`",
        ),
        (
            "goose",
            ".agents/plugins/hooks/hooks/hooks.json",
            "\"on_failure\": \"block\"",
            "\"on_failure\": \"allow\"",
            "no `on_failure: ",
        ),
        ("copilot", ".github/hooks/hooks.json", "\"timeoutSec\": 30", "\"timeoutSec\": 2", "`timeoutSec: 2`"),
    ] {
        let place = TestProject::new();
        assert_eq!(place.hooks(&["init", client]).0, Some(0));
        let path = place.0.path().join("work").join(settings);
        let text = fs::read_to_string(&path).unwrap();
        assert!(!place.findings(client).iter().any(|(_, what)| what.contains("was changed")), "{client}");
        assert!(text.contains(before), "{client}: {before}: {text}");
        fs::write(&path, text.replace(before, after)).unwrap();
        let found = place.findings(client);
        assert!(
            found
                .iter()
                .any(|(state, text)| state == "bad" && text.contains("was changed") && text.contains(what)),
            "{what}: {found:#?}"
        );
        assert_eq!(place.hooks(&["init", client]).0, Some(0));
    }
}

/// More time than our deadline needs, a matcher for everything and a text for the user change nothing.
#[test]
fn harmless_changes_are_no_finding() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "claude"]).0, Some(0));
    let path = place.0.path().join("work/.claude/settings.json");
    let text = fs::read_to_string(&path)
        .unwrap()
        .replace("\"timeout\": 30", "\"timeout\": 300, \"statusMessage\": \"x\"");
    fs::write(
        &path,
        text.replace("\"hooks\": [\n          {", "\"matcher\": \"*\", \"hooks\": [\n          {"),
    )
    .unwrap();
    assert_eq!(place.hooks(&["doctor", "claude"]).0, Some(0), "{:#?}", place.findings("claude"));
}

#[test]
fn a_portable_line_needs_hooks_on_the_path() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "claude", "--portable"]).0, Some(0));
    is_found(&place.findings("claude"), "bad", "is not in `PATH`");
    assert_eq!(place.hooks(&["doctor", "claude"]).0, Some(1));
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hooks"), place.0.path().join("bin/hooks")).unwrap();
    is_found(&place.findings("claude"), "good", "found in `PATH`");
    is_found(&place.findings("claude"), "good", "a denial denies");
    assert_eq!(place.hooks(&["doctor", "claude"]).0, Some(0));
    // No agent may put another program in its place.
    let folder = place.0.path().canonicalize().unwrap().join("bin");
    let call = serde_json::json!({"session_id": "s", "transcript_path": "/t", "cwd": place.0.path().join("work"), "prompt_id": "p",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "t",
        "tool_input": {"file_path": folder.join("hooks"), "content": "x"}});
    let line = format!("printf '%s' '{call}' | hooks run --client claude --event PreToolUse");
    #[expect(clippy::disallowed_methods, reason = "the line is run as a client runs it")]
    let output = Command::new("/bin/sh")
        .args(["-c", &line])
        .env_clear()
        .env("PATH", &folder)
        .env("HOME", place.0.path().join("home"))
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("\"deny\""), "{out}");
}

/// A session keeps to the rules that it began with, and each test of a denial is a session of its own.
#[test]
fn rules_may_change_between_two_calls() {
    for scope in ["user", "project"] {
        let place = TestProject::new();
        place.put("work/hooks.yaml", "version: 1\ncommand_guard: { block: [dd] }\n");
        assert_eq!(place.hooks(&["init", "claude", "--scope", scope]).0, Some(0));
        assert_eq!(place.hooks(&["doctor", "claude"]).0, Some(0));
        place.put("work/hooks.yaml", "version: 1\n");
        let (status, out) = place.hooks(&["doctor", "claude"]);
        assert_eq!(status, Some(0), "{scope}: {out}");
        if scope == "user" {
            place.put("other/.git/HEAD", "");
            place.put("other/hooks.yaml", "version: 1\ncommand_guard: { block: [mkfs] }\n");
            let (status, out) = place.hooks_in("other", &["doctor", "claude"]);
            assert_eq!(status, Some(0), "{out}");
        }
        assert_eq!(place.pins(), 0, "{scope}");
    }
}

/// Another worktree has none of the uncommitted settings of the first, and a client need not be on the path yet.
#[test]
fn a_named_client_that_nothing_governs_is_found() {
    for client in ["claude", "codex", "gemini", "copilot", "qwen"] {
        let place = TestProject::new();
        place.put("second/.git", "gitdir: ../first/.git/worktrees/second\n");
        let ungoverned = |folder: &str| {
            let (status, out) = place.hooks_in(folder, &["doctor", client]);
            assert!(status == Some(1) && out.contains("nothing governs it here"), "{client} {folder}: {out}");
        };
        ungoverned("work");
        assert_eq!(place.hooks(&["init", client]).0, Some(0));
        ungoverned("second");
        assert_eq!(place.hooks(&["doctor"]).0, place.hooks(&["doctor", client]).0);
        // The settings of the user hold in both.
        assert_eq!(place.hooks(&["init", client, "--scope", "user"]).0, Some(0));
        let (status, out) = place.hooks_in("second", &["doctor", client]);
        assert!(!out.contains("nothing governs it here"), "{client}: {out}");
        // Codex CLI has to trust them, too.
        assert_eq!(status, Some(i32::from(client == "codex")), "{client}: {out}");
    }
}

#[test]
fn a_start_in_a_subfolder_is_found_for_each_client_that_does_not_search_above() {
    for (client, file, text) in [
        ("gemini", ".gemini/trustedFolders.json", "{\"PLACE\": \"TRUST_FOLDER\"}"),
        ("copilot", ".copilot/config.json", "{\"trusted_folders\": [\"PLACE\"]}"),
        ("qwen", ".qwen/trustedFolders.json", "{\"PLACE\": \"TRUST_FOLDER\"}"),
    ] {
        let place = TestProject::new();
        let work = place.0.path().canonicalize().unwrap().join("work");
        place.put(&format!("home/{file}"), &text.replace("PLACE", work.to_str().unwrap()));
        assert_eq!(place.hooks(&["init", client]).0, Some(0));
        assert_eq!(place.hooks(&["doctor", client]).0, Some(0), "{client}");
        let (status, out) = place.hooks_in("work/below", &["doctor", client]);
        assert!(status == Some(1) && out.contains("started here, it does not read these"), "{client}: {out}");
        assert_eq!(place.hooks(&["init", client, "--scope", "user"]).0, Some(0));
        let (status, out) = place.hooks_in("work/below", &["doctor", client]);
        assert_eq!(status, Some(0), "{client}: {out}");
    }
}

/// A hook has no terminal, the variables of its client, and a payload on its input.
#[test]
fn it_runs_from_a_hook() {
    let place = TestProject::new();
    let from_hook = |folder: &str| {
        place.put("payload.json", "{\"hook_event_name\": \"SessionStart\", \"session_id\": \"s\"}");
        let mut command = place.command(folder, &["doctor", "claude"]);
        command.stdin(fs::File::open(place.0.path().join("payload.json")).unwrap());
        command.env("CLAUDECODE", "1").env("CLAUDE_PROJECT_DIR", place.0.path().join(folder));
        command.output().unwrap().status.code()
    };
    assert_eq!(from_hook("work"), Some(1));
    assert_eq!(place.hooks(&["init", "claude"]).0, Some(0));
    assert_eq!(from_hook("work"), Some(0));
}

#[test]
fn handlers_that_never_run_are_named() {
    let place = TestProject::new();
    place.put(
        "work/hooks.yaml",
        "version: 1\nhooks:\n  stop: [{ type: command, command: 'true' }]\n  turn_end: [{ type: command, command: 'true' }]\n",
    );
    assert_eq!(place.hooks(&["init", "claude"]).0, Some(0));
    is_found(&place.findings("claude"), "doubtful", "the handlers of `turn_end` never run");
    let (_, out) = place.hooks(&["check", "hooks.yaml"]);
    assert!(out.contains("the handlers of `turn_end` never run: Claude Code"), "{out}");
    let (_, out) = place.hooks(&["check", "hooks.yaml", "--format", "json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report.pointer("/silent_handlers/0/events"), Some(&serde_json::json!(["turn_end"])));
}

/// Settings that an earlier version wrote govern as they did.
#[test]
fn an_event_that_is_only_observed_is_no_gap() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "claude"]).0, Some(0));
    let path = place.0.path().join("work/.claude/settings.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let events = settings.pointer_mut("/hooks").and_then(Value::as_object_mut).unwrap();
    assert!(events.remove("PostCompact").is_some() && events.remove("StopFailure").is_some());
    fs::write(&path, settings.to_string()).unwrap();
    is_found(&place.findings("claude"), "doubtful", "does not call us for `StopFailure`, `PostCompact`");
    assert_eq!(place.hooks(&["doctor", "claude"]).0, Some(0));
}

/// Codex CLI names key and hash of each hook, and a person at a terminal lets it trust them.
#[test]
fn a_person_lets_codex_trust_the_hooks() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "codex", "--scope", "user"]).0, Some(0));
    let path = place.0.path().join("home/.codex/hooks.json");
    let settings: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let events = settings.get("hooks").and_then(Value::as_object).unwrap();
    for status in ["trusted", "untrusted"] {
        let hook = |(event, groups): (&String, &Value)| {
            serde_json::json!({"key": format!("{}:{event}:0:0", path.display()), "enabled": true, "sourcePath": path,
                "command": groups.pointer("/0/hooks/0/command"), "currentHash": format!("sha256:{event}"),
                "trustStatus": status})
        };
        let hooks: Vec<Value> = events.iter().map(hook).collect();
        let answer = serde_json::json!({"id": 2, "result": {"data": [{"cwd": "/", "hooks": hooks}]}});
        place.put(&format!("bin/{status}"), &format!("{answer}\n"));
    }
    // It reads what its user trusts at each start.
    let codex = "case $1 in app-server) ;; *) echo 'codex-cli 0.169.0'; exit;; esac\n\
                 status=untrusted\n\
                 while IFS= read -r line; do case $line in *trusted_hash*sha256:*) status=trusted;; esac; done < \"$HOME/.codex/config.toml\"\n\
                 while read -r line; do case $line in *hooks/list*) IFS= read -r answer < \"${0%/*}/$status\"; echo \"$answer\";; esac; done";
    place.put("home/.codex/config.toml", "model = \"m\" # mine\n");
    place.program("codex", codex);
    let trust = ["init", "codex", "--scope", "user", "--trust"];
    let config = || fs::read_to_string(place.0.path().join("home/.codex/config.toml")).unwrap();
    // No person is at a terminal.
    assert_eq!(place.hooks(&trust).0, Some(2));
    assert!(!config().contains("trusted_hash"));
    let (status, text) = terminal::at_a_terminal(&mut place.command("work", &trust), "");
    assert!(status.success() && text.contains("Codex CLI trusts these hooks"), "{text}");
    let written: toml_edit::DocumentMut = config().parse().unwrap();
    for event in events.keys() {
        let key = format!("{}:{event}:0:0", path.display());
        let state = written.get("hooks").and_then(|hooks| hooks.get("state")?.get(&key)?.get("trusted_hash"));
        assert_eq!(state.and_then(|hash| hash.as_str()), Some(&*format!("sha256:{event}")), "{}", config());
    }
    assert!(config().starts_with("model = \"m\" # mine\n"), "{}", config());
    assert_eq!(place.hooks(&["doctor", "codex"]).0, Some(0));
    let (status, text) = terminal::at_a_terminal(&mut place.command("work", &trust), "");
    assert!(status.success() && text.contains("trusts these hooks already"), "{text}");
    // The trust goes with the hooks.
    assert_eq!(place.hooks(&["init", "codex", "--scope", "user", "--remove"]).0, Some(0));
    assert_eq!(config(), "model = \"m\" # mine\n");
}

#[test]
fn codex_is_asked_which_hooks_it_trusts() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "codex", "--scope", "user"]).0, Some(0));
    let path = place.0.path().join("home/.codex/hooks.json");
    let settings: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let events = settings.get("hooks").and_then(Value::as_object).unwrap();
    let answer = |trust: &str, first: &str| {
        let hooks: Vec<Value> = events
            .values()
            .enumerate()
            .map(|(at, groups)| {
                serde_json::json!({"key": at.to_string(), "command": groups.pointer("/0/hooks/0/command"), "sourcePath": path,
                    "enabled": true, "currentHash": "sha256:1", "trustStatus": if at == 0 { first } else { trust }})
            })
            .collect();
        let answer = serde_json::json!({"id": 2, "result": {"data": [{"cwd": "/", "hooks": hooks}]}});
        fs::write(place.0.path().join("bin/answer"), format!("{answer}\n")).unwrap();
    };
    let asked = "case $1 in app-server) while read l; do case $l in *hooks/list*) while read a; do echo \"$a\"; done < ${0%/*}/answer;; esac; done;; *) echo 'codex-cli 0.169.0';; esac";
    place.program("codex", &asked.replace("read a", "IFS= read -r a"));
    answer("trusted", "trusted");
    is_found(&place.findings("codex"), "good", "Codex reports that it trusts");
    assert_eq!(place.hooks(&["doctor", "codex"]).0, Some(0));
    answer("trusted", "untrusted");
    is_found(&place.findings("codex"), "bad", "Codex does not trust the hooks of");
    fs::write(place.0.path().join("bin/answer"), "{\"id\":2,\"result\":{\"data\":[{\"hooks\":[]}]}}\n")
        .unwrap();
    is_found(&place.findings("codex"), "bad", "does not list these hooks");
    for old in ["exit 2", "echo '{\"id\":2,\"error\":{\"message\":\"unknown method\"}}'", "echo garbage"] {
        place.program("codex", &format!("case $1 in app-server) {old};; *) echo 'codex-cli 0.1.0';; esac"));
        is_found(&place.findings("codex"), "bad", "not asked");
    }
}

#[test]
fn hooks_that_gemini_disables_by_name_are_found() {
    for (text, is_off) in [
        ("{\"hooksConfig\": {\"disabled\": [\"hooks\"]}}", true),
        ("{\"hooks\": {\"disabled\": [\"x\", \"hooks\"]}}", true),
        ("{\"hooksConfig\": {\"disabled\": [\"/x/hooks run --client gemini --event BeforeTool\"]}}", true),
        ("{\"hooksConfig\": {\"disabled\": [\"other\"]}}", false),
    ] {
        let place = TestProject::new();
        assert_eq!(place.hooks(&["init", "gemini"]).0, Some(0));
        let path = place.0.path().join("home/.gemini/settings.json");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let found = place.findings("gemini");
        let is_found = found.iter().any(|(state, what)| state == "bad" && what.contains("by their name"));
        assert_eq!(is_found, is_off, "{text}: {found:#?}");
    }
}

/// goose lists the folders of plugins in its `config.yaml`.
#[test]
fn a_plugin_that_goose_disables_is_found() {
    for (scope, folder) in [("project", "work"), ("user", "home")] {
        let place = TestProject::new();
        assert_eq!(place.hooks(&["init", "goose", "--scope", scope]).0, Some(0));
        let plugin = place.0.path().canonicalize().unwrap().join(folder).join(".agents/plugins/hooks");
        for (enabled, is_bad) in [("false", true), ("true", false)] {
            let config =
                format!("GOOSE_MODE: auto\nplugins:\n  {}:\n    enabled: {enabled}\n", plugin.display());
            place.put("home/.config/goose/config.yaml", &config);
            let found = place.findings("goose");
            let is_found =
                found.iter().any(|(state, what)| state == "bad" && what.contains("disables our plugin"));
            assert_eq!(is_found, is_bad, "{scope}: {found:#?}");
        }
    }
}

#[test]
fn clients_that_call_us_twice_are_named() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "copilot"]).0, Some(0));
    assert!(!place.findings("copilot").iter().any(|(_, what)| what.contains("counts once")));
    assert_eq!(place.hooks(&["init", "claude"]).0, Some(0));
    assert!(!place.findings("claude").iter().any(|(_, what)| what.contains("counts once")));
    // Copilot CLI reads the settings of Claude Code, and not the other way round.
    is_found(&place.findings("copilot"), "doubtful", "counts once");
    assert_eq!(place.hooks(&["init", "claude", "--scope", "user"]).0, Some(0));
    is_found(&place.findings("claude"), "doubtful", "counts once");
}

/// `hooks run` takes the outermost rules of a project; so does this.
#[test]
fn the_rules_are_those_that_would_govern() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "claude", "--scope", "user"]).0, Some(0));
    fs::create_dir_all(place.0.path().join("work/inner/.git")).unwrap();
    fs::write(place.0.path().join("work/hooks.yaml"), "version: 1\n").unwrap();
    fs::write(place.0.path().join("work/inner/hooks.yaml"), "version: 1\nbroken: 1\n").unwrap();
    let (status, out) = place.hooks_in("work/inner", &["doctor", "claude"]);
    assert!(status == Some(0) && out.contains("work/hooks.yaml` can be used"), "{out}");
}

/// The cells of `docs/sections.md` for the wired clients, in every form of the output.
#[test]
fn sections_without_their_whole_effect_are_reported() {
    let place = TestProject::new();
    let rules = "version: 1\nbudget: { limits: [{ of: session, per: session, tokens: 3000 }] }\ncache: {}\n\
                 command_guard: { block: [dd] }\n";
    fs::write(place.0.path().join("work/hooks.yaml"), rules).unwrap();
    let check = |options: &[&str]| place.hooks(&[&["check", "hooks.yaml"], options].concat()).1;
    assert!(
        !check(&[]).contains("behind") && !check(&["--format", "json"]).contains("sections"),
        "{}",
        check(&[])
    );
    for (client, budget) in [("claude", "in part"), ("cursor", "no")] {
        place.hooks(&["init", client]);
        let report: Value = serde_json::from_str(&check(&["--format", "json"])).unwrap();
        let cells = report.get("sections").and_then(Value::as_array).unwrap();
        let cell = |section: &str| {
            let is_it = |cell: &&Value| {
                cell.get("client").is_some_and(|is| is == client)
                    && cell.get("section").is_some_and(|is| is == section)
            };
            let cell = cells.iter().find(is_it)?;
            Some((cell.get("works")?.as_str()?, cell.get("note")?.as_str()?))
        };
        let (works, note) = cell("budget").unwrap();
        assert_eq!(works, budget, "{client}: {note}");
        assert_eq!(cell("cache").unwrap().0, "no");
        assert_eq!(cell("command_guard"), None, "it has its whole effect");
        assert!(check(&[]).contains(note), "{}", check(&[]));
        let verb = if budget == "no" { "does nothing" } else { "works in part" };
        is_found(&place.findings(client), "doubtful", &format!("`budget` {verb}: {note}"));
    }
}

/// MCP servers of a client: those behind the proxy, those that are not, and a proxy that does not start.
#[test]
fn servers_that_the_proxy_does_not_govern_are_named() {
    let place = TestProject::new();
    place.program("claude", "echo '2.1.0 (Claude Code)'");
    place.put("work/.mcp.json", r#"{"mcpServers": {"a": {"command": "s"}, "b": {"url": "http://x"}}}"#);
    let servers = |place: &TestProject| {
        let all = place.findings("claude").into_iter();
        all.filter(|(_, what)| what.contains("MCP server")).collect::<Vec<_>>()
    };
    let states =
        |found: &[(String, String)]| found.iter().map(|(state, _)| state.clone()).collect::<Vec<_>>();
    let found = servers(&place);
    assert_eq!(states(&found), ["doubtful", "doubtful"], "{found:?}");
    assert!(
        found.iter().any(|(_, what)| what.contains("does not govern the MCP servers `a` of")),
        "{found:?}"
    );
    // The hooks of the client judge the calls.
    assert_eq!(place.hooks(&["init", "claude"]).0, Some(0));
    assert_eq!(states(&servers(&place)), ["absent", "absent"]);
    assert_eq!(place.hooks(&["init", "claude", "--mcp"]).0, Some(0));
    let found = servers(&place);
    assert_eq!(states(&found), ["good", "doubtful"], "{found:?}");
    assert!(
        found.iter().any(|(_, what)| what.contains("does not govern the MCP servers `b` of")),
        "{found:?}"
    );
    fs::remove_file(place.0.path().join("work/hooks.yaml")).unwrap();
    let found = servers(&place);
    assert!(states(&found).contains(&"bad".to_owned()), "{found:?}");
}

/// Regression test: these servers were not mentioned.
#[test]
fn servers_that_cannot_be_read_or_were_renamed_are_named() {
    let place = TestProject::new();
    place.program("claude", "echo '2.1.0 (Claude Code)'");
    let settings = place.0.path().join("work/.mcp.json");
    let server = r#"{"mcpServers": {"before": {"command": "s"}, "odd": {"command": ["s"]}, "no": 1}}"#;
    place.put("work/.mcp.json", server);
    assert_eq!(place.hooks(&["init", "claude", "--mcp"]).0, Some(0));
    let findings = place.findings("claude");
    is_found(&findings, "doubtful", "the MCP servers `odd`, `no` of");
    assert!(!findings.iter().any(|(_, what)| what.contains("is called")), "{findings:?}");
    let renamed = fs::read_to_string(&settings).unwrap().replace("\"before\": {", "\"after\": {");
    fs::write(&settings, renamed).unwrap();
    is_found(&place.findings("claude"), "doubtful", "is called `before` in rules");
}
