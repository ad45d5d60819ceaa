//! The installed version of a client, and whether its behaviour was recorded.

use std::io;
use std::time::Duration;

use hooks_protocols::Client;

use super::process;
use super::{Finding, State};

/// Maximum time for a client to print its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks the version.
pub(super) fn check(client: Client) -> Finding {
    let Some(program) = program(client) else {
        return Finding::new(State::Absent, "its version cannot be asked for");
    };
    let output = match process::run(program, &["--version"], b"", PATIENCE) {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Finding::new(State::Absent, format!("there is no `{program}` on the path"));
        }
        Err(error) => {
            let what = format!("`{program} --version` gives no answer: {error}");
            return Finding::doubtful(what, "see whether it starts at all");
        }
    };
    let Some(version) = first_version(&output.stdout) else {
        return Finding::doubtful(
            format!("`{program} --version` names none"),
            "see whether it starts at all",
        );
    };
    match client.tested() {
        Some(tested) if tested == version => Finding::good(format!("version {version}, as tested")),
        Some(tested) => Finding::doubtful(
            format!("version {version}; {tested} was tested"),
            "if the line above shows that a denial denies, that holds; the client may treat it differently now",
        ),
        None => Finding::doubtful(
            format!("version {version}; what we know of it is from its documentation"),
            "try a denial yourself",
        ),
    }
}

/// Name of the client's program on the path.
const fn program(client: Client) -> Option<&'static str> {
    match client {
        Client::Claude => Some("claude"),
        Client::Codex => Some("codex"),
        Client::Gemini => Some("gemini"),
        Client::Copilot => Some("copilot"),
        Client::VsCode => Some("code"),
        Client::Cursor => Some("cursor"),
        Client::OpenCode => Some("opencode"),
        Client::DockerAgent | Client::DockerAgentJuly => Some("docker-agent"),
        Client::Qwen => Some("qwen"),
        Client::Kimi => Some("kimi"),
        Client::Windsurf => Some("windsurf"),
        Client::Goose => Some("goose"),
        Client::Droid => Some("droid"),
        _ => None,
    }
}

/// The first word that consists of numbers separated by dots.
fn first_version(text: &str) -> Option<&str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
        .map(|word| word.trim_start_matches('v').trim_end_matches('.'))
        .find(|word| {
            word.contains('.') && word.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_as_clients_write_them() {
        for (text, version) in [
            ("2.1.330 (Claude Code)\n", Some("2.1.330")),
            ("codex-cli 0.169.0\n", Some("0.169.0")),
            ("0.61.0\n", Some("0.61.0")),
            ("GitHub Copilot CLI 1.0.102.\nRun `copilot update`\n", Some("1.0.102")),
            ("v1.2.3-nightly\n", Some("1.2.3-nightly")),
            ("no idea", None),
        ] {
            assert_eq!(first_version(text), version, "{text}");
        }
    }
}
