//! Errors in policies and schemas, each with its place.

use std::fmt;

use miette::Diagnostic;

use crate::config::{CedarConfig, CedarFile};

/// An error in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CedarError {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// Description of the error.
    pub problem: String,
    /// Advice on how to correct it, if there is some.
    pub hint: Option<String>,
}

impl CedarError {
    /// The error that Cedar reports about `file`.
    pub(crate) fn new(file: &CedarFile, cause: &dyn Diagnostic) -> Self {
        let label = cause.labels().and_then(|mut labels| labels.next());
        let offset = label.as_ref().map_or(0, miette::LabeledSpan::offset);
        let expected = label.as_ref().and_then(|label| label.label()).map(str::to_owned);
        let help = cause.help().map(|help| help.to_string());
        let error = Self::at(file, offset, &cause.to_string());
        Self { hint: help.or(expected), ..error }
    }

    /// An error at an offset in bytes.
    pub(crate) fn at(file: &CedarFile, offset: usize, problem: &str) -> Self {
        let before = file.text.get(..offset).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            file: file.name.clone(),
            line: before.matches('\n').count().saturating_add(1),
            column: line.chars().count().saturating_add(1),
            problem: problem.to_owned(),
            hint: None,
        }
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for CedarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, problem, hint } = self;
        write!(f, "{file}: line {line}, column {column}: {problem}")?;
        hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for CedarError {}

/// All errors of a configuration, in the order of its files. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CedarErrors(pub(crate) Vec<CedarError>);

/// Deepest nesting of brackets.
const MAX_DEPTH: usize = 64;

impl CedarErrors {
    /// An error of the first file.
    pub(crate) fn of_config(config: &CedarConfig, problem: &str) -> Self {
        Self(config.files.iter().take(1).map(|file| CedarError::at(file, 0, problem)).collect())
    }

    /// The place where brackets are nested too deep, if there is one. Those in texts count too.
    pub(crate) fn of_depth(config: &CedarConfig) -> Option<Self> {
        config.files.iter().chain(&config.schema).find_map(|file| {
            let mut depth = 0_usize;
            let deep = file.text.bytes().position(|b| {
                depth = match b {
                    b'(' | b'[' | b'{' => depth + 1,
                    b')' | b']' | b'}' => depth.saturating_sub(1),
                    _ => depth,
                };
                depth > MAX_DEPTH
            });
            let problem = format!("brackets are nested deeper than {MAX_DEPTH} levels");
            Some(Self(vec![CedarError::at(file, deep?, &problem)]))
        })
    }

    /// Returns the errors.
    ///
    /// ```
    /// use hooks_cedar::{CedarConfig, CedarPolicy};
    /// use hooks_facts::calls::CallReader;
    ///
    /// let text = "permit (principal, action, resource);\nforbid (principal, action);";
    /// let errors = CedarPolicy::new(&CedarConfig::new("a.cedar", text), &CallReader::default()).unwrap_err();
    /// assert_eq!((errors.as_slice().len(), errors.as_slice()[0].line), (1, 2));
    /// ```
    pub fn as_slice(&self) -> &[CedarError] {
        &self.0
    }
}

impl fmt::Display for CedarErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CedarErrors {}
