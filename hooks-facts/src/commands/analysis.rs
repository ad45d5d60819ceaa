//! What is known of a command before it runs.

use std::fmt;

use super::argument::Argument;
use super::folders::Folders;
use super::pattern::{BlockedPattern, Match};
use super::walk::Walk;
use crate::shell::{Span, Syntax, Unanalysable};

/// Under which rules a command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether programs are found without regard to the case of their names (macOS, Windows).
    pub ignores_case: bool,
    /// Whether the text is for a Windows shell.
    pub windows: bool,
}

/// The programs a command would start, and what cannot be known of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    pub(super) options: Options,
    /// Every program, wrappers as well as what they start.
    pub invocations: Vec<Invocation>,
    /// What cannot be known before running.
    pub unresolved: Vec<Unresolved>,
    pub(super) writes: Vec<WriteTarget>,
    pub(super) programs: Vec<Program>,
    /// The folders that invocations run in, other than where the text began.
    pub(super) folders: Vec<Folders>,
}

/// A program with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program as it is named, and its words.
    pub argv: Vec<Argument>,
    /// The place in the text that leads to it.
    pub span: Span,
    /// Whether nobody knows what the program does with its words.
    pub is_opaque: bool,
    /// Whether it may do more than its words say: its name may stand for another program, or it runs a text that nobody
    /// has read.
    pub(super) is_untold: bool,
    /// Where it runs: a place in the folders of the analysis; `None` where the text began.
    pub(super) folders: Option<usize>,
}

/// A text that an interpreter runs: `python3 -c TEXT`, or a file that the command wrote itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The text; what is not known of it is left out.
    pub text: String,
    pub(super) folders: Option<usize>,
}

/// Something that cannot be known before running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// What.
    pub reason: UnresolvedReason,
    /// Where.
    pub span: Span,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, span } = self;
        write!(f, "{reason} ({span})")
    }
}

impl std::error::Error for Unresolved {}

/// What cannot be known before running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnresolvedReason {
    /// Which program starts.
    Program,
    /// The text that a shell or an interpreter is given.
    Text,
    /// The text cannot be read.
    Unreadable(Unanalysable),
    /// The analysis would take too long.
    TooComplex,
}

impl fmt::Display for UnresolvedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => f.write_str("the program to run is not known before running; name it"),
            Self::Text => f.write_str(
                "the text that a shell or interpreter runs is not known before running; write it out",
            ),
            Self::Unreadable(source) => source.fmt(f),
            Self::TooComplex => f.write_str("the command is too complex to analyse; split it"),
        }
    }
}

impl std::error::Error for UnresolvedReason {}

/// A file that a command writes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteTarget {
    /// The file, as seen from the folder that the command begins in.
    pub target: Argument,
    /// What is done to it.
    pub kind: WriteKind,
    /// Whether that depends on what is there: `cp a b` writes `b/a` if `b` is a folder.
    pub is_possible: bool,
    /// The place in the text.
    pub span: Span,
}

/// What a command does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteKind {
    /// A redirection creates or changes it.
    Redirected,
    /// A program creates or changes it.
    Changed,
    /// A program takes it away, with all that is below it.
    Removed,
    /// A new link points to it.
    Linked,
    /// A program puts a tree there, or files in it whose names are not known.
    Filled,
    /// A file or folder that is copied, moved or linked gets this name, unless a folder has it.
    Named,
}

impl Analysis {
    /// Analyses a text that a shell runs.
    pub fn of_text(text: &str, options: &Options) -> Self {
        let mut walk = Walk::new(*options);
        walk.top_text(text);
        walk.finish()
    }

    /// Analyses a text that a shell runs in a folder; `$PWD` stands for it.
    pub fn of_text_in(text: &str, folder: Option<&str>, options: &Options) -> Self {
        let mut walk = Walk::new(*options).beginning_in(folder);
        walk.top_text(text);
        walk.finish()
    }

    /// Analyses a program and its words, run without a shell.
    pub fn of_words<S: AsRef<str>>(words: &[S], options: &Options) -> Self {
        let mut walk = Walk::new(*options);
        let argv: Vec<_> = words.iter().map(|word| Argument::from(word.as_ref())).collect();
        walk.top_words(&argv);
        walk.finish()
    }

    /// The first pattern of the list that some invocation fits.
    pub fn find(&self, patterns: &[BlockedPattern]) -> Option<Match> {
        patterns.iter().enumerate().find_map(|(pattern, blocked)| {
            let invocation =
                self.invocations.iter().find(|invocation| blocked.fits(&invocation.argv, &self.options))?;
            Some(Match { pattern, span: invocation.span, argv: invocation.argv.clone() })
        })
    }

    /// What a word of an invocation stands for, seen from where the text began: a name for each folder that the
    /// invocation may run in. One of its words that is `.` stands for those folders.
    pub fn names(&self, invocation: &Invocation, word: &Argument) -> Vec<Argument> {
        self.names_in(invocation.folders, word)
    }

    /// What a name in the text of a program stands for, as [`names`](Self::names) has it.
    pub fn names_in_program(&self, program: &Program, name: &Argument) -> Vec<Argument> {
        self.names_in(program.folders, name)
    }

    fn names_in(&self, folders: Option<usize>, word: &Argument) -> Vec<Argument> {
        match folders.and_then(|at| self.folders.get(at)) {
            Some(folders) => folders.names(word, self.options.windows),
            None => vec![word.clone()],
        }
    }

    /// Whether an invocation runs where the text began.
    pub fn runs_at_the_start(&self, invocation: &Invocation) -> bool {
        invocation.folders.is_none()
    }

    /// The name that the program of an invocation is known by, where it is known: the last part of its path, without
    /// `.exe`.
    pub fn program_name(&self, invocation: &Invocation) -> Option<String> {
        self.options.program_name(invocation.argv.first()?)
    }

    /// The texts that interpreters run, as far as they are known.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// The files that redirections write to, and those that plain file programs change, as far as they are named.
    ///
    /// What other programs write is not among them.
    pub fn writes(&self) -> &[WriteTarget] {
        &self.writes
    }
}

impl Options {
    pub(super) fn syntax(self) -> Syntax {
        if self.windows { Syntax::Windows } else { Syntax::Bash }
    }

    /// The name a program is known by: the last part of its path, without `.exe`.
    pub(super) fn program_name(self, program: &Argument) -> Option<String> {
        let name = program.file_name()?;
        let name = if self.windows { name.rsplit('\\').next()? } else { name };
        let ignores_case = self.ignores_case || self.windows;
        let name = if ignores_case { name.to_lowercase() } else { name.to_owned() };
        Some(name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name))
    }
}
