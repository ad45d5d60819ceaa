//! The shell command line that a client's settings contain.

use hooks_core::EventKind;

use crate::client::Client;
use crate::encode::EncodedAnswer;
use crate::failure::{KnownEvent, closes, failure};

/// Message of the guard if the hook process itself cannot deny.
const UNFINISHED: &str = "hooks: the hook is missing, crashed or was killed, so this is denied";

/// The same as the reason of an answer.
const WHY: &str = "the hook is missing, crashed or was killed";

/// The line for a POSIX shell that runs `program` as the hook of `client` for `event`, with further
/// `options`.
///
/// A program that is missing, or that is killed by a signal, cannot deny; most clients then let the tool run.
/// If a failure of the event closes, the shell therefore denies in its place: by exit code 2 with a text,
/// which denies in every client that was tested; after a call by the answer that withholds its result. All exit codes of `program` itself up to 2 are kept.
///
/// ```
/// use hooks_protocols::{Client, command_line};
///
/// let line = command_line("/opt/my hooks/hooks", Client::Claude, "PreToolUse", &["--config", "/etc/hooks.yaml"]);
/// assert!(line.starts_with(
///     "'/opt/my hooks/hooks' run --client claude --event PreToolUse --config /etc/hooks.yaml; hooks=$?; "
/// ));
/// assert_eq!(command_line("hooks", Client::Claude, "SessionEnd", &[]), "hooks run --client claude --event SessionEnd");
/// ```
pub fn command_line(program: &str, client: Client, event: &str, options: &[&str]) -> String {
    let words = [program, "run", "--client", client.name(), "--event", event];
    let words: Vec<String> = words.iter().chain(options).map(|word| quoted(word)).collect();
    let line = words.join(" ");
    if !client.protocol().row(event).is_some_and(closes) {
        return line;
    }
    let refusal = match failure(KnownEvent::Event(client, event), WHY) {
        // The call was made: most clients use its result whatever the exit code is, and withhold it by an answer.
        EncodedAnswer { exit: 0, stdout, .. } if is_after_a_call(client, event) => {
            format!("echo {}; hooks=0;", quoted(stdout.trim_end()))
        }
        _ => format!("echo {} >&2; hooks=2;", quoted(UNFINISHED)),
    };
    format!("{line}; hooks=$?; [ $hooks -le 2 ] || {{ {refusal} }}; exit $hooks")
}

fn is_after_a_call(client: Client, event: &str) -> bool {
    let row = client.protocol().row(event);
    row.is_some_and(|row| row.kind == Some(EventKind::PostToolUse))
}

/// A word, quoted for a shell if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | ':' | '@' | '%' | ',')
    };
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_words() {
        assert_eq!(quoted("/usr/bin/hooks"), "/usr/bin/hooks");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }

    #[test]
    fn only_what_closes_is_guarded() {
        for client in Client::ALL {
            for event in client.events() {
                let line = command_line("hooks", *client, event, &[]);
                let is_guarded = line.ends_with("exit $hooks");
                assert_eq!(is_guarded, client.protocol().row(event).is_some_and(closes), "{line}");
                // `echo` of some shells expands them.
                assert!(!line.contains('\\'), "{line}");
            }
        }
    }
}
