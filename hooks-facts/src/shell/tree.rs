//! What a text is read into.

use std::cell::OnceCell;
use std::rc::Rc;

use super::error::Span;

/// Commands that run one after another. Each may run, however they are joined.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// In the order of the text.
    pub pipelines: Vec<Pipeline>,
}

/// Commands of which each feeds the next.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// In the order of the text.
    pub stages: Vec<Command>,
    /// How the next pipeline depends on this one.
    pub join: Join,
}

/// How a pipeline is joined to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Join {
    /// `;`, the end of a line, or nothing: the next runs in any case.
    #[default]
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `&`: this one runs in a shell of its own.
    Background,
}

/// One stage of a pipeline.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Command {
    /// A program or a builtin with its words.
    Simple(Simple),
    /// A group, a loop, a condition, a test or arithmetic.
    Compound(Compound),
    /// The definition of a function, which runs nothing.
    Function(Function),
}

/// Assignments, words and redirections.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    /// Before the first word, or arguments of `export` and its like.
    pub assignments: Vec<Assignment>,
    /// The program and its words.
    pub words: Vec<Word>,
    /// Where its channels go.
    pub redirections: Vec<Redirection>,
    /// Its place in the text.
    pub span: Span,
}

/// `NAME=value`, `NAME+=value`, `NAME[key]=value` or `NAME=(values)`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Whether the value is put behind the old one.
    pub appends: bool,
    /// Whether it names an element of an array.
    pub element: bool,
    /// The value.
    pub value: AssignedValue,
}

/// What a variable is set to.
#[derive(Clone, Debug)]
pub enum AssignedValue {
    /// One text.
    Word(Word),
    /// An array.
    List(Vec<Word>),
}

/// A command made of commands.
#[derive(Clone, Debug, Default)]
pub struct Compound {
    /// The variable of a `for` or `select`.
    pub variable: Option<String>,
    /// The words it runs over, tests, or compares; for a `for` without `in`, `None`.
    pub words: Option<Vec<Word>>,
    /// What it runs, conditions first.
    pub bodies: Vec<Script>,
    /// Where the channels of all of it go.
    pub redirections: Vec<Redirection>,
    /// Whether it runs in a shell of its own: `( … )`.
    pub subshell: bool,
}

/// A named command.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// What a call runs.
    pub body: Rc<Command>,
}

/// Where a channel goes.
#[derive(Clone, Debug)]
pub struct Redirection {
    /// What it does.
    pub kind: RedirectionKind,
    /// The file, the text of a here-string, or the end mark of a here-document.
    pub target: Word,
    /// The text of a here-document.
    pub document: Document,
    /// Its place in the text.
    pub span: Span,
}

/// The text of a here-document, which follows its command in the text.
pub type Document = Rc<OnceCell<Word>>;

/// What a redirection does.
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
    /// `<&` and `>&` with a channel.
    Duplicate,
    /// `<<` and `<<-`.
    HereDocument,
    /// `<<<`.
    HereString,
}

/// What the shell makes words of.
#[derive(Clone, Debug, Default)]
pub struct Word {
    /// In the order of the text.
    pub parts: Vec<Part>,
    /// Its place in the text.
    pub span: Span,
}

/// A piece of a word.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Part {
    /// Text; only where it is not quoted do wildcards and braces count.
    Literal {
        /// The text, quotes and escapes taken off.
        text: String,
        /// Whether it was quoted or escaped.
        quoted: bool,
    },
    /// `$name`, `${name}` and its forms.
    Variable {
        /// The name, or the digit or sign of a special one.
        name: String,
        /// Whether it stands in double quotes.
        quoted: bool,
        /// What is made of the value.
        value: Value,
    },
    /// `$(…)` and backticks.
    Substitution {
        /// What runs.
        script: Script,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// `<(…)` and `>(…)`.
    Process {
        /// What runs.
        script: Script,
        /// Which end the word is.
        direction: Direction,
    },
    /// `$((…))`, with what is nested in it.
    Arithmetic(Word),
}

/// The end of a process substitution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<(…)`: the word can be read from.
    Read,
    /// `>(…)`: the word can be written to.
    Write,
}

/// What an expansion makes of a variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// The value.
    Plain,
    /// One element (`[0]`), or all of an array (`[@]`, `[*]`).
    Element(String),
    /// `:-` and its like: the value, or this word where there is none.
    Default(Word),
    /// `:+`: this word, where there is a value.
    Alternative(Word),
    /// Anything else, with what is nested in it.
    Changed(Word),
}

impl Word {
    /// The text of a word without any expansion.
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
