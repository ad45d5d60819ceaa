//! Asks Codex CLI which hooks it has, and which of them it trusts.
//!
//! `codex app-server` answers `hooks/list` as JSON-RPC, one message a line.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::doctor::process;

/// Maximum time for an answer. It takes about a second.
const PATIENCE: Duration = Duration::from_secs(10);

/// Id of the request.
const LIST: u64 = 2;

/// A hook of Codex CLI.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodexHook {
    /// Name of the hook in the settings of the user.
    pub(crate) key: String,
    /// The command line.
    #[serde(default)]
    pub(crate) command: String,
    /// Hash of the hook as it is now.
    #[serde(rename = "currentHash")]
    pub(crate) hash: String,
    source_path: PathBuf,
    trust_status: String,
    #[serde(default = "yes")]
    enabled: bool,
}

const fn yes() -> bool {
    true
}

impl CodexHook {
    /// Whether Codex CLI runs the hook.
    pub(crate) fn is_trusted(&self) -> bool {
        matches!(&*self.trust_status, "trusted" | "managed") && self.enabled
    }

    /// Whether the hook is in this file.
    pub(crate) fn is_in(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        real(&self.source_path) == real(path)
    }
}

/// The hooks of Codex CLI in this folder.
///
/// # Errors
/// Returns the reason if Codex CLI is missing, too old or too slow, or answers in another form.
pub(crate) fn hooks_here() -> Result<Vec<CodexHook>, String> {
    let here = env::current_dir().map_err(|error| error.to_string())?;
    let client = json!({"name": "hooks", "title": "hooks", "version": env!("CARGO_PKG_VERSION")});
    let questions = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": client}}),
        json!({"jsonrpc": "2.0", "method": "initialized"}),
        json!({"jsonrpc": "2.0", "id": LIST, "method": "hooks/list", "params": {"cwds": [here]}}),
    ];
    let questions: String = questions.iter().map(|question| format!("{question}\n")).collect();
    let answer = process::ask("codex", &["app-server"], questions.as_bytes(), PATIENCE, |line| {
        let answer: Value = serde_json::from_str(line).ok()?;
        (answer.get("id").and_then(Value::as_u64) == Some(LIST)).then_some(answer)
    });
    let answer = answer.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no `codex` on the path".to_owned(),
        _ => format!("`codex app-server`: {error}"),
    })?;
    read(&answer)
}

/// Reads the answer to `hooks/list`.
fn read(answer: &Value) -> Result<Vec<CodexHook>, String> {
    if let Some(error) = answer.get("error") {
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        return Err(format!("this version does not list its hooks ({message})"));
    }
    let folders = answer.pointer("/result/data").and_then(Value::as_array);
    let folders = folders.ok_or("this version lists its hooks in another form")?;
    let hooks = folders.iter().filter_map(|folder| folder.get("hooks")?.as_array()).flatten();
    // Hooks of other kinds have no command.
    let commands = hooks.filter(|hook| hook.get("command").is_some_and(Value::is_string));
    commands
        .map(|hook| serde_json::from_value(hook.clone()))
        .collect::<Result<_, _>>()
        .map_err(|error| format!("this version lists its hooks in another form: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_read_as_codex_lists_them() {
        let hook = json!({"key": "/h/.codex/hooks.json:pre_tool_use:0:0", "eventName": "preToolUse", "handlerType": "command",
            "command": "hooks run", "sourcePath": "/h/.codex/hooks.json", "source": "user", "enabled": true,
            "isManaged": false, "currentHash": "sha256:58", "trustStatus": "trusted"});
        let mut off = hook.clone();
        off["enabled"] = false.into();
        let other = json!({"key": "k", "handlerType": "mcp_tool", "command": null});
        let answer = json!({"id": 2, "result": {"data": [{"cwd": "/w", "hooks": [hook, off, other]}]}});
        let hooks = read(&answer).unwrap();
        assert_eq!(hooks.iter().map(CodexHook::is_trusted).collect::<Vec<_>>(), [true, false]);
        assert!(hooks[0].is_in(Path::new("/h/.codex/hooks.json")) && hooks[0].hash == "sha256:58");
        for wrong in [
            json!({"error": {"code": -32601, "message": "unknown method"}}),
            json!({"result": 3}),
            json!({"result": {"data": [{"hooks": [{"command": "x"}]}]}}),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }
}
