//! Puts `hooks mcp` before the MCP servers in a text, and takes it away again. Everything else stays the same byte for byte.
//!
//! The words of the proxy are inserted before the arguments of the server, whose program becomes one of them as it is written.
//! So a removal needs no copy of the original.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item, TableLike, Value};

use super::place::ServerForm;
use crate::init::json::{self, Kind, Node};
use crate::init::wiring::Refused;

/// Keys of the address of a server that no client starts.
const ADDRESSES: [&str; 3] = ["url", "httpUrl", "serverUrl"];

/// A command line of `hooks mcp` to write.
pub(crate) struct ProxyLine<'l> {
    /// The program.
    pub(crate) program: &'l str,
    /// The rules, if the line names some.
    pub(crate) config: Option<&'l str>,
}

/// A server in a text.
#[derive(Debug)]
pub(crate) struct FoundServer {
    /// Name of the server.
    pub(crate) name: String,
    /// Whether it is reached by a URL.
    pub(crate) is_remote: bool,
    /// Command and arguments; `None` if it has no command.
    start: Option<Start>,
}

/// Command and arguments of a server.
#[derive(Debug)]
struct Start {
    command: Word,
    /// Offset of the key of the command.
    command_key: usize,
    arguments: Option<Arguments>,
}

/// The arguments of a server.
#[derive(Debug)]
struct Arguments {
    key: usize,
    span: Range<usize>,
    items: Vec<Word>,
}

/// A text with its position.
#[derive(Clone, Debug)]
struct Word {
    span: Range<usize>,
    /// `None` if it is another value than a text.
    text: Option<String>,
}

/// A command line of `hooks mcp` in a text.
#[derive(Debug)]
pub(crate) struct GovernedServer<'s> {
    /// The program of the proxy.
    pub(crate) program: &'s str,
    /// The rules, if the line names some.
    pub(crate) config: Option<&'s str>,
    /// The server's name in rules, if the line has it.
    pub(crate) name: Option<&'s str>,
    /// Index of the server's own program among the arguments.
    at: usize,
    /// Whether the line has other options than `hooks init` writes, so that a person wrote it.
    pub(crate) is_by_hand: bool,
}

impl ProxyLine<'_> {
    /// The words before the server with this name.
    fn words(&self, server: &str) -> Vec<String> {
        let mut words = vec!["mcp".to_owned()];
        if server.starts_with('-') {
            words.push(format!("--name={server}"));
        } else {
            words.extend(["--name".to_owned(), server.to_owned()]);
        }
        words.extend(self.config.iter().flat_map(|config| ["--config", config]).map(str::to_owned));
        words.push("--".to_owned());
        words
    }
}

impl FoundServer {
    /// Returns whether a client starts it.
    pub(crate) const fn is_started(&self) -> bool {
        self.start.is_some()
    }

    /// The proxy that stands before it, if there is one.
    pub(crate) fn governed(&self) -> Option<GovernedServer<'_>> {
        let start = self.start.as_ref()?;
        let program = start.command.text.as_deref()?;
        let items = &start.arguments.as_ref()?.items;
        let texts: Vec<&str> = items.iter().map(|item| item.text.as_deref().unwrap_or_default()).collect();
        let stem = Path::new(program).file_stem()?.to_str()?;
        let end = texts.iter().position(|text| *text == "--")?;
        if !stem.eq_ignore_ascii_case("hooks") || texts.first() != Some(&"mcp") {
            return None;
        }
        let at = end.checked_add(1).filter(|at| texts.get(*at).is_some_and(|text| !text.is_empty()))?;
        let options = texts.get(..end)?;
        let value = |names: &[&str]| {
            let at = options.iter().position(|text| names.contains(text))?;
            options.get(at.checked_add(1)?).copied()
        };
        let config = value(&["--config", "-c"]);
        let joined = options.iter().find_map(|text| text.strip_prefix("--name="));
        let name = joined.or_else(|| value(&["--name"]));
        let is_by_hand = match options {
            ["mcp", "--name", _] | ["mcp", "--name", _, "--config", _] => false,
            ["mcp", name] | ["mcp", name, "--config", _] => !name.starts_with("--name="),
            _ => true,
        };
        Some(GovernedServer { program, config, name, at, is_by_hand })
    }

    /// Whether it is `hooks mcp` itself, which reaches its server by a URL or is the server (`hooks mcp serve`).
    pub(crate) fn is_hooks(&self) -> bool {
        let Some(Start { command, arguments: Some(arguments), .. }) = &self.start else { return false };
        let stem = command.text.as_deref().and_then(|program| Path::new(program).file_stem()?.to_str());
        let first = arguments.items.first().and_then(|item| item.text.as_deref());
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case("hooks")) && first == Some("mcp")
    }

    /// The command line; values that are no text as they are written.
    fn words<'t>(&'t self, text: &'t str) -> Vec<&'t str> {
        let Some(start) = &self.start else { return Vec::new() };
        let items = start.arguments.iter().flat_map(|arguments| &arguments.items);
        let word = |word: &'t Word| word.text.as_deref().unwrap_or_else(|| raw(text, word.span.clone()));
        std::iter::once(&start.command).chain(items).map(word).collect()
    }
}

/// The text with the proxy before each server that a client starts.
pub(crate) fn govern(text: &str, form: ServerForm, line: &ProxyLine<'_>) -> Result<String, Refused> {
    let servers = find(text, form)?;
    let mut splices = Vec::new();
    let mut wanted = Vec::new();
    for server in &servers {
        let words = server.words(text);
        match (&server.start, server.governed()) {
            (Some(start), None) if !server.is_hooks() => {
                let own = line.words(&server.name);
                splices.extend(inserted(text, form, start, line.program, &own));
                let own = own.iter().map(String::as_str);
                wanted
                    .push(std::iter::once(line.program).chain(own).chain(words).map(str::to_owned).collect());
            }
            // The program may have been moved since.
            (Some(start), Some(found)) if !found.is_by_hand && is_stale(found.program, line.program) => {
                splices.push((start.command.span.clone(), quoted(line.program)));
                let rest = words.iter().skip(1);
                wanted.push(std::iter::once(&line.program).chain(rest).copied().map(str::to_owned).collect());
            }
            _ => wanted.push(words.into_iter().map(str::to_owned).collect::<Vec<_>>()),
        }
    }
    let done = spliced(text, splices);
    let is_right = find(&done, form).is_ok_and(|found| {
        found.len() == wanted.len()
            && found.iter().zip(&wanted).all(|(server, wanted)| server.words(&done) == *wanted)
    });
    if is_right {
        return Ok(done);
    }
    Err(Refused::other(
        "a server is written in a way that cannot be changed; write `hooks mcp` there by hand",
    ))
}

/// The text without the proxy.
pub(crate) fn ungovern(text: &str, form: ServerForm) -> Result<String, Refused> {
    let servers = find(text, form)?;
    let mut splices = Vec::new();
    for server in &servers {
        let own = server.governed().filter(|found| !found.is_by_hand);
        if let (Some(start), Some(found)) = (&server.start, own) {
            splices.extend(removed(text, form, start, found.at).into_iter().flatten());
        }
    }
    Ok(spliced(text, splices))
}

fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| range.start);
    json::splice(text, &splices)
}

/// Whether a proxy names another file than this program. A name without a folder is found in `PATH`.
fn is_stale(named: &str, program: &str) -> bool {
    named != program && Path::new(named).is_absolute() && Path::new(program).is_absolute()
}

type Splice = (Range<usize>, String);

/// The changes that put these words of the proxy before a server.
fn inserted(text: &str, form: ServerForm, start: &Start, program: &str, own: &[String]) -> [Splice; 2] {
    let Start { command, command_key, arguments } = start;
    let mut words: Vec<String> = own.iter().map(|word| quoted(word)).collect();
    words.push(raw(text, command.span.clone()).to_owned());
    let words = words.join(", ");
    let (at, words) = match arguments {
        Some(found) => match found.items.first() {
            Some(first) => (first.span.start, format!("{words}, ")),
            // The blank shows that the array was there.
            None if found.is_before_command(text, form, start) => (found.inside(), format!("{words} ")),
            None => (found.inside(), words),
        },
        None => {
            let name = if form == ServerForm::Toml { "args = " } else { "\"args\": " };
            (*command_key, format!("{name}[{words}]{}", glue(text, form, *command_key)))
        }
    };
    [(command.span.clone(), quoted(program)), (at..at, words)]
}

/// The changes that remove the proxy before the argument with the index `at`, which is the server's program.
fn removed(text: &str, form: ServerForm, start: &Start, at: usize) -> Option<[Splice; 2]> {
    let Start { command, command_key, arguments } = start;
    let found = arguments.as_ref()?;
    let (first, own) = (found.items.first()?, found.items.get(at)?);
    let own_end = own.span.end;
    let rest = raw(text, own_end..found.span.end);
    let cut = match found.items.get(at.checked_add(1)?) {
        Some(next) => first.span.start..next.span.start,
        None if found.is_before_command(text, form, start) && rest == "]" => found.key..*command_key,
        None if found.is_before_command(text, form, start) && rest.starts_with(' ') => {
            first.span.start..own_end.checked_add(1)?
        }
        // A formatter may have added a comma.
        None => {
            let comma = rest.find(',').filter(|_| rest.trim_start().starts_with(','));
            first.span.start..own_end.checked_add(comma.map_or(0, |comma| comma.saturating_add(1)))?
        }
    };
    Some([(command.span.clone(), raw(text, own.span.clone()).to_owned()), (cut, String::new())])
}

impl Arguments {
    /// Offset behind the bracket.
    const fn inside(&self) -> usize {
        self.span.start.saturating_add(1)
    }

    /// Whether they stand directly before the command, as those that are added to a server without any.
    fn is_before_command(&self, text: &str, form: ServerForm, start: &Start) -> bool {
        self.key < start.command_key
            && raw(text, self.span.end..start.command_key) == glue(text, form, self.key)
    }
}

/// Separator of a member that begins at `at` and the following one.
fn glue(text: &str, form: ServerForm, at: usize) -> String {
    let before = raw(text, 0..at);
    let line = before.rsplit('\n').next().unwrap_or_default();
    if form != ServerForm::Toml || line.contains(['{', ',']) {
        return ", ".to_owned();
    }
    // A key of a dotted name repeats the name.
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    format!("{end}{line}")
}

/// A text as a string of JSON, which is also one of TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn raw(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The servers in a text, in their order.
pub(crate) fn find(text: &str, form: ServerForm) -> Result<Vec<FoundServer>, Refused> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut servers = match form {
        ServerForm::Json(key) => in_json(text, &parsed(text)?, key)?,
        ServerForm::JsonOfProjects => {
            let root = parsed(text)?;
            let mut servers = in_json(text, &root, super::place::SERVERS)?;
            for project in members_of(text, &root, "projects")? {
                servers.extend(in_json(text, &project.value, super::place::SERVERS)?);
            }
            servers
        }
        ServerForm::Toml => in_toml(text)?,
    };
    servers.sort_by_key(|server| server.start.as_ref().map(|start| start.command.span.start));
    Ok(servers)
}

fn parsed(text: &str) -> Result<Node, Refused> {
    json::parse(text)
        .map_err(|error| Refused::at(text, error.at, format!("this is not JSON: {}", error.what)))
}

fn members(node: &Node) -> &[json::Member] {
    match &node.kind {
        Kind::Object(members) => members,
        _ => &[],
    }
}

/// The members of the object with this key. Of two such keys, one client reads the first and another the last.
fn members_of<'n>(text: &str, node: &'n Node, key: &str) -> Result<&'n [json::Member], Refused> {
    let mut found = members(node).iter().filter(|member| member.key == key);
    match (found.next(), found.next()) {
        (_, Some(second)) => {
            let what = format!("the key `{key}` is given twice; put the contents of both into one");
            Err(Refused::at(text, second.start, what))
        }
        (found, None) => Ok(found.map(|member| members(&member.value)).unwrap_or_default()),
    }
}

fn in_json(text: &str, root: &Node, key: &str) -> Result<Vec<FoundServer>, Refused> {
    let servers = members_of(text, root, key)?;
    Ok(servers.iter().map(|server| json_server(&server.key, &server.value)).collect())
}

fn json_server(name: &str, server: &Node) -> FoundServer {
    let member = |key: &str| members(server).iter().rev().find(|member| member.key == key);
    let word = |node: &Node| Word { span: node.span.clone(), text: node.text().map(str::to_owned) };
    let arguments = member("args").map(|member| match &member.value.kind {
        Kind::Array(items) => Some(Arguments {
            key: member.start,
            span: member.value.span.clone(),
            items: items.iter().map(word).collect(),
        }),
        _ => None,
    });
    let is_command = |node: &Node| node.text().is_some_and(|text| !text.is_empty());
    let start = member("command").filter(|member| is_command(&member.value)).and_then(|command| {
        // Arguments that are no array are a mistake, which the client reports.
        let arguments = match arguments {
            Some(None) => return None,
            Some(arguments) => arguments,
            None => None,
        };
        Some(Start { command: word(&command.value), command_key: command.start, arguments })
    });
    let is_remote = ADDRESSES.iter().any(|key| member(key).is_some());
    FoundServer { name: name.to_owned(), is_remote: is_remote && start.is_none(), start }
}

fn in_toml(text: &str) -> Result<Vec<FoundServer>, Refused> {
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Refused::at(text, at, error.message().lines().next().unwrap_or("this is not TOML"))
    })?;
    let Some(servers) = document.as_table().get("mcp_servers").and_then(Item::as_table_like) else {
        return Ok(Vec::new());
    };
    let server = |(name, item): (&str, &Item)| match item.as_table_like() {
        Some(server) => toml_server(name, server),
        None => FoundServer { name: name.to_owned(), is_remote: false, start: None },
    };
    Ok(servers.iter().map(server).collect())
}

fn toml_server(name: &str, server: &dyn TableLike) -> FoundServer {
    let member = |key: &str| {
        let (key, item) = server.get_key_value(key)?;
        Some((key.span()?.start, item.as_value()?))
    };
    let word = |value: &Value| Some(Word { span: value.span()?, text: value.as_str().map(str::to_owned) });
    let arguments = match member("args") {
        None => Some(None),
        Some((key, Value::Array(array))) => {
            let items: Option<Vec<Word>> = array.iter().map(word).collect();
            items.zip(array.span()).map(|(items, span)| Some(Arguments { key, span, items }))
        }
        Some(_) => None,
    };
    let command = member("command").filter(|(_, value)| value.as_str().is_some_and(|text| !text.is_empty()));
    let start = command.zip(arguments).and_then(|((command_key, value), arguments)| {
        Some(Start { command: word(value)?, command_key, arguments })
    });
    let is_remote = start.is_none() && ADDRESSES.iter().any(|key| server.contains_key(key));
    FoundServer { name: name.to_owned(), is_remote, start }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: ProxyLine<'_> = ProxyLine { program: "/usr/bin/hooks", config: Some("/a b/hooks.yaml") };

    /// Puts the proxy before all servers and removes it: the text has to be unchanged.
    fn there_and_back(text: &str, form: ServerForm) -> String {
        let governed = govern(text, form, &LINE).unwrap();
        for server in find(&governed, form).unwrap() {
            assert_eq!(server.governed().is_some(), server.is_started(), "{governed}");
        }
        assert_eq!(govern(&governed, form, &LINE).unwrap(), governed);
        assert_eq!(ungovern(&governed, form).unwrap(), text, "after\n{governed}");
        assert_eq!(ungovern(text, form).unwrap(), text);
        governed
    }

    #[test]
    fn json_is_as_it_was() {
        for text in [
            "",
            "{}",
            "{\"mcpServers\": []}",
            "{\"mcpServers\":{\"a\":{\"command\":\"npx\",\"args\":[\"-y\",\"x\"],\"env\":{\"A\":\"b\"}}}}",
            "{\n  \"mcpServers\": {\n    \"a\": {\n      \"args\": [\n        \"-y\", // why\n        \"x\",\n      ],\n      \"command\": \"n\\u0070x\"\n    }\n  }\n}\n",
            "{\r\n\t\"mcpServers\": {\r\n\t\t\"a b\": {\r\n\t\t\t\"command\": \"./s\"\r\n\t\t}\r\n\t}\r\n}\r\n",
            "{\"mcpServers\": {\"a\": {\"command\": \"s\", \"args\": []}, \"e\": {\"args\": [], \"command\": \"-\"}, \"-n\": {\"type\": \"stdio\", \"args\": [ /* none */ ], \"command\": \"s\"}}}",
            "{\"mcpServers\": {\"a\": {\"command\": \"s\"}, \"b\": {\"url\": \"http://x\"}, \"c\": {\"command\": [\"x\"]}, \"d\": 1}}",
            "\u{feff}{\"mcpServers\": {\"\\\"\": {\"command\": \"--\", \"args\": [\"mcp\", \"--\", 3]}}}",
        ] {
            there_and_back(text, ServerForm::Json("mcpServers"));
        }
    }

    #[test]
    fn the_servers_of_projects_are_found() {
        let text = "{\"projects\": {\"/a\": {\"mcpServers\": {\"x\": {\"command\": \"s\"}}}, \"/b\": {}}, \"mcpServers\": {\"y\": {\"command\": \"s\"}}}";
        let governed = there_and_back(text, ServerForm::JsonOfProjects);
        assert_eq!(governed.matches("\"mcp\", \"--name\"").count(), 2, "{governed}");
    }

    #[test]
    fn toml_is_as_it_was() {
        for text in [
            "model = \"m\"\n",
            "# mine\n[mcp_servers.a]\ncommand = \"npx\" # so\nargs = [\"-y\", 'x']\nenv = { A = \"b\" }\n",
            "[mcp_servers.a]\ncommand = 'C:\\x'\n\n[mcp_servers.\"b c\"]\n  args = [\n    \"-y\",\n    # why\n    \"x\",\n  ]\n  command = \"\"\"s\"\"\"\n",
            "[mcp_servers.a]\r\n  command = \"s\"\r\n",
            "[mcp_servers]\na = { command = \"s\" }\nb = { args = [], command = \"s\" }\nc = { url = \"http://x\" }\n",
            "[mcp_servers.a]\nargs = []\ncommand = \"s\"\n[mcp_servers.b]\nargs = [ ]\ncommand = \"s\"\n",
            "mcp_servers.a.command = \"s\"\nmcp_servers.a.env = {}\n",
            "[mcp_servers.a]\ncommand = \"s\"\nargs = []\n[mcp_servers.a.env]\nA = \"b\"\n",
        ] {
            there_and_back(text, ServerForm::Toml);
        }
    }

    #[test]
    fn a_proxy_that_a_person_wrote_stays() {
        let form = ServerForm::Json("mcpServers");
        let of = |program: &str, arguments: &str| {
            format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"{program}\", \"args\": [{arguments}]}}}}}}")
        };
        for arguments in [
            r#""mcp", "--name", "a", "--pin", "p", "--", "s", "x""#,
            r#""mcp", "--", "s""#,
            r#""mcp", "--name", "a", "--url", "http://127.0.0.1:8000/mcp""#,
            r#""mcp", "serve""#,
        ] {
            let text = of("/old/hooks", arguments);
            assert_eq!(govern(&text, form, &LINE).unwrap(), text);
            assert_eq!(ungovern(&text, form).unwrap(), text);
        }
        // Ours is recognised by its form, and follows the program.
        let ours = of("/old/hooks", r#""mcp", "--name", "a", "--", "s", "x""#);
        assert_eq!(govern(&ours, form, &LINE).unwrap(), ours.replace("/old/hooks", "/usr/bin/hooks"));
        assert_eq!(ungovern(&ours, form).unwrap(), of("s", "\"x\""));
        let found =
            find(&govern("{\"mcpServers\": {\"a\": {\"command\": \"s\"}}}", form, &LINE).unwrap(), form);
        let found = found.unwrap();
        let governed = found.first().unwrap().governed().unwrap();
        assert_eq!((governed.program, governed.config), (LINE.program, LINE.config));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        assert!(govern("{", ServerForm::Json("mcpServers"), &LINE).is_err());
        assert!(govern("[", ServerForm::Toml, &LINE).is_err());
        let twice = "{\"mcpServers\": {\"a\": {\"command\": \"s\"}},\n \"mcpServers\": {}}";
        let of_project = "{\"projects\": {\"/a\": {\"mcpServers\": {}, \"mcpServers\": {}}}}";
        for (text, form, place) in [
            (twice, ServerForm::Json("mcpServers"), (2, 2)),
            (twice, ServerForm::JsonOfProjects, (2, 2)),
            (of_project, ServerForm::JsonOfProjects, (1, 40)),
            ("{\"projects\": {}, \"projects\": {}}", ServerForm::JsonOfProjects, (1, 18)),
        ] {
            for refused in [govern(text, form, &LINE), ungovern(text, form)].map(Result::unwrap_err) {
                assert!(refused.what.contains("is given twice"), "{}", refused.what);
                assert_eq!(refused.place, Some(place), "{text}");
            }
        }
    }
}
