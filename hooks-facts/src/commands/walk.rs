//! Walks the tree of a text in execution order and collects the programs that would start.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::access::{Access, AccessKind, Source};
use super::analysis::{Analysis, Invocation, Options, Program, Unresolved, UnresolvedReason};
use super::argument::Argument;
use super::code::Language;
use super::code_calls::CodeInput;
use super::folders::{Folders, ListFolders};
use super::late;
use super::lookup;
use super::network;
use super::reads::{self, Note, Shows, What, Words};
use super::settings;
use super::typed;
use super::written::{self, Session, SessionFiles};
use crate::shell::{
    self, AssignedValue, Assignment, Command, Compound, Pipeline, Redirection, RedirectionKind, Script,
    Simple, Span, Word,
};

/// Deepest nesting of texts, wrappers and functions that is followed.
const MAX_DEPTH: usize = 24;

/// Budget of an analysis: every invocation, expanded byte and nested text has a cost.
const BUDGET: usize = 1024 * 1024;

/// Longest text of a variable or an output that is kept.
pub(super) const MAX_TEXT: usize = 64 * 1024;

/// Data between commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// No data.
    Empty,
    /// A known text.
    Known(Arc<str>),
    /// A file that existed before, by its name.
    File(Arc<str>),
    /// Only names of files, as a search prints them.
    Names(Arc<[Argument]>),
    /// A file with the content of another one that existed before, by its name.
    Copy(Arc<str>),
    /// Lines of a file that existed before, as a program prints them, by its name.
    Lines(Arc<str>),
    /// Unknown data.
    Unknown,
}

impl Stream {
    pub(super) fn from_text(text: String) -> Self {
        if text.len() > MAX_TEXT { Self::Unknown } else { Self::Known(text.into()) }
    }

    pub(super) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Empty, next) => next,
            (first, Self::Empty) => first,
            (Self::Names(first), Self::Names(next)) if first == next => Self::Names(first),
            (Self::Known(first), Self::Known(next)) => Self::from_text(format!("{first}{next}")),
            _ => Self::Unknown,
        }
    }
}

/// Longest text of all channels that another is put below.
const MOST_OF_CHANNELS: usize = 8 << 10;

/// Number of the first pipe of a process substitution, as bash counts them.
pub(super) const FIRST_PROCESS: u8 = 63;

/// Value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Text(Argument),
    List(Vec<Argument>),
}

/// State of the shell in which a text would run.
pub(super) struct Walk {
    pub(super) options: Options,
    pub(super) variables: HashMap<String, Variable>,
    /// `$0` and so on.
    pub(super) positional: Vec<Argument>,
    pub(super) functions: HashMap<String, Rc<Command>>,
    pub(super) aliases: HashMap<String, String>,
    /// Aliases of git that the text itself sets.
    pub(super) git_aliases: HashMap<String, String>,
    /// Files that the command itself writes, and process substitutions by a generated name.
    pub(super) files: HashMap<String, Stream>,
    /// Files that the session wrote before.
    pub(super) session: Option<Session>,
    /// Files whose code has been walked, or is being walked.
    pub(super) loaded: HashSet<String>,
    /// Files that the command removes.
    pub(super) removed: HashSet<String>,
    pub(super) folders: Folders,
    /// Folders before the last change of folder.
    pub(super) previous: Option<Folders>,
    /// Folder in which the text starts.
    pub(super) start: Option<String>,
    depth: usize,
    budget: usize,
    /// Position at the top that leads here, inside of nested texts.
    outer: Option<Span>,
    /// Set in a text that may not run at all: unknown parts of it are not reported.
    guessing: bool,
    /// Set if it depends on the file system whether a command runs.
    doubting: bool,
    /// Whether names may stand for other programs than the system's.
    pub(super) lookup_changed: bool,
    /// Whether a variable was set that moves the folders in which programs keep their settings.
    pub(super) settings_moved: bool,
    /// The same for what the present command starts.
    pub(super) settings_lent: bool,
    /// Set in later turns of a loop, whose texts are read again.
    pub(super) repeating: bool,
    /// Number of substitutions around the present command.
    pub(super) substitutions: usize,
    /// Texts of traps, which run at the end.
    pub(super) traps: Vec<(String, Span)>,
    /// Set in a text that runs again later, when more of its names are known.
    is_beforehand: bool,
    /// Set in a text whose files are those of a container.
    is_contained: bool,
    /// Place to which the output of the present command goes.
    shows: Shows,
    /// Set while the redirections of a program are read that shows nothing of its input.
    hides_input: bool,
    /// Standard input of the present command.
    pub(super) input: Stream,
    /// Input of the code of an interpreter.
    pub(super) code_input: CodeInput,
    /// Texts that were given to other channels than the standard ones, one below the other: `exec 3<<< TEXT`.
    pub(super) channel: Option<Stream>,
    /// Whether the output of the present command goes to another program, and so not to a terminal.
    pub(super) is_piped: bool,
    /// File that the present command reads its input from.
    pub(super) input_file: Option<Argument>,
    /// Archive or patch that fills a folder.
    pub(super) source: Option<Source>,
    /// Index of the invocation that starts the present one.
    starter: Option<usize>,
    /// Files that the text sources.
    sourced: Vec<(Argument, Span)>,
    analysis: Analysis,
}

impl Walk {
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            variables: HashMap::new(),
            positional: vec!["bash".into()],
            functions: HashMap::new(),
            aliases: HashMap::new(),
            git_aliases: HashMap::new(),
            files: HashMap::new(),
            session: None,
            loaded: HashSet::new(),
            removed: HashSet::new(),
            folders: Folders::start(),
            previous: None,
            start: None,
            depth: 0,
            budget: BUDGET,
            outer: None,
            guessing: false,
            doubting: false,
            lookup_changed: false,
            settings_moved: false,
            settings_lent: false,
            repeating: false,
            substitutions: 0,
            traps: Vec::new(),
            is_beforehand: false,
            is_contained: false,
            shows: Shows::Output,
            hides_input: false,
            input: Stream::Empty,
            code_input: CodeInput::default(),
            channel: None,
            is_piped: false,
            input_file: None,
            source: None,
            starter: None,
            sourced: Vec::new(),
            analysis: Analysis { options, ..Analysis::default() },
        }
    }

    /// Starts the walk in a folder whose path is known.
    pub(super) fn beginning_in(self, folder: Option<&str>) -> Self {
        Self { start: folder.map(str::to_owned), ..self }
    }

    /// Lets the walk follow files that the session wrote before.
    pub(super) fn knowing(self, session: Option<Rc<dyn SessionFiles>>) -> Self {
        Self { session: session.map(Session::new), ..self }
    }

    pub(super) fn finish(mut self) -> Analysis {
        let has_environment = self.analysis.late.has_environment();
        if !self.sourced.is_empty() || has_environment {
            let shows = self.analysis.invocations.iter().any(|it| reads::shows_variables(it, self.options));
            if shows && has_environment {
                self.analysis.late.shows_environment();
            }
            let kind = if shows { AccessKind::Read } else { AccessKind::Used };
            self.folders = Folders::start();
            for (file, span) in std::mem::take(&mut self.sourced) {
                self.reads("source", &file, kind, span);
            }
        }
        self.analysis.runs_written_files = self.session.as_ref().is_some_and(Session::has_answered);
        self.analysis.written_files =
            written::exported(std::mem::take(&mut self.files), std::mem::take(&mut self.removed));
        self.analysis
    }

    /// Records a file that the shell sources.
    pub(super) fn sources(&mut self, file: &Argument, span: Span) {
        for file in self.folders.names(file, self.options.windows) {
            if self.pay(file.cost(), span) {
                self.sourced.push((file, span));
            }
        }
    }

    pub(super) fn top_text(&mut self, text: &str) {
        let mut unreadable = None;
        match shell::read(text, self.options.syntax()) {
            Ok(script) => {
                self.analysis.hides_results = !script.shows_its_results();
                let input = self.top_input();
                self.script(&script, &input);
                // A trap may set another one; the budget ends that.
                while let Some((text, span)) = self.traps.pop() {
                    self.text(&text, &input, span);
                }
            }
            Err(error) => unreadable = Some(error),
        }
        if self.options.windows {
            let span = Span { start: 0, end: text.len() };
            // Each reader begins in the folder in which the text starts.
            self.folders = Folders::start();
            self.powershell(text, span);
            // What bash cannot read may be PowerShell.
            unreadable = unreadable.filter(|_| self.analysis.invocations.is_empty());
            self.folders = Folders::start();
            // The text is PowerShell, so files that cmd would write do not count.
            self.guess(|walk| walk.in_container(|walk| walk.cmd(text, span)));
        }
        if let Some(error) = unreadable {
            self.unresolved(UnresolvedReason::Unreadable(error), error.span);
        }
    }

    pub(super) fn top_words(&mut self, argv: &[Argument]) {
        let end = argv.iter().map(|word| word.len() + 1).sum();
        let input = self.top_input();
        self.run(argv, &input, Span { start: 0, end });
    }

    /// Returns the standard input of the whole command.
    fn top_input(&self) -> Stream {
        if self.options.has_open_input { Stream::Unknown } else { Stream::Empty }
    }

    /// Walks a text that runs in a shell, with `input` on its standard input.
    pub(super) fn text(&mut self, text: &str, input: &Stream, span: Span) -> Stream {
        if text.trim().is_empty() {
            return Stream::Empty;
        }
        if !self.pay(text.len() + 16, span) {
            return Stream::Unknown;
        }
        match shell::read(text, self.options.syntax()) {
            Ok(script) => {
                let outer = self.outer.replace(self.outer.unwrap_or(span));
                let output = self.deeper(span, |walk| walk.script(&script, input));
                self.outer = outer;
                output.unwrap_or(Stream::Unknown)
            }
            Err(error) => {
                self.unresolved(UnresolvedReason::Unreadable(error), span);
                Stream::Unknown
            }
        }
    }

    /// Walks a text that may run; its unknown parts are not reported.
    pub(super) fn maybe_text(&mut self, text: &str, span: Span) {
        let guessing = std::mem::replace(&mut self.guessing, true);
        self.text(text, &Stream::Empty, span);
        self.guessing = guessing;
    }

    /// Walks a text that a program may start. Of its unknown parts, only a text that the open input would give is reported.
    pub(super) fn maybe_started(&mut self, text: &str, span: Span) {
        if !self.options.has_open_input {
            return self.maybe_text(text, span);
        }
        let before = self.analysis.unresolved.len();
        let input = self.input.clone();
        self.text(text, &input, span);
        let mut at = 0;
        self.analysis.unresolved.retain(|it| {
            at += 1;
            at <= before || matches!(it.reason, UnresolvedReason::Text | UnresolvedReason::TooComplex)
        });
    }

    /// Calls `visit` for commands that may run; their unknown parts are not reported.
    pub(super) fn guess(&mut self, visit: impl FnOnce(&mut Self)) {
        let guessing = std::mem::replace(&mut self.guessing, true);
        visit(self);
        self.guessing = guessing;
    }

    /// Calls `visit` for a text that runs again later. A file of whose name nothing is known yet is not recorded.
    pub(super) fn beforehand<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.is_beforehand, true);
        let result = visit(self);
        self.is_beforehand = outer;
        result
    }

    /// Calls `visit` for commands in a container: their files are not those of this machine.
    pub(super) fn in_container(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_contained, true);
        visit(self);
        self.is_contained = outer;
    }

    /// Calls `visit` for commands that run only under some condition.
    pub(super) fn in_doubt<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let doubting = std::mem::replace(&mut self.doubting, true);
        let result = visit(self);
        self.doubting = doubting;
        result
    }

    /// Walks the text that a shell or an interpreter reads from a stream.
    pub(super) fn stream(&mut self, stream: &Stream, span: Span) -> Stream {
        match stream {
            Stream::Empty => Stream::Empty,
            Stream::File(_) | Stream::Copy(_) => {
                self.is_untold();
                Stream::Empty
            }
            Stream::Known(text) => {
                let text = Arc::clone(text);
                self.text(&text, &Stream::Empty, span)
            }
            Stream::Names(_) | Stream::Lines(_) | Stream::Unknown => {
                self.unresolved(UnresolvedReason::Text, span);
                Stream::Unknown
            }
        }
    }

    /// Calls `visit` one level deeper, unless that is too deep.
    pub(super) fn deeper<T>(&mut self, span: Span, visit: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.too_complex(span);
            return None;
        }
        self.depth += 1;
        let result = visit(self);
        self.depth -= 1;
        Some(result)
    }

    /// Deducts a cost from the budget; returns `false` if nothing is left.
    pub(super) fn pay(&mut self, cost: usize, span: Span) -> bool {
        match self.budget.checked_sub(cost).filter(|left| *left > 0) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => {
                self.budget = 0;
                self.too_complex(span);
                false
            }
        }
    }

    /// Returns whether the budget is used up.
    pub(super) fn is_spent(&self) -> bool {
        self.budget == 0
    }

    pub(super) fn unresolved(&mut self, reason: UnresolvedReason, span: Span) {
        if reason == UnresolvedReason::Text {
            self.is_untold();
        }
        if !self.guessing {
            self.record(Unresolved { reason, span: self.outer.unwrap_or(span) });
        }
    }

    pub(super) fn too_complex(&mut self, span: Span) {
        self.record(Unresolved { reason: UnresolvedReason::TooComplex, span: self.outer.unwrap_or(span) });
    }

    fn record(&mut self, unresolved: Unresolved) {
        let is_last = self.analysis.unresolved.last().is_some_and(|last| last.reason == unresolved.reason);
        if !is_last {
            self.analysis.unresolved.push(unresolved);
        }
    }

    pub(super) fn invoke(&mut self, argv: &[Argument], span: Span) {
        let folders = self.kept_folders(span);
        let span = self.outer.unwrap_or(span);
        let is_untold = self.lookup_changed;
        let has_other_settings = self.settings_moved || self.settings_lent;
        let argv = argv.to_vec();
        let is_opaque = false;
        self.analysis.invocations.push(Invocation {
            argv,
            span,
            is_opaque,
            is_untold,
            has_other_settings,
            folders,
            starter: self.starter,
        });
    }

    /// Calls `visit` for what the last invocation starts.
    pub(super) fn started_by_last<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let last = self.analysis.invocations.len().checked_sub(1);
        let outer = std::mem::replace(&mut self.starter, last);
        let result = visit(self);
        self.starter = outer;
        result
    }

    /// Records a statement for a client of a database.
    pub(super) fn states(&mut self, argv: Vec<Argument>, span: Span) {
        let cost = argv.iter().map(Argument::cost).sum::<usize>() + 8;
        if !self.pay(cost, span) {
            return;
        }
        self.analysis.statements.push(Invocation {
            argv,
            span: self.outer.unwrap_or(span),
            is_opaque: false,
            is_untold: false,
            has_other_settings: false,
            folders: None,
            starter: self.starter,
        });
    }

    /// Records a text that an interpreter runs.
    pub(super) fn interprets(&mut self, language: Language, text: &str, span: Span) {
        let folders = self.kept_folders(span);
        self.analysis.programs.push(Program { text: text.to_owned(), language, folders });
    }

    /// Returns the index of the current folders in the analysis.
    fn kept_folders(&mut self, span: Span) -> Option<usize> {
        if self.folders.is_start() {
            return None;
        }
        if self.analysis.folders.last() != Some(&self.folders) {
            self.pay(self.folders.len(), span);
            self.analysis.folders.push(self.folders.clone());
        }
        Some(self.analysis.folders.len() - 1)
    }

    /// Marks the last invocation: the effect of its words is unknown.
    pub(super) fn is_opaque(&mut self) {
        if let Some(last) = self.analysis.invocations.last_mut() {
            last.is_opaque = true;
        }
    }

    /// Marks the last invocation: it runs a text that has not been read.
    fn is_untold(&mut self) {
        if let Some(last) = self.analysis.invocations.last_mut() {
            last.is_untold = true;
        }
    }

    /// Walks a script; returns its output.
    pub(super) fn script(&mut self, script: &Script, input: &Stream) -> Stream {
        let mut output = Stream::Empty;
        let mut folders = ListFolders::new();
        // What a text inside does with its output is not followed.
        let outer = std::mem::replace(&mut self.is_piped, false);
        for pipeline in &script.pipelines {
            // After the budget is used up, the result is a rejection, and continuing would only take time.
            if self.budget == 0 {
                return Stream::Unknown;
            }
            let printed = folders.step(self, pipeline, |walk| walk.pipeline(pipeline, input));
            output = output.then(printed);
        }
        self.is_piped = outer;
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, input: &Stream) -> Stream {
        let input = if pipeline.is_coprocess { &Stream::Unknown } else { input };
        if let [command] = pipeline.stages.as_slice() {
            return self.command(command, input);
        }
        let mut stream = input.clone();
        let outer = self.is_piped;
        for (at, stage) in pipeline.stages.iter().enumerate() {
            self.is_piped = at + 1 < pipeline.stages.len() && typed::is_plain_stage(stage);
            let behind = pipeline.stages.get(at + 1..).unwrap_or_default();
            let shows = match behind {
                [] => self.shows,
                behind if is_counted(behind) => Shows::Nothing,
                behind if behind.iter().all(passes_on) => self.shows.of_substitution(),
                _ => Shows::Output,
            };
            if let Some(span) = shows_environment(stage).filter(|_| behind.iter().any(is_client)) {
                self.reads("", &Argument::from(ENVIRONMENT), AccessKind::Read, span);
            }
            let shown = std::mem::replace(&mut self.shows, shows);
            stream = self.in_subshell(|walk| walk.command(stage, &stream));
            self.shows = shown;
        }
        self.is_piped = outer;
        stream
    }

    pub(super) fn command(&mut self, command: &Command, input: &Stream) -> Stream {
        self.reading(input, |walk| match command {
            Command::Simple(simple) => walk.simple(simple, input),
            Command::Compound(compound) => walk.compound(compound, input),
            Command::Function(function) => {
                walk.lookup_changed |= lookup::changes_by_function(&function.name);
                walk.functions.insert(function.name.clone(), Rc::clone(&function.body));
                Stream::Empty
            }
        })
    }

    /// Calls `visit` for a command with this standard input.
    pub(super) fn reading<T>(&mut self, input: &Stream, visit: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.input, input.clone());
        let result = visit(self);
        self.input = outer;
        result
    }

    /// Walks a substitution in the words of a command, which reads what the command's shell reads; returns its output.
    pub(super) fn substituted(&mut self, script: &Script) -> Stream {
        let input = self.input.clone();
        self.substitutions += 1;
        let shows = self.shows.of_substitution();
        let shown = std::mem::replace(&mut self.shows, shows);
        let output = self.in_subshell(|walk| walk.script(script, &input));
        self.shows = shown;
        self.substitutions -= 1;
        output
    }

    /// Returns the standard input of what the present command starts. Input that is not open matters only to programs that are
    /// known to pass it on.
    pub(super) fn inherited_input(&self) -> Stream {
        if self.options.has_open_input { self.input.clone() } else { Stream::Empty }
    }

    fn compound(&mut self, compound: &Compound, input: &Stream) -> Stream {
        if !self.pay(8, Span::default()) {
            return Stream::Unknown;
        }
        let (input, targets) = self.redirect(&compound.redirections, input);
        let words: Vec<Argument> = match &compound.words {
            Some(words) => words.iter().flat_map(|word| self.expand(word)).collect(),
            None if compound.variable.is_some() => self.positional.iter().skip(1).cloned().collect(),
            None => Vec::new(),
        };
        if compound.variable.is_none() {
            self.lookup_changed |= words.iter().any(|word| lookup::changes_in_number(&word.outline()));
        }
        if compound.bodies.is_empty() {
            late::test(self, &words, Span::default());
        }
        let mut output = Stream::Empty;
        match &compound.variable {
            None if compound.subshell => {
                let before = self.settings_moved;
                output = self.in_subshell(|walk| walk.bodies(compound, &input));
                self.settings_moved = before;
            }
            None => output = self.each_line(compound, &input),
            Some(name) => {
                self.lookup_changed |= lookup::changes(name, &Argument::unknown());
                // Every turn is walked, because each may write to another file.
                let outer = self.repeating;
                for word in words {
                    if self.budget == 0 {
                        break;
                    }
                    self.environment(name, &word, Span::default());
                    self.variables.insert(name.clone(), Variable::Text(word));
                    output = output.then(self.bodies(compound, &input));
                    self.repeating = true;
                }
                self.repeating = outer;
            }
        }
        self.deliver(output, targets)
    }

    pub(super) fn bodies(&mut self, compound: &Compound, input: &Stream) -> Stream {
        // It is unknown which bodies of a condition or a loop run, so only the output of a group is known.
        let several = compound.bodies.len() > 1 || compound.variable.is_some() || compound.words.is_some();
        let mut output = Stream::Empty;
        for body in &compound.bodies {
            let skipped = self.folders.clone();
            output = output.then(self.script(body, input));
            if several {
                self.folders = self.folders.or(&skipped);
            }
        }
        match output {
            Stream::Known(_) if several && compound.variable.is_none() => Stream::Unknown,
            output => output,
        }
    }

    fn simple(&mut self, simple: &Simple, input: &Stream) -> Stream {
        if !self.pay(8, simple.span) {
            return Stream::Unknown;
        }
        let argv = self.argv(&simple.words);
        let name = argv.first().and_then(|program| self.options.program_name(program));
        self.hides_input = name.is_some_and(|name| reads::hides_input(&name));
        let (input, targets) = self.redirect(&simple.redirections, input);
        self.hides_input = false;
        let before = self.settings_moved;
        for assignment in &simple.assignments {
            self.assign(assignment, simple.span);
        }
        self.names_others(&argv, &simple.assignments);
        let is_lent = !settings::keeps_assignments(argv.first()) && self.take_moved(before);
        let output = match argv.is_empty() && simple.assignments.is_empty() {
            true => {
                // `> FILE` empties the file, as `: > FILE` does.
                // `$(< FILE)` prints the file, as `cat` does.
                if !targets.is_empty() {
                    self.invoke(&[":".into()], simple.span);
                } else if !simple.redirections.is_empty() {
                    self.invoke(&["cat".into()], simple.span);
                }
                input
            }
            false => {
                let shown = self.shows;
                self.shows = shows_through(&simple.redirections, &targets).unwrap_or(shown);
                let output = self.with_settings(is_lent, |walk| walk.run_some(&argv, &input, simple.span));
                self.shows = shown;
                output
            }
        };
        self.deliver(output, targets)
    }

    /// Calls `visit` for a command whose output may only be counted.
    pub(super) fn counted(&mut self, is_counted: bool, visit: impl FnOnce(&mut Self)) {
        let shows = if is_counted { Shows::Nothing } else { self.shows };
        let shown = std::mem::replace(&mut self.shows, shows);
        visit(self);
        self.shows = shown;
    }

    /// Expands the words of a command. The output of a substitution for `export` and `env` goes to their environment.
    fn argv(&mut self, words: &[Word]) -> Vec<Argument> {
        let is_environment = words.len() > 1
            && words.first().and_then(Word::literal).is_some_and(|name| matches!(&*name, "export" | "env"));
        let shows = if is_environment { Shows::Environment } else { Shows::Output };
        let shown = std::mem::replace(&mut self.shows, shows);
        let argv = words.iter().flat_map(|word| self.expand(word)).collect();
        self.shows = shown;
        argv
    }

    /// `declare -n NAME=OTHER`: the variable is another name of one.
    fn names_others(&mut self, argv: &[Argument], assignments: &[Assignment]) {
        let is_naming =
            |word: &Argument| word.literal().is_some_and(|word| word.starts_with('-') && word.contains('n'));
        let declares = argv
            .first()
            .and_then(Argument::literal)
            .is_some_and(|name| matches!(name, "declare" | "typeset" | "local"));
        if !declares || !argv.iter().any(is_naming) {
            return;
        }
        for Assignment { name, .. } in assignments {
            let other = match self.variables.get(name) {
                Some(Variable::Text(other)) => {
                    other.literal().and_then(|other| self.variables.get(other)).cloned()
                }
                _ => None,
            };
            self.variables.insert(name.clone(), other.unwrap_or_else(|| Variable::Text(Argument::unknown())));
        }
    }

    fn assign(&mut self, assignment: &Assignment, span: Span) {
        let value = match &assignment.value {
            AssignedValue::Word(word) => Variable::Text(self.expand_one(word)),
            AssignedValue::List(words) => {
                Variable::List(words.iter().flat_map(|word| self.expand(word)).collect())
            }
        };
        self.define_names(&assignment.name, assignment.element, &value, span);
        if let Variable::Text(text) = &value {
            self.environment(&assignment.name, text, span);
        }
        let name = assignment.name.clone();
        let value = match (assignment.appends, self.variables.remove(&name), value) {
            (true, Some(Variable::List(mut old)), Variable::List(new)) => {
                old.extend(new);
                Variable::List(old)
            }
            (true, Some(Variable::Text(old)), Variable::Text(new)) => {
                Variable::Text(self.joined(&[old, new], ""))
            }
            (_, _, Variable::Text(_)) if assignment.element => Variable::Text(Argument::unknown()),
            (_, _, value) => value,
        };
        let size = match &value {
            Variable::Text(text) => text.len(),
            Variable::List(list) => list.iter().map(Argument::cost).sum(),
        };
        let value = if size > MAX_TEXT { Variable::Text(Argument::unknown()) } else { value };
        if self.pay(size, span) {
            self.variables.insert(name, value);
        }
    }

    /// Returns the input of a command after its redirections, and the file of its output.
    fn redirect(&mut self, redirections: &[Redirection], input: &Stream) -> (Stream, Vec<OutputFile>) {
        let mut input = input.clone();
        let mut targets = Vec::new();
        // `3>&1 > FILE`: the output goes on through another descriptor.
        let is_kept = |it: &Redirection| {
            it.kind == RedirectionKind::Duplicate
                && it.is_other
                && it.target.literal().as_deref() == Some("1")
        };
        let keeps_output = redirections.iter().any(is_kept);
        self.input_file = None;
        for redirection in redirections {
            if let Some(variable) = &redirection.variable {
                self.environment(variable, &Argument::unknown(), redirection.span);
                self.variables.insert(variable.clone(), Variable::Text(Argument::unknown()));
            }
            match redirection.kind {
                RedirectionKind::HereDocument => {
                    let document = redirection.document.get();
                    input = document.map_or(Stream::Empty, |word| {
                        Stream::from_text(self.expand_one(word).as_shell_text())
                    });
                }
                RedirectionKind::HereString => {
                    let word = self.expand_one(&redirection.target);
                    input = if word.is_unknown() {
                        Stream::Unknown
                    } else {
                        Stream::from_text(word.as_shell_text() + "\n")
                    };
                }
                RedirectionKind::Read => {
                    let file = self.expand_target(&redirection.target);
                    let kind = if self.hides_input { AccessKind::Used } else { AccessKind::Read };
                    self.reads("<", &file, kind, redirection.span);
                    network::note_redirection(self, &file, redirection.span);
                    input = self.file(&file);
                    self.input_file = Some(file);
                }
                RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::ReadWrite => {
                    let file = self.expand_target(&redirection.target);
                    self.writes(&file, AccessKind::Redirected, redirection.span);
                    network::note_redirection(self, &file, redirection.span);
                    let appends = redirection.kind == RedirectionKind::Append;
                    targets.push(OutputFile {
                        file,
                        appends,
                        takes_all: !redirection.is_other && !keeps_output,
                    });
                }
                RedirectionKind::Duplicate => {
                    let target = self.expand_one(&redirection.target);
                    // A number that a variable has is one of these.
                    let is_kept =
                        target.literal().is_none_or(|name| name.parse::<u8>().is_ok_and(|it| it > 2));
                    if let Some(channel) = self.channel.clone().filter(|_| is_kept && !redirection.is_other) {
                        input = channel;
                    }
                }
            }
            let is_input = matches!(
                redirection.kind,
                RedirectionKind::Read | RedirectionKind::HereDocument | RedirectionKind::HereString
            );
            if redirection.is_other && is_input {
                self.channel = Some(match self.channel.take() {
                    Some(Stream::Known(text)) if text.len() > MOST_OF_CHANNELS => Stream::Unknown,
                    Some(before) => before.then(input.clone()),
                    None => input.clone(),
                });
            }
        }
        (input, targets)
    }

    /// Records a write to a file, named from every folder in which it may happen.
    pub(super) fn writes(&mut self, file: &Argument, kind: AccessKind, span: Span) {
        self.note_write(file, kind, false, span);
    }

    /// Records a write to a file that happens only under some condition.
    pub(super) fn may_write(&mut self, file: &Argument, kind: AccessKind, span: Span) {
        self.note_write(file, kind, true, span);
    }

    fn note_write(&mut self, file: &Argument, kind: AccessKind, is_possible: bool, span: Span) {
        // Names in a long folder take time, also if they are not kept.
        let is_unknown = self.is_beforehand && file.begins_with_anything();
        let is_unknown = is_unknown || self.options.windows && is_nothing(file);
        if self.is_spent() || is_unknown || self.is_contained {
            return;
        }
        let span = self.outer.unwrap_or(span);
        let is_possible = is_possible || self.doubting;
        for target in self.folders.names(file, self.options.windows) {
            if !self.pay(target.len() + 1, span) {
                return;
            }
            let source = self.source.clone().and_then(|source| self.placed(source));
            let left_out = Vec::new();
            self.analysis.writes.push(Access { target, kind, is_possible, source, left_out, span });
        }
    }

    /// Returns the source as seen from the folder in which the text starts, if that is one file.
    fn placed(&self, source: Source) -> Option<Source> {
        let place = |file: &Argument| match self.folders.names(file, self.options.windows).as_slice() {
            [name] => Some(name.clone()),
            _ => None,
        };
        match source {
            Source::Archive(file) => place(&file).map(Source::Archive),
            Source::Patch(file) => place(&file).map(Source::Patch),
        }
    }

    /// Records a file that the shell reads or executes.
    pub(super) fn reads(&mut self, program: &'static str, file: &Argument, kind: AccessKind, span: Span) {
        self.note(What::File { program, file: file.clone(), kind }, span);
    }

    /// Records a part that may read a file or connect to a host.
    pub(super) fn note(&mut self, what: What, span: Span) {
        if self.is_contained {
            return;
        }
        let (folders, span) = (self.folders.clone(), self.outer.unwrap_or(span));
        self.analysis.late.push(Note { what, folders, span, is_possible: self.doubting, shows: self.shows });
    }

    /// Returns the words of a program for a note: those of the last invocation are not copied.
    pub(super) fn noted(&self, words: &[Argument]) -> Words {
        let last = self.analysis.invocations.last().and_then(|it| it.argv.get(1..));
        match self.analysis.invocations.len().checked_sub(1).filter(|_| last == Some(words)) {
            Some(at) => Words::Of(at),
            None => Words::Own(words.to_vec()),
        }
    }

    /// Sends an output to a file, or on to the next command.
    fn deliver(&mut self, output: Stream, targets: Vec<OutputFile>) -> Stream {
        let mut is_taken = false;
        // Of several files, the last one gets the output; of errors, nothing is known.
        for OutputFile { file, appends, takes_all } in targets {
            if file.literal().is_some_and(|name| !name.starts_with("/dev/")) {
                if appends { self.appends(&file, &output) } else { self.keeps(&file, &output) }
            }
            is_taken |= takes_all;
        }
        if is_taken { Stream::Empty } else { output }
    }
}

/// File that an output goes to.
struct OutputFile {
    file: Argument,
    appends: bool,
    /// Whether the output goes nowhere else.
    takes_all: bool,
}

/// Returns whether a stage of a pipeline only passes on its input: a filter, or `xargs` without a program.
fn passes_on(stage: &Command) -> bool {
    let Command::Simple(simple) = stage else { return false };
    let name = simple.words.first().and_then(Word::literal);
    simple.redirections.is_empty()
        && name.is_some_and(|name| reads::is_filter(&name) || name == "xargs" && simple.words.len() == 1)
}

/// The last part of a path.
fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// File with the environment of a process, of which rules know that it may have secrets.
const ENVIRONMENT: &str = "/proc/self/environ";

/// Returns the position of a stage that prints the whole environment: `env`, `printenv`, `export -p`.
fn shows_environment(stage: &Command) -> Option<Span> {
    let Command::Simple(simple) = stage else { return None };
    let words: Vec<_> = simple.words.iter().map(Word::literal).collect();
    let words: Vec<&str> = words.iter().map(|word| base_name(word.as_deref().unwrap_or_default())).collect();
    let is_whole = matches!(
        words.as_slice(),
        ["env" | "printenv", "-0" | "--null"]
            | ["command" | "busybox", "env" | "printenv"]
            | ["env" | "printenv" | "set" | "export"]
            | ["export" | "declare" | "typeset", "-p" | "-x" | "-xp" | "-px"]
    );
    is_whole.then_some(simple.span)
}

/// Returns whether a stage is a program that connects to a host.
fn is_client(stage: &Command) -> bool {
    let Command::Simple(simple) = stage else { return false };
    simple.words.first().and_then(Word::literal).is_some_and(|name| network::is_client(base_name(&name)))
}

/// Returns the place to which redirections send an output; `None` if it stays as it is.
fn shows_through(redirections: &[Redirection], targets: &[OutputFile]) -> Option<Shows> {
    // `>&2` shows what `> /dev/null` around it would not.
    let is_moved = |it: &Redirection| it.kind == RedirectionKind::Duplicate && !it.is_other;
    let last = targets.iter().rfind(|it| it.takes_all);
    match last.map(|it| it.file.literal() == Some("/dev/null")) {
        _ if redirections.iter().any(is_moved) => Some(Shows::Output),
        Some(true) => Some(Shows::Nothing),
        Some(false) => Some(Shows::Output),
        None => None,
    }
}

/// Returns whether the output of a stage is only counted by those behind it: `| sort | wc -l`.
fn is_counted(behind: &[Command]) -> bool {
    for stage in behind {
        let Command::Simple(simple) = stage else { return false };
        let Some(name) = simple.words.first().and_then(Word::literal) else { return false };
        let counts = |word: &Word| {
            word.literal().is_some_and(|word| {
                matches!(&*word, "-c" | "--count" | "-q" | "--quiet" | "--silent" | "-qE" | "-qi" | "-ic")
            })
        };
        match &*name {
            "wc" => return true,
            "grep" | "egrep" | "fgrep" if simple.words.iter().any(counts) => return true,
            name if reads::is_filter(name) && simple.redirections.is_empty() => {}
            _ => return false,
        }
    }
    false
}

/// Returns whether a file is the one that Windows shells write to so as to store nothing.
fn is_nothing(file: &Argument) -> bool {
    file.literal().is_some_and(|name| name.eq_ignore_ascii_case("nul"))
}
