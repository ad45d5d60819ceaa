//! Files that a call reads or executes, in one form for tools and commands.
//!
//! A tool for files reads each file that it names, unless it only shows names. Of an unknown tool each text that may be a path
//! may be a file that it reads. The files of a command are the accesses of its analysis. A program that is not known may read
//! the files that its words name, and others: [`NamedReads::unknown`] lists such programs.

use super::arguments::is_one_of;
use super::call::Call;
use super::commands::ParsedCommand;
use super::disk::{self, LeftOut, OnDisk, Wanted};
use super::path_patterns::PathPatterns;
use super::places::NamedPath;
use crate::commands::paths_of_address;
use crate::commands::{Access, AccessKind, UnknownReadsReason};
use crate::tools::{PathRole, ToolKind, WorkingFolder, each_text};

/// Tools that read everything below a folder.
const TREES: &[&str] = table!("tree_readers_tool");

/// Tools that show the names of files, and nothing of their content.
const NAMES: &[&str] = table!("tree_readers_names");

/// Arguments with the names of files that a search looks at.
const FILTERS: &[&str] =
    &["glob", "include", "include_pattern", "includepattern", "file_pattern", "filepattern", "filter"];

/// Most files of a call that are looked at; with more, the files that it reads count as unknown.
const MAX_FILES: usize = 1_024;

/// Files that a call reads or executes.
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
/// assert!(reads("bash", json!({"command": "cat $FILE"}))); // not known before it runs
/// assert!(!reads("bash", json!({"command": "ls ."})));
/// assert!(!reads("bash", json!({"command": "grep secrets/key notes.txt"})));
/// ```
#[derive(Debug, Default)]
pub struct NamedReads {
    /// Files of the commands and of an unknown tool's texts. Those of a tool for files are the places of the call.
    own: Vec<Read>,
    /// Whether the places of the call are read.
    reads_places: bool,
    /// Whether the tool reads everything below its folders.
    is_tree: bool,
    /// Reasons why the call may read more files.
    unknown: Vec<String>,
    /// Whether a part of the call cannot be known before it runs.
    is_unknown: bool,
    /// Whether the call names more files than are looked at.
    is_cut: bool,
}

#[derive(Debug)]
struct Read {
    place: NamedPath,
    kind: AccessKind,
    left_out: Vec<String>,
}

/// File that a call reads or executes.
#[derive(Clone, Copy, Debug)]
pub struct ReadFile<'a> {
    /// The file.
    pub place: &'a NamedPath,
    /// Kind of the access.
    pub kind: AccessKind,
    /// Names that are left out of a folder, as outlines.
    left_out: &'a [String],
}

impl<'a> ReadFile<'a> {
    /// Returns whether everything below the file is read too, if it is a folder.
    pub fn is_tree(&self, call: Call<'_>) -> bool {
        matches!(self.kind, AccessKind::ReadBelow | AccessKind::Searched | AccessKind::Stored)
            && !self.place.is_file(call)
    }

    pub(super) fn left_out(&self) -> LeftOut<'a> {
        LeftOut::by(self.kind, self.left_out)
    }
}

/// The reads of a tool that reads no other files than its places, none of which is unknown, and of one with unknown places.
static OF_PLACES: [NamedReads; 2] = [NamedReads::only_places(false), NamedReads::only_places(true)];

impl NamedReads {
    const fn only_places(is_unknown: bool) -> Self {
        Self {
            own: Vec::new(),
            reads_places: true,
            is_tree: false,
            unknown: Vec::new(),
            is_unknown,
            is_cut: false,
        }
    }

    /// Returns the reads of a call whose tool has neither commands nor texts that name files: only its places count.
    pub(super) fn of_places(call: Call<'_>) -> Option<&'static Self> {
        let kind = call.kind();
        if kind.may_have_commands() || kind == ToolKind::Read {
            return None;
        }
        let places = call.places();
        let [known, unknown] = &OF_PLACES;
        Some(if places.unusable.is_empty() && places.unknown.is_empty() { known } else { unknown })
    }

    pub(super) fn from_call(call: Call<'_>) -> Self {
        let tool = &call.request().event().tool_name;
        let name = tool.rsplit("__").next().unwrap_or(tool);
        let kind = call.kind();
        let is_tree = kind == ToolKind::Read && is_one_of(name, TREES);
        let mut reads = Self { is_tree, ..Self::default() };
        let filters = if is_tree { filters(call) } else { Vec::new() };
        reads.is_tree &= filters.is_empty();
        if !kind.runs_commands() {
            let is_names = matches!(kind, ToolKind::Read | ToolKind::Unknown) && is_one_of(name, NAMES);
            reads.reads_places = !is_names;
            let places = call.places();
            reads.is_unknown = !places.unusable.is_empty() || !places.unknown.is_empty();
            if reads.is_tree && places.is_missing {
                reads.enter(call, "", ".".to_owned(), false, AccessKind::Stored);
            }
            for (pointer, name) in filters {
                reads.enter(call, &pointer, name, true, AccessKind::Read);
            }
            if matches!(kind, ToolKind::Read | ToolKind::Unknown) {
                reads.enter_texts(call, kind == ToolKind::Unknown && !is_names);
            }
        }
        let commands = call.commands();
        reads.is_unknown |= !commands.unusable.is_empty();
        for command in &commands.found {
            reads.enter_command(call, command);
        }
        reads
    }

    /// Returns every file that the call reads or executes, as far as they are named.
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::calls::CallReader;
    /// use serde_json::json;
    ///
    /// let event = PreToolUse::new("bash", json!({"command": "cat notes.txt && ./run.sh"}));
    /// let request = HookRequest::new(HookContext::default(), event);
    /// let call = CallReader::default().read(&request);
    /// let given: Vec<_> = call.reads().each(call).map(|read| read.place.given.clone()).collect();
    /// assert_eq!(given, ["notes.txt"]);
    /// assert_eq!(call.reads().unknown(), ["`run.sh` may read files that its words do not name"]);
    /// ```
    pub fn each<'a>(&'a self, call: Call<'a>) -> impl Iterator<Item = ReadFile<'a>> {
        let places = self.reads_places.then(|| call.places());
        let is_read = move |place: &&NamedPath| match call.kind() {
            ToolKind::Read | ToolKind::CopyFile | ToolKind::Unknown => {
                call.kind() != ToolKind::CopyFile || place.role == PathRole::Read
            }
            ToolKind::MoveFile => matches!(place.role, PathRole::Removed | PathRole::Read),
            _ => matches!(place.role, PathRole::Read | PathRole::LinkTarget),
        };
        // The tools leave out what `.gitignore` lists; some of them look into hidden files.
        // Windsurf reads a folder with all that is in it.
        let is_whole = || is_one_of(&call.request().event().tool_name, &["readcode"]);
        let kind = match self.is_tree {
            true if is_whole() => AccessKind::ReadBelow,
            true => AccessKind::Stored,
            false => AccessKind::Read,
        };
        let of_tool = places.into_iter().flat_map(|places| &places.found).filter(is_read);
        let of_tool = of_tool.map(move |place| ReadFile { place, kind, left_out: &[] });
        let own = |read: &'a Read| ReadFile { place: &read.place, kind: read.kind, left_out: &read.left_out };
        self.own.iter().map(own).chain(of_tool)
    }

    /// Returns the reasons why the call may read files that it does not name.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Returns whether the call names more files than are looked at, so that any file may be among the others.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns whether the call may read or execute a file that `patterns` match: a part that is not known before it runs may.
    pub fn may_match(&self, patterns: &PathPatterns, call: Call<'_>) -> bool {
        self.is_unknown || self.each(call).any(|read| patterns.may_match_read(call, &read))
    }

    /// Returns whether a part of the call cannot be known before it runs, or is not looked at.
    pub(super) const fn is_incomplete(&self) -> bool {
        self.is_unknown || self.is_cut
    }

    /// Enters the texts of a tool that is not known, and of any tool those that are addresses of files, as a browser reads them.
    fn enter_texts(&mut self, call: Call<'_>, are_paths: bool) {
        for text in each_text(call.arguments()) {
            let addressed = paths_of_address(text.whole).into_iter();
            for path in addressed.chain(are_paths.then(|| text.path.to_owned())) {
                self.enter(call, &text.pointer, path, false, AccessKind::Read);
            }
        }
    }

    fn enter_command(&mut self, call: Call<'_>, command: &ParsedCommand) {
        let analysis = &command.analysis;
        self.is_unknown |= !analysis.unresolved.is_empty();
        for unknown in analysis.unknown_reads() {
            let is_listed = unknown.reason == UnknownReadsReason::Listed;
            if is_listed && disk::knows_lists(call, analysis) {
                continue;
            }
            self.is_unknown |= is_listed || unknown.reason == UnknownReadsReason::Name;
            self.is_cut |= unknown.reason == UnknownReadsReason::TooMany;
            self.unknown.push(unknown.to_string());
        }
        let folder = WorkingFolder::of_command_tool(call.arguments());
        for access in analysis.reads() {
            let outline = access.target.outline();
            let moved = folder.of_name(&outline);
            for name in std::iter::once(outline).chain(moved) {
                self.enter_access(call, command, access, name);
            }
        }
    }

    /// Enters a file of a command by one of its names.
    fn enter_access(&mut self, call: Call<'_>, command: &ParsedCommand, access: &Access, name: String) {
        if access.kind == AccessKind::Implied && disk::is_missing(call, &name) {
            return;
        }
        let is_partial = access.target.literal().is_none();
        let before = self.own.len();
        match is_partial.then(|| disk::names(call, &command.analysis, &name, Wanted::Existing)) {
            Some(OnDisk::Names(names)) if !names.is_empty() => {
                for name in names {
                    self.enter(call, &command.pointer, name, false, access.kind);
                }
            }
            Some(OnDisk::TooMany) => (self.is_unknown, self.is_cut) = (true, true),
            _ => self.enter(call, &command.pointer, name, is_partial, access.kind),
        }
        let left_out: Vec<String> = access.left_out.iter().map(crate::commands::Argument::outline).collect();
        for read in self.own.iter_mut().skip(before) {
            read.left_out.clone_from(&left_out);
        }
    }

    fn enter(&mut self, call: Call<'_>, pointer: &str, name: String, is_partial: bool, kind: AccessKind) {
        if self.own.len() >= MAX_FILES {
            (self.is_unknown, self.is_cut) = (true, true);
            return;
        }
        let place = NamedPath::named(call, pointer, name, PathRole::Read, is_partial);
        if place.is_nameless {
            self.is_unknown |= kind != AccessKind::Executed;
            return;
        }
        self.own.push(Read { place, kind, left_out: Vec::new() });
    }
}

/// Returns the names of files that a search is limited to, with their pointers: `Grep` with `glob`.
fn filters(call: Call<'_>) -> Vec<(String, String)> {
    let arguments = call.arguments().as_object().into_iter().flatten();
    let filters = arguments.filter(|(key, _)| is_one_of(key, FILTERS));
    let named = |(key, value): (&String, &serde_json::Value)| {
        Some((format!("/{key}"), crate::commands::found_anywhere(value.as_str()?)))
    };
    filters.filter_map(named).collect()
}
