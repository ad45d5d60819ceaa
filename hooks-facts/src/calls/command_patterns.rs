//! Command patterns of a rule, compared with the commands of a call.

use hooks_core::PolicyErrors;

use super::commands::ParsedCommands;
use crate::commands::BlockedPattern;

/// Comparison of command patterns with the commands of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandMatch {
    /// The call runs none of the commands.
    Other,
    /// The call runs one of them.
    Same,
    /// The commands of the call cannot be known before it runs.
    Unknown,
}

impl CommandMatch {
    /// Compares `patterns` with the commands of a call that may run other commands as well.
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::calls::{CallReader, CommandMatch};
    /// use hooks_facts::commands::BlockedPattern;
    /// use serde_json::json;
    ///
    /// let reader = CallReader::default();
    /// let test = [BlockedPattern::parse("cargo test").expect("it names a program")];
    /// let compared = |command: &str| {
    ///     let call = PreToolUse::new("bash", json!({ "command": command }));
    ///     let request = HookRequest::new(HookContext::default(), call);
    ///     let commands = reader.read(&request).commands();
    ///     (CommandMatch::any(&test, commands), CommandMatch::only(&test, commands))
    /// };
    /// assert_eq!(compared("cargo test"), (CommandMatch::Same, CommandMatch::Same));
    /// assert_eq!(compared("cargo test || true"), (CommandMatch::Same, CommandMatch::Other));
    /// assert_eq!(compared("$TOOL test"), (CommandMatch::Unknown, CommandMatch::Unknown));
    /// ```
    pub fn any(patterns: &[BlockedPattern], commands: &ParsedCommands) -> Self {
        let is_same = commands.found.iter().any(|command| command.analysis.find(patterns).is_some());
        match (is_same, commands.has_unknown()) {
            (true, _) => Self::Same,
            (false, true) => Self::Unknown,
            (false, false) => Self::Other,
        }
    }

    /// Compares `patterns` with the commands of a call that must run no other command, nor another program of the same name
    /// ([`Analysis::runs_only`](crate::commands::Analysis::runs_only)).
    pub fn only(patterns: &[BlockedPattern], commands: &ParsedCommands) -> Self {
        let is_same = !commands.found.is_empty()
            && commands.found.iter().all(|command| command.analysis.runs_only(patterns));
        match (is_same, commands.has_unknown()) {
            (_, true) => Self::Unknown,
            (true, false) => Self::Same,
            (false, false) => Self::Other,
        }
    }
}

/// Compiles command patterns; each that cannot be used is reported as an item of `field`.
///
/// ```
/// use hooks_core::PolicyErrors;
/// use hooks_facts::calls::command_patterns;
///
/// let mut errors = PolicyErrors::default();
/// let patterns = command_patterns(&["git push".to_owned(), "| sh".to_owned()], "commands", &mut errors);
/// assert_eq!(patterns.len(), 1);
/// assert_eq!(errors.as_slice()[0].field, "commands[1]");
/// ```
pub fn command_patterns(texts: &[String], field: &str, errors: &mut PolicyErrors) -> Vec<BlockedPattern> {
    let mut compiled = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let field = format!("{field}[{index}]");
        if is_fragment_of_pattern(text) {
            let problem =
                format!("`{text}` is a piece of a command, not a program with operands and options");
            errors.push(field, problem, "write it into `command_guard.fragments`, or name the program");
            continue;
        }
        match BlockedPattern::parse(text) {
            Ok(pattern) => compiled.push(pattern),
            Err(error) => errors.push_text(field, &error.to_string(), "name the program"),
        }
    }
    compiled
}

/// Returns whether [`command_patterns`] certainly compiles a text. It is fast, so that a pattern can be compiled later.
///
/// ```
/// use hooks_facts::calls::is_command_pattern;
///
/// assert!(is_command_pattern("sudo => docker volume rm"));
/// assert!(!is_command_pattern("| sh") && !is_command_pattern("--force"));
/// ```
pub fn is_command_pattern(text: &str) -> bool {
    !is_fragment_of_pattern(text) && BlockedPattern::is_certain(text)
}

/// A `*` and an arrow are parts of a pattern.
fn is_fragment_of_pattern(text: &str) -> bool {
    is_fragment(&text.replace('*', "").replace(" => ", " "))
}

/// Returns whether a text has characters that no program, operand or option contains, so that it can only be
/// meant literally.
///
/// ```
/// use hooks_facts::calls::is_fragment;
///
/// assert!(is_fragment("| sh") && is_fragment("> /dev/sda"));
/// assert!(!is_fragment("git push --force"));
/// ```
pub fn is_fragment(text: &str) -> bool {
    text.trim().is_empty()
        || text.contains(['|', '&', ';', '<', '>', '(', ')', '*', '`', '$', '\'', '"', '\n'])
}
