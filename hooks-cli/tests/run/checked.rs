//! Events of Claude Code that have no type of ours, and slash commands.

use std::fs;

use serde_json::{Value, json};

use super::recorded::records;
use super::{Told, World};

const REDACTING: &str = "version: 1\nredaction: { labels: [], patterns: { TICKET: 'TICKET-\\d{6}' } }\n";

const READING: &str = "version: 1\nread_guard: { deny: [keys/**] }\n";

impl World {
    fn event(&self, event: &str, fields: &Value) -> Told {
        let mut payload = json!({"session_id": "s", "transcript_path": "/home/ada/.claude/t.jsonl", "cwd": "/home/ada/app",
            "prompt_id": "p", "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.run(&["--client", "claude", "--event", event], &payload.to_string())
    }

    fn expanded(&self, name: &str) -> Told {
        self.expanded_with(name, "")
    }

    fn expanded_with(&self, name: &str, arguments: &str) -> Told {
        self.event(
            "UserPromptExpansion",
            &json!({"expansion_type": "slash_command", "command_name": name, "command_args": arguments,
                "command_source": "projectSettings", "prompt": format!("/{name} {arguments}")}),
        )
    }

    fn changed(&self, path: &str) -> Told {
        let path = format!("/home/ada/app/{path}");
        self.event("ConfigChange", &json!({"source": "project_settings", "file_path": path}))
    }
}

fn batch(result: &str) -> Value {
    json!({"tool_calls": [{"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_use_id": "t", "tool_response": result}]})
}

#[test]
fn a_result_with_a_secret_ends_the_run_before_the_model_reads_it() {
    let world = World::new(REDACTING);
    let ended = world.event("PostToolBatch", &batch("Exit code 3\nTICKET-123456"));
    assert_eq!(ended.answer()["continue"], false);
    ended.says("the result of `Bash` has data that the rules redact");
    assert!(!ended.stdout.contains("123456"), "{ended:?}");
    world.event("PostToolBatch", &batch("[TICKET_REDACTED]")).is_silent();
    // A batch that cannot be checked goes on, and the next calls are denied by the same failure.
    let unlisted = world.event("PostToolBatch", &json!({"tool_calls": {"0": "TICKET-123456"}}));
    assert_eq!(unlisted.exit, Some(1), "{unlisted:?}");
    world.write("app/hooks.yaml", "version: 1\nredaction: [\n");
    assert_eq!(world.event("PostToolBatch", &batch("TICKET-123456")).exit, Some(1));
}

#[test]
fn a_slash_command_is_judged_with_the_text_of_its_file() {
    let world = World::new(READING);
    world.write("app/keys/a.md", "secret");
    world.write("app/notes.md", "notes");
    world.write("app/.claude/commands/team/leak.md", "see @keys/a.md");
    world.write("app/.claude/skills/leaking/SKILL.md", "see @keys/a.md");
    world.write("home/.claude/commands/mine.md", "see @keys/a.md");
    world.write("app/.claude/commands/open.md", "see @notes.md");
    for name in ["team:leak", "leaking", "mine"] {
        let denied = world.expanded(name);
        assert_eq!(denied.answer()["decision"], "block", "{name}: {denied:?}");
        denied.says("the prompt names a file: `keys/a.md` may not be read");
    }
    for name in ["open", "missing", "../keys/a"] {
        world.expanded(name).is_silent();
    }
    world.expanded("").says("the payload names no command");
    world.write("app/.claude/commands/long.md", &"x".repeat((1 << 20) + 1));
    world.expanded("long").says("too long to be judged");
}

const SHELL: &str = r#"version: 1
audit: { folder: audit-log }
read_guard: { deny: [keys/**] }
prompts: { scrub: true }
redaction: { labels: [], patterns: { TICKET: 'TICKET-\d{6}' } }
rules:
  - { name: touching, action: deny, commands: [touch], reason: no files }
  - { name: pushing, action: ask, commands: [git push], reason: think twice }
"#;

#[test]
fn the_commands_in_the_file_of_a_slash_command_are_judged_as_shell_calls() {
    let world = World::new(SHELL);
    world.write("app/keys/a.md", "secret");
    world.write("app/.claude/commands/sh.md", "result: !`pwd; touch touched`");
    world.write("app/.claude/commands/fence.md", "result:\n```!\ncat keys/a.md\n```\n");
    world.write("app/.claude/commands/push.md", "!`git push`");
    world.write("app/.claude/commands/fine.md", "!`git log` and ```!\npwd\n```");
    world.write("app/.claude/commands/any.md", "!`$ARGUMENTS`");
    for (name, arguments, why) in [
        ("sh", "", "its file runs `pwd; touch touched`: no files"),
        ("fence", "", "`keys/a.md` may not be read"),
        ("push", "", "think twice"),
        ("any", "touch x", "its file runs `touch x`: no files"),
    ] {
        let denied = world.expanded_with(name, arguments);
        assert_eq!(denied.answer()["decision"], "block", "{name}: {denied:?}");
        denied.says(why);
    }
    world.expanded("fine").is_silent();
    world.expanded_with("any", "pwd").is_silent();
    let calls: Vec<_> = records(&world).iter().map(|record| record["event"].clone()).collect();
    assert_eq!(calls.iter().filter(|event| *event == "pre_tool_use").count(), 7, "{calls:?}");
}

#[test]
fn the_tool_skill_is_judged_with_the_file_of_the_skill() {
    let world = World::new(SHELL);
    world.write("app/keys/a.md", "secret");
    world.write("app/.claude/skills/sh/SKILL.md", "---\nname: sh\n---\n!`touch touched`");
    world.write("app/.claude/skills/other/SKILL.md", "---\nname: renamed\n---\nsee @keys/a.md");
    world.write("app/.claude/skills/data/SKILL.md", "see TICKET-123456");
    world.write("app/.claude/commands/team/args.md", "see @$ARGUMENTS");
    world.write("app/.claude/skills/push/SKILL.md", "!`git push`");
    world.write("app/.claude/skills/fine/SKILL.md", "!`git log`");
    world.write("app/hooks.md", "notes");
    for (name, arguments, decision, why) in [
        ("sh", "", "deny", "its file runs `touch touched`: no files"),
        ("/sh", "", "deny", "no files"),
        ("other", "", "deny", "`keys/a.md` may not be read"),
        ("renamed", "", "deny", "`keys/a.md` may not be read"),
        ("team:args", "keys/a.md", "deny", "`keys/a.md` may not be read"),
        ("data", "", "deny", "its file"),
        ("push", "", "ask", "its file runs `git push`: think twice"),
    ] {
        let told = world.claude("Skill", &json!({"skill": name, "args": arguments}));
        assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], decision, "{name}: {told:?}");
        told.says(why);
        assert!(!told.stdout.contains("123456"), "{told:?}");
    }
    for (name, arguments) in [("fine", ""), ("team:args", "hooks.md"), ("missing", ""), ("../sh", "")] {
        world.claude("Skill", &json!({"skill": name, "args": arguments})).is_silent();
    }
}

/// Claude Code fills in the arguments before it reads the files that a text names.
#[test]
fn the_arguments_of_a_slash_command_are_filled_in() {
    let world = World::new(READING);
    world.write("app/keys/a.md", "secret");
    let header = "---\narguments: [where, what]\n---\n";
    for (name, text) in [
        ("all", "see @$ARGUMENTS"),
        ("first", "see @$ARGUMENTS[0]"),
        ("number", "see @$0/$1.md"),
        ("named", "see @$where/$what.md"),
    ] {
        world.write(&format!("app/.claude/commands/{name}.md"), &format!("{header}{text}"));
    }
    for (name, arguments) in
        [("all", "keys/a.md"), ("first", "keys/a.md and more"), ("number", "keys a"), ("named", "keys 'a'")]
    {
        let denied = world.expanded_with(name, arguments);
        assert_eq!(denied.answer()["decision"], "block", "{name}: {denied:?}");
        denied.says("the prompt names a file: `keys/a.md` may not be read");
        world.expanded_with(name, "notes b").is_silent();
    }
}

/// Qwen Code reports the text with the content of the files, and what its user typed.
#[test]
fn the_file_of_a_custom_command_of_qwen_code_is_judged() {
    let world = World::new(READING);
    world.write("app/keys/a.md", "secret");
    world.write("app/.qwen/commands/team/md.md", "see @{keys/a.md}");
    world.write("app/.qwen/commands/toml.toml", "prompt = \"see @{keys/{{args}}}\"");
    world.write("home/.qwen/commands/mine.md", "see @{keys/{{args}}}");
    let sent = |typed: &str| {
        let payload = json!({"session_id": "s", "transcript_path": "/home/ada/.qwen/t.jsonl", "cwd": "/home/ada/app",
            "hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt_id": "p",
            "prompt": "see secret", "submitted_prompt": typed});
        world.run(&["--client", "qwen", "--event", "UserPromptSubmit"], &payload.to_string())
    };
    for typed in ["/team:md", "/toml a.md", "/mine a.md"] {
        sent(typed).says("the prompt names a file: `keys/a.md` may not be read");
    }
    for typed in ["/mine b.md", "/missing", "team:md", "/../md", "/"] {
        sent(typed).is_silent();
    }
}

#[test]
fn settings_that_switch_the_hooks_off_are_denied_in_a_session() {
    const SETTINGS: &str = ".claude/settings.json";
    let world = World::new(READING);
    let init = world.program("init", &["claude", "--scope", "project"], "");
    assert_eq!(init.exit, Some(0), "{init:?}");
    world.changed(SETTINGS).is_silent();
    let written = fs::read_to_string(world.path("app/.claude/settings.json")).unwrap();
    let with = |text: &str| written.replacen('{', &format!("{{{text},"), 1);
    for (text, why) in [
        (with("\"disableAllHooks\": true"), "switches all hooks off"),
        (with("\"env\": {\"HOOKS_CONFIG\": \"/tmp/other.yaml\"}"), "sets `HOOKS_CONFIG`"),
        (written.replace("\"PreToolUse\"", "\"Other\""), "no settings call `hooks` at `PreToolUse`"),
        (written.replace("--event PreToolUse", "--event Stop"), "no settings call `hooks` at `PreToolUse`"),
        (written.replace("\"timeout\": 30", "\"async\": true, \"timeout\": 30"), "no settings call `hooks`"),
        ("{}".to_owned(), "no settings call `hooks`"),
        (written.replacen('{', "{,", 1), "no settings call `hooks`"),
    ] {
        world.write("app/.claude/settings.json", &text);
        let denied = world.changed(SETTINGS);
        assert_eq!(denied.answer()["decision"], "block", "{why}: {denied:?}");
        denied.says(why);
    }
    // The settings of the user still call them.
    let init = world.program("init", &["claude"], "");
    assert_eq!(init.exit, Some(0), "{init:?}");
    world.write("app/.claude/settings.json", "{}");
    world.changed(SETTINGS).is_silent();
    fs::remove_file(world.path("app/.claude/settings.json")).unwrap();
    world.changed(SETTINGS).is_silent();
    world.write("app/.claude/settings.json", &with("\"permissions\": {}"));
    world.changed(SETTINGS).is_silent();
}

/// Claude Code names the folder of the plugin whose hook it runs.
#[test]
fn settings_may_change_where_a_plugin_calls_the_hooks_and_may_not_disable_it() {
    let world = World::new(READING);
    let hooks = include_str!("../../plugins/claude/hooks/hooks.json");
    world.write("plugin/hooks/hooks.json", hooks);
    let changed = |text: &str| {
        world.write("app/.claude/settings.json", text);
        let payload = json!({"session_id": "s", "transcript_path": "/home/ada/.claude/t.jsonl", "cwd": "/home/ada/app",
            "prompt_id": "p", "hook_event_name": "ConfigChange", "source": "project_settings",
            "file_path": "/home/ada/app/.claude/settings.json"});
        let plugin = world.path("plugin");
        let variables = [("CLAUDE_PLUGIN_ROOT", plugin.as_str())];
        world.run_with(&["--client", "claude", "--event", "ConfigChange"], &variables, &payload.to_string())
    };
    changed("{\"model\": \"m\"}").is_silent();
    changed("{\"enabledPlugins\": {\"tower-hooks@team\": true, \"other@team\": false}}").is_silent();
    changed("{\"enabledPlugins\": {\"tower-hooks@team\": false}}")
        .says("disables the plugin that calls `hooks`");
    changed("{\"disableAllHooks\": true}").says("switches all hooks off");
    world.write("plugin/hooks/hooks.json", &hooks.replace("\"PreToolUse\"", "\"Other\""));
    changed("{\"model\": \"m\"}").says("no settings call `hooks` at `PreToolUse`");
}
