//! Commands of a call.

use std::rc::Rc;
use std::sync::Arc;

use hooks_core::{HookContext, Platform};

use crate::commands::{AccessKind, Analysis, Options};
use crate::tools::{
    Command, CommandArgument, ToolKind, WorkingFolder, commands_anywhere, commands_of, unlisted_commands,
};

use super::arguments::is_one_of;
use super::call::Call;
use super::places::is_sink;
use super::session_files::CallFiles;

/// Commands of a call, analysed.
///
/// ```
/// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
/// use hooks_facts::calls::CallReader;
/// use serde_json::json;
///
/// let reader = CallReader::default();
/// let parsed = |args| {
///     let request = HookRequest::new(HookContext::default(), PreToolUse::new("bash", args));
///     reader.read(&request).commands().clone()
/// };
/// assert_eq!(parsed(json!({"command": ["git", "push", "--force"]})).found[0].text, "git push --force");
/// assert_eq!(parsed(json!({"command": 7})).unusable, ["/command"]);
/// assert!(parsed(json!({})).is_missing);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedCommands {
    /// Every command.
    pub found: Vec<ParsedCommand>,
    /// JSON pointers to command arguments that are present but cannot be read.
    pub unusable: Vec<String>,
    /// Whether the tool runs commands but the call has none.
    pub is_missing: bool,
}

/// One command of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCommand {
    /// JSON pointer to the command.
    pub pointer: String,
    /// Text of the command; the words of a list are joined by spaces.
    pub text: String,
    /// Analysis of the programs that the command would start.
    pub analysis: Analysis,
}

/// Arguments of an unknown tool that are treated as commands; its other arguments are not.
const PLAIN_KEYS: &[&str] = &["command", "cmd", "commands", "script", "shell"];

/// The commands of a tool that runs none.
pub(super) static NO_COMMANDS: ParsedCommands =
    ParsedCommands { found: Vec::new(), unusable: Vec::new(), is_missing: false };

impl ParsedCommands {
    pub(super) fn parse(call: Call<'_>) -> Self {
        Self::parse_in(call, call.request().context())
    }

    /// Analyses the commands as if the call had another context.
    pub(super) fn parse_in(call: Call<'_>, context: &Arc<HookContext>) -> Self {
        let kind = call.kind();
        if !kind.may_have_commands() {
            return Self::default();
        }
        let mut arguments = commands_of(call.arguments());
        if !kind.runs_commands() {
            arguments.unusable.clear();
            // The task of an agent is a text for it, whatever the name of the tool.
            let is_agent = kind == ToolKind::SpawnAgent;
            arguments.found.retain(|argument| !is_agent && is_plain(&argument.pointer));
            let name = if is_agent { "" } else { &call.request().event().tool_name };
            let unlisted = unlisted_commands(name, call.arguments());
            arguments.found.extend(unlisted.found);
            arguments.unusable.extend(unlisted.unusable);
        } else if arguments.is_missing() {
            arguments = commands_anywhere(call.arguments());
        }
        let is_missing = kind.runs_commands() && arguments.is_missing();
        let is_code_mode = kind.runs_commands() && is_code_mode(&call.request().event().tool_name);
        let ignores_case = context.environment.platform != Platform::Posix;
        let has_open_input = context.environment.has_open_input;
        let options = Options { ignores_case, windows: kind == ToolKind::WindowsShell, has_open_input };
        if is_code_mode {
            let pointer = String::new();
            let text = call.arguments().to_string();
            let analysis = Analysis::of_text("eval \"$CODE\"", &options);
            let found = vec![ParsedCommand { pointer, text, analysis }];
            return Self { found, unusable: Vec::new(), is_missing: false };
        }
        // If an argument sets another folder, `$PWD` is that folder, which is not known here.
        let folder =
            (!WorkingFolder::of_command_tool(call.arguments()).is_given()).then(|| context.cwd.to_str());
        let folder = folder.flatten().filter(|folder| !folder.is_empty());
        let session = CallFiles::for_call(call, context);
        let is_cmd = options.windows && is_one_of(&call.request().event().tool_name, &["cmd"]);
        let found =
            arguments.found.into_iter().map(|argument| if is_cmd { by_cmd(argument) } else { argument });
        let found = found.map(|argument| match &session {
            Some(session) => ParsedCommand::following(argument, Rc::clone(session), &options),
            None => ParsedCommand::new(argument, folder, &options),
        });
        Self { found: found.collect(), unusable: arguments.unusable, is_missing }
    }

    /// Returns whether a part of the commands cannot be known before they run.
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::calls::CallReader;
    /// use serde_json::json;
    ///
    /// let has_unknown = |command: &str| {
    ///     let call = PreToolUse::new("Bash", json!({ "command": command }));
    ///     let request = HookRequest::new(HookContext::default(), call);
    ///     CallReader::default().read(&request).commands().has_unknown()
    /// };
    /// assert!(has_unknown("$TOOL --version"));
    /// assert!(!has_unknown("cargo --version"));
    /// ```
    pub fn has_unknown(&self) -> bool {
        !self.unusable.is_empty() || self.found.iter().any(|command| !command.analysis.unresolved.is_empty())
    }

    /// Returns whether a redirection writes to a file, or to a host (`> /dev/tcp/…`).
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::calls::CallReader;
    /// use serde_json::json;
    ///
    /// let redirect = |command: &str| {
    ///     let call = PreToolUse::new("bash", json!({ "command": command }));
    ///     CallReader::default().read(&HookRequest::new(HookContext::default(), call)).commands().redirect()
    /// };
    /// assert!(redirect("ls > names.txt"));
    /// assert!(!redirect("ls 2> /dev/null"));
    /// ```
    pub fn redirect(&self) -> bool {
        let mut writes = self.found.iter().flat_map(|command| command.analysis.writes());
        writes
            .any(|write| write.kind == AccessKind::Redirected && !write.target.literal().is_some_and(is_sink))
    }

    /// Returns the names of the programs that the commands start, in lower case.
    pub fn program_names(&self) -> impl Iterator<Item = String> {
        self.found.iter().flat_map(|command| command.analysis.program_names())
    }
}

impl ParsedCommand {
    /// Analyses a command with the files that it runs of those which the session wrote.
    fn following(argument: CommandArgument, session: Rc<CallFiles>, options: &Options) -> Self {
        let folder = session.folder().to_owned();
        let folder = Some(folder.as_str()).filter(|folder| !folder.is_empty());
        let (text, analysis) = match argument.command {
            Command::Text(text) => {
                let analysis = Analysis::of_text_with(&text, folder, session, options);
                (text, analysis)
            }
            Command::Words(words) => {
                (words.join(" "), Analysis::of_words_with(&words, folder, session, options))
            }
        };
        Self { pointer: argument.pointer, text, analysis }
    }

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

/// Returns the command with which cmd runs a text.
fn by_cmd(argument: CommandArgument) -> CommandArgument {
    match argument.command {
        Command::Text(text) => {
            let words = vec!["cmd".to_owned(), "/c".to_owned(), text];
            CommandArgument { command: Command::Words(words), ..argument }
        }
        Command::Words(_) => argument,
    }
}

/// Returns whether a tool that runs commands is the code mode of goose. Its code calls other tools, for which no hook runs.
fn is_code_mode(name: &str) -> bool {
    let server = name.rsplit_once("__").map(|(before, _)| before.rsplit("__").next().unwrap_or(before));
    server.is_some_and(|server| is_one_of(server, &["codeexecution"]))
}

fn is_plain(pointer: &str) -> bool {
    pointer
        .rsplit('/')
        .find(|key| key.parse::<usize>().is_err())
        .is_some_and(|key| is_one_of(key, PLAIN_KEYS))
}
