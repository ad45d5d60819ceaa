//! Files and folders under several names: links to the project, hard links, folders above protected ones.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{Told, World};

/// The state that sessions of the user keep.
const STATE: [&str; 6] = [
    "home/.local/state/hooks/calls/x",
    "home/.local/state/hooks/rules/sessions/x",
    "home/.local/state/hooks/transcripts/x",
    "home/.claude/projects/app/s.jsonl",
    "home/.codex/sessions/2026/x.jsonl",
    "home/.copilot/session-state/s/events.jsonl",
];

impl World {
    /// A project with the state of sessions in the home.
    fn with_state() -> Self {
        let world = Self::new("version: 1\n");
        for path in STATE {
            world.write(path, "{}\n");
        }
        world.sessions_begin();
        world
    }

    /// A shell command of Claude Code. `W` stands for the folder of the project and the home.
    fn shell(&self, command: &str) -> Told {
        self.claude("Bash", &json!({"command": command.replace("W/", &self.path(""))}))
    }

    #[track_caller]
    fn denies(&self, command: &str, reason: &str) {
        let told = self.shell(command);
        let answer = told.answer();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{command}: {told:?}");
        assert!(told.stdout.contains(reason), "{command}: {told:?}");
    }

    #[track_caller]
    fn passes(&self, command: &str) {
        let told = self.shell(command);
        assert!(told.exit == Some(0) && told.stdout.is_empty(), "{command}: {told:?}");
    }
}

#[test]
fn state_of_sessions_stays_where_it_is() {
    let world = World::with_state();
    let folders = [
        "W/home/.local/state/hooks/calls",
        "W/home/.local/state/hooks/rules",
        "W/home/.local/state/hooks/rules/sessions",
        "W/home/.local/state/hooks/transcripts",
        "W/home/.local/state/hooks",
        "W/home/.local/state",
        "W/home/.local",
        "W/home/.claude/projects",
        "W/home/.claude/projects/app",
        "W/home/.claude",
        "W/home/.codex/sessions",
        "W/home/.codex",
        "W/home/.copilot/session-state/s",
        "W/home/.copilot/session-state",
        "W/home/.copilot",
        "W/home",
        "../home/.local",
    ];
    for folder in folders {
        for command in ["rm -rf DIR", "mv DIR x", "mv -t /tmp DIR", "find DIR -delete", "ln -sfn /tmp/x DIR"]
        {
            world.denies(&command.replace("DIR", folder), "protected");
        }
        let code = "python3 -c 'import os; os.rename(\"DIR\", \"x\")'".replace("DIR", folder);
        world.denies(&code, "the hooks' own");
        world.denies(&format!("python3 -c 'import shutil; shutil.rmtree(\"{folder}\")'"), "the hooks' own");
    }
    for command in [
        "cd W/home && rm -rf .local",
        "cd W/home/.local/state && mv hooks other",
        "rm -rf W/home/.local/state/h*",
        "rm -rf W/home/.copilot/session-state/*",
        "rm -rf W/home/.claude/projects/a*",
        "rm -rf W/home/.claude/projects/app/s.jsonl",
        "rm -rf ~/.local/state/hooks",
        "mv $HOME/.local/state/hooks x",
        "rm -rf \"$HOME\"/.claude/projects",
    ] {
        world.denies(command, "protected");
    }
    world.write("home/.claude/projects/app/memory/notes.md", "");
    for command in [
        "rm -rf W/home/.local/state/other",
        "mv W/home/.local/state/other x",
        "rm -rf W/home/.cache",
        "ls W/home/.local/state/hooks",
        "rm -rf build",
        // Claude Code's own notes.
        "echo x > W/home/.claude/projects/app/memory/notes.md",
        "mkdir -p W/home/.claude/projects/app/memory",
        "rm W/home/.claude/projects/app/memory/notes.md",
    ] {
        world.passes(command);
    }
}

/// A home, or a folder or file in it, is often a link. Its files are protected by their real paths too.
#[test]
fn state_of_sessions_behind_links_stays_where_it_is() {
    let world = World::with_state();
    for (from, to) in
        [("home", "disk/ada"), ("disk/ada/.codex", "dotfiles/codex"), ("disk/ada/.local/state", "state")]
    {
        fs::create_dir_all(world.path("dotfiles")).unwrap();
        fs::create_dir_all(world.path("disk")).unwrap();
        fs::rename(world.path(from), world.path(to)).unwrap();
        symlink(world.path(to), world.path(from)).unwrap();
    }
    world.write("dotfiles/claude.json", "{}");
    symlink("../../../dotfiles/claude.json", world.path("disk/ada/.claude/settings.json")).unwrap();
    for command in [
        "rm -rf W/disk/ada",
        "rm -rf W/disk/ada/.claude/projects",
        "mv W/disk/ada/.claude x",
        "rm -rf W/state",
        "mv W/state/hooks x",
        "rm -rf W/state/hooks/rules",
        "mv W/dotfiles/codex x",
        "rm -rf W/dotfiles/codex/sessions",
        "echo x > W/dotfiles/claude.json",
        "echo x > W/disk/ada/.claude/settings.json",
        "echo x > W/disk/ada/.gemini/settings.json",
        "rm W/home",
        "rm W/disk/ada/.codex",
        "rm W/disk/ada/.local/state",
    ] {
        world.denies(command, "protected");
    }
    world.denies("mytool W/dotfiles/claude.json", "the hooks' own");
    world.passes("echo x > W/dotfiles/other.json");
}

/// The client names the project by one path, and its agents name files by others.
#[test]
fn a_project_has_the_names_of_all_links_to_it() {
    let rules = "version: 1\nwrite_guard: { allow: ['src/**'], deny: ['src/locked/**'] }\n";
    let world = World::new(rules);
    fs::create_dir_all(world.path("app/src/locked")).unwrap();
    for (link, target) in [("one", "app"), ("two", "one"), ("sources", "app/src")] {
        symlink(world.path(target), world.path(link)).unwrap();
    }
    symlink(world.path("home"), world.path("app/src/out")).unwrap();
    symlink("locked", world.path("app/src/alias")).unwrap();
    let mut session = 0;
    for project in ["app", "one", "two"] {
        for folder in ["app", "one", "two"] {
            let mut write = |path: &str| {
                session += 1;
                let call = json!({"session_id": format!("s{session}"), "cwd": world.path(folder), "prompt_id": "p",
                    "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "toolu_1",
                    "tool_input": {"file_path": path, "content": "x"}});
                let root = world.path(project);
                let variables = [("CLAUDE_PROJECT_DIR", root.as_str())];
                world.run_with(
                    &["--client", "claude", "--event", "PreToolUse"],
                    &variables,
                    &call.to_string(),
                )
            };
            for path in
                ["src/a", "W/app/src/a", "W/one/src/a", "W/two/src/a", "W/sources/a", "W/two/./src//a"]
            {
                let path = path.replace("W/", &world.path(""));
                let told = write(&path);
                assert!(
                    told.exit == Some(0) && !told.stdout.contains("deny"),
                    "{project} {folder} {path}: {told:?}"
                );
            }
            for path in [
                "W/two/x",
                "W/two/src/locked/a",
                "W/two/src/alias/a",
                "W/sources/locked/a",
                "W/two/src/out/a",
                "W/sources/out/a",
                "W/sources/../x",
                "W/two/../x",
                "W/two/hooks.yaml",
                "W/home/x",
            ] {
                let path = path.replace("W/", &world.path(""));
                let told = write(&path);
                assert!(told.stdout.contains("\"deny\""), "{project} {folder} {path}: {told:?}");
            }
        }
    }
}

/// A link to the configuration can be removed by every name of its folder.
#[test]
fn a_link_that_is_the_configuration_is_protected_by_every_name() {
    let world = World::new("");
    world.write("app/rules.yaml", "version: 1\n");
    symlink("rules.yaml", world.path("app/hooks.yaml")).unwrap();
    symlink(world.path("app"), world.path("other")).unwrap();
    for command in
        ["rm W/other/hooks.yaml", "mv W/other/hooks.yaml x", "rm W/other/rules.yaml", "rm hooks.yaml"]
    {
        world.denies(command, "protected");
    }
    world.passes("rm W/other/x.yaml");
}

/// The hard links were there before the session.
#[test]
fn a_write_through_another_name_of_a_protected_file_is_denied() {
    let world = World::with_state();
    world.write("app/.claude/settings.json", "{}");
    world.write("home/.codex/hooks.json", "{}");
    world.write("home/.claude/plugins/a/b/hook.sh", "");
    world.write("app/notes.md", "");
    for (file, link) in [
        ("app/hooks.yaml", "app/src/rules.txt"),
        ("app/.claude/settings.json", "app/settings.bak"),
        ("home/.codex/hooks.json", "elsewhere.json"),
        ("home/.claude/plugins/a/b/hook.sh", "app/hook.sh"),
        ("home/.claude/projects/app/s.jsonl", "app/log.txt"),
        ("app/notes.md", "app/other.md"),
    ] {
        let link = world.path(link);
        fs::create_dir_all(std::path::Path::new(&link).parent().unwrap()).unwrap();
        fs::hard_link(world.path(file), link).unwrap();
    }
    for file in ["src/rules.txt", "settings.bak", "W/elsewhere.json", "hook.sh", "log.txt", "../app/log.txt"]
    {
        for command in [
            "echo x > FILE",
            "echo x >> FILE",
            "cp notes.md FILE",
            "sed -i s/a/b/ FILE",
            "truncate -s 0 FILE",
        ] {
            world.denies(&command.replace("FILE", file), "is another name of");
        }
        world.denies(&format!("python3 -c 'open(\"{file}\", \"w\")'"), "the hooks' own");
        world.denies(&format!("./tool.sh {file}"), "the hooks' own");
        world.passes(&format!("cat {file}"));
        // The protected file keeps its name.
        world.passes(&format!("rm {file}"));
        let path = if let Some(file) = file.strip_prefix("W/") {
            world.path(file)
        } else {
            world.path("app/") + file
        };
        let told = world.claude("Write", &json!({"file_path": path, "content": "x"}));
        assert!(told.stdout.contains("is another name of"), "{file}: {told:?}");
    }
    for command in ["echo x > other.md", "echo x > notes.md", "./tool.sh other.md", "echo x > new.md"] {
        world.passes(command);
    }
}

/// docker-agent has no fixed name for the file of its agents, so its command lines give it.
#[test]
fn the_settings_that_call_are_protected() {
    let world = World::new("version: 1\n");
    let write = |path: &str, options: &[&str]| {
        let payload = json!({"session_id": "s", "cwd": world.path("app"), "hook_event_name": "pre_tool_use",
            "tool_name": "write_file", "tool_use_id": "t", "tool_input": {"path": path, "content": "x"}});
        let options = [&["--client", "docker-agent", "--event", "pre_tool_use"], options].concat();
        let told = world.run(&options, &payload.to_string());
        told.answer()["hook_specific_output"]["permission_decision"] == "deny"
    };
    let agents = world.path("app/team.yaml");
    for settings in ["team.yaml", &agents] {
        assert!(write("team.yaml", &["--settings", settings]), "{settings}");
        assert!(write(&agents, &["--settings", settings]), "{settings}");
        assert!(!write("other.yaml", &["--settings", settings]), "{settings}");
    }
    assert!(!write("team.yaml", &[]));
}
