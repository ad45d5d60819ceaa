//! List of path patterns as policies match them: in the dialect and the case that apply to a call.

mod files;
mod outside;
mod places;
mod reads;
mod scopes;

use std::borrow::Cow;

use hooks_core::PolicyErrors;

use self::scopes::{Scopes, begins_with_wildcard};
use super::call::Call;
use super::reader::CallReader;
use crate::globs::{self, GlobOptions, PatternDialect, PatternError};

pub use self::files::FilePatterns;
pub use self::reads::ReadMatch;

/// Compiled path patterns of a rule, in the dialect and the case of a [`CallReader`].
///
/// ```
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest, PolicyErrors, event::PreToolUse};
/// use hooks_facts::calls::{CallReader, PathPatterns};
/// use serde_json::json;
///
/// let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
/// let patterns = PathPatterns::compile(&["gen/**".to_owned()], "paths", &reader, &mut errors);
///
/// let (environment, ..) = world(FakeFileSystem::default());
/// let context = HookContext::new("s", "backend").in_dir("/repo").with_environment(environment);
/// let request = HookRequest::new(context, PreToolUse::new("edit", json!({"files": ["gen/a", "src/b"]})));
/// let call = reader.read(&request);
/// assert!(patterns.may_match(call)); // one of the paths matches
/// assert!(!patterns.match_all(call));
/// ```
///
/// A pattern is relative to the root, absolute, or begins with `~/`, which stands for the home of any user. A pattern that
/// begins with `**/` matches outside of the root too, unless the list is for files that are [allowed](Self::allowing).
#[derive(Clone, Debug, Default)]
pub struct PathPatterns {
    /// Whether a back slash in a path counts as a slash.
    slashes: bool,
    exact: Scopes,
    folded: Scopes,
    texts: Vec<String>,
}

/// Pattern that matches a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceMatch {
    /// Index of the pattern in its list.
    pub pattern: usize,
    /// Reading of the place that matches.
    pub reading: String,
}

impl PathPatterns {
    /// Compiles `patterns` of files that a rule is about, wherever they are; each that cannot be used is reported as an item of
    /// `field`.
    pub fn compile(patterns: &[String], field: &str, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        Self::compile_in(patterns, true, field, reader, errors)
    }

    /// Compiles `patterns` of files that are allowed: relative ones only match below the root.
    ///
    /// ```
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_core::{HookContext, HookRequest, PolicyErrors, event::PreToolUse};
    /// use hooks_facts::calls::{CallReader, PathPatterns};
    /// use serde_json::json;
    ///
    /// let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
    /// let patterns = ["**/*.md".to_owned(), "/tmp/**".to_owned()];
    /// let allowed = PathPatterns::allowing(&patterns, "allow", &reader, &mut errors);
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    /// let is_allowed = |path: &str| {
    ///     let request = HookRequest::new(context.clone(), PreToolUse::new("edit", json!({ "path": path })));
    ///     let call = reader.read(&request);
    ///     allowed.allow_place(call, &call.places().found[0])
    /// };
    /// assert!(is_allowed("docs/a.md") && is_allowed("/tmp/a"));
    /// assert!(!is_allowed("/srv/a.md"));
    /// ```
    pub fn allowing(
        patterns: &[String],
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        Self::compile_in(patterns, false, field, reader, errors)
    }

    fn compile_in(
        patterns: &[String],
        is_wherever: bool,
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        let wanted = reader.case_insensitive();
        let dialect = reader.dialect();
        let mut compiled = |case_insensitive| {
            let options =
                GlobOptions { dialect, case_insensitive, root: reader.fixed_root().map(str::to_owned) };
            Scopes::compile(patterns, is_wherever, &options).unwrap_or_else(|bad| {
                report(&bad, field, errors);
                Scopes::default()
            })
        };
        // If only the call determines the case, both sets are compiled.
        Self {
            slashes: dialect == PatternDialect::Squad,
            exact: if wanted == Some(true) { Scopes::default() } else { compiled(false) },
            folded: if wanted == Some(false) { Scopes::default() } else { compiled(true) },
            texts: patterns.to_vec(),
        }
    }

    /// Returns the index of the first pattern that matches a reading.
    pub fn find(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.find(&self.written(reading))
    }

    /// Returns the first pattern that matches something below the folder `reading`: removing the folder
    /// removes it too.
    pub fn find_below(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.find_below(&self.written(reading))
    }

    /// Returns whether one pattern matches everything that an outline may stand for.
    pub fn covers(&self, outline: &str, case_insensitive: bool) -> bool {
        self.scopes(case_insensitive).inside.globs.covers(&self.outlined(outline, case_insensitive))
    }

    /// Returns the first pattern that matches something that an outline may stand for.
    pub fn meets(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.meets(&self.outlined(outline, case_insensitive))
    }

    /// Returns the first pattern that matches something below a folder that an outline may stand for.
    pub fn meets_below(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.meets_below(&self.outlined(outline, case_insensitive))
    }

    /// Returns a reading as the patterns are compared with it.
    fn compared<'r>(&self, reading: &'r str, call: Call<'_>, is_partial: bool) -> Cow<'r, str> {
        if is_partial { self.outlined(reading, call.ignores_case()) } else { self.written(reading) }
    }

    fn outlined<'r>(&self, outline: &'r str, case_insensitive: bool) -> Cow<'r, str> {
        let written = self.written(outline);
        if case_insensitive { Cow::Owned(globs::folded(&written)) } else { written }
    }

    fn scopes(&self, case_insensitive: bool) -> &Scopes {
        if case_insensitive { &self.folded } else { &self.exact }
    }

    /// Returns a reading with the separators that the patterns use.
    fn written<'r>(&self, reading: &'r str) -> Cow<'r, str> {
        if self.slashes && reading.contains('\\') {
            Cow::Owned(reading.replace('\\', "/"))
        } else {
            Cow::Borrowed(reading)
        }
    }

    /// Returns a pattern as the operator wrote it.
    pub fn text(&self, index: usize) -> &str {
        self.texts.get(index).map_or("", String::as_str)
    }

    /// Returns whether a pattern begins in no certain folder.
    fn floats(&self, pattern: usize) -> bool {
        self.texts.get(pattern).is_some_and(|text| begins_with_wildcard(text))
    }

    /// Returns the first patterns as text for a reason.
    pub fn summary(&self) -> String {
        const SHOWN: usize = 5;
        let shown: Vec<_> = self.texts.iter().take(SHOWN).map(|text| format!("`{text}`")).collect();
        let more = self.texts.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{rest}", shown.join(", "))
    }

    /// Returns the number of patterns.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Reports patterns that cannot be used, each once.
fn report(bad: &[PatternError], field: &str, errors: &mut PolicyErrors) {
    for error in bad {
        let field = format!("{field}[{}]", error.index);
        if errors.as_slice().iter().all(|known| known.field != field) {
            errors.push_text(field, &error.problem.to_string(), "check the pattern");
        }
    }
}
