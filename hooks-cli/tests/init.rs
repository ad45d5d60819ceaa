//! `hooks init`: the settings that it writes for each client, and their removal.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A project and a home.
struct TestProject {
    folder: TempDir,
}

/// The output of the program.
struct Ran {
    status: Option<i32>,
    out: String,
    err: String,
}

impl TestProject {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for folder in ["home", "work/.git", "work/below"] {
            fs::create_dir_all(place.folder.path().join(folder)).unwrap();
        }
        place
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap()
    }

    fn hooks(&self, args: &[&str]) -> Ran {
        self.hooks_in(&self.work(), args)
    }

    /// Most tests are about the settings of a project.
    fn hooks_in(&self, folder: &Path, args: &[&str]) -> Ran {
        let is_told = args.contains(&"--scope") || args.contains(&"squad") || args.first() != Some(&"init");
        let scope: &[&str] = if is_told { &[] } else { &["--scope", "project"] };
        self.hooks_as_given(folder, &[args, scope].concat())
    }

    fn hooks_as_given(&self, folder: &Path, args: &[&str]) -> Ran {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(args).current_dir(folder).stdin(Stdio::null());
        command.env_clear().env("HOME", self.folder.path().join("home")).env("SHELL", "/bin/sh");
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Removes everything that the program has stored.
    fn forget(&self) {
        drop(fs::remove_dir_all(self.folder.path().join("home/.local")));
    }
}

/// A client, the path of its settings, and an example of their content.
const SETTINGS: [(&str, &str, &str); 12] = [
    (
        "claude",
        ".claude/settings.json",
        "{\n\t\"model\": \"m\",\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]}]}\n}\n",
    ),
    (
        "codex",
        ".codex/hooks.json",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"theirs\"}]}]}}",
    ),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"m\" # so\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"theirs\"\n",
    ),
    ("gemini", ".gemini/settings.json", "{\r\n  \"ui\": { \"theme\": \"x\" }\r\n}\r\n"),
    (
        "copilot",
        ".github/hooks/hooks.json",
        "{\n    \"version\": 1,\n    \"hooks\": {\n        \"sessionStart\": [\n            { \"type\": \"command\", \"bash\": \"theirs\" }\n        ]\n    }\n}\n",
    ),
    ("vscode", ".github/hooks/vscode.json", "{}"),
    ("qwen", ".qwen/settings.json", "{\n  // mine\n  \"permissions\": { \"deny\": [\"Bash(rm *)\"] }\n}\n"),
    ("windsurf", ".windsurf/hooks.json", "{\"hooks\": {\"pre_run_command\": [{\"command\": \"theirs\"}]}}\n"),
    ("goose", ".agents/plugins/hooks/hooks/hooks.json", "{}\n"),
    ("droid", ".factory/settings.json", "{\n  \"model\": \"m\"\n}\n"),
    ("cursor", ".cursor/hooks.json", "{\"version\": 1, \"hooks\": {}}\n"),
    (
        "docker-agent",
        "agent.yaml",
        "agents:\n  root:\n    model: m # so\n    hooks:\n      stop:\n        - type: command\n          command: theirs\n",
    ),
];

#[test]
fn what_is_written_is_shown_once_and_undone_byte_for_byte() {
    for (client, name, text) in SETTINGS {
        let place = TestProject::new();
        place.put(name, text);
        let dry = place.hooks(&["init", client, "--dry-run"]);
        assert_eq!((dry.status, &*place.text(name)), (Some(0), text), "{client}: {}", dry.err);
        let first = place.hooks(&["init", client]);
        assert_eq!(first.status, Some(0), "{client}: {}", first.err);
        assert!(first.out.contains("run --client"), "{client}: the difference is not shown: {}", first.out);
        let wired = place.text(name);
        // It has no fixed name, so its own lines name the file that its agents may not change.
        assert_eq!(wired.contains("--settings"), client == "docker-agent", "{wired}");
        assert!(!text.contains("theirs") || wired.contains("theirs"), "{client}: {wired}");
        // A folder below belongs to the same project.
        let second = place.hooks_in(&place.work().join("below"), &["init", client]);
        assert!(second.out.contains("nothing to do"), "{client}: {}", second.out);
        assert_eq!(place.text(name), wired, "{client}");
        let removed = place.hooks(&["init", client, "--remove"]);
        assert_eq!((removed.status, &*place.text(name)), (Some(0), text), "{client}: {}", removed.err);
    }
}

#[test]
fn settings_that_were_not_there_go_again() {
    for (client, name, _) in
        SETTINGS.iter().filter(|(client, name, _)| *client != "docker-agent" && *name != ".codex/config.toml")
    {
        let place = TestProject::new();
        assert_eq!(place.hooks(&["init", client]).status, Some(0));
        assert!(place.work().join(name).is_file(), "{client}");
        assert!(place.work().join("hooks.yaml").is_file(), "{client}");
        assert_eq!(place.hooks(&["init", client, "--remove"]).status, Some(0));
        assert!(!place.work().join(name).exists(), "{client}");
        let left = fs::read_dir(place.work()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name != ".git" && name != "below").collect();
        assert!(left.iter().all(|name| name == "hooks.yaml" || name == ".gitignore"), "{client}: {left:?}");
    }
}

/// A folder that was there, and files beside ours, stay.
#[test]
fn folders_of_others_stay() {
    let place = TestProject::new();
    fs::create_dir_all(place.work().join(".agents/plugins")).unwrap();
    assert_eq!(place.hooks(&["init", "goose"]).status, Some(0));
    assert_eq!(place.hooks(&["init", "goose"]).status, Some(0));
    assert_eq!(place.hooks(&["init", "goose", "--remove"]).status, Some(0));
    assert!(place.work().join(".agents/plugins").is_dir());
    assert!(!place.work().join(".agents/plugins/hooks").exists());
    assert_eq!(place.hooks(&["init", "goose"]).status, Some(0));
    place.put(".agents/plugins/hooks/plugin.json", "{}");
    assert_eq!(place.hooks(&["init", "goose", "--remove"]).status, Some(0));
    assert_eq!(place.text(".agents/plugins/hooks/plugin.json"), "{}");
    assert!(!place.work().join(".agents/plugins/hooks/hooks").exists());
}

/// OpenCode has its hooks in a file of ours alone.
#[test]
fn a_plugin_is_written_and_goes_again() {
    let name = ".opencode/plugin/hooks.js";
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "opencode"]).status, Some(0));
    let plugin = place.text(name);
    assert!(plugin.contains("run --client opencode --event tool.execute.before"), "{plugin}");
    assert!(place.hooks(&["init", "opencode"]).out.contains("nothing to do"));
    // A changed plugin is found, and written anew.
    place.put(name, &plugin.replace("reject(new Error(answer.reason", "resolve(new Error(answer.reason"));
    let doctor = place.hooks(&["doctor", "opencode"]);
    assert!(doctor.status == Some(1) && doctor.out.contains("was changed"), "{}", doctor.out);
    assert_eq!(place.hooks(&["init", "opencode"]).status, Some(0));
    assert_eq!(place.text(name), plugin);
    let portable = place.hooks(&["init", "opencode", "--portable"]);
    assert_eq!(portable.status, Some(0), "{}", portable.err);
    assert!(
        !place.text(name).contains(env!("CARGO_BIN_EXE_hooks")) && place.text(name).contains("hooks run")
    );
    place.forget();
    assert_eq!(place.hooks(&["init", "opencode", "--remove"]).status, Some(0));
    assert!(!place.work().join(name).exists());
    // The file of another plugin stays.
    place.put(name, "export const Mine = async () => ({})\n");
    let refused = place.hooks(&["init", "opencode"]);
    assert!(refused.status == Some(2) && refused.err.contains("not a file that"), "{}", refused.err);
    let user = place.hooks(&["init", "opencode", "--scope", "user"]);
    assert_eq!(user.status, Some(0), "{}", user.err);
    assert!(place.folder.path().join("home/.config/opencode/plugin/hooks.js").is_file());
}

/// Kimi CLI has one file for all its settings, and none of a project.
#[test]
fn a_list_of_hooks_in_the_settings_of_the_user_is_written_and_goes_again() {
    let name = "../home/.kimi/config.toml";
    for text in
        ["# mine\ndefault_model = \"m\"\nhooks = []\n", "[[hooks]]\nevent = \"Stop\"\ncommand = \"theirs\"\n"]
    {
        let place = TestProject::new();
        let init = |args: &[&str]| place.hooks_as_given(&place.work(), &[&["init", "kimi"], args].concat());
        place.put(name, text);
        assert_eq!((init(&["--dry-run"]).status, &*place.text(name)), (Some(0), text));
        let first = init(&[]);
        assert_eq!(first.status, Some(0), "{}", first.err);
        let wired = place.text(name);
        assert!(wired.contains("run --client kimi --event PreToolUse"), "{wired}");
        assert!(!text.contains("theirs") || wired.contains("theirs"), "{wired}");
        assert!(init(&[]).out.contains("nothing to do"));
        let doctor = place.hooks(&["doctor", "kimi"]);
        assert!(doctor.status == Some(0) && doctor.out.contains("a denial denies"), "{}", doctor.out);
        place.put(name, &wired.replace("timeout = 30", "timeout = 1"));
        let doctor = place.hooks(&["doctor", "kimi"]);
        assert!(doctor.status == Some(1) && doctor.out.contains("`timeout: 1`"), "{}", doctor.out);
        place.put(name, &wired);
        assert_eq!(init(&["--remove"]).status, Some(0));
        assert_eq!(place.text(name), text);
    }
    let place = TestProject::new();
    let refused = place.hooks(&["init", "kimi"]);
    assert!(refused.status == Some(2) && refused.err.contains("--scope user"), "{}", refused.err);
}

#[test]
fn who_edited_meanwhile_keeps_that() {
    for (client, name, text) in SETTINGS {
        let place = TestProject::new();
        place.put(name, text);
        assert_eq!(place.hooks(&["init", client]).status, Some(0));
        // Comments of the user are allowed in every form, except for clients that do not support comments.
        let edited = match name.rsplit('.').next() {
            Some("json") => place.text(name).replacen('{', "{ \"mine\": 7,", 1),
            _ => format!("# mine: 7\n{}", place.text(name)),
        };
        place.put(name, &edited);
        let removed = place.hooks(&["init", client, "--remove"]);
        assert_eq!(removed.status, Some(0), "{client}: {}", removed.err);
        let left = place.text(name);
        assert!(!left.contains("--client") && left.contains("mine"), "{client}: {left}");
        assert_eq!(left.contains("theirs"), text.contains("theirs"), "{client}: {left}");
    }
}

#[test]
fn who_is_not_remembered_is_taken_out_all_the_same() {
    for (client, name, text) in SETTINGS {
        let place = TestProject::new();
        place.put(name, text);
        assert_eq!(place.hooks(&["init", client]).status, Some(0));
        place.forget();
        let removed = place.hooks(&["init", client, "--remove"]);
        assert_eq!(removed.status, Some(0), "{client}: {}", removed.err);
        let left = place.text(name);
        assert!(!left.contains("--client"), "{client}: {left}");
        assert_eq!(left.contains("theirs"), text.contains("theirs"), "{client}: {left}");
    }
}

#[test]
fn a_newer_program_takes_the_place_of_an_older_one() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "claude"]).status, Some(0));
    let wired = place.text(".claude/settings.json");
    let older = wired.replace(env!("CARGO_BIN_EXE_hooks"), "/opt/older/hooks");
    place.put(".claude/settings.json", &older);
    assert_eq!(place.hooks(&["init", "claude"]).status, Some(0));
    assert_eq!(place.text(".claude/settings.json"), wired);
    // The previous content had hooks of ours as well.
    assert_eq!(place.hooks(&["init", "claude", "--remove"]).status, Some(0));
    assert!(
        !place.text(".claude/settings.json").contains("--client"),
        "{}",
        place.text(".claude/settings.json")
    );
}

#[test]
fn what_cannot_be_read_is_not_touched() {
    for (client, name, text, line) in [
        ("claude", ".claude/settings.json", "{\n  \"model\": \"m\",\n  \"hooks\": {\n", ":4:1"),
        // The client would drop the whole file without a word.
        ("claude", ".claude/settings.json", "{\n  // mine\n  \"model\": \"m\"\n}\n", ":2:3"),
        ("claude", ".claude/settings.json", "{\"model\": \"m\",}\n", ":1:15"),
        ("claude", ".claude/settings.json", "\u{feff}{}\n", ":1:1"),
        ("claude", ".claude/settings.json", "{\"model\": \"m\", \"model\": \"n\"}\n", "model"),
        ("codex", ".codex/hooks.json", "{\"hooks\": {}} // mine\n", ":1:15"),
        ("gemini", ".gemini/settings.json", "{\"hooks\": 3}", ":1:11"),
        (
            "codex",
            ".codex/config.toml",
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"x\"\n[hooks.PreToolUse]\nx = 1\n",
            "",
        ),
        ("docker-agent", "agent.yaml", "agents: {root: {model: m}}\n", ":1:16"),
    ] {
        let place = TestProject::new();
        place.put(name, text);
        let ran = place.hooks(&["init", client]);
        assert_eq!((ran.status, &*place.text(name)), (Some(2), text), "{client}: {}", ran.out);
        assert!(ran.err.contains(line) && ran.err.contains("nothing was changed"), "{client}: {}", ran.err);
        assert!(!place.work().join("hooks.yaml").exists(), "{client}: only half of it was done");
    }
}

#[test]
fn rules_that_are_there_stay_and_have_to_be_good() {
    let place = TestProject::new();
    place.put("hooks.yaml", "version: 1\n");
    assert_eq!(place.hooks(&["init", "claude"]).status, Some(0));
    assert_eq!(place.text("hooks.yaml"), "version: 1\n");
    place.put("hooks.yaml", "version: 1\nwrite_gaurd: {}\n");
    let ran = place.hooks(&["init", "gemini"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("write_gaurd"), "{}", ran.err);
    assert!(!place.work().join(".gemini").exists());
}

#[test]
fn two_files_of_rules_are_refused() {
    let place = TestProject::new();
    place.put("hooks.yaml", "version: 1\n");
    place.put(".hooks/hooks.yaml", "version: 1\n");
    let ran = place.hooks(&["init", "claude"]);
    assert!(ran.status == Some(2) && ran.err.contains("only the first would govern"), "{}", ran.err);
    assert!(!place.work().join(".claude").exists());
}

#[test]
fn codex_is_given_little_time_for_the_end_of_a_session() {
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "codex"]).status, Some(0));
    let settings: serde_json::Value = serde_json::from_str(&place.text(".codex/hooks.json")).unwrap();
    let timeout = |event: &str| settings.pointer(&format!("/hooks/{event}/0/hooks/0/timeout")).cloned();
    assert_eq!(timeout("SessionEnd"), Some(3.into()));
    assert_eq!(timeout("PreToolUse"), Some(60.into()));
}

#[test]
fn the_first_rules_pass_their_own_check() {
    let place = TestProject::new();
    // The settings of the user are the default.
    assert_eq!(place.hooks_as_given(&place.work().join("below"), &["init", "claude"]).status, Some(0));
    assert!(!place.work().join(".claude").exists());
    let rules = place.folder.path().join("home/.config/hooks/hooks.yaml");
    let ran = place.hooks(&["check", rules.to_str().unwrap()]);
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("warning"), "{}", ran.out);
    assert!(place.folder.path().join("home/.claude/settings.json").is_file());
}

#[cfg(unix)]
#[test]
fn links_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = TestProject::new();
    let real = place.put("dotfiles/claude.json", "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(place.work().join(".claude")).unwrap();
    let link = place.work().join(".claude/settings.json");
    symlink("../dotfiles/claude.json", &link).unwrap();
    assert_eq!(place.hooks(&["init", "claude"]).status, Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(place.text("dotfiles/claude.json").contains("--client claude"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(place.hooks(&["init", "claude", "--remove"]).status, Some(0));
    assert_eq!(place.text("dotfiles/claude.json"), "{}\n");
}

#[test]
fn who_cannot_be_wired_is_told_why() {
    let place = TestProject::new();
    for (args, why) in [
        (&["init", "emacs"][..], "expected one of"),
        (&["init", "vscode", "--scope", "user"], "use `--scope project`"),
        (&["init", "copilot-sdk"], "calls hooks of the program that uses it"),
        (&["init", "docker-agent"], "--file FILE"),
        (&["init", "claude", "--file", "x"], "leave out `--file`"),
        (&["init", "squad", "--remove"], "delete it yourself"),
    ] {
        let ran = place.hooks(args);
        assert_eq!(ran.status, Some(2), "{args:?}");
        assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_team_is_laid_out_and_never_written_over() {
    let place = TestProject::new();
    let dry = place.hooks(&["init", "squad", "--dry-run"]);
    assert!(dry.out.contains("team.md") && !place.work().join(".squad").exists(), "{}", dry.out);
    place.put(".squad/routing.md", "mine\n");
    let ran = place.hooks(&["init", "squad"]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    assert!(place.work().join(".squad/team.md").is_file());
    assert_eq!(place.text(".squad/routing.md"), "mine\n");
    assert!(place.hooks(&["init", "squad"]).out.contains("nothing to do"));
    place.put(".squad/agents/tester/charter.md", "# Tester\n\n## What I Own\n\n- All of `tests/`\n");
    let proposed = place.hooks(&["init", "squad"]).out;
    assert!(proposed.contains("proposed for `.squad/agents/tester/charter.md`"), "{proposed}");
    assert!(proposed.contains("```boundaries\nwrites:\n  - tests/**\n"), "{proposed}");
    assert!(!place.text(".squad/agents/tester/charter.md").contains("boundaries"), "a person decides");
}

#[test]
fn the_log_is_ignored_and_the_texts_of_the_team_are_not() {
    let place = TestProject::new();
    let ignores = ".squad/orchestration-log/.gitignore";
    place.put(".squad/team.md", "");
    assert_eq!(place.hooks(&["init", "claude"]).status, Some(0));
    let text = place.text(ignores);
    assert!(text.lines().any(|line| line == "*.jsonl") && !text.contains("md"), "{text}");
    assert!(place.hooks(&["init", "claude"]).out.contains("nothing to do"));
    // The user's lines stay, and missing ones are added.
    place.put(ignores, "*.tmp\n*.jsonl");
    assert_eq!(place.hooks(&["init", "gemini"]).status, Some(0));
    let text = place.text(ignores);
    assert!(text.starts_with("*.tmp\n*.jsonl\n#") && text.matches("*.jsonl\n").count() == 1, "{text}");
    place.put(ignores, "*\n");
    assert_eq!(place.hooks(&["init", "codex"]).status, Some(0));
    assert_eq!(place.text(ignores), "*\n");

    for (rules, wanted) in [
        ("version: 1\naudit: { folder: log }\n", Some("log/.gitignore")),
        ("version: 1\naudit: false\n", None),
        ("version: 1\naudit: { folder: ../log }\n", None),
    ] {
        let place = TestProject::new();
        place.put("hooks.yaml", rules);
        assert_eq!(place.hooks(&["init", "claude"]).status, Some(0));
        let found = [".gitignore", "log/.gitignore", "../log/.gitignore"];
        let found = found.into_iter().find(|found| place.work().join(found).exists());
        assert_eq!(found, wanted, "{rules}");
    }
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "squad"]).status, Some(0));
    assert!(place.text(ignores).contains("*.jsonl\n"));
}

#[cfg(unix)]
#[test]
fn a_portable_line_has_no_path_and_denies_where_hooks_is_missing() {
    for (client, name, _) in SETTINGS.iter().filter(|(client, _, _)| *client != "docker-agent") {
        let place = TestProject::new();
        let ran = place.hooks(&["init", client, "--portable"]);
        assert_eq!(ran.status, Some(0), "{client}: {}", ran.err);
        if *name == ".codex/config.toml" {
            continue;
        }
        let text = place.text(name);
        assert!(!text.contains(place.folder.path().to_str().unwrap()), "{client}: {text}");
        assert!(
            !text.contains(env!("CARGO_BIN_EXE_hooks")) && text.contains("hooks run"),
            "{client}: {text}"
        );
        assert!(place.hooks(&["init", client, "--portable"]).out.contains("nothing to do"), "{client}");
        // The ordinary line takes its place, and the other way round.
        assert_eq!(place.hooks(&["init", client]).status, Some(0));
        assert!(place.text(name).contains(env!("CARGO_BIN_EXE_hooks")), "{client}");
        assert_eq!(place.hooks(&["init", client, "--portable"]).status, Some(0));
        assert_eq!(place.text(name), text, "{client}");
    }
    let place = TestProject::new();
    assert_eq!(place.hooks(&["init", "claude", "--portable"]).status, Some(0));
    let settings: serde_json::Value = serde_json::from_str(&place.text(".claude/settings.json")).unwrap();
    let line =
        settings.pointer("/hooks/PreToolUse/0/hooks/0/command").and_then(|line| line.as_str()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the line is run as a client runs it")]
    let output =
        Command::new("/bin/sh").args(["-c", line]).env_clear().env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("so this is denied"));
    let ran = place.hooks(&["init", "claude", "--portable", "--scope", "user"]);
    assert!(ran.status == Some(2) && ran.err.contains("use `--scope project`"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
#[test]
fn the_settings_of_a_machine_are_prepared_below_a_root() {
    let place = TestProject::new();
    let root = place.work().join("image");
    let root = root.to_str().unwrap();
    let machine = |client: &str, more: &[&str]| {
        place.hooks(&[&["init", client, "--scope", "machine", "--root", root], more].concat())
    };
    for (client, name) in [
        ("claude", "image/etc/claude-code/managed-settings.json"),
        ("codex", "image/etc/codex/requirements.toml"),
        ("copilot", "image/etc/github-copilot/policy.d/hooks.json"),
    ] {
        let ran = machine(client, &[]);
        assert_eq!(ran.status, Some(0), "{client}: {}", ran.err);
        let text = place.text(name);
        assert!(
            text.contains("--config /etc/hooks/hooks.yaml") && !text.contains("image"),
            "{client}: {text}"
        );
        assert!(machine(client, &[]).out.contains("nothing to do"), "{client}");
        assert_eq!(machine(client, &["--remove"]).status, Some(0));
        assert!(!place.work().join(name).exists(), "{client}");
    }
    assert!(place.work().join("image/etc/hooks/hooks.yaml").is_file());
    // Users cannot switch off the feature.
    place.put("image/etc/codex/requirements.toml", "[features]\nhooks = false\n");
    assert_eq!(machine("codex", &[]).status, Some(0));
    assert!(place.text("image/etc/codex/requirements.toml").starts_with("[features]\nhooks = true\n"));
    for (client, why) in [
        ("gemini", "hooksConfig.disabled"),
        ("cursor", "known to work"),
        ("vscode", "known to work"),
        ("qwen", "known to work"),
    ] {
        let ran = machine(client, &[]);
        assert!(ran.status == Some(2) && ran.err.contains(why), "{client}: {}", ran.err);
    }
    let ran = place.hooks(&["init", "claude", "--scope", "user", "--root", root]);
    assert!(ran.status == Some(2) && ran.err.contains("--scope machine"), "{}", ran.err);
}

#[test]
fn only_a_person_gives_trust() {
    let place = TestProject::new();
    let ran = place.hooks(&["init", "codex", "--trust"]);
    assert!(ran.status == Some(2) && ran.err.contains("is for a person"), "{}", ran.err);
    assert!(!place.work().join(".codex").exists());
    let ran = place.hooks(&["init", "claude", "--trust"]);
    assert!(ran.status == Some(2) && ran.err.contains("`--trust` is for `codex`"), "{}", ran.err);
}

#[test]
fn the_other_scope_is_mentioned_if_it_is_wired() {
    let place = TestProject::new();
    let first = place.hooks(&["init", "gemini", "--scope", "user"]);
    assert!(!first.out.contains("calls `hooks` too"), "{}", first.out);
    let second = place.hooks(&["init", "gemini"]);
    assert!(
        second.out.contains("calls `hooks` too") && second.out.contains("--scope user --remove"),
        "{}",
        second.out
    );
}

const EXPORTED: &str = r##"{
  "version": "1.0.0",
  "team": {"name": "Apollo", "description": "Flies to the moon", "members": ["@eecom", "fido"]},
  "agents": [
    {"name": "eecom", "role": "Core | Dev", "description": "Keeps the lights on",
     "model": {"preferred": "claude-sonnet-4.5", "rationale": "code"},
     "capabilities": [{"name": "typescript", "level": "expert"}, {"name": "testing", "level": "basic"}]},
    {"name": "retro", "role": "Docs", "charter": "# Retro\n\nInline.\n", "status": "retired"},
    {"name": "guido", "role": "Guidance", "charter": "charters/guido.md"}
  ],
  "defaults": {"model": "claude-haiku-4.5"},
  "routing": {
    "rules": [{"pattern": "core-*", "agents": ["@eecom", "@fido"], "tier": "full", "description": "the core"}],
    "defaultAgent": "@eecom", "fallback": "ask"
  },
  "hooks": {"blockedCommands": ["rm -rf"]},
  "casting": {}
}"##;

#[test]
fn an_exported_team_becomes_files() {
    let place = TestProject::new();
    place.put("squad.json", EXPORTED);
    place.put("charters/guido.md", "# Guido\n\nFrom a file.\n");
    // What exists stays.
    place.put(".squad/agents/fido/charter.md", "# Fido, as I wrote it\n");
    let ran = place.hooks(&["init", "squad", "--from", "squad.json"]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("not taken over: `hooks`, `casting`") && ran.out.contains("policies/squad.json"),
        "{}",
        ran.out
    );

    let team = place.text(".squad/team.md");
    assert!(team.starts_with("# Apollo\n\n> Flies to the moon\n"), "{team}");
    assert!(
        team.contains("| eecom | Core \\| Dev | `.squad/agents/eecom/charter.md` | ✅ Active |"),
        "{team}"
    );
    assert!(team.contains("| retro | Docs | `.squad/agents/retro/charter.md` | 💤 Retired |"), "{team}");
    assert!(team.contains("| fido |"), "{team}");
    let charter = place.text(".squad/agents/eecom/charter.md");
    assert!(
        charter.contains("> Keeps the lights on") && charter.contains("- **Expertise:** typescript, testing"),
        "{charter}"
    );
    assert!(charter.contains("- **Preferred:** claude-sonnet-4.5\n- **Rationale:** code\n"), "{charter}");
    assert_eq!(place.text(".squad/agents/retro/charter.md"), "# Retro\n\nInline.\n");
    assert_eq!(place.text(".squad/agents/guido/charter.md"), "# Guido\n\nFrom a file.\n");
    assert_eq!(place.text(".squad/agents/fido/charter.md"), "# Fido, as I wrote it\n");
    let routing = place.text(".squad/routing.md");
    assert!(routing.contains("| core-* | eecom, fido | the core |"), "{routing}");
    assert!(routing.contains("2. Work that no row names goes to eecom.\n3. If several"), "{routing}");
    let again = place.hooks(&["init", "squad", "--from", "squad.json"]);
    assert!(
        again.out.contains("nothing to do") && again.out.contains("unchanged: add the members"),
        "{}",
        again.out
    );
}

#[test]
fn the_agents_of_the_rules_become_files() {
    let place = TestProject::new();
    place.put(
        "hooks.yaml",
        "version: 1
boundaries: { agents: { Backend: { writes: [src/api/**], reads: [src/**] }, ops: { writes: [] } } }
context: { model: { agents: { backend: claude-opus-4-5 } } }
routes:
  agents: { backend: { capabilities: [sql] }, lead: {} }
  rules:
    - { name: releases, words: [release, deploy], to: ['*'], instead: [lead], reason: releases are the lead's }
    - { name: no interns, to: [intern*] }
",
    );
    let ran = place.hooks(&["init", "squad"]);
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.err);
    let team = place.text(".squad/team.md");
    for member in ["Backend", "ops", "lead"] {
        assert_eq!(team.matches(&format!("| {member} |")).count(), 1, "{team}");
    }
    assert!(!team.contains("intern"), "{team}");
    let charter = place.text(".squad/agents/backend/charter.md");
    assert!(
        charter.contains("```boundaries\nwrites: [\"src/api/**\"]\nreads: [\"src/**\"]\n```\n"),
        "{charter}"
    );
    assert!(
        charter.contains("**Expertise:** sql") && charter.contains("**Preferred:** claude-opus-4-5"),
        "{charter}"
    );
    assert!(place.text(".squad/agents/ops/charter.md").contains("```boundaries\nwrites: []\n```\n"));
    let routing = place.text(".squad/routing.md");
    assert!(routing.contains("| release, deploy | lead | releases are the lead's |"), "{routing}");
    // The files are as good as the rules: `hooks check` reads the boundaries of the charters.
    let check = place.hooks(&["check", "hooks.yaml"]);
    assert_eq!(check.status, Some(0), "{}{}", check.out, check.err);
}

#[test]
fn a_team_that_cannot_be_read_is_refused_and_nothing_is_written() {
    let place = TestProject::new();
    place.put("squad.config.ts", "export default defineSquad({});\n");
    place.put("broken.json", "{\"agents\": [{\"role\": 1}]}");
    place.put("twice.json", r#"{"agents": [{"name": "a"}, {"name": "A"}]}"#);
    place.put("outside.json", r#"{"agents": [{"name": "../../x"}]}"#);
    place.put("missing.json", r#"{"agents": [{"name": "a", "charter": "nowhere.md"}]}"#);
    for (file, why) in [
        ("squad.config.ts", "JSON.stringify(m.default)"),
        ("broken.json", "not an exported `squad.config`"),
        ("twice.json", "given twice"),
        ("outside.json", "../../x"),
        ("missing.json", "nowhere.md` cannot be read"),
        ("none.json", "none.json"),
    ] {
        let ran = place.hooks(&["init", "squad", "--from", file]);
        assert_eq!(ran.status, Some(2), "{file}: {}", ran.out);
        assert!(ran.err.contains(why), "{file}: {}", ran.err);
        assert!(!place.work().join(".squad/team.md").exists(), "{file}");
    }
    let other = place.hooks(&["init", "claude", "--from", "broken.json"]);
    assert!(other.status == Some(2) && other.err.contains("`--from` is for `squad`"), "{}", other.err);
}
