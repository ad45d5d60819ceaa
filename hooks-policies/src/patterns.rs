//! List of path patterns as policies match them: in the dialect and the case that apply to a call.

use std::borrow::Cow;

use hooks_core::PolicyErrors;
use hooks_facts::calls::CallReader;
use hooks_facts::globs::{GlobOptions, Globs, PatternDialect};

use crate::artifacts::folded;

/// Compiled path patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathPatterns {
    /// Whether a back slash in a path counts as a slash.
    slashes: bool,
    exact: Globs,
    folded: Globs,
    texts: Vec<String>,
}

impl PathPatterns {
    /// Compiles `patterns`; each that cannot be used is reported as an item of `field`.
    pub(crate) fn compile(
        patterns: &[String],
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
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
    pub(crate) fn find(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).find(&self.written(reading))
    }

    /// Returns the first pattern that matches something below the folder `reading`: removing the folder
    /// removes it too.
    pub(crate) fn find_below(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).find_below(&self.written(reading))
    }

    /// Returns whether one pattern matches everything that an outline may stand for.
    pub(crate) fn covers(&self, outline: &str, case_insensitive: bool) -> bool {
        self.globs(case_insensitive).covers(&self.outlined(outline, case_insensitive))
    }

    /// Returns the first pattern that matches something that an outline may stand for.
    pub(crate) fn meets(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).meets(&self.outlined(outline, case_insensitive), true)
    }

    /// Returns the first pattern that matches something below a folder that an outline may stand for.
    pub(crate) fn meets_below(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.globs(case_insensitive).meets_below(&self.outlined(outline, case_insensitive))
    }

    fn outlined<'r>(&self, outline: &'r str, case_insensitive: bool) -> Cow<'r, str> {
        let written = self.written(outline);
        if case_insensitive { Cow::Owned(folded(&written).into_owned()) } else { written }
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
    pub(crate) fn text(&self, index: usize) -> &str {
        self.texts.get(index).map_or("", String::as_str)
    }

    /// Returns the first patterns as text for a reason.
    pub(crate) fn summary(&self) -> String {
        const SHOWN: usize = 5;
        let shown: Vec<_> = self.texts.iter().take(SHOWN).map(|text| format!("`{text}`")).collect();
        let more = self.texts.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{rest}", shown.join(", "))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}
