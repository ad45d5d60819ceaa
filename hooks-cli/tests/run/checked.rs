//! Events of Claude Code that have no type of ours, and slash commands.

use std::fs;

use serde_json::{Value, json};

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
        self.event(
            "UserPromptExpansion",
            &json!({"expansion_type": "slash_command", "command_name": name, "command_args": "", "command_source":
                "projectSettings", "prompt": format!("/{name}")}),
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
    // A batch that cannot be checked ends the run too: its calls may have run under other rules.
    let unlisted = world.event("PostToolBatch", &json!({"tool_calls": {"0": "TICKET-123456"}}));
    assert_eq!(unlisted.answer()["continue"], false, "{unlisted:?}");
    world.write("app/hooks.yaml", "version: 1\nredaction: [\n");
    let broken = world.event("PostToolBatch", &batch("TICKET-123456"));
    assert_eq!(broken.answer()["continue"], false, "{broken:?}");
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
    for name in ["open", "missing", "../keys/a", ""] {
        world.expanded(name).is_silent();
    }
    world.write("app/.claude/commands/long.md", &"x".repeat((1 << 20) + 1));
    world.expanded("long").says("too long to be judged");
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
