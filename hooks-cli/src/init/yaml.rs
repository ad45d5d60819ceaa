//! The hooks of docker-agent in the YAML of its agents. A parser finds them; they are added and removed line
//! by line.
//!
//! New lines in block style come before the existing ones. Flow style (`{…}`, `[…]`) has no separate lines,
//! so a change in it is refused.

use std::ops::Range;

use granit_parser::{Event, Parser, Span};
use hooks::EventKind;
use hooks_protocols::{Client, capabilities};

use super::settings::patience;
use super::wiring::{FoundEntry, Refused};

/// Maximum nesting of a file.
const DEEPEST: usize = 64;

/// A value with its position.
#[derive(Debug)]
struct Node {
    span: Range<usize>,
    is_flow: bool,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Map(Vec<(String, usize, Node)>),
    List(Vec<Node>),
    Text(String),
}

impl Node {
    fn member(&self, key: &str) -> Option<&Self> {
        let Kind::Map(members) = &self.kind else { return None };
        members.iter().find(|(name, ..)| name == key).map(|(_, _, value)| value)
    }

    fn members(&self) -> &[(String, usize, Self)] {
        match &self.kind {
            Kind::Map(members) => members,
            _ => &[],
        }
    }

    /// The items of a list, or the value itself if it stands for a list of one.
    fn items(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::List(items) => items.iter().collect(),
            _ => vec![self],
        }
    }

    fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The scalar at a path of keys. `None` if it is missing, or the text is not YAML.
pub(crate) fn scalar(text: &str, path: &[&str]) -> Option<String> {
    let root = parse(text).ok()?;
    path.iter().try_fold(&root, |node, key| node.member(key))?.text().map(str::to_owned)
}

/// All command lines by event, for each agent. An agent's list lacks the events that the agent lacks.
pub(super) fn commands(text: &str) -> Result<Vec<Vec<FoundEntry>>, Refused> {
    let root = parse(text)?;
    let mut all = Vec::new();
    for (_, _, agent) in agents(text, &root)? {
        let mut lines = Vec::new();
        for (event, _, entries) in agent.member("hooks").map(Node::members).unwrap_or_default() {
            for hook in hooks_of(entries) {
                let Some(line) = hook.member("command").and_then(Node::text) else { continue };
                let value = |node: &Node| {
                    let text = node.text()?;
                    Some(serde_json::from_str(text).unwrap_or_else(|_| text.into()))
                };
                let options = hook.members().iter();
                let options =
                    options.map(|(key, _, node)| (key.clone(), value(node).unwrap_or_default())).collect();
                lines.push(FoundEntry { event: event.clone(), line: line.to_owned(), options });
            }
        }
        all.push(lines);
    }
    Ok(all)
}

/// The hooks of an event, with or without groups.
fn hooks_of(entries: &Node) -> Vec<&Node> {
    let grouped = |entry: &'_ Node| entry.member("hooks").is_some();
    let mut all = Vec::new();
    for entry in entries.items() {
        match entry.member("hooks") {
            Some(hooks) if grouped(entry) => all.extend(hooks.items()),
            _ => all.push(entry),
        }
    }
    all
}

/// The text with one hook of ours for each event, in each agent.
pub(super) fn wire(text: &str, lines: &[(&str, String)]) -> Result<String, Refused> {
    let root = parse(text)?;
    let mut splices: Vec<(usize, String)> = Vec::new();
    for (name, at, agent) in agents(text, &root)? {
        let Some((_, first, _)) = agent.members().first() else {
            return Err(Refused::at(text, *at, format!("the agent `{name}` is empty")));
        };
        block(text, agent, name)?;
        let Some(hooks) = agent.member("hooks") else {
            let indent = column(text, *first);
            let inner = format!("{indent}  ");
            let events: String = lines.iter().map(|(event, line)| whole_event(event, line, &inner)).collect();
            splices.push((line_of(text, *first), format!("{indent}hooks:\n{events}")));
            continue;
        };
        block(text, hooks, "hooks")?;
        let Some((_, first, _)) = hooks.members().first() else {
            return Err(Refused::at(text, hooks.span.start, "`hooks` is empty: take it out"));
        };
        for (event, line) in lines {
            match hooks.members().iter().find(|(name, ..)| name == event) {
                None => {
                    splices.push((line_of(text, *first), whole_event(event, line, &column(text, *first))));
                }
                Some((_, _, entries)) => {
                    let Kind::List(items) = &entries.kind else {
                        return Err(Refused::at(
                            text,
                            entries.span.start,
                            format!("`{event}` is not a list"),
                        ));
                    };
                    block(text, entries, event)?;
                    let Some(first) = items.first() else { continue };
                    let dash = dash_of(text, first.span.start);
                    let item = item(event, line, &column(text, dash));
                    splices.push((line_of(text, dash), item));
                }
            }
        }
    }
    splices.sort_by_key(|(at, _)| *at);
    let mut done = String::with_capacity(text.len());
    let mut from = 0;
    for (at, new) in splices {
        done.push_str(text.get(from..at).unwrap_or_default());
        done.push_str(&new);
        from = at;
    }
    done.push_str(text.get(from..).unwrap_or_default());
    Ok(done)
}

/// The text without our hooks.
pub(super) fn unwire(text: &str, is_meant: impl Fn(&str) -> bool) -> Result<String, Refused> {
    let root = parse(text)?;
    let is_ours = |hook: &Node| hook.member("command").and_then(Node::text).is_some_and(&is_meant);
    let mut cuts: Vec<Range<usize>> = Vec::new();
    for (_, _, agent) in agents(text, &root)? {
        let Some(hooks) = agent.member("hooks") else { continue };
        let mut emptied = Vec::new();
        for (_, at, entries) in hooks.members() {
            let items = entries.items();
            let ours: Vec<&Node> = items
                .iter()
                .copied()
                .filter(|entry| {
                    let hooks = hooks_of(entry);
                    !hooks.is_empty() && hooks.iter().all(|hook| is_ours(hook))
                })
                .collect();
            if !items.is_empty() && ours.len() == items.len() {
                emptied.push(block_of(text, *at));
            } else {
                cuts.extend(ours.iter().map(|item| block_of(text, dash_of(text, item.span.start))));
            }
        }
        let at = agent.members().iter().find(|(name, ..)| name == "hooks").map(|(_, at, _)| *at);
        match at {
            Some(at) if !emptied.is_empty() && emptied.len() == hooks.members().len() => {
                cuts.push(block_of(text, at));
            }
            _ => cuts.append(&mut emptied),
        }
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut done = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        done.push_str(text.get(from..cut.start).unwrap_or_default());
        from = cut.end.max(from);
    }
    done.push_str(text.get(from..).unwrap_or_default());
    Ok(done)
}

/// An event with only our hook.
fn whole_event(event: &str, line: &str, indent: &str) -> String {
    format!("{indent}{event}:\n{}", item(event, line, &format!("{indent}  ")))
}

/// Our item in the list of an event.
fn item(event: &str, line: &str, indent: &str) -> String {
    let line = serde_json::Value::from(line);
    let timeout = patience(Client::DockerAgent, event);
    if is_of_a_tool(event) {
        return format!(
            "{indent}- matcher: \"*\"\n{indent}  hooks:\n{indent}    - type: command\n{indent}      command: {line}\n{indent}      timeout: {timeout}\n"
        );
    }
    format!("{indent}- type: command\n{indent}  command: {line}\n{indent}  timeout: {timeout}\n")
}

/// Whether the hooks of an event are in groups that match tools.
fn is_of_a_tool(event: &str) -> bool {
    let kinds = [EventKind::PreToolUse, EventKind::PermissionRequest, EventKind::PostToolUse];
    capabilities(Client::DockerAgent, event)
        .and_then(|row| row.event())
        .is_some_and(|kind| kinds.contains(&kind))
}

fn agents<'n>(text: &str, root: &'n Node) -> Result<&'n [(String, usize, Node)], Refused> {
    match root.member("agents") {
        Some(agents) if !agents.members().is_empty() => Ok(agents.members()),
        Some(agents) => Err(Refused::at(text, agents.span.start, "`agents` is not a map of agents")),
        None => Err(Refused::at(text, 0, "there are no `agents`")),
    }
}

/// Refuses a value in flow style, which has no lines of its own.
fn block(text: &str, node: &Node, name: &str) -> Result<(), Refused> {
    if node.is_flow {
        let what = format!("`{name}` is written on one line: write it below each other");
        return Err(Refused::at(text, node.span.start, what));
    }
    Ok(())
}

/// Offset of the beginning of the line that contains `at`.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end.saturating_add(1))
}

/// The indentation of the column of `at`; a dash counts as a blank.
fn column(text: &str, at: usize) -> String {
    let before = text.get(line_of(text, at)..at).unwrap_or_default();
    " ".repeat(before.chars().count())
}

/// Offset of the dash of the item that begins at `at`.
fn dash_of(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('-')).unwrap_or(at)
}

/// The lines of the value that begins at `at`: its own line, and the following lines with more indentation.
/// The items of a key's list can have the same indentation as the key.
fn block_of(text: &str, at: usize) -> Range<usize> {
    let start = line_of(text, at);
    let indent = at.saturating_sub(start);
    let is_key = !text.get(at..).is_some_and(|rest| rest.starts_with('-'));
    let mut end = start;
    for (index, line) in text.get(start..).unwrap_or_default().split_inclusive('\n').enumerate() {
        let content = line.trim_start_matches(' ');
        let blanks = line.len().saturating_sub(content.len());
        let is_within = blanks > indent || is_key && blanks == indent && content.starts_with("- ");
        if index > 0 && (!is_within || content.trim().is_empty()) {
            break;
        }
        end = end.saturating_add(line.len());
    }
    start..end
}

/// A map or list that is still being parsed.
struct Open {
    span: Range<usize>,
    is_flow: bool,
    is_map: bool,
    key: Option<(String, usize)>,
    members: Vec<(String, usize, Node)>,
    items: Vec<Node>,
}

fn parse(text: &str) -> Result<Node, Refused> {
    let place = |span: Span| {
        let offset =
            |marker: granit_parser::Marker| marker.byte_offset().unwrap_or(text.len()).min(text.len());
        offset(span.start)..offset(span.end)
    };
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = error.marker().byte_offset().unwrap_or_default();
            Refused::at(text, at.min(text.len()), format!("this is not YAML: {}", error.kind()))
        })?;
        let span = place(span);
        let node = match event {
            Event::Scalar(value, ..) => Node { span, is_flow: false, kind: Kind::Text(value.into_owned()) },
            Event::Alias(_) => Node { span, is_flow: true, kind: Kind::Text(String::new()) },
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= DEEPEST {
                    return Err(Refused::at(text, span.start, "this is nested too deeply"));
                }
                let is_flow = text.get(span.start..).is_some_and(|rest| rest.starts_with(['{', '[']));
                let is_map = matches!(event, Event::MappingStart(..));
                open.push(Open { span, is_flow, is_map, key: None, members: Vec::new(), items: Vec::new() });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { span: start, is_flow, is_map, members, items, .. }) = open.pop() else {
                    break;
                };
                let kind = if is_map { Kind::Map(members) } else { Kind::List(items) };
                Node { span: start.start..span.end, is_flow, kind }
            }
            _ => continue,
        };
        match open.last_mut() {
            None => root = root.or(Some(node)),
            Some(open) if !open.is_map => open.items.push(node),
            Some(open) => match open.key.take() {
                None => {
                    let start = node.span.start;
                    open.key = Some((node.text().unwrap_or_default().to_owned(), start));
                }
                Some((key, start)) => open.members.push((key, start, node)),
            },
        }
    }
    root.ok_or_else(|| Refused::at(text, 0, "the file is empty"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENTS: &str = "# mine\nagents:\n  root:\n    model: m   # why\n    instruction: |\n      do it\n  helper:\n    hooks:\n      pre_tool_use:\n        - matcher: shell\n          hooks:\n            - type: command\n              command: theirs\n      stop:\n      - type: command\n        command: theirs\n    model: m\n";

    #[test]
    fn each_agent_is_wired_and_unwired_again() {
        let lines = [("pre_tool_use", "hooks run \"x\"".to_owned()), ("stop", "hooks run y".to_owned())];
        let wired = wire(AGENTS, &lines).unwrap();
        let ours = |all: &[FoundEntry]| all.iter().filter(|entry| entry.line.starts_with("hooks")).count();
        let found = commands(&wired).unwrap();
        assert_eq!(found.iter().map(|all| ours(all)).collect::<Vec<_>>(), [2, 2], "{wired}");
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 4], "{wired}");
        assert_eq!(unwire(&wired, |line| line.starts_with("hooks")).unwrap(), AGENTS);
    }

    #[test]
    fn a_list_may_stand_as_far_in_as_its_key() {
        let text = "agents:\n  root:\n    hooks:\n      stop:\n      - type: command\n        command: ours\n    model: m\n";
        assert_eq!(unwire(text, |line| line == "ours").unwrap(), "agents:\n  root:\n    model: m\n");
    }

    #[test]
    fn what_has_no_lines_is_refused() {
        for text in
            ["agents: {root: {model: m}}\n", "agents: []\n", "", "models: {}\n", "agents:\n  a: &x\n   - 1\n"]
        {
            assert!(wire(text, &[("stop", "x".to_owned())]).is_err(), "{text}");
        }
    }
}
