//! Tree of a parsed text.

use std::cell::OnceCell;
use std::rc::Rc;

use super::error::Span;

/// Commands that run one after another. Each may run, whatever the operators between them.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Pipelines in the order of the text.
    pub pipelines: Vec<Pipeline>,
}

/// Commands whose output is the input of the next.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// Commands in the order of the text.
    pub stages: Vec<Command>,
    /// Whether `!` or `coproc` stands in front, so that the exit code is not that of the commands.
    pub hides_exit_code: bool,
    /// Whether `coproc` stands in front: later commands write what these read.
    pub is_coprocess: bool,
    /// Operator between this pipeline and the next.
    pub join: Join,
}

impl Script {
    /// Returns whether a text that ends with exit code 0 has run each of its commands, the last with exit code 0: no command
    /// runs in the background, is negated, is an alternative, or is part of a compound command or function.
    ///
    /// ```
    /// use hooks_facts::shell::{Syntax, read};
    ///
    /// let shows = |text| read(text, Syntax::Bash).unwrap().shows_its_results();
    /// assert!(shows("cargo fmt && cargo test"));
    /// for text in ["cargo test &", "! cargo test", "cargo test || x=1", "test() { cargo test; }", "if a; then b; fi"] {
    ///     assert!(!shows(text), "{text}");
    /// }
    /// ```
    pub fn shows_its_results(&self) -> bool {
        self.pipelines.iter().all(|pipeline| {
            let runs_all =
                |stage: &Command| matches!(stage, Command::Simple(simple) if !simple.words.is_empty());
            matches!(pipeline.join, Join::Then | Join::And)
                && !pipeline.hides_exit_code
                && pipeline.stages.iter().all(runs_all)
        })
    }
}

/// Operator between two pipelines.
///
/// ```
/// use hooks_facts::shell::{Join, Syntax, read};
///
/// let script = read("a && b || c; d &", Syntax::Bash).unwrap();
/// let joins: Vec<_> = script.pipelines.iter().map(|pipeline| pipeline.join).collect();
/// assert_eq!(joins, [Join::And, Join::Or, Join::Then, Join::Background]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Join {
    /// `;`, the end of a line, or nothing: the next one runs in any case.
    #[default]
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `&`: this one runs in its own shell.
    Background,
}

/// One command of a pipeline.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Command {
    /// A program or a builtin with its words.
    Simple(Simple),
    /// A group, a loop, a condition, a test or arithmetic.
    Compound(Compound),
    /// Definition of a function, which runs nothing.
    Function(Function),
}

/// Assignments, words and redirections.
///
/// ```
/// use hooks_facts::shell::{Command, Syntax, read};
///
/// let script = read("LANG=C sort <names >sorted", Syntax::Bash).unwrap();
/// let Command::Simple(sort) = &script.pipelines[0].stages[0] else { panic!("a simple command") };
/// assert_eq!(sort.assignments[0].name, "LANG");
/// assert_eq!((sort.words.len(), sort.redirections.len()), (1, 2));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Simple {
    /// Assignments before the first word, or arguments of `export` and similar builtins.
    pub assignments: Vec<Assignment>,
    /// The program and its words.
    pub words: Vec<Word>,
    /// Redirections of its file descriptors.
    pub redirections: Vec<Redirection>,
    /// Position in the text.
    pub span: Span,
}

/// `NAME=value`, `NAME+=value`, `NAME[key]=value` or `NAME=(values)`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Name of the variable.
    pub name: String,
    /// Whether the value is appended to the old one.
    pub appends: bool,
    /// Whether the variable is an element of an array.
    pub element: bool,
    /// Assigned value.
    pub value: AssignedValue,
}

/// Value of an assignment.
#[derive(Clone, Debug)]
pub enum AssignedValue {
    /// One text.
    Word(Word),
    /// An array.
    List(Vec<Word>),
}

/// Command made of commands.
#[derive(Clone, Debug, Default)]
pub struct Compound {
    /// Variable of a `for` or `select`.
    pub variable: Option<String>,
    /// Words that it iterates over, tests or compares; `None` for a `for` without `in`.
    pub words: Option<Vec<Word>>,
    /// Scripts that it runs, conditions first.
    pub bodies: Vec<Script>,
    /// Redirections for all of its commands.
    pub redirections: Vec<Redirection>,
    /// Whether it runs in its own shell: `( … )`.
    pub subshell: bool,
}

/// Named command.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Command that a call runs.
    pub body: Rc<Command>,
}

/// Redirection of a file descriptor.
#[derive(Clone, Debug)]
pub struct Redirection {
    /// Kind of the redirection.
    pub kind: RedirectionKind,
    /// File, text of a here-string, or end mark of a here-document.
    pub target: Word,
    /// Text of a here-document.
    pub document: Document,
    /// Variable that gets the number of the file descriptor: `{fd}> FILE`.
    pub variable: Option<String>,
    /// Whether another file descriptor than the output is redirected: `2> FILE`, `{fd}> FILE`.
    pub is_other: bool,
    /// Position in the text.
    pub span: Span,
}

/// Text of a here-document, which follows its command in the text.
pub type Document = Rc<OnceCell<Word>>;

/// Kind of a redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedirectionKind {
    /// `<`.
    Read,
    /// `>`, `>|`, `&>`.
    Write,
    /// `>>`, `&>>`.
    Append,
    /// `<>`.
    ReadWrite,
    /// `<&` and `>&` with a file descriptor.
    Duplicate,
    /// `<<` and `<<-`.
    HereDocument,
    /// `<<<`.
    HereString,
}

/// Word before the shell expands it.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// Parts in the order of the text.
    pub parts: Vec<Part>,
    /// Position in the text.
    pub span: Span,
}

/// Part of a word.
///
/// ```
/// use hooks_facts::shell::{Command, Part, Syntax, read};
///
/// let script = read("echo \"$(date)\" plain", Syntax::Bash).unwrap();
/// let Command::Simple(echo) = &script.pipelines[0].stages[0] else { panic!("a simple command") };
/// assert!(echo.words[1].parts.iter().any(|part| matches!(part, Part::Substitution { quoted: true, .. })));
/// assert!(matches!(&echo.words[2].parts[..], [Part::Literal { quoted: false, .. }]));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Part {
    /// Text. Wildcards and braces count only if it is not quoted.
    Literal {
        /// The text, without quotes and escapes.
        text: String,
        /// Whether it was quoted or escaped.
        quoted: bool,
    },
    /// `$name`, `${name}` and its forms.
    Variable {
        /// Name, or the digit or character of a special variable.
        name: String,
        /// Whether it is in double quotes.
        quoted: bool,
        /// Operation on the value.
        value: Value,
    },
    /// `$(…)` and backticks.
    Substitution {
        /// Script that runs.
        script: Script,
        /// Whether it is in double quotes.
        quoted: bool,
    },
    /// `<(…)` and `>(…)`.
    Process {
        /// Script that runs.
        script: Script,
        /// End of the pipe that the word names.
        direction: Direction,
    },
    /// `$((…))`, with its nested parts.
    Arithmetic(Word),
}

/// End of a process substitution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<(…)`: a program can read from the word.
    Read,
    /// `>(…)`: a program can write to the word.
    Write,
}

/// Operation of an expansion on a variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// The value itself.
    Plain,
    /// One element (`[0]`), or all elements of an array (`[@]`, `[*]`).
    Element(String),
    /// `:-`: the value, or this word if there is no value.
    Default(Word),
    /// `:=`: the same, and the word becomes the value.
    Assigned(Word),
    /// `:+`: this word, if there is a value.
    Alternative(Word),
    /// `!`: the value of the variable that the value names.
    Indirect,
    /// `#`: the length of the value.
    Length,
    /// Any other operation, with its nested parts.
    Changed(Word),
}

impl Word {
    /// Returns the text of a word without any expansion.
    ///
    /// ```
    /// use hooks_facts::shell::{Command, Syntax, read};
    ///
    /// let script = read("rm 'my file' $OTHER", Syntax::Bash).unwrap();
    /// let Command::Simple(rm) = &script.pipelines[0].stages[0] else { panic!("a simple command") };
    /// assert_eq!(rm.words[1].literal().as_deref(), Some("my file"));
    /// assert_eq!(rm.words[2].literal(), None);
    /// ```
    pub fn literal(&self) -> Option<String> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Literal { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}
