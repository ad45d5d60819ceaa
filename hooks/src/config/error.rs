//! What is wrong with a configuration: all of it, each with its place.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

/// One mistake in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ConfigError {
    /// The line, from 1; 1 where the mistake is of the whole file.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// Where it is in the configuration, such as `rules[2].paths[0]`; empty for the file as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The way out, where there is one to name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The bytes of the text it is about.
    #[serde(skip)]
    pub span: Range<usize>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with a configuration, in the order of the file. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors {
    name: String,
    text: String,
    errors: Vec<ConfigError>,
}

impl ConfigErrors {
    pub(super) fn new(name: &str, text: &str, mut errors: Vec<ConfigError>) -> Self {
        errors.sort_by_key(|error| error.span.start);
        Self { name: name.to_owned(), text: text.to_owned(), errors }
    }

    /// The mistakes.
    pub fn errors(&self) -> &[ConfigError] {
        &self.errors
    }

    /// The name of the file, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that was read, for whoever shows the place.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{}: {error}", self.name)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// Collects mistakes while a text is read.
#[derive(Debug, Default)]
pub(super) struct Mistakes(Vec<ConfigError>);

/// How many are reported; a file with more is not one that was nearly right.
const MOST: usize = 100;

impl Mistakes {
    /// Notes that `message` is wrong at `place`, under `path`.
    pub(super) fn add(&mut self, place: &Place, path: impl Into<String>, message: impl Into<String>) {
        self.push(place, path.into(), message.into(), None);
    }

    /// The same, with a way out.
    pub(super) fn add_with_hint(
        &mut self,
        place: &Place,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.push(place, path.into(), message.into(), Some(hint.into()));
    }

    fn push(&mut self, place: &Place, path: String, message: String, hint: Option<String>) {
        if self.0.len() < MOST {
            let Place { line, column, ref span } = *place;
            self.0.push(ConfigError { line, column, path, message, hint, span: span.clone() });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The paths of what is wrong.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|mistake| mistake.path.as_str()).filter(|path| !path.is_empty())
    }

    /// Whether no more are taken.
    pub(super) fn are_too_many(&self) -> bool {
        self.0.len() >= MOST
    }

    pub(super) fn into_errors(self) -> Vec<ConfigError> {
        self.0
    }
}

/// A place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
    /// In bytes.
    pub(super) span: Range<usize>,
}

impl Place {
    /// The first character of the text.
    pub(super) const START: Self = Self { line: 1, column: 1, span: 0..0 };
}
