//! Patterns that are compared with the files of a disk, without a call.

use std::borrow::Cow;

use hooks_core::PolicyErrors;

use super::report;
use super::scopes::{Scope, begins_with_wildcard};
use crate::globs::{GlobOptions, folded};

/// Compiled patterns for many files: absolute paths in normal form and without links.
///
/// A pattern has the meaning that it has in [`PathPatterns`](super::PathPatterns). Each is compiled once, so that a program that starts for
/// one command can have many.
///
/// ```
/// use hooks_core::PolicyErrors;
/// use hooks_facts::calls::FilePatterns;
///
/// let mut errors = PolicyErrors::default();
/// let patterns = ["src/**".to_owned(), "**/.env".to_owned(), "~/.ssh/**".to_owned()];
/// let patterns = FilePatterns::compile(&patterns, "deny", &mut errors);
/// let find = |path| patterns.find(path, "/repo", &["/home/ada"]);
/// assert_eq!(find("/repo/src/a.rs"), Some(0));
/// assert_eq!((find("/repo/api/.env"), find("/srv/.env")), (Some(1), Some(1)));
/// assert_eq!(find("/home/ada/.ssh/id"), Some(2));
/// assert_eq!(find("/home/ada/src/a.rs"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FilePatterns {
    ignores_case: bool,
    /// Relative to the root.
    inside: Scope,
    /// From the top of the file system.
    top: Scope,
    /// Relative to a home.
    home: Scope,
}

impl FilePatterns {
    /// Compiles `patterns` of files wherever they are; each that cannot be used is reported as an item of `field`.
    pub fn compile(patterns: &[String], field: &str, errors: &mut PolicyErrors) -> Self {
        Self::compile_in(patterns, true, false, field, errors)
    }

    /// The same, compared without regard to case.
    ///
    /// ```
    /// use hooks_core::PolicyErrors;
    /// use hooks_facts::calls::FilePatterns;
    ///
    /// let mut errors = PolicyErrors::default();
    /// let own = FilePatterns::ignoring_case(&["**/hooks.yaml".to_owned()], "own", &mut errors);
    /// assert_eq!(own.find("/repo/a/HOOKS.yaml", "/repo", &[]), Some(0));
    /// ```
    pub fn ignoring_case(patterns: &[String], field: &str, errors: &mut PolicyErrors) -> Self {
        Self::compile_in(patterns, true, true, field, errors)
    }

    /// Compiles `patterns` of files that are allowed: relative ones only match below the root.
    ///
    /// ```
    /// use hooks_core::PolicyErrors;
    /// use hooks_facts::calls::FilePatterns;
    ///
    /// let mut errors = PolicyErrors::default();
    /// let allowed = FilePatterns::allowing(&["**/*.md".to_owned()], "allow", &mut errors);
    /// assert_eq!(allowed.find("/repo/docs/a.md", "/repo", &[]), Some(0));
    /// assert_eq!(allowed.find("/srv/a.md", "/repo", &[]), None);
    /// ```
    pub fn allowing(patterns: &[String], field: &str, errors: &mut PolicyErrors) -> Self {
        Self::compile_in(patterns, false, false, field, errors)
    }

    fn compile_in(
        patterns: &[String],
        is_wherever: bool,
        ignores_case: bool,
        field: &str,
        errors: &mut PolicyErrors,
    ) -> Self {
        let (mut inside, mut top, mut home) = (Vec::new(), Vec::new(), Vec::new());
        for (index, pattern) in patterns.iter().enumerate() {
            if let Some(below) = pattern.strip_prefix("~/") {
                home.push((index, below));
            } else if pattern.starts_with('/') {
                top.push((index, pattern.trim_start_matches('/')));
            } else if is_wherever && begins_with_wildcard(pattern) {
                // It also matches below the root.
                top.push((index, pattern.as_str()));
            } else {
                inside.push((index, pattern.as_str()));
            }
        }
        let options = GlobOptions { case_insensitive: ignores_case, ..GlobOptions::default() };
        let mut scope = |patterns: &[(usize, &str)]| {
            Scope::compile(patterns, &options).unwrap_or_else(|bad| {
                report(&bad, field, errors);
                Scope::default()
            })
        };
        Self { ignores_case, inside: scope(&inside), top: scope(&top), home: scope(&home) }
    }

    /// Returns the index of the first pattern that matches a file, in the project at `root` or below one of `homes`.
    pub fn find(&self, path: &str, root: &str, homes: &[&str]) -> Option<usize> {
        let whole = if self.ignores_case { Cow::Owned(folded(path)) } else { Cow::Borrowed(path) };
        let find = |scope: &Scope, rest: &str| {
            if scope.is_empty() {
                return None;
            }
            // Only letters of other scripts change their length.
            match whole.get(path.len() - rest.len()..).filter(|_| path.is_ascii() || !self.ignores_case) {
                Some(rest) => scope.find_folded(rest),
                None => scope.find(rest),
            }
        };
        let below = |folder: &str| path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/');
        let top = find(&self.top, path.trim_start_matches('/'));
        let inside = below(root).and_then(|rest| find(&self.inside, rest));
        let home = homes.iter().filter_map(|home| find(&self.home, below(home)?)).min();
        top.into_iter().chain(inside).chain(home).min()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PathPatterns;
    use super::*;
    use std::collections::BTreeMap;

    use crate::calls::{CallReader, PathsConfig};
    use proptest::prelude::*;

    proptest! {
        /// Each pattern finds what it finds for the path of a call.
        #[test]
        fn they_mean_what_path_patterns_mean(
            pattern in "(\\*\\*/|~/|/|\\./)?([ab*]{1,2}|\\*\\*)(/[aB*]{1,2}){0,2}(/\\*\\*)?",
            path in "(/repo|/home/ada|/srv)(/[aBä]{1,2}){1,3}",
            ignores_case in any::<bool>(),
        ) {
            let mut errors = PolicyErrors::default();
            let paths = PathsConfig { case_insensitive: Some(ignores_case), ..PathsConfig::default() };
            let reader = CallReader::new(&paths, &BTreeMap::new()).unwrap();
            let all = [pattern.clone()];
            let of_calls = PathPatterns::compile(&all, "all", &reader, &mut errors);
            let of_files = FilePatterns::compile_in(&all, true, ignores_case, "all", &mut errors);
            let home = path.strip_prefix("/home/ada/").map(|rest| of_calls.scopes(ignores_case).home.find(rest).is_some());
            let root = path.strip_prefix("/repo/").map(|rest| of_calls.find(rest, ignores_case).is_some());
            let top = of_calls.scopes(ignores_case).top.find(path.trim_start_matches('/')).is_some();
            let found = of_files.find(&path, "/repo", &["/home/ada"]);
            prop_assert_eq!(found.is_some(), top || root == Some(true) || home == Some(true), "{} {}", pattern, path);
        }
    }
}
