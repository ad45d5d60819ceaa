//! Hosts that programs connect to, as far as their words name them.

use super::access::NetworkTarget;
use super::argument::Argument;
use super::file_programs::operands;
use super::git;
use super::reads::{Recorder, What};
use super::told;
use super::walk::Walk;
use crate::by_key::ByKey;
use crate::globs::Gap;
use crate::shell::Span;

/// Words of some programs that name hosts.
struct Client {
    form: Form,
    scheme: &'static str,
    port: u16,
    /// Letters that take a value.
    values: &'static str,
}

impl Client {
    /// Returns the short option whose value is the host, of the form `Option`.
    fn letter(&self) -> String {
        format!("-{}", self.values.chars().next().unwrap_or('h'))
    }
}

/// Form in which a program names hosts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Each operand is an address, also without a scheme: `curl a.example/x`.
    Addresses,
    /// The first operand is a host, the second may be a port: `nc a.example 80`.
    Host,
    /// Operands of the form `HOST:PATH` are remote: `scp a b.example:c`.
    Remote,
    /// The value of `-h`, `--host` or `--server`: `psql -h db.example`.
    Option,
    /// A host that its words do not name: `aws s3 cp a s3://b`, `gh gist create a`.
    Service,
}

/// Calls that connect to a host, in any of the languages.
const CONNECTS: &[&str] = table!("read_words_connects");

/// Programs for which addresses are only names or texts.
const NAMERS: &[&str] = table!("read_words_namers");

static CLIENTS: ByKey<Client> = table!("network_clients");

/// Returns whether a program connects to hosts which its words name.
pub(super) fn is_client(name: &str) -> bool {
    CLIENTS.get(name).is_some()
}

/// Schemes of the network and their ports.
const SCHEMES: &[(&str, u16)] = table!("schemes");

/// Returns whether a program connects to another host.
pub(super) fn connects(name: &str) -> bool {
    CLIENTS.get(name).is_some()
}

/// Records the hosts in the words of a program.
pub(super) fn of_program(walk: &mut Recorder, name: &str, words: &[Argument], span: Span) {
    let client = CLIENTS.get(name);
    if client.is_none()
        && (told::has(told::TALKERS, name) || told::has(told::READERS, name) || NAMERS.contains(&name))
    {
        return;
    }
    for word in words {
        note_address(walk, name, &word.outline(), span);
    }
    let serves = |word: &Argument| matches!(word.literal(), Some("http.server" | "SimpleHTTPServer"));
    if words.iter().any(serves)
        || (name == "php" && words.first().is_some_and(|word| word.literal() == Some("-S")))
    {
        unknown(walk, name, "http", span);
    }
    if name == "git" {
        return of_git(walk, words, span);
    }
    let Some(client) = client else { return };
    match client.form {
        Form::Addresses => {
            for word in operands(words, client.values, &[]) {
                let outline = word.outline();
                if !outline.contains("://")
                    && (outline.contains(['.', ':', '/']) || name == "curl")
                    && !outline.contains('=')
                {
                    let host = outline.split(['/', '?', '#']).next().unwrap_or_default();
                    connect(walk, name, host, client.scheme, Some(client.port), span);
                }
            }
        }
        Form::Host => {
            let operands = operands(words, client.values, &[]);
            let Some(host) = operands.first() else { return };
            let port = operands.get(1).and_then(|port| port.literal()?.parse().ok());
            let port = port.or((client.port > 0).then_some(client.port));
            connect(walk, name, &host.outline(), client.scheme, port, span);
        }
        Form::Remote => {
            for word in operands(words, client.values, &[]) {
                remote(walk, name, &word.outline(), client, span);
            }
        }
        Form::Service => unknown(walk, name, client.scheme, span),
        Form::Option => {
            for (at, word) in words.iter().enumerate() {
                let value = match word.prefix() {
                    "--host" | "--server" | "--hostname" => words.get(at + 1).cloned(),
                    option if option == client.letter() => words.get(at + 1).cloned(),
                    _ => ["--host=", "--server=", "--hostname=", &client.letter()]
                        .iter()
                        .find_map(|start| word.strip_prefix(start)),
                };
                if let Some(host) = value.filter(|host| host.len() > 0) {
                    connect(walk, name, &host.outline(), client.scheme, Some(client.port), span);
                }
            }
        }
    }
}

/// Records the addresses with a scheme in a text.
pub(super) fn note_address(walk: &mut Recorder, program: &str, text: &str, span: Span) {
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let before = rest.get(..at).unwrap_or_default();
        let start = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let scheme = start.map_or(before, |start| before.get(start..).unwrap_or_default());
        let scheme = scheme.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).to_ascii_lowercase();
        rest = rest.get(at + "://".len()..).unwrap_or_default();
        let end = rest
            .find(|c: char| c == '/' || c == '?' || c == '#' || c.is_whitespace() || "'\"`,;)}|".contains(c));
        let host = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if let Some((_, port)) = SCHEMES.iter().find(|(known, _)| *known == scheme) {
            connect(walk, program, host, &scheme, Some(*port), span);
        }
    }
}

/// Records a connection to a host that is not known.
fn unknown(walk: &mut Recorder, program: &str, scheme: &str, span: Span) {
    let host = Argument::unknown();
    walk.connects(NetworkTarget {
        host,
        port: None,
        scheme: scheme.to_owned(),
        program: program.to_owned(),
        span,
    });
}

/// Records a connection of a text that calls something which connects.
pub(super) fn note_calls(walk: &mut Recorder, program: &str, text: &str, span: Span) {
    if CONNECTS.iter().any(|call| text.contains(call)) {
        unknown(walk, program, "", span);
    }
}

/// Notes a redirection from or to `/dev/tcp/HOST/PORT`.
pub(super) fn note_redirection(walk: &mut Walk, file: &Argument, span: Span) {
    if file.prefix().starts_with("/dev/") || file.literal().is_none() {
        walk.note(What::Device(file.clone()), span);
    }
}

/// `/dev/tcp/HOST/PORT`, which bash opens as a connection.
pub(super) fn of_redirection(walk: &mut Recorder, file: &Argument, span: Span) {
    let outline = file.outline();
    for scheme in ["tcp", "udp"] {
        let Some(rest) = outline.strip_prefix(&format!("/dev/{scheme}/")) else { continue };
        let (host, port) = rest.split_once('/').unwrap_or((rest, ""));
        connect(walk, "bash", host, scheme, port.parse().ok(), span);
    }
}

/// Commands of git that connect.
fn of_git(walk: &mut Recorder, words: &[Argument], span: Span) {
    let rest = git::subcommand(words);
    let Some((command, arguments)) = rest.split_first() else { return };
    if matches!(
        command.prefix(),
        "push" | "pull" | "fetch" | "clone" | "ls-remote" | "remote" | "submodule" | "archive"
    ) {
        let ssh = Client { form: Form::Remote, scheme: "ssh", port: 22, values: "" };
        for word in operands(arguments, "bocuj", &[]) {
            remote(walk, "git", &word.outline(), &ssh, span);
        }
        // The settings of the repository name the host.
        if command.prefix() == "push" && !words.iter().any(|word| word.outline().contains([':', '/'])) {
            unknown(walk, "git", "", span);
        }
    }
}

/// `USER@HOST:PATH`.
fn remote(walk: &mut Recorder, program: &str, word: &str, client: &Client, span: Span) {
    if word.contains("://") {
        return;
    }
    let Some((host, _)) = word.split_once(':') else { return };
    let is_host = !host.is_empty() && !host.contains('/') && (host.contains(['@', '.']) || program != "git");
    if is_host && !(host.len() == 1 && walk.options.windows) {
        connect(walk, program, host, client.scheme, Some(client.port), span);
    }
}

/// Records a host, with the user and the port that may be around it.
fn connect(walk: &mut Recorder, program: &str, host: &str, scheme: &str, port: Option<u16>, span: Span) {
    let host = host.rsplit('@').next().unwrap_or_default();
    let (name, own) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => (address, rest.strip_prefix(':')),
        None => match host.rsplit_once(':') {
            Some((name, port)) if !name.contains(':') => (name, Some(port)),
            _ => (host, None),
        },
    };
    if name.is_empty() || name.len() > 255 {
        return;
    }
    let port = match own {
        Some(own) if own.contains(|c| Gap::from_char(c).is_some()) => None,
        Some(own) => own.parse().ok().or(port),
        None => port,
    };
    let host = Argument::of_outline(&name.to_ascii_lowercase());
    walk.connects(NetworkTarget { host, port, scheme: scheme.to_owned(), program: program.to_owned(), span });
}
