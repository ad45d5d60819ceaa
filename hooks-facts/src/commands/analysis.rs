//! Analysis of a command before it runs.

use std::fmt;
use std::rc::Rc;
use std::sync::OnceLock;

use super::access::Access;
use super::argument::Argument;
use super::code::{self, Language};
use super::effects::{FoundEffect, only_reads};
use super::folders::Folders;
use super::pattern::{BlockedPattern, Match};
use super::reads::LateReads;
use super::walk::Walk;
use super::written::{SessionFiles, WrittenFile};
use crate::shell::{Span, Syntax, Unanalysable};

/// Options for the analysis of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether programs are found without regard to the case of their names (macOS, Windows).
    pub ignores_case: bool,
    /// Whether the text is for a Windows shell.
    pub windows: bool,
    /// Whether unknown text may come from the standard input later.
    pub has_open_input: bool,
}

/// The programs that a command would start, and the parts of it that cannot be known.
///
/// ```
/// use hooks_facts::commands::{Analysis, Options};
///
/// let analysis = Analysis::of_text("if true; then $TOOL x; fi; rm a | sh", &Options::default());
/// let names: Vec<_> = analysis.invocations.iter().filter_map(|it| analysis.program_name(it)).collect();
/// assert!(names.contains(&"rm".to_owned()));
/// // `$TOOL` and the text that `sh` reads are not known before running.
/// let first = analysis.unresolved.first().expect("something is unknown").to_string();
/// assert!(first.starts_with("the program to run is not known before running; name it"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    pub(super) options: Options,
    /// Every program: wrappers as well as the programs that they start.
    pub invocations: Vec<Invocation>,
    /// Parts that cannot be known before running.
    pub unresolved: Vec<Unresolved>,
    /// Files that the command writes, in the order of the text.
    pub(super) writes: Vec<Access>,
    /// Files that it reads and executes, and hosts, computed when a guard asks.
    pub(super) late: LateReads,
    pub(super) programs: Vec<Program>,
    /// Files that the command gives a content.
    pub(super) written_files: Vec<WrittenFile>,
    /// Whether the command runs a file that the session wrote before.
    pub(super) runs_written_files: bool,
    /// Statements for clients of databases.
    pub(super) statements: Vec<Invocation>,
    /// Folders that invocations run in, other than the folder in which the text starts.
    pub(super) folders: Vec<Folders>,
    /// Whether the text may end with exit code 0 although a command of it failed or did not run.
    pub(super) hides_results: bool,
    /// Effects, once they were asked for.
    pub(super) effects: OnceLock<Vec<FoundEffect>>,
}

/// Program with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The program as it is named, and its words.
    pub argv: Vec<Argument>,
    /// Position in the text that leads to it.
    pub span: Span,
    /// Whether the effect of the program's words is unknown.
    pub is_opaque: bool,
    /// Whether the program may do more than its words show: its name may stand for another program, or it
    /// runs a text that has not been read.
    pub(super) is_untold: bool,
    /// Whether the text set a variable before that moves the folders in which programs keep their settings,
    /// such as `HOME` or `CODEX_HOME`.
    pub has_other_settings: bool,
    /// Index of its folders in the analysis; `None` for the folder in which the text starts.
    pub(super) folders: Option<usize>,
    /// Index of the invocation that starts it, if one does.
    pub(super) starter: Option<usize>,
}

/// Text that an interpreter runs: `python3 -c TEXT`, or a file that the command wrote itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The text, without its unknown parts.
    pub text: String,
    pub(super) language: Language,
    pub(super) folders: Option<usize>,
}

/// Part of a command that cannot be known before running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Kind of the unknown part.
    pub reason: UnresolvedReason,
    /// Position in the text.
    pub span: Span,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, span } = self;
        write!(f, "{reason} ({span})")
    }
}

impl std::error::Error for Unresolved {}

/// Kind of a part that cannot be known before running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnresolvedReason {
    /// The program that starts.
    Program,
    /// The text that a shell or an interpreter runs.
    Text,
    /// The text cannot be parsed.
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

impl Analysis {
    /// Analyses a text that a shell runs.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("echo 'never closed", &Options::default());
    /// assert!(analysis.invocations.is_empty());
    /// assert_eq!(analysis.unresolved.len(), 1); // never treated as empty
    /// ```
    pub fn of_text(text: &str, options: &Options) -> Self {
        let mut walk = Walk::new(*options);
        walk.top_text(text);
        walk.finish()
    }

    /// Analyses a text that a shell runs in a folder, which is also the value of `$PWD`.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let text = "touch $PWD/x";
    /// let known = Analysis::of_text_in(text, Some("/repo"), &Options::default());
    /// assert_eq!(known.writes()[0].target.literal(), Some("/repo/x"));
    /// ```
    pub fn of_text_in(text: &str, folder: Option<&str>, options: &Options) -> Self {
        let mut walk = Walk::new(*options).beginning_in(folder);
        walk.top_text(text);
        walk.finish()
    }

    /// Analyses a text like [`of_text_in`](Self::of_text_in), and the files that it runs of those which the session wrote
    /// before.
    ///
    /// ```
    /// use std::rc::Rc;
    /// use hooks_facts::commands::{Analysis, Options, SessionFiles, WrittenContent};
    ///
    /// struct Files;
    ///
    /// impl SessionFiles for Files {
    ///     fn content(&self, path: &str) -> Option<WrittenContent> {
    ///         (path == "/repo/tidy.sh").then(|| WrittenContent::Text("rm -r out".into()))
    ///     }
    /// }
    ///
    /// let analysis = Analysis::of_text_with("sh tidy.sh", Some("/repo"), Rc::new(Files), &Options::default());
    /// let names: Vec<_> = analysis.invocations.iter().filter_map(|it| analysis.program_name(it)).collect();
    /// assert_eq!(names, ["sh", "rm"]);
    /// assert!(analysis.runs_written_files());
    /// ```
    pub fn of_text_with(
        text: &str,
        folder: Option<&str>,
        session: Rc<dyn SessionFiles>,
        options: &Options,
    ) -> Self {
        let mut walk = Walk::new(*options).beginning_in(folder).knowing(Some(session));
        walk.top_text(text);
        walk.finish()
    }

    /// Analyses a program and its words like [`of_words`](Self::of_words), and the files that it runs of those which the
    /// session wrote before.
    pub fn of_words_with<S: AsRef<str>>(
        words: &[S],
        folder: Option<&str>,
        session: Rc<dyn SessionFiles>,
        options: &Options,
    ) -> Self {
        let mut walk = Walk::new(*options).beginning_in(folder).knowing(Some(session));
        let argv: Vec<_> = words.iter().map(|word| Argument::from(word.as_ref())).collect();
        walk.top_words(&argv);
        walk.finish()
    }

    /// Returns the files that the command gives a content, as far as they are named, by their names as seen from the folder
    /// in which it starts.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options, WrittenContent};
    ///
    /// let analysis = Analysis::of_text("echo ls > a.sh; cp /bin/rm b; curl -o c https://a.example", &Options::default());
    /// let content = |path: &str| &analysis.written_files().iter().find(|file| file.path == path).unwrap().content;
    /// assert_eq!(*content("a.sh"), WrittenContent::Text("ls\n".into()));
    /// assert_eq!(*content("b"), WrittenContent::SameAs("/bin/rm".into()));
    /// assert_eq!(*content("c"), WrittenContent::Unknown);
    /// ```
    pub fn written_files(&self) -> &[WrittenFile] {
        &self.written_files
    }

    /// Returns whether the command runs a file that the session wrote before.
    pub fn runs_written_files(&self) -> bool {
        self.runs_written_files
    }

    /// Analyses a program and its words, run without a shell.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// // No shell reads these words, so `;` starts no second program.
    /// let analysis = Analysis::of_words(&["echo", "a;", "rm", "b"], &Options::default());
    /// assert_eq!(analysis.invocations.len(), 1);
    /// ```
    pub fn of_words<S: AsRef<str>>(words: &[S], options: &Options) -> Self {
        let mut walk = Walk::new(*options);
        let argv: Vec<_> = words.iter().map(|word| Argument::from(word.as_ref())).collect();
        walk.top_words(&argv);
        walk.finish()
    }

    /// Returns the first pattern of the list that matches an invocation.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, BlockedPattern, Options};
    ///
    /// let blocked = [BlockedPattern::parse("rm -rf").unwrap(), BlockedPattern::parse("git push --force").unwrap()];
    /// let find = |text| Analysis::of_text(text, &Options::default()).find(&blocked).map(|found| found.pattern);
    /// assert_eq!(find("sudo rm -f -r /tmp/x"), Some(0)); // options in any form and order
    /// assert_eq!(find("git push -f origin main"), Some(1));
    /// assert_eq!(find("rm -f x"), None); // all options of the pattern are needed
    /// ```
    pub fn find(&self, patterns: &[BlockedPattern]) -> Option<Match> {
        patterns.iter().enumerate().find_map(|(pattern, blocked)| {
            let all = self.invocations.iter().chain(&self.statements);
            let invocation = all.into_iter().find(|invocation| self.matches(blocked, invocation))?;
            Some(Match { pattern, span: invocation.span, argv: invocation.argv.clone() })
        })
    }

    /// Returns whether an invocation matches a pattern and was started by the command that the pattern names, if it does.
    pub(super) fn matches(&self, pattern: &BlockedPattern, invocation: &Invocation) -> bool {
        if !pattern.fits(&invocation.argv, &self.options) {
            return false;
        }
        let Some(starter) = pattern.starter() else { return true };
        // Each index is smaller than the one before, so the walk ends.
        let mut before = usize::MAX;
        let mut at = invocation.starter;
        while let Some(index) = at.filter(|index| *index < before) {
            let Some(outer) = self.invocations.get(index) else { return false };
            if self.matches(starter, outer) {
                return true;
            }
            (before, at) = (index, outer.starter);
        }
        false
    }

    /// Returns the statements that the text gives to clients of databases, as invocations of a program such as
    /// `sql:postgres`: its words are those of the statement, in lower case, and its options what is special about it.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, BlockedPattern, Options};
    ///
    /// let analysis = Analysis::of_text("echo 'delete FROM users' | psql app", &Options::default());
    /// let patterns = [BlockedPattern::parse("sql:postgres delete !--where").unwrap()];
    /// assert!(analysis.find(&patterns).is_some());
    /// assert_eq!(analysis.statements()[0].argv[1].literal(), Some("delete"));
    /// ```
    pub fn statements(&self) -> &[Invocation] {
        &self.statements
    }

    /// Returns the names of all programs, in lower case, and those of statements.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("cd api && /usr/bin/Git status", &Options::default());
    /// assert!(analysis.program_names().any(|name| name == "git"));
    /// ```
    pub fn program_names(&self) -> impl Iterator<Item = String> {
        let all = self.invocations.iter().chain(&self.statements);
        all.filter_map(|invocation| self.program_name(invocation)).map(|name| name.to_lowercase())
    }

    /// Returns an analysis of one invocation alone, for [`find`](Self::find): without the rest of the text.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, BlockedPattern, Options};
    ///
    /// let analysis = Analysis::of_text("cargo build; git push -f", &Options::default());
    /// let push = [BlockedPattern::parse("git push --force").unwrap()];
    /// let found: Vec<_> = analysis.invocations.iter().map(|it| analysis.only(it).find(&push).is_some()).collect();
    /// assert_eq!(found, [false, true]);
    /// ```
    #[must_use]
    pub fn only(&self, invocation: &Invocation) -> Self {
        Self { options: self.options, invocations: vec![invocation.clone()], ..Self::default() }
    }

    /// Returns the names that a word of an invocation stands for, as seen from the folder in which the text
    /// starts: one for each folder that the invocation may run in. The word `.` stands for those folders.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("cd api && cat notes", &Options::default());
    /// let cat = analysis.invocations.iter().find(|it| analysis.program_name(it).as_deref() == Some("cat")).unwrap();
    /// let names = analysis.names(cat, &cat.argv[1]);
    /// assert!(names.iter().any(|name| name.literal() == Some("api/notes")));
    /// assert!(!analysis.runs_at_the_start(cat));
    /// ```
    pub fn names(&self, invocation: &Invocation, word: &Argument) -> Vec<Argument> {
        self.names_in(invocation.folders, word)
    }

    /// Returns the names that a name in the text of a program stands for, like [`names`](Self::names).
    pub fn names_in_program(&self, program: &Program, name: &Argument) -> Vec<Argument> {
        self.names_in(program.folders, name)
    }

    fn names_in(&self, folders: Option<usize>, word: &Argument) -> Vec<Argument> {
        match folders.and_then(|at| self.folders.get(at)) {
            Some(folders) => folders.names(word, self.options.windows),
            None => vec![word.clone()],
        }
    }

    /// Returns whether an invocation runs in the folder in which the text starts.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("make; cd api; make", &Options::default());
    /// let makes: Vec<_> = analysis
    ///     .invocations
    ///     .iter()
    ///     .filter(|it| analysis.program_name(it).as_deref() == Some("make"))
    ///     .map(|it| analysis.runs_at_the_start(it))
    ///     .collect();
    /// assert_eq!(makes, [true, false]);
    /// ```
    pub fn runs_at_the_start(&self, invocation: &Invocation) -> bool {
        invocation.folders.is_none()
    }

    /// Returns the name of an invocation's program, if it is known: the last part of its path, without
    /// `.exe`.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("/usr/bin/python3.exe x", &Options::default());
    /// assert_eq!(analysis.program_name(&analysis.invocations[0]).as_deref(), Some("python3"));
    /// ```
    pub fn program_name(&self, invocation: &Invocation) -> Option<String> {
        self.options.program_name(invocation.argv.first()?)
    }

    /// Returns the words of a git command from its subcommand on; `None` for another program.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("git -C api --no-pager log main", &Options::default());
    /// let words = analysis.git_words(&analysis.invocations[0]).expect("it is git");
    /// assert_eq!((words[0].literal(), words.len()), (Some("log"), 2));
    /// ```
    pub fn git_words<'i>(&self, invocation: &'i Invocation) -> Option<&'i [Argument]> {
        let is_git = self.program_name(invocation)? == "git";
        is_git.then(|| super::git::subcommand(invocation.argv.get(1..).unwrap_or_default()))
    }

    /// Returns whether a word of an invocation is code for an interpreter of the system that for certain only reads and shows.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let is_reading = |text| {
    ///     let analysis = Analysis::of_text(text, &Options::default());
    ///     let invocation = &analysis.invocations[0];
    ///     analysis.is_reading_code(invocation, &invocation.argv[2])
    /// };
    /// assert!(is_reading("python3 -c \"print(open('conf').read())\""));
    /// assert!(!is_reading("./python3 -c \"print(open('conf').read())\""));
    /// ```
    pub fn is_reading_code(&self, invocation: &Invocation, word: &Argument) -> bool {
        let (Some(text), Some(name)) = (word.literal(), self.program_name(invocation)) else { return false };
        let is_usual = self.runs_as_named(invocation);
        let Some(interpreter) = code::interpreter(&name).filter(|_| is_usual && text.contains('(')) else {
            return false;
        };
        let words = invocation.argv.get(1..).unwrap_or_default();
        interpreter.arguments(words).texts.contains(word) && only_reads(interpreter.language, text)
    }

    /// Returns the known texts that interpreters run.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let analysis = Analysis::of_text("python3 -c 'print(1)'", &Options::default());
    /// assert_eq!(analysis.programs()[0].text, "print(1)");
    /// ```
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }
}

impl Program {
    /// Returns whether the text for certain only reads and shows: each function that it calls is one of those that do.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, Options};
    ///
    /// let only_reads = |text| Analysis::of_text(text, &Options::default()).programs()[0].only_reads();
    /// assert!(only_reads("python3 -c \"print(open('conf').read())\""));
    /// assert!(!only_reads("python3 -c \"open('conf', 'w').write('')\""));
    /// ```
    pub fn only_reads(&self) -> bool {
        only_reads(self.language, &self.text)
    }
}

impl Options {
    pub(super) fn syntax(self) -> Syntax {
        if self.windows { Syntax::Windows } else { Syntax::Bash }
    }

    /// Returns the name of a program: the last part of its path, without `.exe`.
    pub(super) fn program_name(self, program: &Argument) -> Option<String> {
        let name = program.file_name()?;
        let name = if self.windows { name.rsplit('\\').next()? } else { name };
        let ignores_case = self.ignores_case || self.windows;
        let name = if ignores_case { name.to_lowercase() } else { name.to_owned() };
        Some(name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name))
    }
}
