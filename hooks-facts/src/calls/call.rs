//! One call as one reader sees it, with each part computed once.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::paths::{PathError, ResolvedRoot};
use crate::tools::{ToolKind, UnlistedPaths, WorkingFolder, runs_in_background};
use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest};
use serde_json::Value;

use super::arguments;
use super::commands::{NO_COMMANDS, ParsedCommands};
use super::disk::Looked;
use super::places::NamedPaths;
use super::reader::CallReader;
use super::reads::NamedReads;
use super::root::Root;

/// Facts that all readers computed about one call: an append-only list, nearly always of one item.
#[derive(Default)]
pub struct CallFacts {
    first: OnceLock<Reading>,
}

/// Facts that one reader computed.
pub(super) struct Reading {
    reader: CallReader,
    kind: ToolKind,
    writes: bool,
    /// Files of a tool that no table lists.
    unlisted: Option<Box<UnlistedPaths>>,
    /// The decoded arguments, if the event has them as JSON texts.
    arguments: Option<Value>,
    root: OnceLock<Arc<Root>>,
    places: OnceLock<NamedPaths>,
    commands: OnceLock<ParsedCommands>,
    reads: OnceLock<NamedReads>,
    looked: OnceLock<Looked>,
    next: OnceLock<Box<Reading>>,
}

/// A tool call as a [`CallReader`] sees it.
#[derive(Clone, Copy)]
pub struct Call<'r> {
    request: &'r HookRequest<PreToolUse>,
    reading: &'r Reading,
}

impl CallFacts {
    pub(super) fn read_by<'r>(
        &'r self,
        reader: &CallReader,
        request: &'r HookRequest<PreToolUse>,
    ) -> Call<'r> {
        let new = || Reading::new(reader, request.event());
        let mut reading = self.first.get_or_init(new);
        while reading.reader != *reader {
            reading = reading.next.get_or_init(|| Box::new(new()));
        }
        Call { request, reading }
    }
}

impl<'r> Call<'r> {
    /// Returns the kind of the tool.
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::{calls::CallReader, tools::ToolKind};
    /// use serde_json::json;
    ///
    /// let call = PreToolUse::new("Bash", json!({"command": "cargo test"}));
    /// let request = HookRequest::new(HookContext::default(), call);
    /// assert_eq!(CallReader::default().read(&request).kind(), ToolKind::Shell);
    /// ```
    pub fn kind(self) -> ToolKind {
        self.reading.kind
    }

    /// Returns whether the tool changes files: by its name, or, for an unknown name, by arguments that hold a
    /// path and a text for the file (law 4).
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::calls::CallReader;
    /// use serde_json::json;
    ///
    /// let writes = |tool: &str, arguments| {
    ///     let request = HookRequest::new(HookContext::default(), PreToolUse::new(tool, arguments));
    ///     CallReader::default().read(&request).writes_files()
    /// };
    /// assert!(writes("Write", json!({"file_path": "a.txt", "content": "b"})));
    /// assert!(!writes("Read", json!({"file_path": "a.txt"})));
    /// ```
    pub fn writes_files(self) -> bool {
        self.reading.writes
    }

    /// Returns the files that the call names, resolved; for a command, the files that its redirections write
    /// to.
    pub fn places(self) -> &'r NamedPaths {
        self.reading.places.get_or_init(|| NamedPaths::from_call(self))
    }

    /// Computes the files that the commands of the call write to. [`places`](Self::places) does not contain
    /// those of an unknown tool.
    pub fn places_of_commands(self) -> NamedPaths {
        NamedPaths::of_commands(self)
    }

    /// Returns the path of a relative name in the folder that an argument sets for commands; `None` without
    /// such an argument, or for an absolute name.
    pub fn moved(self, name: &str) -> Option<String> {
        WorkingFolder::of_command_tool(self.arguments()).of_name(name)
    }

    /// Returns whether commands start in the root.
    pub fn begins_in_the_root(self) -> bool {
        let context = self.request.context();
        let cwd = context.cwd.to_str().unwrap_or_default();
        cwd.is_empty() || self.reader().root(context) == Some(cwd)
    }

    /// Returns the commands of the call, analysed.
    pub fn commands(self) -> &'r ParsedCommands {
        // Most tools run none: they need no cell of their own.
        if !self.kind().may_have_commands() {
            return &NO_COMMANDS;
        }
        self.reading.commands.get_or_init(|| ParsedCommands::parse(self))
    }

    /// Returns the commands of the call, analysed as if it had another context, such as one with other files. They are not
    /// kept.
    pub fn commands_in(self, context: &Arc<HookContext>) -> ParsedCommands {
        ParsedCommands::parse_in(self, context)
    }

    /// Returns whether the result of the call arrives before its commands have ended, as far as its tool and arguments show.
    ///
    /// ```
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::calls::CallReader;
    /// use serde_json::json;
    ///
    /// let call = PreToolUse::new("Bash", json!({"command": "cargo test", "run_in_background": true}));
    /// let request = HookRequest::new(HookContext::default(), call);
    /// assert!(CallReader::default().read(&request).runs_in_background());
    /// ```
    pub fn runs_in_background(self) -> bool {
        runs_in_background(&self.request.event().tool_name, self.arguments())
    }

    /// Returns the files that the call may read.
    pub fn reads(self) -> &'r NamedReads {
        if let Some(reads) = NamedReads::of_places(self) {
            return reads;
        }
        self.reading.reads.get_or_init(|| NamedReads::from_call(self))
    }

    /// Returns whether file names are compared without regard to case.
    pub fn ignores_case(self) -> bool {
        self.reading.reader.ignores_case(self.request.context())
    }

    /// Returns the request.
    pub fn request(self) -> &'r HookRequest<PreToolUse> {
        self.request
    }

    pub(super) fn reader(self) -> &'r CallReader {
        &self.reading.reader
    }

    /// Returns the arguments, with JSON texts parsed.
    pub fn arguments(self) -> &'r Value {
        self.reading.arguments.as_ref().unwrap_or(&self.request.event().tool_args)
    }

    /// Returns the root and the working directory, followed through the file system.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be followed.
    pub fn resolved_root(self) -> Result<&'r ResolvedRoot, &'r PathError> {
        self.root().resolved()
    }

    /// Returns the files of a tool that no table lists, besides those under usual keys.
    pub(super) fn unlisted(self) -> Option<&'r UnlistedPaths> {
        self.reading.unlisted.as_deref()
    }

    /// Returns the folders that were listed for this call.
    pub(super) fn looked(self) -> &'r Looked {
        self.reading.looked.get_or_init(Looked::default)
    }

    pub(super) fn root(self) -> &'r Root {
        self.reading.root.get_or_init(|| Root::from_call(self))
    }
}

impl Reading {
    fn new(reader: &CallReader, event: &PreToolUse) -> Self {
        let arguments = arguments::decoded(&event.tool_args);
        let given = arguments.as_ref().unwrap_or(&event.tool_args);
        let (kind, is_listed) = reader.table().kind_and_listing(&event.tool_name, given);
        let unlisted = (!is_listed).then(|| Box::new(UnlistedPaths::new(&event.tool_name, given)));
        let writes = kind.writes_files()
            || kind == ToolKind::Unknown && arguments::are_in_write_position(given)
            || unlisted.as_ref().is_some_and(|unlisted| unlisted.has_written());
        Self {
            reader: reader.clone(),
            kind,
            writes,
            unlisted,
            arguments,
            root: OnceLock::new(),
            places: OnceLock::new(),
            commands: OnceLock::new(),
            reads: OnceLock::new(),
            looked: OnceLock::new(),
            next: OnceLock::new(),
        }
    }
}

impl fmt::Debug for CallFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallFacts")
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("event", self.request.event()).field("kind", &self.kind()).finish()
    }
}
