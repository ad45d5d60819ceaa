//! Adds our command lines to the text of a client's settings, finds them, and removes them.

use hooks_protocols::Client;

use super::command::{self, Ours};
use super::json::{self, EditError, Kind, Malformed, Node};
use super::settings::{self, Form};
use super::{toml, yaml};
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
        Self::at(text, error.at, format!("this is no JSON: {}", error.what))
    }

    fn edit(text: &str, error: EditError, event: &str) -> Self {
        match error {
            EditError::Malformed(error) => Self::malformed(text, error),
            EditError::Other(at, key, wanted) => {
                let what = if key.is_empty() { event } else { "what holds it" };
                Self::at(text, at, format!("`{what}` has to be {wanted} to add hooks to it"))
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
}

/// The text with one hook of ours for each event; existing hooks of ours are replaced.
pub(super) fn wire(
    text: &str,
    client: Client,
    form: Form,
    lines: &[(&str, String)],
) -> Result<String, Refused> {
    as_strict_as(client, form, text)?;
    if is_wired(text, client, form, lines)? {
        return Ok(text.to_owned());
    }
    let mut text = unwire(text, client, form)?;
    match form {
        Form::Toml => return toml::wire(&text, client, lines),
        Form::Agents => return yaml::wire(&text, lines),
        Form::Grouped | Form::Flat => {}
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
        Form::Agents => yaml::unwire(text, |line| is_ours(line, client)),
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
        Form::Agents => return Ok(found_in_agents(text, client)?.into_iter().flatten().collect()),
        Form::Grouped | Form::Flat => commands(text)?,
    };
    Ok(ours(all, client))
}

/// Our hooks for each agent.
fn found_in_agents(text: &str, client: Client) -> Result<Vec<Vec<WiredLine>>, Refused> {
    Ok(yaml::commands(text)?.into_iter().map(|all| ours(all, client)).collect())
}

fn ours(all: Vec<(String, String)>, client: Client) -> Vec<WiredLine> {
    let is_of_client = |ours: &Ours| ours.client == client.name();
    all.into_iter()
        .filter_map(|(event, line)| {
            let ours = command::read(&line).filter(is_of_client)?;
            Some(WiredLine { event, line, ours })
        })
        .collect()
}

fn is_ours(line: &str, client: Client) -> bool {
    command::read(line).is_some_and(|ours| ours.client == client.name())
}

/// All command lines of a JSON file by event, with or without groups.
fn commands(text: &str) -> Result<Vec<(String, String)>, Refused> {
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
            let hooks = entry.member("hooks").map_or(std::slice::from_ref(entry), Node::items);
            all.extend(
                hooks.iter().filter_map(|hook| Some((event.key.clone(), command_of(hook)?.to_owned()))),
            );
        }
    }
    Ok(all)
}

/// The command line of a hook, whose key depends on the client.
fn command_of(hook: &Node) -> Option<&str> {
    ["command", "bash", "powershell"].into_iter().find_map(|key| hook.member(key)?.text())
}
