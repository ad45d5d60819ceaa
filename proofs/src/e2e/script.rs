//! The script of the model: one tool call after the other.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::Speech;

/// A tool call.
#[derive(Clone, Debug)]
pub(super) enum Call {
    /// A shell command.
    Shell(String),
    /// A new file in the project, with this text.
    Write(&'static str, &'static str),
    /// A tool of the client, with its arguments. `{agent}` stands for the subagent that started last, the text
    /// `{session}` for the number of the command that still runs, and `{output}` for the file that it writes.
    Other(&'static str, Value),
}

/// The calls of a conversation whose first text has this mark.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Text in the message that starts the conversation, or a further turn of it.
    pub(super) mark: &'static str,
    /// The calls, in order.
    pub(super) calls: Vec<Call>,
}

/// The calls of a session, in order. A call is made once all calls before it have results.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    /// The calls.
    pub(super) calls: Vec<Call>,
    /// Time that each answer takes.
    pub(super) thinking: Duration,
    /// Calls of several conversations, in place of `calls`. With plans, each answer states another usage.
    pub(super) plans: Vec<Plan>,
    /// Changes outside of the client, between the calls.
    pub(super) between: Option<Between>,
}

/// Runs once for each call, with its number, after the results of the calls before it.
#[derive(Clone)]
pub(super) struct Between(Arc<dyn Fn(usize) + Send + Sync>);

impl Between {
    pub(super) fn new(run: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(run))
    }

    /// Runs what happens before a call.
    pub(super) fn before(&self, call: usize) {
        (self.0)(call);
    }
}

impl fmt::Debug for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Between")
    }
}

/// A call in the form of a client.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Name of the tool.
    pub(super) tool: &'static str,
    /// Arguments of the call; a text for a tool that takes one.
    pub(super) arguments: Value,
}

impl Call {
    /// Converts the call to the form of the client with this protocol, in a project.
    pub(super) fn wanted(&self, speech: Speech, work: &Path) -> Wanted {
        let described = |command: &str| json!({"command": command, "description": "a step"});
        let (tool, arguments) = match (speech, self) {
            (_, Self::Other(tool, arguments)) => (*tool, arguments.clone()),
            (Speech::AnthropicMessages, Self::Shell(command)) => ("Bash", described(command)),
            (Speech::AnthropicMessages, Self::Write(path, text)) => {
                ("Write", json!({"file_path": work.join(path), "content": text}))
            }
            (Speech::OpenAiResponses, Self::Shell(command)) => ("exec_command", json!({"cmd": command})),
            (Speech::OpenAiResponses, Self::Write(path, text)) => {
                let patch = format!("*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n");
                ("apply_patch", patch.into())
            }
            (Speech::GeminiGenerate | Speech::QwenChat, Self::Shell(command)) => {
                ("run_shell_command", described(command))
            }
            (Speech::GeminiGenerate | Speech::QwenChat, Self::Write(path, text)) => {
                ("write_file", json!({"file_path": work.join(path), "content": text}))
            }
            (Speech::OpenAiChat | Speech::OpenCodeChat, Self::Shell(command)) => ("bash", described(command)),
            (Speech::OpenAiChat, Self::Write(path, text)) => {
                ("create", json!({"path": work.join(path), "file_text": text}))
            }
            (Speech::OpenCodeChat, Self::Write(path, text)) => {
                ("write", json!({"filePath": work.join(path), "content": text}))
            }
        };
        Wanted { tool, arguments }
    }
}
