//! The command line that a client runs for an event: written, and recognised again.

use std::path::Path;

use hooks::EventKind;
use hooks_protocols::{Client, capabilities};

/// What a client prints where the program is gone or was ended by a signal, beside exit code 2.
const NO_ANSWER: &str = "hooks gave no answer, so this is denied; `hooks doctor` says why";

/// A command line of ours, as far as it says whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ours {
    /// The program.
    pub(crate) program: String,
    /// The client, as [`Client::name`] gives it.
    pub(crate) client: String,
    /// The event, in the client's words.
    pub(crate) event: String,
    /// The rules, where it names some.
    pub(crate) config: Option<String>,
}

/// The command line for an event.
///
/// A shell runs it. Where a client lets a call through because its hook could not be started or crashed, the line itself ends
/// in a denial then; any shell understands it, and it costs nothing while all goes well.
pub(super) fn line(program: &str, client: Client, event: &str, config: Option<&str>) -> String {
    let mut line = format!("{} run --client {} --event {event}", quoted(program), client.name());
    if let Some(config) = config {
        line.push_str(" --config ");
        line.push_str(&quoted(config));
    }
    if cfg!(unix) && denies_by_exit_code(client, event) {
        line.push_str(&format!(" || sh -c 'echo \"{}\" >&2; exit 2'", NO_ANSWER.replace('`', "")));
    }
    line
}

/// Whether this client is to be told by exit code 2 that a failed hook is a denial.
pub(super) fn denies_by_exit_code(client: Client, event: &str) -> bool {
    let lets_through = matches!(client, Client::Claude | Client::Codex | Client::Gemini | Client::VsCode);
    lets_through && is_gate(client, event)
}

/// Whether something happens after this event that a failed hook has to keep from happening.
pub(super) fn is_gate(client: Client, event: &str) -> bool {
    let gates = [
        EventKind::PreToolUse,
        EventKind::PermissionRequest,
        EventKind::UserPromptSubmitted,
        EventKind::BeforeModelCall,
    ];
    capabilities(client, event).and_then(|row| row.event()).is_some_and(|kind| gates.contains(&kind))
}

/// Reads a command line; `None` where it is somebody else's.
pub(crate) fn read(line: &str) -> Option<Ours> {
    let mut words = words(line);
    let program = words.next()?;
    let name = Path::new(&program).file_stem()?.to_str()?.to_ascii_lowercase();
    if name != "hooks" || words.next()? != "run" {
        return None;
    }
    let (mut client, mut event, mut config) = (None, None, None);
    while let Some(word) = words.next() {
        match &*word {
            "--client" => client = words.next(),
            "--event" => event = words.next(),
            "--config" => config = words.next(),
            "||" => break,
            _ => {}
        }
    }
    Some(Ours { program, client: client?, event: event?, config })
}

/// A word as every shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ':');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if cfg!(windows) {
        return format!("\"{word}\"");
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a command line, as far as quotes go.
fn words(line: &str) -> impl Iterator<Item = String> + '_ {
    let mut chars = line.chars().peekable();
    std::iter::from_fn(move || {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        chars.peek()?;
        let mut word = String::new();
        let mut quote = None;
        while let Some(c) = chars.next() {
            match (quote, c) {
                (None, c) if c.is_whitespace() => break,
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                // Windows has it between folders.
                (None, '\\') if cfg!(unix) => word.extend(chars.next()),
                (_, c) => word.push(c),
            }
        }
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for program in ["/usr/bin/hooks", "/home/a b/hooks", "/it's/$HOME/hooks"] {
            let line = line(program, Client::Codex, "PreToolUse", Some("/a b/hooks.yaml"));
            let ours = read(&line).unwrap();
            assert_eq!(
                (&*ours.program, &*ours.client, &*ours.event),
                (program, "codex", "PreToolUse"),
                "{line}"
            );
        }
    }

    #[test]
    fn what_others_wrote_is_not_ours() {
        for line in ["", "hooks", "hooks check a.yaml", "policy run --client claude --event Stop", "hooks run"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn a_crash_is_a_denial_where_the_client_would_let_it_pass() {
        let ends_in_denial =
            |client, event| line("/bin/hooks", client, event, None).contains("exit 2");
        assert!(ends_in_denial(Client::Codex, "PreToolUse"));
        // It must not be told to go on for ever.
        assert!(!ends_in_denial(Client::Codex, "Stop"));
        // It denies by itself.
        assert!(!ends_in_denial(Client::Copilot, "preToolUse"));
    }
}
