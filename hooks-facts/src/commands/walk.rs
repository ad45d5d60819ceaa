//! Goes through the tree of a text in the order of running, and collects what would start.

use std::collections::HashMap;
use std::rc::Rc;

use super::analysis::{
    Analysis, Invocation, Options, Program, Unresolved, UnresolvedReason, WriteKind, WriteTarget,
};
use super::argument::Argument;
use super::folders::{Folders, ListFolders};
use super::lookup;
use crate::shell::{
    self, AssignedValue, Assignment, Command, Compound, Pipeline, Redirection, RedirectionKind, Script,
    Simple, Span,
};

/// Deeper nesting of texts, wrappers and functions is not followed.
const MAX_DEPTH: usize = 24;

/// What an analysis may cost: every invocation, expanded byte and nested text is paid for.
const BUDGET: usize = 1024 * 1024;

/// The longest text a variable or an output is kept as.
pub(super) const MAX_TEXT: usize = 64 * 1024;

/// What flows between commands.
#[derive(Clone, Debug)]
pub(super) enum Stream {
    /// Nothing.
    Empty,
    /// This text.
    Known(Rc<str>),
    /// A file that was there before.
    File,
    /// Names of files, and nothing else: what a search finds.
    Names(Rc<[Argument]>),
    /// Anything.
    Unknown,
}

impl Stream {
    pub(super) fn of(text: String) -> Self {
        if text.len() > MAX_TEXT { Self::Unknown } else { Self::Known(text.into()) }
    }

    fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Empty, next) => next,
            (first, Self::Empty) => first,
            (Self::Known(first), Self::Known(next)) => Self::of(format!("{first}{next}")),
            _ => Self::Unknown,
        }
    }
}

/// The value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Text(Argument),
    List(Vec<Argument>),
}

/// The state of the shell that a text would run in.
pub(super) struct Walk {
    pub(super) options: Options,
    pub(super) variables: HashMap<String, Variable>,
    /// `$0` and on.
    pub(super) positional: Vec<Argument>,
    pub(super) functions: HashMap<String, Rc<Command>>,
    pub(super) aliases: HashMap<String, String>,
    /// Those of git that the text itself sets.
    pub(super) git_aliases: HashMap<String, String>,
    /// Files the command itself writes, and process substitutions by a name of their own.
    pub(super) files: HashMap<String, Stream>,
    pub(super) folders: Folders,
    /// The folder that the text begins in.
    pub(super) start: Option<String>,
    depth: usize,
    budget: usize,
    /// The place at the top that leads here, inside of nested texts.
    outer: Option<Span>,
    /// In a text that may or may not be run, what cannot be known says nothing.
    guessing: bool,
    /// Where it depends on what is there whether something runs.
    doubting: bool,
    /// Whether names may stand for other programs than the system's.
    pub(super) lookup_changed: bool,
    /// In a later turn of a loop, whose texts are read once more.
    pub(super) repeating: bool,
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
            folders: Folders::start(),
            start: None,
            depth: 0,
            budget: BUDGET,
            outer: None,
            guessing: false,
            doubting: false,
            lookup_changed: false,
            repeating: false,
            analysis: Analysis { options, ..Analysis::default() },
        }
    }

    /// A walk that begins in a folder whose path is known.
    pub(super) fn beginning_in(self, folder: Option<&str>) -> Self {
        Self { start: folder.map(str::to_owned), ..self }
    }

    pub(super) fn finish(self) -> Analysis {
        self.analysis
    }

    pub(super) fn top_text(&mut self, text: &str) {
        match shell::read(text, self.options.syntax()) {
            Ok(script) => {
                self.script(&script, &Stream::Empty);
            }
            Err(error) => self.unresolved(UnresolvedReason::Unreadable(error), error.span),
        }
    }

    pub(super) fn top_words(&mut self, argv: &[Argument]) {
        let end = argv.iter().map(|word| word.len() + 1).sum();
        self.run(argv, &Stream::Empty, Span { start: 0, end });
    }

    /// A text that runs in a shell, with `input` on its channel.
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

    /// A text that may be run; nothing follows from what cannot be known of it.
    pub(super) fn maybe_text(&mut self, text: &str, span: Span) {
        let guessing = std::mem::replace(&mut self.guessing, true);
        self.text(text, &Stream::Empty, span);
        self.guessing = guessing;
    }

    /// Does `visit` as what happens only if something is as it may be.
    pub(super) fn in_doubt<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let doubting = std::mem::replace(&mut self.doubting, true);
        let result = visit(self);
        self.doubting = doubting;
        result
    }

    /// What a shell or an interpreter reads from a stream.
    pub(super) fn stream(&mut self, stream: &Stream, span: Span) -> Stream {
        match stream {
            Stream::Empty => Stream::Empty,
            Stream::File => {
                self.is_untold();
                Stream::Empty
            }
            Stream::Known(text) => {
                let text = Rc::clone(text);
                self.text(&text, &Stream::Empty, span)
            }
            Stream::Names(_) | Stream::Unknown => {
                self.unresolved(UnresolvedReason::Text, span);
                Stream::Unknown
            }
        }
    }

    /// Runs `visit` one level deeper, where that is not too deep.
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

    /// Takes from the budget; `false` where nothing is left.
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

    /// Whether nothing of the budget is left.
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

    fn too_complex(&mut self, span: Span) {
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
        let argv = argv.to_vec();
        self.analysis.invocations.push(Invocation { argv, span, is_opaque: false, is_untold, folders });
    }

    /// An interpreter runs a text.
    pub(super) fn interprets(&mut self, text: &str, span: Span) {
        let folders = self.kept_folders(span);
        self.analysis.programs.push(Program { text: text.to_owned(), folders });
    }

    /// Where the analysis keeps the folders that this runs in.
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

    /// Nobody knows what the program that was invoked last does with its words.
    pub(super) fn is_opaque(&mut self) {
        if let Some(last) = self.analysis.invocations.last_mut() {
            last.is_opaque = true;
        }
    }

    /// The program that was invoked last runs what nobody has read.
    fn is_untold(&mut self) {
        if let Some(last) = self.analysis.invocations.last_mut() {
            last.is_untold = true;
        }
    }

    /// Everything a script prints.
    pub(super) fn script(&mut self, script: &Script, input: &Stream) -> Stream {
        let mut output = Stream::Empty;
        let mut folders = ListFolders::new();
        for pipeline in &script.pipelines {
            // Once nothing is left the answer is a refusal, and going on would only take time.
            if self.budget == 0 {
                return Stream::Unknown;
            }
            let printed = folders.step(self, pipeline, |walk| walk.pipeline(pipeline, input));
            output = output.then(printed);
        }
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, input: &Stream) -> Stream {
        if let [command] = pipeline.stages.as_slice() {
            return self.command(command, input);
        }
        let mut stream = input.clone();
        for stage in &pipeline.stages {
            stream = self.in_subshell(|walk| walk.command(stage, &stream));
        }
        stream
    }

    pub(super) fn command(&mut self, command: &Command, input: &Stream) -> Stream {
        match command {
            Command::Simple(simple) => self.simple(simple, input),
            Command::Compound(compound) => self.compound(compound, input),
            Command::Function(function) => {
                self.functions.insert(function.name.clone(), Rc::clone(&function.body));
                Stream::Empty
            }
        }
    }

    fn compound(&mut self, compound: &Compound, input: &Stream) -> Stream {
        if !self.pay(8, Span::default()) {
            return Stream::Unknown;
        }
        let (input, target) = self.redirect(&compound.redirections, input);
        let words: Vec<Argument> = match &compound.words {
            Some(words) => words.iter().flat_map(|word| self.expand(word)).collect(),
            None if compound.variable.is_some() => self.positional.iter().skip(1).cloned().collect(),
            None => Vec::new(),
        };
        let mut output = Stream::Empty;
        match &compound.variable {
            None if compound.subshell => output = self.in_subshell(|walk| walk.bodies(compound, &input)),
            None => output = self.bodies(compound, &input),
            Some(name) => {
                self.lookup_changed |= lookup::changes(name, &Argument::unknown());
                // Every turn is walked, for each may write to another file.
                let outer = self.repeating;
                for word in words {
                    if self.budget == 0 {
                        break;
                    }
                    self.variables.insert(name.clone(), Variable::Text(word));
                    output = output.then(self.bodies(compound, &input));
                    self.repeating = true;
                }
                self.repeating = outer;
            }
        }
        self.deliver(output, target)
    }

    fn bodies(&mut self, compound: &Compound, input: &Stream) -> Stream {
        // Of a condition or a loop it is not known which bodies run, so the output is known only of a group.
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
        let argv: Vec<Argument> = simple.words.iter().flat_map(|word| self.expand(word)).collect();
        let (input, target) = self.redirect(&simple.redirections, input);
        for assignment in &simple.assignments {
            self.assign(assignment, simple.span);
        }
        let output = if argv.is_empty() { Stream::Empty } else { self.run(&argv, &input, simple.span) };
        self.deliver(output, target)
    }

    fn assign(&mut self, assignment: &Assignment, span: Span) {
        let value = match &assignment.value {
            AssignedValue::Word(word) => Variable::Text(self.expand_one(word)),
            AssignedValue::List(words) => {
                Variable::List(words.iter().flat_map(|word| self.expand(word)).collect())
            }
        };
        // In zsh a list `path` is the search path.
        self.lookup_changed |=
            matches!(value, Variable::List(_)) && matches!(&*assignment.name, "path" | "PATH");
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
            Variable::List(list) => list.iter().map(Argument::len).sum(),
        };
        let value = if size > MAX_TEXT { Variable::Text(Argument::unknown()) } else { value };
        if self.pay(size, span) {
            self.variables.insert(name, value);
        }
    }

    /// The input of a command after its redirections, and the file its output goes to.
    fn redirect(&mut self, redirections: &[Redirection], input: &Stream) -> (Stream, Option<Argument>) {
        let mut input = input.clone();
        let mut target = None;
        for redirection in redirections {
            match redirection.kind {
                RedirectionKind::HereDocument => {
                    let document = redirection.document.get();
                    input = document
                        .map_or(Stream::Empty, |word| Stream::of(self.expand_one(word).as_shell_text()));
                }
                RedirectionKind::HereString => {
                    let word = self.expand_one(&redirection.target);
                    input = if word.is_unknown() {
                        Stream::Unknown
                    } else {
                        Stream::of(word.as_shell_text() + "\n")
                    };
                }
                RedirectionKind::Read => {
                    let file = self.expand_one(&redirection.target);
                    input = self.file(&file);
                }
                RedirectionKind::Write | RedirectionKind::Append | RedirectionKind::ReadWrite => {
                    let file = self.expand_target(&redirection.target);
                    self.writes(&file, WriteKind::Redirected, redirection.span);
                    target = Some(file);
                }
                RedirectionKind::Duplicate => {
                    self.expand_one(&redirection.target);
                }
            }
        }
        (input, target)
    }

    /// A file is written to; it is named from every folder this may happen in.
    pub(super) fn writes(&mut self, file: &Argument, kind: WriteKind, span: Span) {
        self.note_write(file, kind, false, span);
    }

    /// A file is written to, if something else is as it may be.
    pub(super) fn may_write(&mut self, file: &Argument, kind: WriteKind, span: Span) {
        self.note_write(file, kind, true, span);
    }

    fn note_write(&mut self, file: &Argument, kind: WriteKind, is_possible: bool, span: Span) {
        let span = self.outer.unwrap_or(span);
        let is_possible = is_possible || self.doubting;
        for target in self.folders.names(file, self.options.windows) {
            if !self.pay(target.len() + 1, span) {
                return;
            }
            self.analysis.writes.push(WriteTarget { target, kind, is_possible, span });
        }
    }

    /// What a file holds.
    pub(super) fn file(&mut self, file: &Argument) -> Stream {
        let Some(name) = file.literal() else { return Stream::Unknown };
        self.files.get(file_key(name)).cloned().unwrap_or(Stream::File)
    }

    /// Lets an output go to a file, or on to the next command.
    fn deliver(&mut self, output: Stream, target: Option<Argument>) -> Stream {
        let Some(target) = target else { return output };
        if let Some(name) = target.literal()
            && !name.starts_with("/dev/")
        {
            self.files.insert(file_key(name).to_owned(), output);
        }
        Stream::Empty
    }
}

/// Two spellings of one file in a working directory.
pub(super) fn file_key(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}
