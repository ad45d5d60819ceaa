//! Files that a call may read.
//!
//! A tool for files may read each file that it names. A command may read each file that one of its words names: programs
//! that only print their words are no exception. A program or tool that walks folders, or moves them, may read everything
//! below the folders that it names.

use super::arguments::is_one_of;
use super::call::Call;
use super::commands::ParsedCommand;
use super::path_patterns::PathPatterns;
use super::places::{NamedPath, is_nameless};
use crate::commands::{Argument, Invocation};
use crate::tools::{PathRole, ToolKind};

/// Tools that read everything below a folder.
const TOOLS: &[&str] = table!("tree_readers_tool");

/// Programs that read everything below a folder.
const PROGRAMS: &[&str] = table!("tree_readers_program");

/// Programs that read everything below a folder with an option such as `-r`.
const WITH_OPTION: &[&str] = table!("tree_readers_recursive");

/// Most words of a call that are looked at; with more, the files that it reads count as unknown.
const MAX_WORDS: usize = 1_024;

/// Files that a call may read.
///
/// ```
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest, PolicyErrors, event::PreToolUse};
/// use hooks_facts::calls::{CallReader, PathPatterns};
/// use serde_json::json;
///
/// let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
/// let secrets = PathPatterns::compile(&["secrets/**".to_owned()], "reads", &reader, &mut errors);
/// let (environment, ..) = world(FakeFileSystem::default());
/// let reads = |tool: &str, args| {
///     let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment.clone());
///     let request = HookRequest::new(context, PreToolUse::new(tool, args));
///     let call = reader.read(&request);
///     call.reads().may_match(&secrets, call)
/// };
/// assert!(reads("view", json!({"path": "secrets/key"})));
/// assert!(reads("bash", json!({"command": "cd secrets && base64 < key"})));
/// assert!(reads("bash", json!({"command": "grep -r token ."})));
/// assert!(!reads("bash", json!({"command": "ls ."})));
/// ```
#[derive(Debug, Default)]
pub struct NamedReads {
    /// Files of the commands. Those of a tool for files are the places of the call.
    words: Vec<Read>,
    /// Whether the tool reads everything below its folders.
    is_tree: bool,
    /// Whether a part of the call cannot be known before it runs.
    is_unknown: bool,
}

#[derive(Debug)]
struct Read {
    place: NamedPath,
    /// Whether everything below is read too.
    is_tree: bool,
}

impl NamedReads {
    pub(super) fn from_call(call: Call<'_>) -> Self {
        let tool = &call.request().event().tool_name;
        let name = tool.rsplit("__").next().unwrap_or(tool);
        let is_tree = call.kind() == ToolKind::Read && is_one_of(name, TOOLS);
        let mut reads = Self { is_tree, ..Self::default() };
        let places = call.places();
        if !call.kind().runs_commands() {
            reads.is_unknown = !places.unusable.is_empty() || !places.unknown.is_empty();
            if is_tree && places.is_missing {
                reads.enter(call, "", &Argument::Literal(".".to_owned()), true);
            }
        }
        let commands = call.commands();
        reads.is_unknown |= !commands.unusable.is_empty();
        for command in &commands.found {
            reads.enter_command(call, command);
        }
        reads
    }

    /// Returns whether the call may read a file that `patterns` match.
    pub fn may_match(&self, patterns: &PathPatterns, call: Call<'_>) -> bool {
        let is_match = |place: &NamedPath, is_tree: bool| match is_tree && !place.is_file(call) {
            true => patterns.may_match_below(call, place),
            false => patterns.may_match_path(call, place),
        };
        let is_of_tool = || {
            let places = &call.places().found;
            !call.kind().runs_commands() && places.iter().any(|place| is_match(place, self.is_tree))
        };
        self.is_unknown || self.words.iter().any(|read| is_match(&read.place, read.is_tree)) || is_of_tool()
    }

    fn enter_command(&mut self, call: Call<'_>, command: &ParsedCommand) {
        let (analysis, pointer) = (&command.analysis, command.pointer.as_str());
        self.is_unknown |= !analysis.unresolved.is_empty();
        for invocation in &analysis.invocations {
            let program = analysis.program_name(invocation).unwrap_or_default();
            let words = invocation.argv.get(1..).unwrap_or_default();
            let is_tree = walks(&program, invocation);
            for word in words.iter().flat_map(parts) {
                for name in analysis.names(invocation, &word) {
                    self.enter(call, pointer, &name, is_tree);
                }
            }
            let operands = words.iter().filter(|word| !word.prefix().starts_with('-')).count();
            if is_tree && operands < 2 {
                for name in analysis.names(invocation, &Argument::Literal(".".to_owned())) {
                    self.enter(call, pointer, &name, true);
                }
            }
        }
        for input in analysis.inputs() {
            self.enter(call, pointer, input, false);
        }
        for program in analysis.programs() {
            let names = program.text.split(|c: char| c.is_whitespace() || "\"'`()[]{},;=".contains(c));
            for name in names.filter(|name| !name.is_empty()) {
                for name in analysis.names_in_program(program, &Argument::Literal(name.to_owned())) {
                    self.enter(call, pointer, &name, false);
                }
            }
        }
    }

    fn enter(&mut self, call: Call<'_>, pointer: &str, name: &Argument, is_tree: bool) {
        let outline = name.outline();
        let is_partial = name.literal().is_none();
        if outline.is_empty() || self.is_unknown || is_partial && is_nameless(&outline) {
            return;
        }
        if self.words.len() >= MAX_WORDS {
            self.is_unknown = true;
            return;
        }
        let place = NamedPath::named(call, pointer, outline, PathRole::Read, is_partial);
        self.words.push(Read { place, is_tree });
    }
}

/// Returns whether a program reads everything below the folders that it names.
fn walks(program: &str, invocation: &Invocation) -> bool {
    let is_recursive = |word: &Argument| {
        let word = word.prefix();
        let is_short = word.starts_with('-') && !word.starts_with("--") && word.contains(['r', 'R', 'a']);
        is_short || word.starts_with("--recursive") || word.starts_with("--archive")
    };
    let words = invocation.argv.get(1..).unwrap_or_default();
    let is_search = program == "git" && words.iter().any(|word| word.literal() == Some("grep"));
    PROGRAMS.contains(&program)
        || is_search
        || WITH_OPTION.contains(&program) && words.iter().any(is_recursive)
}

/// Returns the names that one word may hold: itself, and a part of it (`--data=@file`, `-Tfile`, `HEAD:file`).
fn parts(word: &Argument) -> Vec<Argument> {
    let outline = word.outline();
    let mut names = vec![outline.as_str()];
    if let Some((_, value)) = outline.split_once('=') {
        names.push(value);
    }
    let letters = outline.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    if let Some(value) =
        letters.and_then(|rest| rest.char_indices().nth(1).and_then(|(at, _)| rest.get(at..)))
    {
        names.push(value);
    }
    // `curl -d @file`, `git show HEAD:file`, `file:///folder/file`.
    for sign in ['@', ':'] {
        let files: Vec<_> = names.iter().filter_map(|name| name.rsplit_once(sign)).collect();
        names.extend(files.into_iter().map(|(_, file)| file));
    }
    let names = names.into_iter().filter(|name| !name.is_empty());
    names.map(Argument::of_outline).collect()
}
