//! Writes the command line that a client runs for an event, and recognises it again.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

use hooks::EventKind;
use hooks_protocols::{Checked, Client, capabilities, command_line};

/// A command line of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ours {
    /// The program.
    pub(crate) program: String,
    /// The client, as [`Client::name`] gives it.
    pub(crate) client: String,
    /// The event, as the client calls it.
    pub(crate) event: String,
    /// The rules, if the line names some.
    pub(crate) config: Option<String>,
}

/// The program of a portable line, which the shell finds in `PATH`.
pub(crate) const PORTABLE: &str = "hooks";

/// A dollar sign for the shell that Gemini CLI and Qwen Code do not see.
const DOLLAR: &str = r#""$(printf '\044')""#;

/// Shells that do not support the syntax of `sh`.
const OTHER_SHELLS: [&str; 8] = ["fish", "nu", "csh", "tcsh", "elvish", "xonsh", "pwsh", "murex"];

/// The command line for an event, with further options of `hooks run`.
///
/// A shell runs it. If a client would let a call run after its hook could not be started or crashed, the line
/// itself then denies. Some clients use the shell of the user; if that is not a POSIX shell, the line calls
/// `/bin/sh`.
pub(super) fn line(program: &str, client: Client, event: &str, options: &[&str]) -> String {
    if program == PORTABLE {
        // The shell of another user is unknown. On Windows, a missing program is an error of the shell.
        let line = command_line(program, client, event, options);
        return if cfg!(windows) { line } else { in_posix_sh(&line) };
    }
    if cfg!(windows) {
        let words = [program, "run", "--client", client.name(), "--event", event];
        let words: Vec<String> =
            words.into_iter().chain(options.iter().copied()).map(in_double_quotes).collect();
        return words.join(" ");
    }
    let mut line = command_line(program, client, event, options);
    if matches!(client, Client::Gemini | Client::Qwen) {
        line = unexpanded(&line);
    }
    in_sh(line, env::var_os("SHELL").as_deref().map(Path::new))
}

/// A line without the variables that Gemini CLI and Qwen Code replace in their settings: `$NAME` and `${NAME}`, also between
/// quotes. A name that is set in the environment, such as `$HOME` in a path, would change the line.
fn unexpanded(line: &str) -> String {
    let mut result = String::new();
    let (mut chars, mut is_quoted) = (line.chars().peekable(), false);
    while let Some(c) = chars.next() {
        let is_name = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '{');
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                result.push(c);
            }
            '\\' if !is_quoted => {
                result.push(c);
                result.extend(chars.next());
            }
            '$' if is_quoted && chars.peek().is_some_and(is_name) => {
                result.push('\'');
                result.push_str(DOLLAR);
                result.push('\'');
            }
            c => result.push(c),
        }
    }
    result
}

/// The line in the syntax of the user's shell.
fn in_sh(line: String, shell: Option<&Path>) -> String {
    let name = shell.and_then(Path::file_stem).and_then(OsStr::to_str);
    if name.is_some_and(|name| OTHER_SHELLS.contains(&name)) {
        return in_posix_sh(&line);
    }
    line
}

fn in_posix_sh(line: &str) -> String {
    format!("/bin/sh -c '{}'", line.replace('\'', r"'\''"))
}

/// A word in the syntax of Windows, where file names have no quotes.
fn in_double_quotes(word: &str) -> String {
    if word.contains(' ') { format!("\"{word}\"") } else { word.to_owned() }
}

/// Whether an action follows this event that a failed hook has to prevent.
pub(super) fn is_gate(client: Client, event: &str) -> bool {
    let gates = [
        EventKind::PreToolUse,
        EventKind::PermissionRequest,
        EventKind::UserPromptSubmitted,
        EventKind::BeforeModelCall,
    ];
    capabilities(client, event).is_some_and(|row| {
        row.checked() == Some(Checked::Settings) || row.event().is_some_and(|kind| gates.contains(&kind))
    })
}

/// Parses a command line; `None` if it is not ours.
pub(crate) fn read(line: &str) -> Option<Ours> {
    let inner;
    let mut words = words(line);
    let mut program = words.next()?;
    if program == "/bin/sh" && words.next()? == "-c" {
        inner = words.next()?;
        words = self::words(&inner);
        program = words.next()?;
    }
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
            _ => {}
        }
    }
    Some(Ours { program, client: client?, event: event?, config })
}

/// The words of the first command of a line, with quotes resolved.
pub(crate) fn words(line: &str) -> impl Iterator<Item = String> + use<> {
    let line = line.replace(DOLLAR, "'$'");
    let mut chars = line.chars().collect::<Vec<_>>().into_iter().peekable();
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
                // The rest of the line is shell syntax.
                (None, ';' | '|' | '&') => {
                    chars.by_ref().for_each(drop);
                    break;
                }
                // On Windows, the backslash separates folders.
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
            let options = ["--config", "/a b/hooks.yaml"];
            let line = command_line(program, Client::Codex, "PreToolUse", &options);
            for shell in ["/bin/bash", "/usr/bin/fish"] {
                let line = in_sh(line.clone(), Some(Path::new(shell)));
                let ours = read(&line).unwrap();
                assert_eq!(
                    (&*ours.program, &*ours.client, &*ours.event, ours.config.as_deref()),
                    (program, "codex", "PreToolUse", Some("/a b/hooks.yaml")),
                    "{line}"
                );
            }
        }
    }

    /// Gemini CLI replaces these before it starts the shell.
    #[cfg(unix)]
    #[test]
    fn gemini_finds_no_variable_to_replace() {
        for program in ["/a/$HOME/hooks", "/a/${HOME}/it's/hooks", "/a/$/hooks", "/$HOME"] {
            let line = line(
                &format!("{program}/hooks"),
                Client::Gemini,
                "BeforeTool",
                &["--config", "/c/$USER/hooks.yaml"],
            );
            let (paths, _) = line.split_once("; hooks=$?").unwrap();
            let expands = |(at, _): (usize, &str)| {
                paths
                    .get(at + 1..)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '{'))
            };
            assert!(!paths.match_indices('$').any(expands), "{line}");
            let ours = read(&line).unwrap();
            assert_eq!(ours.program, format!("{program}/hooks"), "{line}");
            assert_eq!(ours.config.as_deref(), Some("/c/$USER/hooks.yaml"), "{line}");
        }
    }

    #[test]
    fn a_portable_line_is_ours() {
        let line = line(PORTABLE, Client::Codex, "PreToolUse", &[]);
        let ours = read(&line).unwrap();
        assert_eq!((&*ours.program, ours.config), (PORTABLE, None));
    }

    #[test]
    fn what_others_wrote_is_not_ours() {
        for line in
            ["", "hooks", "hooks check a.yaml", "policy run --client claude --event Stop", "hooks run"]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
