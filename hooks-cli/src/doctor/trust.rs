//! Whether the user trusts a folder in a client. Without that, the client runs the tools of a folder and skips its
//! hooks, or asks first.

use std::fs;
use std::path::{Path, PathBuf};

use hooks::config::places::Places;
use hooks_protocols::Client;
use serde_json::Value;

/// Whether `folder` is trusted; `None` if the client has no such question, or its answer cannot be read.
pub(super) fn is_trusted(client: Client, folder: &Path) -> Option<bool> {
    match client {
        Client::Codex => Some(in_codex(&read(".codex", "config.toml").unwrap_or_default(), folder)),
        Client::Gemini => {
            Some(in_gemini(&read(".gemini", "trustedFolders.json").unwrap_or_default(), folder))
        }
        Client::Qwen if asks_for_trust(&read(".qwen", "settings.json").unwrap_or_default()) => {
            Some(in_gemini(&read(".qwen", "trustedFolders.json").unwrap_or_default(), folder))
        }
        Client::Copilot => Some(in_copilot(&read(".copilot", "config.json").unwrap_or_default(), folder)),
        _ => None,
    }
}

fn read(folder: &str, file: &str) -> Option<String> {
    fs::read_to_string(Places::here().of_client(folder)?.join(file)).ok()
}

/// `[projects."FOLDER"]` with `trust_level = "trusted"`.
fn in_codex(text: &str, folder: &Path) -> bool {
    let Ok(settings) = text.parse::<toml_edit::DocumentMut>() else { return false };
    let level = settings.get("projects").and_then(|projects| projects.get(&*folder.to_string_lossy()));
    level.and_then(|project| project.get("trust_level")?.as_str()) == Some("trusted")
}

/// Whether the settings of Qwen Code ask for trust, which they do not by default.
fn asks_for_trust(text: &str) -> bool {
    let settings = serde_json::from_str::<Value>(text).unwrap_or_default();
    settings.pointer("/security/folderTrust/enabled") == Some(&Value::Bool(true))
}

/// Folders with `TRUST_FOLDER` (that folder and all below it), `TRUST_PARENT` or `DO_NOT_TRUST`.
fn in_gemini(text: &str, folder: &Path) -> bool {
    let Ok(Value::Object(folders)) = serde_json::from_str(text) else { return false };
    let mut is_trusted = false;
    for (path, level) in folders {
        let path = PathBuf::from(path);
        match level.as_str() {
            Some("DO_NOT_TRUST") if path == folder => return false,
            Some("TRUST_FOLDER") => is_trusted |= folder.starts_with(&path),
            Some("TRUST_PARENT") => {
                is_trusted |= path.parent().is_some_and(|parent| folder.starts_with(parent));
            }
            _ => {}
        }
    }
    is_trusted
}

/// A list of folders, each with all below it.
fn in_copilot(text: &str, folder: &Path) -> bool {
    // The client writes a comment at the front.
    let json: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let Ok(settings) = serde_json::from_str::<Value>(&json) else { return false };
    let lists = ["trusted_folders", "trustedFolders"].iter().filter_map(|key| settings.get(key)?.as_array());
    lists.flatten().filter_map(Value::as_str).any(|trusted| folder.starts_with(trusted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_a_form_of_its_own() {
        let folder = Path::new("/srv/app");
        let codex = |level: &str| format!("[projects.\"/srv/app\"]\ntrust_level = \"{level}\"\n");
        assert!(in_codex(&codex("trusted"), folder) && !in_codex(&codex("untrusted"), folder));
        for (path, level, is_trusted) in [
            ("/srv", "TRUST_FOLDER", true),
            ("/srv/app", "TRUST_FOLDER", true),
            ("/srv/other", "TRUST_PARENT", true),
            ("/srv/app", "DO_NOT_TRUST", false),
            ("/srv/ap", "TRUST_FOLDER", false),
        ] {
            let text = format!("{{\"{path}\": \"{level}\"}}");
            assert_eq!(in_gemini(&text, folder), is_trusted, "{text}");
        }
        assert!(asks_for_trust("{\"security\": {\"folderTrust\": {\"enabled\": true}}}"));
        assert!(!asks_for_trust("{\"security\": {}}") && !asks_for_trust("{"));
        assert!(in_copilot("// written by the client\n{\"trusted_folders\": [\"/srv\"]}", folder));
        for nothing in ["", "{", "[]", "{\"trustedFolders\": {}}"] {
            assert!(
                !in_codex(nothing, folder) && !in_gemini(nothing, folder) && !in_copilot(nothing, folder)
            );
        }
    }
}
