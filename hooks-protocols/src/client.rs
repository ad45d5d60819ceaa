//! The agent clients.

use std::fmt;
use std::str::FromStr;

use hooks_facts::tools::Dialect;

use crate::clients;
use crate::table::Protocol;

/// A client that calls hooks, with its own protocol.
///
/// ```
/// use hooks_protocols::Client;
///
/// assert_eq!("claude".parse(), Ok(Client::Claude));
/// assert!(Client::Claude.events().any(|event| event == "PreToolUse"));
/// let error = "emacs".parse::<Client>().unwrap_err().to_string();
/// assert!(error.starts_with("unknown client `emacs`; expected one of `claude`"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Client {
    /// Claude Code.
    Claude,
    /// OpenAI Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// GitHub Copilot CLI. The spelling of the event in its settings (`preToolUse` or `PreToolUse`)
    /// determines the spelling of the payload; both are this client.
    Copilot,
    /// GitHub Copilot SDK, which calls the host back over JSON-RPC.
    CopilotSdk,
    /// VS Code's own agent hooks.
    VsCode,
    /// Cursor.
    Cursor,
    /// docker-agent since September 2026.
    DockerAgent,
    /// docker-agent of July 2026, profile `2026-07`.
    DockerAgentJuly,
    /// Squad: its hook pipeline and its session hooks.
    Squad,
    /// OpenCode, by a plugin of ours.
    OpenCode,
    /// Qwen Code.
    Qwen,
    /// Kimi CLI.
    Kimi,
    /// Windsurf.
    Windsurf,
    /// goose.
    Goose,
    /// Factory Droid.
    Droid,
}

impl Client {
    /// All clients.
    pub const ALL: &'static [Self] = &[
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Copilot,
        Self::CopilotSdk,
        Self::VsCode,
        Self::Cursor,
        Self::DockerAgent,
        Self::DockerAgentJuly,
        Self::Squad,
        Self::OpenCode,
        Self::Qwen,
        Self::Kimi,
        Self::Windsurf,
        Self::Goose,
        Self::Droid,
    ];

    /// Name of the client on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::CopilotSdk => "copilot-sdk",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::DockerAgent => "docker-agent",
            Self::DockerAgentJuly => "docker-agent-2026-07",
            Self::Squad => "squad",
            Self::OpenCode => "opencode",
            Self::Qwen => "qwen",
            Self::Kimi => "kimi",
            Self::Windsurf => "windsurf",
            Self::Goose => "goose",
            Self::Droid => "droid",
        }
    }

    /// Display name of the client.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex CLI",
            Self::Gemini => "Gemini CLI",
            Self::Copilot => "Copilot CLI",
            Self::CopilotSdk => "Copilot SDK",
            Self::VsCode => "VS Code",
            Self::Cursor => "Cursor",
            Self::DockerAgent => "docker-agent",
            Self::DockerAgentJuly => "docker-agent (2026-07)",
            Self::Squad => "Squad",
            Self::OpenCode => "OpenCode",
            Self::Qwen => "Qwen Code",
            Self::Kimi => "Kimi CLI",
            Self::Windsurf => "Windsurf",
            Self::Goose => "goose",
            Self::Droid => "Factory Droid",
        }
    }

    /// The version whose behaviour was recorded; `None` if only the vendor's documentation is known.
    pub const fn tested(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("2.1.330"),
            Self::Codex => Some("0.169.0"),
            Self::Gemini => Some("0.61.0"),
            Self::Copilot => Some("1.0.102"),
            Self::OpenCode => Some("1.18.33"),
            Self::Qwen => Some("0.24.4"),
            _ => None,
        }
    }

    /// Whether the agent can write to the standard input of a command that still runs, by a call that fires no event:
    /// `write_stdin` of Codex CLI.
    ///
    /// ```
    /// use hooks_protocols::Client;
    ///
    /// assert!(Client::Codex.keeps_input_open());
    /// assert!(!Client::Claude.keeps_input_open());
    /// ```
    pub const fn keeps_input_open(self) -> bool {
        matches!(self, Self::Codex)
    }

    /// The client's names of events, in the order in which they occur in a session.
    ///
    /// ```
    /// use hooks_protocols::Client;
    ///
    /// let events: Vec<&str> = Client::Claude.events().collect();
    /// let place = |name| events.iter().position(|event| *event == name);
    /// assert!(place("SessionStart") < place("PreToolUse") && place("PreToolUse") < place("SessionEnd"));
    /// ```
    pub fn events(self) -> impl Iterator<Item = &'static str> {
        self.protocol().rows.iter().map(|row| row.name)
    }

    /// The names that the client uses for tools and arguments at an event that is spelled like `event`.
    ///
    /// ```
    /// use hooks_protocols::{Client, Dialect};
    ///
    /// // The spelling of the event tells which names Copilot uses.
    /// assert_eq!(Client::Copilot.dialect("preToolUse"), Dialect::Copilot);
    /// assert_eq!(Client::Copilot.dialect("PreToolUse"), Dialect::CopilotPascal);
    /// ```
    pub fn dialect(self, event: &str) -> Dialect {
        match self {
            Self::Claude => Dialect::Claude,
            Self::Codex => Dialect::Codex,
            Self::Gemini => Dialect::Gemini,
            // With PascalCase settings, Copilot still sends permission requests in camelCase.
            Self::Copilot
                if event.starts_with(|c: char| c.is_ascii_uppercase()) && event != "PermissionRequest" =>
            {
                Dialect::CopilotPascal
            }
            Self::Copilot | Self::CopilotSdk | Self::Squad => Dialect::Copilot,
            Self::VsCode => Dialect::VsCode,
            Self::Cursor => Dialect::Cursor,
            Self::DockerAgent | Self::DockerAgentJuly => Dialect::DockerAgent,
            Self::OpenCode => Dialect::OpenCode,
            Self::Qwen => Dialect::Qwen,
            Self::Kimi => Dialect::Kimi,
            Self::Windsurf => Dialect::Windsurf,
            Self::Goose => Dialect::Goose,
            Self::Droid => Dialect::Droid,
        }
    }

    pub(crate) fn protocol(self) -> &'static Protocol {
        match self {
            Self::Claude => &clients::claude::PROTOCOL,
            Self::Codex => &clients::codex::PROTOCOL,
            Self::Gemini => &clients::gemini::PROTOCOL,
            Self::Copilot => &clients::copilot::PROTOCOL,
            Self::CopilotSdk => &clients::copilot_sdk::PROTOCOL,
            Self::VsCode => &clients::vscode::PROTOCOL,
            Self::Cursor => &clients::cursor::PROTOCOL,
            Self::DockerAgent => &clients::docker_agent::PROTOCOL,
            Self::DockerAgentJuly => &clients::docker_agent::JULY,
            Self::Squad => &clients::squad::PROTOCOL,
            Self::OpenCode => &clients::opencode::PROTOCOL,
            Self::Qwen => &clients::qwen::PROTOCOL,
            Self::Kimi => &clients::kimi::PROTOCOL,
            Self::Windsurf => &clients::windsurf::PROTOCOL,
            Self::Goose => &clients::goose::PROTOCOL,
            Self::Droid => &clients::droid::PROTOCOL,
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

impl FromStr for Client {
    type Err = UnknownClient;

    /// Parses a name as [`Client::name`] gives it, or another usual name of a client, such as those in
    /// recordings.
    fn from_str(name: &str) -> Result<Self, UnknownClient> {
        if let Some(client) = Self::ALL.iter().find(|client| client.name() == name) {
            return Ok(*client);
        }
        Ok(match name {
            "claude-code" => Self::Claude,
            "codex-cli" => Self::Codex,
            "gemini-cli" => Self::Gemini,
            "copilot-cli" | "copilot-vscode" | "copilot-pascal" => Self::Copilot,
            "vs-code" => Self::VsCode,
            "qwen-code" => Self::Qwen,
            "kimi-cli" => Self::Kimi,
            "factory-droid" => Self::Droid,
            "docker-agent-2026-09" | "cagent" => Self::DockerAgent,
            _ => return Err(UnknownClient(name.to_owned())),
        })
    }
}

/// The name is not the name of a client.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown client `{0}`; expected one of {list}", list = names())]
pub struct UnknownClient(String);

fn names() -> String {
    Client::ALL.iter().map(|client| format!("`{}`", client.name())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for client in Client::ALL {
            assert_eq!(client.name().parse(), Ok(*client));
        }
        assert_eq!("copilot-vscode".parse(), Ok(Client::Copilot));
        let error = "emacs".parse::<Client>().unwrap_err().to_string();
        assert!(error.starts_with("unknown client `emacs`; expected one of `claude`"), "{error}");
    }
}
