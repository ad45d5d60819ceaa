//! Mistakes in a configuration: all of them, each with its place.

use std::fmt;
use std::ops::Range;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::suggest::nearest;

/// One mistake in a configuration.
///
/// ```
/// use hooks_config::{Config, Gravity};
///
/// let text = "version: 1\nask_user: { max_per_session: many }";
/// let errors = Config::parse(text, "hooks.yaml").expect_err("`many` is not a number");
/// let error = &errors.errors()[0];
/// assert_eq!((error.line, error.column, &*error.path), (2, 30, "ask_user.max_per_session"));
/// assert_eq!((&text[error.span.clone()], error.gravity), ("many", Gravity::Error));
///
/// // Programs read the same as JSON.
/// let json = serde_json::to_value(error)?;
/// assert_eq!((&json["line"], &json["level"]), (&2.into(), &"error".into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigError {
    /// Line, from 1; 1 for a mistake of the whole file.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// Path in the configuration, such as `rules[2].paths[0]`; empty for the file as a whole.
    pub path: String,
    /// Description of the mistake.
    pub message: String,
    /// Advice on how to correct it, if there is some.
    pub hint: Option<String>,
    /// Severity of the mistake.
    pub gravity: Gravity,
    /// Bytes of the text that the mistake is about.
    pub span: Range<usize>,
}

/// Severity of a mistake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gravity {
    /// The configuration is refused.
    #[default]
    Error,
    /// The configuration is used, but probably does not do what its author meant.
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
        // The whole report in one line, for programs that only forward it.
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

/// All mistakes in a configuration, in the order of the file. Never empty.
///
/// ```
/// use hooks_config::Config;
///
/// let text = "version: 1\nrule: []\nask_usr: {}";
/// let errors = Config::parse(text, "team/hooks.yaml").expect_err("two names are wrong");
/// assert_eq!((errors.name(), errors.errors().len()), ("team/hooks.yaml", 2));
/// assert_eq!(errors.to_string(), "\
/// team/hooks.yaml: line 2, column 1: rule: unknown option `rule`; did you mean `rules`?
/// team/hooks.yaml: line 3, column 1: ask_usr: unknown option `ask_usr`; did you mean `ask_user`?");
/// ```
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

    /// Name of the file, as the caller gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that was read, for callers that show the place of a mistake.
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
    /// Warnings; they are reported together with the errors.
    doubts: Vec<ConfigError>,
}

/// Most mistakes that are reported. A file with more is not a configuration with a few slips.
const MOST: usize = 100;

impl Mistakes {
    /// Adds the mistake `message` at `place`, under `path`.
    pub(super) fn add(&mut self, place: &TextPosition, path: impl Into<String>, message: impl Into<String>) {
        self.push(place, path.into(), message.into(), None);
    }

    /// Adds a mistake with a hint.
    pub(super) fn add_with_hint(
        &mut self,
        place: &TextPosition,
        path: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.push(place, path.into(), message.into(), Some(hint.into()));
    }

    /// Adds a mistake with an optional hint.
    pub(super) fn add_maybe_with_hint(
        &mut self,
        place: &TextPosition,
        path: String,
        message: String,
        hint: Option<String>,
    ) {
        self.push(place, path, message, hint);
    }

    /// Adds a warning: text that is valid and probably not meant.
    pub(super) fn doubt(
        &mut self,
        place: &TextPosition,
        path: String,
        message: String,
        hint: Option<String>,
    ) {
        if self.doubts.len() < MOST {
            let gravity = Gravity::Warning;
            self.doubts.push(ConfigError { gravity, ..made(place, path, message, hint) });
        }
    }

    fn push(&mut self, place: &TextPosition, path: String, message: String, hint: Option<String>) {
        if self.errors.len() < MOST {
            self.errors.push(made(place, path, message, hint));
        }
    }

    /// Whether there are no errors. Warnings do not count.
    pub(super) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Paths of the errors.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.errors.iter().map(|mistake| mistake.path.as_str()).filter(|path| !path.is_empty())
    }

    /// Whether the limit of mistakes is reached.
    pub(super) fn are_too_many(&self) -> bool {
        self.errors.len() >= MOST
    }

    /// The errors, and the warnings after them.
    pub(super) fn into_errors(self) -> Vec<ConfigError> {
        let Self { mut errors, doubts } = self;
        errors.extend(doubts);
        errors
    }

    /// The warnings alone.
    pub(super) fn into_doubts(self) -> Vec<ConfigError> {
        self.doubts
    }

    /// Removes and returns the warnings.
    pub(super) fn take_doubts(&mut self) -> Vec<ConfigError> {
        std::mem::take(&mut self.doubts)
    }
}

fn made(place: &TextPosition, path: String, message: String, hint: Option<String>) -> ConfigError {
    let TextPosition { line, column, ref span } = *place;
    let hint = hint.map(|hint| with_suggestion(&message, hint));
    ConfigError { line, column, path, message, hint, gravity: Gravity::Error, span: span.clone() }
}

/// `hint` with the word of its list that the quoted word of `message` probably misspells.
fn with_suggestion(message: &str, hint: String) -> String {
    let word = message.strip_prefix('`').and_then(|rest| rest.split('`').next());
    let list = hint.strip_prefix("use one of ");
    let near = word.zip(list).and_then(|(word, list)| nearest(word, list.split(", ")));
    match near {
        Some(near) => format!("did you mean `{near}`? {hint}"),
        None => hint,
    }
}

/// A place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextPosition {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
    /// In bytes.
    pub(super) span: Range<usize>,
}

impl TextPosition {
    /// The first character of the text.
    pub(super) const START: Self = Self { line: 1, column: 1, span: 0..0 };
}
