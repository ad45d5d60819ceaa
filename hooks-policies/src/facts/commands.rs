//! The commands of a call.

use hooks_core::Platform;
use hooks_facts::commands::{Analysis, Options};
use hooks_facts::tools::{Command, CommandArgument, ToolKind, WorkingFolder, commands_of};

use super::arguments::is_one_of;
use super::call::Call;

/// The commands of a call, analysed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedCommands {
    /// Every command.
    pub found: Vec<ParsedCommand>,
    /// Pointers of command arguments that are there and cannot be read.
    pub unusable: Vec<String>,
    /// Whether the tool runs commands and is given none.
    pub is_missing: bool,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCommand {
    /// Where it stands, as a JSON pointer.
    pub pointer: String,
    /// Its text; the words of a list are joined by spaces.
    pub text: String,
    /// What it would start.
    pub analysis: Analysis,
}

/// Of a tool that nobody knows, only what these arguments hold is taken for a command.
const PLAIN_KEYS: &[&str] = &["command", "cmd", "commands", "script", "shell"];

impl ParsedCommands {
    pub(super) fn of(call: Call<'_>) -> Self {
        let kind = call.kind();
        if !kind.runs_commands() && kind != ToolKind::Unknown {
            return Self::default();
        }
        let mut arguments = commands_of(call.arguments());
        if kind == ToolKind::Unknown {
            arguments.unusable.clear();
            arguments.found.retain(|argument| is_plain(&argument.pointer));
        }
        let is_missing = kind.runs_commands() && arguments.is_missing();
        let ignores_case = call.request().context().environment.platform != Platform::Posix;
        let options = Options { ignores_case, windows: kind == ToolKind::WindowsShell };
        // An argument that names another folder makes `$PWD` that one; then it is not known here.
        let folder = (!WorkingFolder::of_command_tool(call.arguments()).is_given())
            .then(|| call.request().context().cwd.to_str());
        let folder = folder.flatten().filter(|folder| !folder.is_empty());
        let found =
            arguments.found.into_iter().map(|argument| ParsedCommand::new(argument, folder, &options));
        Self { found: found.collect(), unusable: arguments.unusable, is_missing }
    }
}

impl ParsedCommand {
    fn new(argument: CommandArgument, folder: Option<&str>, options: &Options) -> Self {
        let (text, analysis) = match argument.command {
            Command::Text(text) => {
                let analysis = Analysis::of_text_in(&text, folder, options);
                (text, analysis)
            }
            Command::Words(words) => (words.join(" "), Analysis::of_words(&words, options)),
        };
        Self { pointer: argument.pointer, text, analysis }
    }
}

fn is_plain(pointer: &str) -> bool {
    pointer
        .rsplit('/')
        .find(|key| key.parse::<usize>().is_err())
        .is_some_and(|key| is_one_of(key, PLAIN_KEYS))
}
