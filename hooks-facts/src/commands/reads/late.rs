//! Reads and hosts of a command, computed when they are asked for.
//!
//! Most calls pass guards that never ask which files a command reads. So the walk only notes where something is read, and in
//! which folders. The files and hosts are computed once, from these notes.

use std::sync::{Arc, OnceLock};

use super::Reads;
use crate::commands::access::{Access, AccessKind, NetworkTarget, UnknownReads, UnknownReadsReason};
use crate::commands::analysis::{Invocation, Options};
use crate::commands::argument::Argument;
use crate::commands::folders::Folders;
use crate::commands::network;
use crate::commands::told::is_of_the_system;
use crate::commands::walk::Stream;
use crate::globs::Gap;
use crate::shell::Span;

/// Budget of the computation: each name has a cost.
const BUDGET: usize = 1024 * 1024;

/// Most hosts, and most programs with unknown reads, that are recorded.
const MAX_NOTES: usize = 256;

/// Programs that only pass on what they read, as a whole or in part.
const FILTERS: &[&str] = &[
    "cat", "tac", "nl", "sort", "uniq", "head", "tail", "cut", "tr", "grep", "egrep", "fgrep", "rev", "fold",
    "column", "paste", "join", "comm",
];

/// Most lists of names that are kept.
const MAX_LISTS: usize = 8;

/// Notes of a walk, and what they lead to.
#[derive(Clone, Debug, Default)]
pub(in crate::commands) struct LateReads {
    notes: Vec<Note>,
    found: OnceLock<ReadsAndHosts>,
}

/// Part of a command that may read a file or connect to a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) struct Note {
    pub(in crate::commands) what: What,
    pub(in crate::commands) folders: Folders,
    pub(in crate::commands) span: Span,
    /// Whether it depends on the file system that the part runs.
    pub(in crate::commands) is_possible: bool,
    pub(in crate::commands) shows: Shows,
}

/// Place to which the output of a part of a command goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::commands) enum Shows {
    /// The output of the command, a file or another program.
    #[default]
    Output,
    /// The environment of a program: `export $(grep -v '^#' .env | xargs)`. Names that are no variables are shown in an error, so
    /// this holds only for a file of assignments.
    Environment,
    /// Nothing: the output is counted (`| wc -l`) or thrown away.
    Nothing,
}

/// Kind of such a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum What {
    /// A program with its words and its input.
    Program { name: String, words: Words, input: Stream },
    /// A program whose name is not known.
    Unknown(Words),
    /// A text that an interpreter runs.
    Code { program: &'static str, text: String },
    /// A file that the shell reads or runs.
    File { program: &'static str, file: Argument, kind: AccessKind },
    /// A list of names that the command looks up, by its name as seen from the folder in which the text starts.
    List(Arc<str>),
    /// The file of a redirection, which may stand for a connection.
    Device(Argument),
}

/// Words of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Words {
    /// Those of an invocation, by its index.
    Of(usize),
    /// Words that no invocation has.
    Own(Vec<Argument>),
}

impl Shows {
    /// Returns the place to which the output of a substitution goes.
    pub(in crate::commands) fn of_substitution(self) -> Self {
        if self == Self::Environment { self } else { Self::Output }
    }
}

/// Files and hosts of a command.
#[derive(Clone, Debug, Default)]
pub(in crate::commands) struct ReadsAndHosts {
    pub(in crate::commands) reads: Vec<Access>,
    pub(in crate::commands) network: Vec<NetworkTarget>,
    pub(in crate::commands) unknown_reads: Vec<UnknownReads>,
    /// Lists of names that the command looks up.
    pub(in crate::commands) lists: Vec<Arc<str>>,
}

/// Returns whether a program only passes on what it reads.
pub(in crate::commands) fn is_filter(program: &str) -> bool {
    FILTERS.contains(&program)
}

/// The files and hosts follow from the notes.
impl PartialEq for LateReads {
    fn eq(&self, other: &Self) -> bool {
        self.notes == other.notes
    }
}

impl Eq for LateReads {}

impl LateReads {
    pub(in crate::commands) fn push(&mut self, note: Note) {
        self.notes.push(note);
    }

    /// Returns whether the output of a part goes to the environment.
    pub(in crate::commands) fn has_environment(&self) -> bool {
        self.notes.iter().any(|note| note.shows == Shows::Environment)
    }

    /// Notes that the command shows its environment.
    pub(in crate::commands) fn shows_environment(&mut self) {
        for note in &mut self.notes {
            note.shows = if note.shows == Shows::Environment { Shows::Output } else { note.shows };
        }
    }

    /// Returns the files and hosts that the notes lead to.
    pub(in crate::commands) fn found(&self, options: Options, invocations: &[Invocation]) -> &ReadsAndHosts {
        self.found.get_or_init(|| {
            let mut recorder = Recorder::new(options);
            for note in &self.notes {
                recorder.enter(note, invocations);
            }
            recorder.found
        })
    }
}

/// Records the files and hosts of one note after the other.
pub(in crate::commands) struct Recorder {
    pub(in crate::commands) options: Options,
    folders: Folders,
    is_possible: bool,
    shows: Shows,
    /// Names that the present program leaves out of folders.
    pub(in crate::commands) left_out: Vec<Argument>,
    budget: usize,
    found: ReadsAndHosts,
}

impl Recorder {
    fn new(options: Options) -> Self {
        Self {
            options,
            folders: Folders::start(),
            is_possible: false,
            shows: Shows::Output,
            left_out: Vec::new(),
            budget: BUDGET,
            found: ReadsAndHosts::default(),
        }
    }

    fn enter(&mut self, note: &Note, invocations: &[Invocation]) {
        self.folders = note.folders.clone();
        self.is_possible = note.is_possible;
        self.shows = note.shows;
        let span = note.span;
        let words = |words: &Words| match words {
            Words::Of(at) => {
                invocations.get(*at).and_then(|it| it.argv.get(1..)).unwrap_or_default().to_vec()
            }
            Words::Own(words) => words.clone(),
        };
        match &note.what {
            What::Program { name, words: given, input } => {
                // A file of that name is another program than the one that is known.
                let is_other =
                    |it: &Invocation| it.is_untold || !it.argv.first().is_some_and(is_of_the_system);
                if matches!(given, Words::Of(at) if invocations.get(*at).is_some_and(is_other)) {
                    self.reads_unknown(name, UnknownReadsReason::Program, span);
                }
                let given = words(given);
                super::of_program(self, name, &given, input, span);
                network::of_program(self, name, &given, span);
            }
            What::Unknown(given) => {
                self.reads_unknown("", UnknownReadsReason::Program, span);
                Reads { walk: self, name: "", span }.possible(&words(given));
            }
            What::Code { program, text } => super::code::of_text(self, program, text, span),
            What::File { program, file, kind } => self.reads(program, file, *kind, false, span),
            // One more than are read is enough to know that there are too many.
            What::List(list) if self.found.lists.len() > MAX_LISTS || self.found.lists.contains(list) => {}
            What::List(list) => self.found.lists.push(Arc::clone(list)),
            What::Device(file) => network::of_redirection(self, file, span),
        }
    }

    /// Records a file that a program reads or executes, named from every folder in which it may happen. A name of which
    /// nothing is known is not recorded as a file.
    pub(in crate::commands) fn reads(
        &mut self,
        program: &str,
        file: &Argument,
        kind: AccessKind,
        is_possible: bool,
        span: Span,
    ) {
        if file.literal() == Some("") {
            return;
        }
        // Of a wildcard alone, the disk knows the names.
        let is_unknown = file.is_unknown();
        if is_unknown && file.outline().contains(Gap::Any.stand_in()) {
            if !is_possible {
                self.reads_unknown(program, UnknownReadsReason::Name, span);
            }
            return;
        }
        if is_unknown && file.is_listed() && !is_possible {
            self.reads_unknown(program, UnknownReadsReason::Listed, span);
        }
        let is_possible = is_possible || self.is_possible;
        let is_shown = match self.shows {
            Shows::Output => true,
            _ if kind != AccessKind::Read || !FILTERS.contains(&program) => true,
            Shows::Nothing => false,
            Shows::Environment => !file.file_name().is_some_and(|name| name.starts_with(".env")),
        };
        let kind = if is_shown { kind } else { AccessKind::Used };
        for target in self.folders.names(file, self.options.windows) {
            if !self.pay(target.len() + 1, span) {
                return;
            }
            let left_out = self.left_out.clone();
            self.found.reads.push(Access { target, kind, is_possible, source: None, left_out, span });
        }
    }

    /// Records a program whose reads are not known.
    pub(in crate::commands) fn reads_unknown(
        &mut self,
        program: &str,
        reason: UnknownReadsReason,
        span: Span,
    ) {
        let known = |it: &UnknownReads| it.program == program && it.reason == reason;
        let has_room = self.found.unknown_reads.len() < MAX_NOTES || reason == UnknownReadsReason::TooMany;
        if has_room && !self.found.unknown_reads.iter().any(known) {
            self.found.unknown_reads.push(UnknownReads { program: program.to_owned(), reason, span });
        }
    }

    /// Records a host that a program connects to.
    pub(in crate::commands) fn connects(&mut self, target: NetworkTarget) {
        let is_known = self.found.network.iter().any(|known| {
            (&known.host, known.port, &known.scheme) == (&target.host, target.port, &target.scheme)
        });
        if !is_known && self.found.network.len() < MAX_NOTES && self.pay(target.host.len() + 1, target.span) {
            self.found.network.push(target);
        }
    }

    /// Returns whether the budget is used up.
    pub(in crate::commands) fn is_spent(&self) -> bool {
        self.budget == 0
    }

    /// Deducts a cost from the budget. If nothing is left, the command reads more files than are looked at.
    fn pay(&mut self, cost: usize, span: Span) -> bool {
        match self.budget.checked_sub(cost).filter(|left| *left > 0) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => {
                self.budget = 0;
                self.reads_unknown("", UnknownReadsReason::TooMany, span);
                false
            }
        }
    }
}
