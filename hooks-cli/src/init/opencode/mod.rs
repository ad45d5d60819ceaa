//! The plugin that OpenCode loads: a file of ours alone, with the command line of each event.

use std::collections::BTreeMap;

use super::wiring::{FoundEntry, Refused};

/// First line of a file of ours.
const MARK: &str = "// `hooks init opencode` wrote this file; `hooks init opencode --remove` removes it.\n";

/// Beginning of the line with the command lines by event, which are JSON.
const LINES: &str = "const LINES = ";

/// The rest of the plugin.
const PLUGIN: &str = include_str!("plugin.js");

/// Option of a command line that stands for the text around it.
pub(super) const PLUGIN_TEXT: &str = "plugin";

/// The text of the plugin with these command lines by event.
pub(super) fn wire(text: &str, lines: &[(&str, String)]) -> Result<String, Refused> {
    if !text.trim().is_empty() && !is_ours(text) {
        return Err(Refused::other("this is not a file that `hooks init` wrote"));
    }
    let lines: BTreeMap<&str, &str> = lines.iter().map(|(event, line)| (*event, line.as_str())).collect();
    plugin(&lines).map_err(|error| Refused::other(error.to_string()))
}

/// Whether `hooks init` wrote the file.
pub(super) fn is_ours(text: &str) -> bool {
    text.starts_with(MARK)
}

fn plugin(lines: &BTreeMap<&str, &str>) -> serde_json::Result<String> {
    // A line may hold any text but not end the script: JSON is JavaScript.
    Ok(format!("{MARK}{LINES}{}\n{PLUGIN}", serde_json::to_string(lines)?))
}

/// The command lines of a file of ours. Another text around them is an option of each.
pub(super) fn commands(text: &str) -> Vec<FoundEntry> {
    let Some(lines) = lines(text) else { return Vec::new() };
    let by_event = lines.iter().map(|(event, line)| (event.as_str(), line.as_str())).collect();
    let is_ours = plugin(&by_event).is_ok_and(|ours| ours == text);
    let options =
        |_: &String| if is_ours { Vec::new() } else { vec![(PLUGIN_TEXT.to_owned(), "changed".into())] };
    let entry = |(event, line): (&String, &String)| FoundEntry {
        event: event.clone(),
        line: line.clone(),
        options: options(event),
    };
    lines.iter().map(entry).collect()
}

fn lines(text: &str) -> Option<BTreeMap<String, String>> {
    let json = text.strip_prefix(MARK)?.lines().find_map(|line| line.strip_prefix(LINES))?;
    serde_json::from_str(json).ok()
}
