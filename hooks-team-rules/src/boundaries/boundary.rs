//! One boundary of one agent.

use hooks_core::event::PreToolUse;
use hooks_core::fs::EntryKind;
use hooks_core::{Evidence, HookRequest, PolicyErrors, Reason};
use hooks_facts::calls::{Call, CallReader, NamedPath, PathPatterns};
use hooks_facts::globs::{self, Gap};
use hooks_facts::paths::PathError;
use hooks_facts::tools::{PathRole, ToolKind};
use hooks_team::files::{BoundaryProblem, WrittenBoundary};

use super::config::BoundaryConfig;
use super::{NAME, named};

/// A compiled boundary.
#[derive(Clone, Debug)]
pub(super) struct Boundary {
    /// Source of the boundary, such as the path of a charter.
    source: String,
    /// Remedy for a denied file.
    remedy: String,
    limits: Result<Limits, String>,
}

#[derive(Clone, Debug)]
struct Limits {
    writes: Option<PathPatterns>,
    reads: Option<PathPatterns>,
}

impl Boundary {
    /// Compiles the boundary of an agent in the configuration, which is at `field`.
    pub(super) fn of_config(
        field: &str,
        config: &BoundaryConfig,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        if config.writes.is_none() && config.reads.is_none() {
            errors.push(field, "it limits nothing", "write `writes` or `reads`");
        }
        let mut compile = |list: &Option<Vec<String>>, name: &str| {
            list.as_ref().map(|list| PathPatterns::allowing(list, &format!("{field}.{name}"), reader, errors))
        };
        let limits =
            Limits { writes: compile(&config.writes, "writes"), reads: compile(&config.reads, "reads") };
        let remedy = format!("add a pattern to `{field}`");
        Self { source: format!("`{field}` in the configuration"), remedy, limits: Ok(limits) }
    }

    /// Compiles a boundary in the charter at `path`. One that cannot be used denies everything that it may limit.
    pub(super) fn of_charter(
        path: &str,
        written: &Result<WrittenBoundary, BoundaryProblem>,
        reader: &CallReader,
    ) -> Self {
        let limits = written.as_ref().map_err(ToString::to_string).and_then(|written| {
            let mut errors = PolicyErrors::default();
            let mut compile = |list: &Option<Vec<String>>, name: &str| {
                list.as_ref().map(|list| PathPatterns::allowing(list, name, reader, &mut errors))
            };
            let limits = Limits {
                writes: compile(&written.writes, "writes"),
                reads: compile(&written.reads, "reads"),
            };
            match errors.as_slice() {
                [] => Ok(limits),
                [first, ..] => Err(format!("line {}: {first}", written.line)),
            }
        });
        let remedy = format!("have a person change the boundary in `{path}`");
        Self { source: format!("the charter `{path}`"), remedy, limits }
    }

    /// The boundary of an agent whose team cannot be read; it denies all reads and writes.
    pub(super) fn unreadable(source: String, problem: String) -> Self {
        let remedy = "have a person repair the file".to_owned();
        Self { source, remedy, limits: Err(problem) }
    }

    /// Returns whether the boundary limits reads. One that cannot be used, or read, may do so.
    pub(super) fn limits_reads(&self) -> bool {
        self.limits.as_ref().map_or(true, |limits| limits.reads.is_some())
    }

    /// Returns the reason to deny a call that writes, if there is one.
    pub(super) fn objection_to_writes(&self, call: Call<'_>) -> Option<Reason> {
        let writes = match &self.limits {
            Ok(Limits { writes: Some(writes), .. }) => writes,
            Ok(_) => return None,
            Err(problem) => return Some(self.unusable(call.request(), problem)),
        };
        if let Some(reason) = self.unknown_target(call) {
            return Some(reason);
        }
        let of_commands;
        let places = match call.kind() {
            ToolKind::Unknown if !call.writes_files() => {
                of_commands = call.places_of_commands();
                &of_commands
            }
            _ => call.places(),
        };
        let mut written = places.found.iter().chain(&places.partial).filter(|place| place.is_written());
        written
            .find_map(|place| self.objection(call, place, writes, Verb::Write))
            .or_else(|| self.objection_to_programs(call, writes))
    }

    /// Returns the reason to deny a call that reads, if there is one. Only files that the facts know are judged: those of
    /// tools that read, and existing files that the words of a command name.
    pub(super) fn objection_to_reads(&self, call: Call<'_>) -> Option<Reason> {
        let reads = match &self.limits {
            Ok(Limits { reads: Some(reads), .. }) => reads,
            Ok(_) => return None,
            Err(problem) => return Some(self.unusable(call.request(), problem)),
        };
        if call.kind().runs_commands() {
            return self.objection_to_words(call, reads);
        }
        let places = call.places();
        if let Some(pointer) = places.unusable.first() {
            let message = format!("the path at `{pointer}` is not a text");
            return Some(
                self.reason("unknown-target", message).on(&**pointer).instead("give the path as a text"),
            );
        }
        if places.found.is_empty() && call.kind() == ToolKind::Read {
            let tool = &call.request().event().tool_name;
            let message = format!(
                "the call of `{tool}` names no file, and {} limits which files are read",
                self.source
            );
            return Some(
                self.reason("unknown-target", message).instead("name a file or folder, as in `path`"),
            );
        }
        // An unknown tool may read the files that it names, whatever else it does to them.
        let is_unknown = call.kind() == ToolKind::Unknown;
        let mut read = places.found.iter().filter(|place| is_unknown || !place.is_written());
        read.find_map(|place| self.objection(call, place, reads, Verb::Read))
    }

    /// Returns the reason to deny a command with a word that names an existing file outside of `reads`.
    fn objection_to_words(&self, call: Call<'_>, reads: &PathPatterns) -> Option<Reason> {
        call.commands().found.iter().find_map(|command| {
            let Some(places) = named::in_words(call, command) else {
                return Some(self.too_long(&command.pointer));
            };
            places.iter().find_map(|place| self.objection(call, place, reads, Verb::Read))
        })
    }

    /// Returns the reason to deny a command whose inline program names an existing file outside of `writes`.
    fn objection_to_programs(&self, call: Call<'_>, writes: &PathPatterns) -> Option<Reason> {
        call.commands().found.iter().find_map(|command| {
            let Some(places) = named::in_programs(call, command) else {
                return Some(self.too_long(&command.pointer));
            };
            places.iter().find_map(|place| self.objection(call, place, writes, Verb::Touch))
        })
    }

    fn too_long(&self, pointer: &str) -> Reason {
        let message =
            format!("the command has more words than can be looked at, and {} limits its files", self.source);
        self.reason("unknown-target", message).on(pointer).instead("split it")
    }

    /// Returns the reason to deny a call of a tool that writes to unknown files, if it does.
    fn unknown_target(&self, call: Call<'_>) -> Option<Reason> {
        let reason = |message: String, pointer: Option<&str>| {
            let reason = self.reason("unknown-target", message);
            match pointer {
                Some(pointer) => reason.on(pointer),
                None => reason,
            }
        };
        let (places, commands) = (call.places(), call.commands());
        if let Some(pointer) = places.unusable.first().or(commands.unusable.first()) {
            return Some(
                reason(format!("the value at `{pointer}` is not a text"), Some(pointer))
                    .instead("give it as a text"),
            );
        }
        let anywhere = places.partial.iter().find(|place| place.is_anywhere() && !place.is_possible);
        let unknown = places.unknown.first().map(String::as_str).or(anywhere.map(|place| &*place.pointer));
        if let Some(pointer) = unknown {
            let message = format!(
                "the command writes to a file whose name is not known before it runs, and {} limits its writes",
                self.source
            );
            return Some(reason(message, Some(pointer)).instead("write the name out"));
        }
        if let Some(command) = commands.found.iter().find(|command| !command.analysis.unresolved.is_empty()) {
            let message = format!(
                "a part of the command is not known before it runs, and {} limits its writes",
                self.source
            );
            return Some(reason(message, Some(&command.pointer)).instead("write the command out"));
        }
        if call.writes_files() && places.is_missing {
            let tool = &call.request().event().tool_name;
            let message =
                format!("the call of `{tool}` names no file, and {} limits its writes", self.source);
            return Some(reason(message, None).instead("name the file, as in `path`"));
        }
        None
    }

    /// Returns the reason to deny an effect on a place, if there is one.
    fn objection(
        &self,
        call: Call<'_>,
        place: &NamedPath,
        patterns: &PathPatterns,
        verb: Verb,
    ) -> Option<Reason> {
        let is_linked = place.is_written() && place.role != PathRole::Removed;
        if is_linked && let Some(names @ 2..) = place.names(call) {
            let message = format!("`{}` has {names} names, and a write shows under all", place.given);
            let reason = self.reason("hard-link", message).on(&*place.pointer);
            return Some(reason.instead("replace it by a copy of its own"));
        }
        let resolution = match &place.resolution {
            Ok(resolution) => resolution,
            // Of a folder outside of the root, it is not known what is below it.
            Err(PathError::OutsideRoot { .. })
                if patterns.allow_place(call, place)
                    && (place.is_file(call) || (verb == Verb::Write && !place.reaches_below())) =>
            {
                return None;
            }
            // The place that the write depends on is judged too: `b` of `b/a` in `cp a b`.
            Err(_) if place.is_possible => return None,
            Err(error) => {
                let text = error.to_string();
                let (message, advice) =
                    text.split_once("; ").unwrap_or((&text, "write the path relative to the root"));
                let message = format!("{message}, and {} limits its files", self.source);
                return Some(self.reason("path", message).on(&*place.pointer).instead(advice));
            }
        };
        let is_folder = resolution.kind == Some(EntryKind::Directory);
        let outside = |reading: &str| {
            let is_allowed = place.is_possible
                || patterns.allow_reading(call, place, reading)
                || patterns.allow_place(call, place);
            let needs_all =
                is_folder && (place.reaches_below() || verb != Verb::Write) && !place.is_partial();
            // A folder needs no pattern of its own if everything in it is allowed.
            if needs_all { !allow_below(patterns, call, reading) } else { !is_allowed }
        };
        let reading = resolution.readings.iter().find(|reading| outside(&reading.path))?;
        let shown = globs::shown(&reading.path);
        let agent = &call.request().context().agent_name;
        let message = format!(
            "{} is outside of what `{agent}` may {} by {}",
            place.described(&shown),
            verb.word(),
            self.source
        );
        let evidence = Evidence::Path { given: place.given.clone(), resolved: shown };
        let reason = self.reason(verb.rule(), message).on(&*place.pointer).because(evidence);
        Some(match patterns.is_empty() {
            true => {
                reason.instead(format!("`{agent}` may {} no file; have another agent do it", verb.word()))
            }
            false => reason.instead(format!(
                "{} files that match {}, or have another agent do it",
                verb.word(),
                patterns.summary()
            )),
        })
    }

    fn unusable(&self, request: &HookRequest<PreToolUse>, problem: &str) -> Reason {
        let agent = &request.context().agent_name;
        let message = format!("the boundary of `{agent}` in {} cannot be used: {problem}", self.source);
        self.reason("unusable-boundary", message).instead("have a person correct it")
    }

    fn reason(&self, rule: &'static str, message: String) -> Reason {
        Reason::new(NAME, rule, message).unless(self.remedy.clone())
    }
}

/// Returns whether one pattern matches everything below a folder.
fn allow_below(patterns: &PathPatterns, call: Call<'_>, folder: &str) -> bool {
    let anything = format!("{folder}/{}{}", Gap::Folders.stand_in(), Gap::Name.stand_in());
    patterns.covers(&anything, call.ignores_case())
}

/// Effect on a file that is judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Write,
    Read,
    /// A program names the file, and may write it.
    Touch,
}

impl Verb {
    const fn word(self) -> &'static str {
        match self {
            Self::Write | Self::Touch => "write",
            Self::Read => "read",
        }
    }

    const fn rule(self) -> &'static str {
        match self {
            Self::Write => "writes",
            Self::Read => "reads",
            Self::Touch => "program",
        }
    }
}
