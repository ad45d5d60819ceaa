//! The file in which each client keeps its hooks, and its form.

use std::path::PathBuf;

use hooks_protocols::{Ability, Capabilities, Client, Wish, capabilities};
use serde_json::{Map, Value, json};

use super::Scope;
use super::command;
use super::place::Base;
use crate::failure::Failure;

/// The settings of a client, in one scope.
#[derive(Clone, Debug)]
pub(crate) struct ClientSettings {
    /// The client.
    pub(crate) client: Client,
    /// The file.
    pub(crate) path: PathBuf,
    /// Form of the hooks in the file.
    pub(crate) form: Form,
}

/// The form of hooks in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON: an event has groups, and a group has hooks.
    Grouped,
    /// JSON: an event has hooks.
    Flat,
    /// TOML: an event has groups, and a group has hooks.
    Toml,
    /// TOML: a list of hooks, each with its event.
    List,
    /// YAML: hooks of each agent.
    Agents,
    /// JavaScript: a plugin of ours.
    Plugin,
}

/// The settings of `client`. `file` names the file of a client that has no fixed one.
pub(crate) fn locate(client: Client, base: &Base, file: Option<PathBuf>) -> Result<ClientSettings, Failure> {
    let no_such = |what: &str| Err(Failure::message(format!("{client} {what}")));
    if file.is_some() && client != Client::DockerAgent {
        return no_such("has a place of its own for its hooks; leave out `--file`");
    }
    let (path, form) = match (client, base.scope) {
        (Client::Claude, Scope::Machine) => {
            (base.join("etc/claude-code/managed-settings.json"), Form::Grouped)
        }
        (Client::Codex, Scope::Machine) => (base.join("etc/codex/requirements.toml"), Form::Toml),
        (Client::Copilot, Scope::Machine) => {
            (base.join("etc/github-copilot/policy.d/hooks.json"), Form::Flat)
        }
        (Client::Gemini, Scope::Machine) => {
            return no_such(
                "lets every user switch off the hooks of the machine (`hooksConfig.disabled`); use `--scope user`",
            );
        }
        (_, Scope::Machine) => {
            return no_such("has no settings of the machine that are known to work; use another `--scope`");
        }
        (Client::Claude, _) => (base.in_folder(".claude", "settings.json"), Form::Grouped),
        (Client::Codex, _) => codex(base),
        (Client::Gemini, _) => (base.join(".gemini/settings.json"), Form::Grouped),
        (Client::Qwen, _) => (base.in_folder(".qwen", "settings.json"), Form::Grouped),
        (Client::Windsurf, Scope::Project) => (base.join(".windsurf/hooks.json"), Form::Flat),
        (Client::Windsurf, _) => (base.join(".codeium/windsurf/hooks.json"), Form::Flat),
        // A plugin with hooks needs no other file.
        (Client::Goose, _) => (base.join(GOOSE_PLUGIN).join("hooks/hooks.json"), Form::Grouped),
        (Client::Droid, _) => (base.join(".factory/settings.json"), Form::Grouped),
        (Client::Kimi, Scope::User) => (base.in_folder(".kimi", "config.toml"), Form::List),
        (Client::Kimi, _) => return no_such("reads no settings of a project; use `--scope user`"),
        (Client::Copilot, Scope::Project) => (base.join(".github/hooks/hooks.json"), Form::Flat),
        (Client::Copilot, _) => (base.in_folder(".copilot", "settings.json"), Form::Flat),
        (Client::VsCode, Scope::Project) => (base.join(".github/hooks/vscode.json"), Form::Flat),
        (Client::VsCode, _) => {
            return no_such("has no hooks of a user's own but those of Claude Code; use `--scope project`");
        }
        (Client::Cursor, _) => (base.join(".cursor/hooks.json"), Form::Flat),
        (Client::DockerAgent, Scope::Project) => (agent_file(base, file)?, Form::Agents),
        (Client::DockerAgent, _) => {
            return no_such(
                "has its hooks in the file of each agent; use `--scope project`, or `--file FILE`",
            );
        }
        (Client::OpenCode, Scope::Project) => (base.join(".opencode/plugin/hooks.js"), Form::Plugin),
        (Client::OpenCode, _) => (base.in_folder(".config", "opencode/plugin/hooks.js"), Form::Plugin),
        (Client::CopilotSdk, _) => {
            return no_such(
                "calls hooks of the program that uses it; call `hooks run --client copilot-sdk` there",
            );
        }
        _ => return no_such("has no settings to write"),
    };
    Ok(ClientSettings { client, path, form })
}

/// A file that keeps a client from reading the hooks in these settings. Droid has its hooks in a file of their own, and
/// reads those of its settings only without such a file.
pub(crate) fn hidden_by(settings: &ClientSettings) -> Option<PathBuf> {
    if settings.client != Client::Droid {
        return None;
    }
    let folder = settings.path.parent()?;
    ["hooks.json", "hooks/hooks.json"].map(|name| folder.join(name)).into_iter().find(|path| path.exists())
}

/// Codex reads both files, and expects hooks in only one of them.
fn codex(base: &Base) -> (PathBuf, Form) {
    let config = base.in_folder(".codex", "config.toml");
    let text = std::fs::read_to_string(&config).unwrap_or_default();
    if super::toml::has_hooks(&text) {
        return (config, Form::Toml);
    }
    (config.with_file_name("hooks.json"), Form::Grouped)
}

/// The file with the agents.
fn agent_file(base: &Base, file: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let names = ["docker-agent.yaml", "agent.yaml", "agent.yml", "cagent.yaml", "agents.yaml"];
    let found = || names.iter().map(|name| base.join(name)).find(|path| path.is_file());
    file.or_else(found).ok_or_else(|| {
        let names = names.map(|name| format!("`{name}`")).join(", ");
        Failure::message(format!("no agents are found ({names}); name their file with `--file FILE`"))
    })
}

/// Folder of our plugin for goose.
pub(crate) const GOOSE_PLUGIN: &str = ".agents/plugins/hooks";

/// Name of our hooks in the settings of Gemini CLI.
pub(crate) const GEMINI_NAME: &str = "hooks";

/// The events for which a client has to call us: all of ours that it reports, since rules decide some of them, and
/// handlers, counts and the record need the others.
pub(crate) fn events(client: Client) -> Vec<&'static str> {
    let is_ours = |event: &&str| {
        let row = capabilities(client, event);
        // An event that only reports a call once more has no use if nothing is answered there.
        row.is_some_and(|row| {
            row.checked().is_some() || row.event().is_some() && (answers(&row) || !row.is_told_elsewhere())
        })
    };
    client
        .events()
        // Copilot has two names for each event, and sends more fields under the camelCase name.
        .filter(|event| client != Client::Copilot || event.starts_with(|c: char| c.is_ascii_lowercase()))
        // docker-agent has several events for one call, and two of them would count it twice. Others exist in
        // one profile only.
        .filter(|event| client != Client::DockerAgent || is_of_both_generations(event))
        .filter(is_ours)
        .collect()
}

/// Whether calls would run that should not, if the client did not call us for this event.
pub(crate) fn is_needed(client: Client, event: &str) -> bool {
    capabilities(client, event).is_some_and(|row| answers(&row))
}

/// Whether an answer has an effect at an event.
fn answers(row: &Capabilities) -> bool {
    [Wish::Deny, Wish::Ask, Wish::Rewrite, Wish::Context].into_iter().any(|wish| row.can(wish) != Ability::No)
}

fn is_of_both_generations(event: &str) -> bool {
    let twice = ["post_tool_use", "before_compaction"];
    Client::DockerAgentJuly.events().any(|july| july == event) && !twice.contains(&event)
}

/// The entry of an event as JSON.
pub(super) fn entry(client: Client, event: &str, line: &str) -> Value {
    let seconds = patience(client, event);
    let mut hook = Map::new();
    let mut put = |key: &str, value: Value| drop(hook.insert(key.to_owned(), value));
    match client {
        // The plugin has the lines alone.
        Client::OpenCode => {}
        Client::Cursor => {
            put("command", line.into());
            put("timeout", seconds.into());
            put("failClosed", command::is_gate(client, event).into());
        }
        Client::Copilot => {
            put("type", "command".into());
            put(if cfg!(windows) { "powershell" } else { "bash" }, line.into());
            put("timeoutSec", seconds.into());
        }
        // It has no time of its own for a hook.
        Client::Windsurf => {
            put("command", line.into());
            put("show_output", true.into());
        }
        Client::Kimi => {
            put("event", event.into());
            put("command", line.into());
            put("timeout", seconds.into());
        }
        Client::Gemini => {
            put("name", GEMINI_NAME.into());
            put("type", "command".into());
            put("command", line.into());
            put("timeout", seconds.saturating_mul(1_000).into());
        }
        Client::Qwen => {
            put("type", "command".into());
            put("command", line.into());
            // Versions before 0.21 read any number as milliseconds, and later ones still do so from 1000 on.
            put("timeout", seconds.saturating_mul(1_000).into());
        }
        _ => {
            put("type", "command".into());
            put("command", line.into());
            put("timeout", seconds.into());
            if client == Client::Claude && command::is_gate(client, event) {
                put("onFailure", "block".into());
            }
            // The only event at which goose reads it.
            if client == Client::Goose && event == "PreToolUse" {
                put("on_failure", "block".into());
            }
        }
    }
    Value::Object(hook)
}

/// The entry in a group.
pub(super) fn group(entry: &Value) -> Value {
    json!({"hooks": [entry]})
}

/// The client's timeout in seconds; our own deadline is shorter.
pub(super) fn patience(client: Client, event: &str) -> u64 {
    match client {
        // Codex warns at each start of a longer one.
        Client::Codex if event == "SessionEnd" => 3,
        Client::Codex | Client::Gemini | Client::Cursor | Client::DockerAgent | Client::Qwen => 60,
        _ => 30,
    }
}

/// The format version that a file of hooks has to name.
pub(super) fn version(client: Client) -> Option<Value> {
    matches!(client, Client::Copilot | Client::Cursor).then(|| json!(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::CLIENTS;

    #[test]
    fn whatever_is_decided_about_is_wired() {
        assert!(events(Client::Claude).contains(&"PreToolUse"));
        assert!(events(Client::Claude).contains(&"PostToolUse"));
        assert!(!events(Client::Claude).contains(&"WorktreeCreate"), "it would have to make the worktree");
        assert!(events(Client::Gemini).contains(&"BeforeTool"));
        let copilot = events(Client::Copilot);
        assert!(copilot.contains(&"preToolUse") && !copilot.contains(&"PreToolUse"));
        let docker = events(Client::DockerAgent);
        assert!(docker.contains(&"pre_tool_use") && !docker.contains(&"tool_guard"), "{docker:?}");
        let cursor = events(Client::Cursor);
        assert!(cursor.contains(&"beforeShellExecution") && !cursor.contains(&"afterShellExecution"));
    }

    /// A handler runs at each kind of event that its client reports.
    #[test]
    fn each_event_of_ours_that_a_client_reports_is_wired() {
        for client in CLIENTS {
            let wired = events(client);
            let kind = |event: &&'static str| capabilities(client, event).and_then(|row| row.event());
            let kinds: Vec<_> = wired.iter().filter_map(kind).collect();
            for event in client.events() {
                assert!(kind(&event).is_none_or(|kind| kinds.contains(&kind)), "{client}: `{event}`");
            }
        }
        for (client, observed) in [
            (Client::Claude, &["StopFailure", "PostCompact", "PermissionDenied"][..]),
            (Client::Codex, &["PostCompact"]),
            (Client::Gemini, &["PreCompress", "Notification"]),
            (Client::Copilot, &["errorOccurred", "preCompact"]),
            (Client::Cursor, &["postToolUseFailure", "preCompact"]),
            (Client::Qwen, &["PermissionDenied", "StopFailure", "PostCompact"]),
            (Client::Kimi, &["PostToolUse", "StopFailure", "PostCompact"]),
            (
                Client::DockerAgent,
                &[
                    "on_agent_switch",
                    "on_user_input",
                    "on_tool_approval_decision",
                    "after_compaction",
                    "on_error",
                ],
            ),
        ] {
            for event in observed {
                assert!(events(client).contains(event) && !is_needed(client, event), "{client}: `{event}`");
            }
        }
    }
}
