//! List of path patterns as policies match them: in the dialect and the case that apply to a call.

use std::borrow::Cow;

use hooks_core::PolicyErrors;

use super::call::Call;
use super::places::NamedPath;
use super::reader::CallReader;
use crate::globs::{self, GlobOptions, Globs, PatternDialect};

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
#[derive(Clone, Debug, Default)]
pub struct PathPatterns {
    /// Whether a back slash in a path counts as a slash.
    slashes: bool,
    exact: Globs,
    folded: Globs,
    texts: Vec<String>,
}

impl PathPatterns {
    /// Compiles `patterns`; each that cannot be used is reported as an item of `field`.
    pub fn compile(patterns: &[String], field: &str, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        let dialect = reader.dialect();
        let mut compiled = |case_insensitive| {
            let options =
                GlobOptions { dialect, case_insensitive, root: reader.fixed_root().map(str::to_owned) };
            Globs::compile(patterns, &options).unwrap_or_else(|bad| {
                for error in bad {
                    let field = format!("{field}[{}]", error.index);
                    if errors.as_slice().iter().all(|known| known.field != field) {
                        errors.push_text(field, &error.problem.to_string(), "check the pattern");
                    }
                }
                Globs::default()
            })
        };
        // If only the call determines the case, both sets are compiled.
        let wanted = reader.case_insensitive();
        Self {
            slashes: dialect == PatternDialect::Squad,
            exact: if wanted == Some(true) { Globs::default() } else { compiled(false) },
            folded: if wanted == Some(false) { Globs::default() } else { compiled(true) },
            texts: patterns.to_vec(),
        }
    }

    /// Returns the index of the first pattern that matches a reading.
    pub fn find(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).find(&self.written(reading))
    }

    /// Returns the first pattern that matches something below the folder `reading`: removing the folder
    /// removes it too.
    pub fn find_below(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).find_below(&self.written(reading))
    }

    /// Returns whether one pattern matches everything that an outline may stand for.
    pub fn covers(&self, outline: &str, case_insensitive: bool) -> bool {
        self.globs(case_insensitive).covers(&self.outlined(outline, case_insensitive))
    }

    /// Returns the first pattern that matches something that an outline may stand for.
    pub fn meets(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).meets(&self.outlined(outline, case_insensitive), true)
    }

    /// Returns the first pattern that matches something below a folder that an outline may stand for.
    pub fn meets_below(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).meets_below(&self.outlined(outline, case_insensitive))
    }

    fn outlined<'r>(&self, outline: &'r str, case_insensitive: bool) -> Cow<'r, str> {
        let written = self.written(outline);
        if case_insensitive { Cow::Owned(globs::folded(&written)) } else { written }
    }

    fn globs(&self, case_insensitive: bool) -> &Globs {
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

    /// Returns whether a path of a call matches, or may match: a path that cannot be known may.
    pub fn may_match(&self, call: Call<'_>) -> bool {
        let places = call.places();
        let named = places.partial.iter().filter(|place| !place.is_nameless);
        !places.unusable.is_empty()
            || !places.unknown.is_empty()
            || places.found.iter().chain(named).any(|place| self.may_match_path(call, place))
    }

    /// Returns whether a path matches, or may match.
    pub fn may_match_path(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let ignores_case = call.ignores_case();
        let is_match = |reading: &str| match place.is_partial() {
            true => self.meets(reading, ignores_case).is_some(),
            false => self.find(reading, ignores_case).is_some(),
        };
        place.known(call).is_none_or(|known| known.below_root().any(is_match))
    }

    /// Returns whether a path matches, or is a folder in which something may match.
    pub fn may_match_below(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let ignores_case = call.ignores_case();
        let is_match = |reading: &str| match place.is_partial() {
            true => self.meets_below(reading, ignores_case).is_some(),
            false => self.find_below(reading, ignores_case).is_some(),
        };
        // A folder outside of the root may contain the root.
        self.may_match_path(call, place)
            || place.known(call).is_none_or(|known| known.below_root().any(is_match))
            || place.holds_the_root(call)
    }

    /// Returns whether the call names a path, all of its paths are known, and each matches.
    pub fn match_all(&self, call: Call<'_>) -> bool {
        let places = call.places();
        let is_match = |reading: &str| self.find(reading, call.ignores_case()).is_some();
        let has_unknown =
            !places.unusable.is_empty() || !places.unknown.is_empty() || !places.partial.is_empty();
        !has_unknown
            && !places.found.is_empty()
            && places.found.iter().all(|place| {
                let readings = place.resolution.as_ref().map(|resolution| resolution.readings.as_slice());
                readings.is_ok_and(|readings| readings.iter().all(|reading| is_match(&reading.path)))
            })
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
