//! The file of a slash command. Claude Code sends its text with the prompt, and the files that it names (`@notes.md`), and
//! reports only the name of the command. So the text is judged as part of the prompt.

use std::path::{Path, PathBuf};

use hooks::config::places::Places;
use hooks::event::WireEvent;
use hooks_protocols::{Client, Decoded};
use serde_json::Value;

use super::{Failure, project};

/// Longest file in bytes; longer ones are denied.
const MOST_BYTES: u64 = 1 << 20;

/// Adds the text of a slash command to its prompt. Without effect for other events, and for a command that has no file in the
/// project or with the user.
pub(super) fn open(decoded: &mut Decoded) -> Result<(), Failure> {
    if decoded.client != Client::Claude || decoded.event_name != "UserPromptExpansion" {
        return Ok(());
    }
    let Some(name) = decoded.extra.get("command_name").and_then(Value::as_str) else { return Ok(()) };
    let mut texts = Vec::new();
    for path in files(decoded, name) {
        let Ok(found) = path.metadata() else { continue };
        if found.len() > MOST_BYTES {
            return Err(format!("`{}` is too long to be judged", path.display()));
        }
        let text = std::fs::read(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        texts.push(String::from_utf8_lossy(&text).into_owned());
    }
    if let Some(WireEvent::UserPromptSubmitted(message)) = &mut decoded.event {
        for text in texts {
            message.prompt.push_str("\n\n");
            message.prompt.push_str(&text);
        }
    }
    Ok(())
}

/// The files that a command of this name can have. All of them are judged, since only the client knows which one counts.
fn files(decoded: &Decoded, name: &str) -> Vec<PathBuf> {
    let start = project::project_of(decoded.client).unwrap_or_else(|| decoded.context.cwd.clone());
    let of_user = Places::here().of_client(".claude");
    let folders = start.ancestors().map(|folder| folder.join(".claude")).chain(of_user);
    // A colon separates the folders of a command.
    let parts: Vec<&str> = name.split([':', '/']).collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Vec::new();
    }
    let below: PathBuf = parts.iter().collect();
    let mut all = Vec::new();
    for folder in folders {
        all.push(folder.join("commands").join(with_end(&below)));
        all.push(folder.join("skills").join(&below).join("SKILL.md"));
    }
    all.retain(|path| path.is_file());
    all.dedup();
    all
}

fn with_end(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".md");
    name.into()
}
