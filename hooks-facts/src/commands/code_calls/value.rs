//! Values of expressions, as far as they are literal.

use crate::globs::Gap;

/// Most texts that one expression may stand for.
const MAX_TEXTS: usize = 8;

/// Longest list that is kept.
const MAX_ITEMS: usize = 64;

/// Longest text that is computed.
const MAX_TEXT: usize = 1_024;

/// Value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// One of these texts, as outlines; whether it is an object for a path.
    Texts(Vec<String>, Form),
    List(Vec<Value>),
    /// A name that stands for a module, an object or a function.
    Name(Vec<String>),
    Unknown,
}

/// Type of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// An object for a path: `Path("a")`, on which a slash joins.
    Path,
}

impl Value {
    /// Returns a list, unless it is too long to be copied for each use.
    pub(super) fn list(values: Vec<Self>) -> Self {
        if values.len() > MAX_ITEMS { Self::Unknown } else { Self::List(values) }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Texts(vec![text.into()], Form::Text)
    }

    pub(super) fn path(text: impl Into<String>) -> Self {
        Self::Texts(vec![text.into()], Form::Path)
    }

    /// Returns the texts; one of unknown content for a value that is not known, and none for a list without texts.
    pub(super) fn outlines(&self) -> Vec<String> {
        match self {
            Self::Texts(texts, _) => texts.clone(),
            Self::List(values) => values.iter().flat_map(Self::outlines).take(MAX_TEXTS * 4).collect(),
            Self::Name(path) if path.iter().all(|part| part.parse::<u32>().is_ok()) => Vec::new(),
            Self::Name(_) | Self::Unknown => vec![Gap::Any.stand_in().to_string()],
        }
    }

    /// Returns whether it is a text, a path or a list of them.
    pub(super) fn is_file(&self) -> bool {
        match self {
            Self::Texts(..) => true,
            Self::List(values) => values.iter().any(Self::is_file),
            Self::Name(_) | Self::Unknown => false,
        }
    }

    pub(super) fn is_path(&self) -> bool {
        matches!(self, Self::Texts(_, Form::Path))
    }

    /// Returns whether it is a mode with which a file is opened to write, or may be one.
    pub(super) fn is_writing_mode(&self) -> bool {
        let writes = |mode: &String| {
            let mode = mode.trim();
            mode.starts_with(['>', '|'])
                || mode.starts_with("+<")
                || mode.chars().all(|c| "rwaxcbtU+:gz2|e".contains(c))
                    && mode.contains(['w', 'a', 'x', 'c', '+'])
                || mode.contains(Gap::Any.stand_in())
        };
        match self {
            Self::Texts(texts, _) => texts.iter().any(writes),
            // `os.O_WRONLY | os.O_CREAT`, `File::APPEND`.
            Self::Name(path) => path.iter().any(|name| {
                ["WRONLY", "RDWR", "CREAT", "APPEND", "TRUNC", "write", "append"]
                    .iter()
                    .any(|flag| name.contains(flag))
            }),
            Self::List(values) => values.iter().any(Self::is_writing_mode),
            Self::Unknown => false,
        }
    }

    /// Returns the alternatives of two values.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Texts(mut texts, form), Self::Texts(others, _))
                if texts.len() + others.len() <= MAX_TEXTS =>
            {
                texts.extend(others);
                texts.dedup();
                Self::Texts(texts, form)
            }
            (first, second) if first == second => first,
            _ => Self::Unknown,
        }
    }

    /// Returns the texts of two values, put together.
    pub(super) fn joined(&self, other: &Self, join: impl Fn(&str, &str) -> String) -> Self {
        let form = if self.is_path() { Form::Path } else { Form::Text };
        let any = || vec![Gap::Any.stand_in().to_string()];
        let texts = |value: &Self| match value {
            Self::Texts(texts, _) => texts.clone(),
            _ => any(),
        };
        let (first, second) = (texts(self), texts(other));
        let all: Vec<String> =
            first.iter().flat_map(|first| second.iter().map(|second| join(first, second))).collect();
        let is_known = |text: &String| {
            text.len() <= MAX_TEXT && text.chars().any(|c| Gap::from_char(c) != Some(Gap::Any))
        };
        match all.len() <= MAX_TEXTS && all.iter().all(is_known) {
            true => Self::Texts(all, form),
            false => Self::Unknown,
        }
    }

    /// Returns the texts with each changed.
    pub(super) fn mapped(&self, form: Form, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Texts(texts, _) => Self::Texts(texts.iter().map(|text| change(text)).collect(), form),
            _ => Self::Unknown,
        }
    }
}

/// Joins a folder and a name; an absolute name replaces the folder.
pub(super) fn in_folder(folder: &str, name: &str) -> String {
    match folder {
        _ if name.starts_with(['/', '~']) => name.to_owned(),
        "" | "." => name.to_owned(),
        folder if folder.ends_with(Gap::Folders.stand_in()) => format!("{folder}{name}"),
        folder => format!("{}/{}", folder.trim_end_matches('/'), name.trim_start_matches("./")),
    }
}

/// Returns the folder of a path.
pub(super) fn above(path: &str) -> String {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
        None if path.contains(Gap::Any.stand_in()) => Gap::Any.stand_in().to_string(),
        None => ".".to_owned(),
    }
}

/// Returns the last part of a path.
pub(super) fn last(path: &str) -> String {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned()
}
