//! Reads statements for databases: SQL, the shell of MongoDB, and the commands of Redis.
//!
//! A [`Statement`] has the words that name its action, in lower case for languages without case, and marks for what is
//! special about it: `--where` for a condition that is not always true. Comments, strings and quoted names are read as
//! the database reads them, so a word in them is not a word of the statement. Unknown parts of a text are gaps, as in an
//! outline. All readers are linear in the text and return at most [`MOST`] statements.

mod mongo;
mod redis;
mod sql;
mod sql_condition;
mod sql_lexer;

pub(crate) use self::mongo::read as mongo;
pub(crate) use self::redis::{line as redis_line, read as redis};
pub(crate) use self::sql::read as sql;
pub(crate) use self::sql_lexer::Dialect;

/// Most statements of one text.
pub(crate) const MOST: usize = 4096;

/// Word of a statement that is not known before it runs.
pub(crate) const UNKNOWN: &str = "unknown";

/// One statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Words of the statement. Names and values are among them.
    pub(crate) words: Vec<String>,
    /// Marks, each an option such as `--where`.
    pub(crate) marks: Vec<String>,
}

/// Statements of a text, and the commands that the client hands to a shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statements {
    pub(crate) all: Vec<Statement>,
    /// Texts for a shell: `\! ls`.
    pub(crate) shell: Vec<String>,
}

impl Statement {
    fn new(words: &[&str]) -> Self {
        Self { words: words.iter().map(|word| (*word).to_owned()).collect(), marks: Vec::new() }
    }

    fn with(mut self, mark: &str) -> Self {
        self.mark(mark);
        self
    }

    fn mark(&mut self, mark: &str) {
        if !self.marks.iter().any(|one| one == mark) {
            self.marks.push(mark.to_owned());
        }
    }
}

impl Statements {
    fn push(&mut self, statement: Statement) {
        if self.all.len() < MOST {
            self.all.push(statement);
        } else if let Some(last) = self.all.last_mut() {
            // Further statements are not read, so the last one counts as unknown.
            *last = Statement::new(&[UNKNOWN]);
        }
    }
}
