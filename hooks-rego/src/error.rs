//! An error in a module, with its place.

use std::fmt;

/// The first error in a module.
///
/// ```
/// use hooks_facts::calls::CallReader;
/// use hooks_rego::{RegoConfig, RegoPolicy};
///
/// let module = RegoConfig::new("a.rego", "package hooks\na if b\nb if a\ndeny if a");
/// let error = RegoPolicy::new(&module, &CallReader::default()).unwrap_err();
/// assert_eq!((error.line, error.problem.as_str()), (2, "the rule `a` depends on itself"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegoError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Description of the error.
    pub problem: String,
    /// Advice on how to correct it, if there is some.
    pub hint: Option<String>,
}

impl RegoError {
    /// An error of the whole module.
    pub(crate) fn of_module(problem: impl Into<String>, hint: &str) -> Self {
        Self { line: 1, column: 1, problem: problem.into(), hint: Some(hint.to_owned()) }
    }

    /// The error that regorus reports: `--> FILE:LINE:COLUMN`, the line, and `error: PROBLEM`; or a text.
    pub(crate) fn reported(text: &str) -> Self {
        let place = text.split_once("--> ").and_then(|(_, rest)| rest.lines().next());
        let mut numbers = place.unwrap_or_default().rsplit(':').map(str::parse::<usize>);
        let (column, line) = (numbers.next(), numbers.next());
        let problem = text.split_once("error: ").map_or(text, |(_, problem)| problem).trim();
        match (line, column) {
            (Some(Ok(line)), Some(Ok(column))) => {
                Self { line, column, problem: problem.to_owned(), hint: None }
            }
            _ => Self { line: 1, column: 1, problem: problem.to_owned(), hint: None },
        }
    }
}

impl fmt::Display for RegoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, problem, hint } = self;
        write!(f, "line {line}, column {column}: {problem}")?;
        hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for RegoError {}
