//! What is wrong with a configuration: all of it, each with its place.

use std::fmt;
use std::ops::Range;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// One mistake in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub hint: Option<String>,
    /// Whether it keeps the configuration from being used.
    pub gravity: Gravity,
    /// The bytes of the text it is about.
    pub span: Range<usize>,
}

/// How bad a mistake is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gravity {
    /// The configuration is refused.
    #[default]
    Error,
    /// The configuration is used; it does not do what it seems to say.
    Warning,
}

impl Serialize for ConfigError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("line", &self.line)?;
        fields.serialize_entry("column", &self.column)?;
        fields.serialize_entry("path", &self.path)?;
        fields.serialize_entry("level", &self.gravity)?;
        fields.serialize_entry("message", &self.message)?;
        if let Some(hint) = &self.hint {
            fields.serialize_entry("hint", hint)?;
        }
        // All of it in one line, for who only passes it on.
        fields.serialize_entry("text", &self.to_string())?;
        fields.end()
    }
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
            let level = if error.gravity == Gravity::Warning { "warning: " } else { "" };
            write!(f, "{}: {level}{error}", self.name)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// Collects mistakes while a text is read.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    errors: Vec<ConfigError>,
    /// What keeps nothing from being used; told beside what does.
    doubts: Vec<ConfigError>,
}

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

    /// The same, with a way out where there is one.
    pub(super) fn add_maybe_with_hint(
        &mut self,
        place: &Place,
        path: String,
        message: String,
        hint: Option<String>,
    ) {
        self.push(place, path, message, hint);
    }

    /// Notes what is no mistake, and still not what anybody means.
    pub(super) fn doubt(&mut self, place: &Place, path: String, message: String, hint: Option<String>) {
        if self.doubts.len() < MOST {
            let gravity = Gravity::Warning;
            self.doubts.push(ConfigError { gravity, ..made(place, path, message, hint) });
        }
    }

    fn push(&mut self, place: &Place, path: String, message: String, hint: Option<String>) {
        if self.errors.len() < MOST {
            self.errors.push(made(place, path, message, hint));
        }
    }

    /// Whether nothing keeps the configuration from being used.
    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The paths of what is wrong.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.errors.iter().map(|mistake| mistake.path.as_str()).filter(|path| !path.is_empty())
    }

    /// Whether no more are taken.
    pub(super) fn are_too_many(&self) -> bool {
        self.errors.len() >= MOST
    }

    /// The mistakes, and the doubts behind them.
    pub(super) fn into_errors(self) -> Vec<ConfigError> {
        let Self { mut errors, doubts } = self;
        errors.extend(doubts);
        errors
    }

    /// The doubts alone.
    pub(super) fn into_doubts(self) -> Vec<ConfigError> {
        self.doubts
    }

    /// Takes the doubts out.
    pub(super) fn take_doubts(&mut self) -> Vec<ConfigError> {
        std::mem::take(&mut self.doubts)
    }
}

fn made(place: &Place, path: String, message: String, hint: Option<String>) -> ConfigError {
    let Place { line, column, ref span } = *place;
    ConfigError { line, column, path, message, hint, gravity: Gravity::Error, span: span.clone() }
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
