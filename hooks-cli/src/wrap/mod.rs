//! Shell calls of agent clients under `hooks exec` (`sandbox: { calls: wrapped }`).
//!
//! Claude Code starts the program that `CLAUDE_CODE_SHELL` names in place of the user's shell, after its own permissions were
//! checked. `hooks init claude` writes a file for that, which calls `hooks exec --shell`. Codex CLI, Gemini CLI and Copilot CLI take a changed
//! command: a line that calls `hooks exec --call`, and the original below it.
//!
//! | step | module |
//! | --- | --- |
//! | the file that Claude Code starts, and whether it is whole | [`shell_file`] |
//! | the work of that file: find the rules, run the command in the sandbox | [`shell`] |
//! | the folder that a command ends in, in which the next one starts | [`ending_folder`] |
//! | whether a running client has that shell | [`started`] |
//! | the reason to deny a call that would run outside of the sandbox | [`refusal`] |
//! | the changed command of other clients, and its way back | [`carrier`] |
//! | the commands that may run so, once | [`call_record`] |

mod call_record;
pub(crate) mod carrier;
mod ending_folder;
pub(crate) mod refusal;
pub(crate) mod shell;
pub(crate) mod shell_file;
mod started;

use hooks::config::Config;
use hooks::sandbox::ShellCalls;

/// Whether the shell calls of clients run in the sandbox by these rules.
pub(crate) fn is_wanted(config: &Config) -> bool {
    config.sandbox().calls == ShellCalls::Wrapped
}

/// Whether a tool is one of the client itself. Those of MCP servers, which stand behind a separator, run their commands elsewhere.
pub(crate) fn is_of_client(tool: &str) -> bool {
    !tool.starts_with("mcp") && !tool.contains("__") && !tool.contains(['-', '/', ':', '.'])
}
