//! Adds our command lines to the text of a client's settings, finds them, and removes them.

use hooks_protocols::Client;
use serde_json::Value;

use super::command::{self, Ours};
use super::json::{self, EditError, Kind, Malformed, Node};
use super::settings::{self, Form};
use super::{list, opencode, toml, yaml};
use crate::strict_json;

/// A reason to refuse the edit of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Line and column, from 1.
    pub(crate) place: Option<(usize, usize)>,
    /// Description of the problem.
    pub(crate) what: String,
}

impl Refused {
    /// A problem at this offset of a text.
    pub(super) fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count().saturating_add(1);
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count().saturating_add(1);
        Self { place: Some((line, column)), what: what.into() }
    }

    /// A problem without a position.
    pub(super) fn other(what: impl Into<String>) -> Self {
        Self { place: None, what: what.into() }
    }

    fn malformed(text: &str, error: Malformed) -> Self {
        Self::at(text, error.at, format!("this is not JSON: {}", error.what))
    }

    fn edit(text: &str, error: EditError, event: &str) -> Self {
        match error {
            EditError::Malformed(error) => Self::malformed(text, error),
            EditError::Other(at, key, wanted) => {
                let what = if key.is_empty() { format!("`{event}`") } else { "the value here".to_owned() };
                Self::at(text, at, format!("{what} has to be {wanted} to add hooks to it"))
            }
        }
    }
}

/// A command line of ours in settings.
#[derive(Debug)]
pub(crate) struct WiredLine {
    /// The event that runs the line.
    pub(crate) event: String,
    /// The complete line.
    pub(crate) line: String,
    /// The parsed line.
    pub(crate) ours: Ours,
    /// Options of the hook and of its group that keep it from being called, or from denying in time.
    pub(crate) changed: Vec<String>,
}

/// A command line in settings, with the options of its hook and of its group.
#[derive(Debug)]
pub(super) struct FoundEntry {
    pub(super) event: String,
    pub(super) line: String,
    pub(super) options: Vec<(String, Value)>,
}

/// The text with one hook of ours for each event; existing hooks of ours are replaced.
pub(super) fn wire(
    text: &str,
    client: Client,
    form: Form,
    lines: &[(&str, String)],
) -> Result<String, Refused> {
    if form == Form::Plugin {
        return opencode::wire(text, lines);
    }
    as_strict_as(client, form, text)?;
    if is_wired(text, client, form, lines)? {
        return Ok(text.to_owned());
    }
    let mut text = unwire(text, client, form)?;
    match form {
        Form::Toml => return toml::wire(&text, client, lines),
        Form::List => return list::wire(&text, client, lines),
        Form::Agents => return yaml::wire(&text, lines),
        Form::Grouped | Form::Flat | Form::Plugin => {}
    }
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        "{}\n".clone_into(&mut text);
    }
    if let Some(version) = settings::version(client).filter(|_| !is_general(client, &text)) {
        text =
            json::set_missing(&text, "version", &version).map_err(|error| Refused::edit(&text, error, ""))?;
    }
    for (event, line) in lines {
        let entry = settings::entry(client, event, line);
        let item = if form == Form::Grouped { settings::group(&entry) } else { entry };
        text = json::append(&text, &["hooks", event], item)
            .map_err(|error| Refused::edit(&text, error, event))?;
    }
    Ok(text)
}

/// Whether a file has other settings than hooks, so that it has no version of a hooks file.
fn is_general(client: Client, text: &str) -> bool {
    client == Client::Copilot
        && json::parse(text).is_ok_and(|root| {
            matches!(&root.kind, Kind::Object(members) if members.iter().any(|member| member.key != "hooks"))
        })
}

/// Whether the text has exactly these hooks of ours, one for each event and agent.
fn is_wired(text: &str, client: Client, form: Form, lines: &[(&str, String)]) -> Result<bool, Refused> {
    let wanted = |found: &[WiredLine]| {
        found.len() == lines.len()
            && lines
                .iter()
                .all(|(event, line)| found.iter().any(|one| one.event == *event && one.line == *line))
    };
    Ok(match form {
        Form::Agents => {
            let agents = found_in_agents(text, client)?;
            agents.iter().all(|found| wanted(found))
        }
        _ => wanted(&found(text, client, form)?),
    })
}

/// The text without our hooks for this client.
pub(super) fn unwire(text: &str, client: Client, form: Form) -> Result<String, Refused> {
    match form {
        Form::Toml => toml::unwire(text, |line| is_ours(line, client)),
        Form::List => list::unwire(text, |line| is_ours(line, client)),
        Form::Agents => yaml::unwire(text, |line| is_ours(line, client)),
        // The file has nothing but hooks of ours.
        Form::Plugin => Ok(if opencode::is_ours(text) { String::new() } else { text.to_owned() }),
        Form::Grouped | Form::Flat if text.trim_start_matches('\u{feff}').trim().is_empty() => {
            Ok(text.to_owned())
        }
        Form::Grouped | Form::Flat => {
            let is_meant = |node: &Node| command_of(node).is_some_and(|line| is_ours(line, client));
            json::remove(text, "hooks", is_meant).map_err(|error| Refused::malformed(text, error))
        }
    }
}

/// Our hooks for this client, as far as it reads the text.
pub(crate) fn read(text: &str, client: Client, form: Form) -> Result<Vec<WiredLine>, Refused> {
    as_strict_as(client, form, text)?;
    found(text, client, form)
}

/// Refuses a text that the client drops as a whole, without a word: Claude Code and Codex CLI read JSON without
/// comments, trailing commas and a byte order mark.
fn as_strict_as(client: Client, form: Form, text: &str) -> Result<(), Refused> {
    if form != Form::Grouped || !matches!(client, Client::Claude | Client::Codex) || text.trim().is_empty() {
        return Ok(());
    }
    let Err(error) = strict_json::read(text.as_bytes()) else { return Ok(()) };
    let place = (error.line() > 0).then_some((error.line(), error.column().max(1)));
    let what = if text.starts_with('\u{feff}') {
        format!("{client} drops a file that begins with a byte order mark; save it without one")
    } else {
        let problem = error.to_string();
        let problem = problem.split(" at line").next().unwrap_or_default();
        format!(
            "{client} drops this file, with all its settings: {problem}; it reads JSON without comments, trailing commas and repeated keys"
        )
    };
    Err(Refused { place, what })
}

/// Our hooks for this client.
pub(crate) fn found(text: &str, client: Client, form: Form) -> Result<Vec<WiredLine>, Refused> {
    let all = match form {
        Form::Toml => toml::commands(text)?,
        Form::List => list::commands(text)?,
        Form::Agents => return Ok(found_in_agents(text, client)?.into_iter().flatten().collect()),
        Form::Plugin => opencode::commands(text),
        Form::Grouped | Form::Flat => commands(text)?,
    };
    Ok(ours(all, client))
}

/// Our hooks for each agent.
fn found_in_agents(text: &str, client: Client) -> Result<Vec<Vec<WiredLine>>, Refused> {
    Ok(yaml::commands(text)?.into_iter().map(|all| ours(all, client)).collect())
}

fn ours(all: Vec<FoundEntry>, client: Client) -> Vec<WiredLine> {
    let is_of_client = |ours: &Ours| ours.client == client.name();
    all.into_iter()
        .filter_map(|FoundEntry { event, line, options }| {
            let ours = command::read(&line).filter(is_of_client)?;
            let changed = changed(client, &event, &line, &options);
            Some(WiredLine { event, line, ours, changed })
        })
        .collect()
}

/// The options that differ from those that `hooks init` writes, where the difference lets calls through.
fn changed(client: Client, event: &str, line: &str, options: &[(String, Value)]) -> Vec<String> {
    let written = settings::entry(client, event, line);
    let is_all = |value: &Value| matches!(value.as_str(), Some("" | "*" | ".*")) || value.is_null();
    let found = |key: &str| options.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let mut changed = Vec::new();
    for (key, value) in options {
        let is_wrong = match &**key {
            "matcher" => !is_all(value),
            "if" | "args" | opencode::PLUGIN_TEXT => true,
            "async" | "asyncRewake" | "once" | "disabled" => *value != Value::Bool(false),
            "enabled" => *value != Value::Bool(true),
            "timeout" | "timeoutSec" | "timeoutMs" => {
                let least = written.get(key).and_then(Value::as_f64);
                least.is_none_or(|least| value.as_f64().is_none_or(|seconds| seconds < least))
            }
            _ => false,
        };
        if is_wrong {
            changed.push(format!("`{key}: {value}`"));
        }
    }
    for key in ["type", "onFailure", "on_failure", "failClosed"] {
        let wanted = written.get(key).filter(|wanted| **wanted != Value::Bool(false));
        if let Some(wanted) = wanted.filter(|wanted| found(key) != Some(*wanted)) {
            changed.push(format!("no `{key}: {wanted}`"));
        }
    }
    changed
}

fn is_ours(line: &str, client: Client) -> bool {
    command::read(line).is_some_and(|ours| ours.client == client.name())
}

/// All command lines of a JSON file by event, with or without groups.
fn commands(text: &str) -> Result<Vec<FoundEntry>, Refused> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = json::parse(text).map_err(|error| Refused::malformed(text, error))?;
    let Some(Kind::Object(events)) = root.member("hooks").map(|hooks| &hooks.kind) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for event in events {
        for entry in event.value.items() {
            let group = entry.member("hooks").map(|_| entry);
            let hooks = entry.member("hooks").map_or(std::slice::from_ref(entry), Node::items);
            for hook in hooks {
                let Some(line) = command_of(hook) else { continue };
                let mut options = options(text, hook);
                options.extend(group.into_iter().flat_map(|group| self::options(text, group)));
                all.push(FoundEntry { event: event.key.clone(), line: line.to_owned(), options });
            }
        }
    }
    Ok(all)
}

/// The options of a hook or a group; those that are no simple value are null.
fn options(text: &str, node: &Node) -> Vec<(String, Value)> {
    let Kind::Object(members) = &node.kind else { return Vec::new() };
    let value = |node: &Node| serde_json::from_str(text.get(node.span.clone())?).ok();
    let options = members.iter().filter(|member| member.key != "hooks");
    options.map(|member| (member.key.clone(), value(&member.value).unwrap_or_default())).collect()
}

/// The command line of a hook, whose key depends on the client.
fn command_of(hook: &Node) -> Option<&str> {
    ["command", "bash", "powershell"].into_iter().find_map(|key| hook.member(key)?.text())
}
