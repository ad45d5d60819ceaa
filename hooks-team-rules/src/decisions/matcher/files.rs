//! Files that a rule forbids, and the globs of its places.

use std::sync::OnceLock;

use hooks_core::Evidence;
use hooks_facts::globs::{GlobOptions, Globs};

use super::super::change::{Changes, Effect, Touch};
use super::super::index::key;
use super::{Matcher, Mode, Violation};

impl Matcher {
    pub(super) fn in_touch(&self, touch: &Touch, changes: &Changes) -> Option<Violation> {
        let paths = || touch.paths.iter().map(String::as_str);
        let (_, _) = self.files.iter().find(|(mode, globs)| {
            let is_meant = match (mode, touch.effect) {
                (Mode::Any, _)
                | (Mode::Keep, Effect::Created | Effect::Changed)
                | (Mode::New, Effect::Created) => true,
                (Mode::Existing, Effect::Changed | Effect::Removed) => true,
                (Mode::Keep | Mode::New | Mode::Existing, _) => false,
            };
            let below = |path: &str| {
                let removes = touch.effect == Effect::Removed && *mode != Mode::New;
                removes && globs.is_below(path.trim_end_matches('/'), changes)
            };
            is_meant && paths().any(|path| globs.is_match(path, changes) || below(path))
        })?;
        if !self.covers(paths(), changes) || paths().any(|path| self.allowed_files.is_match(path, changes)) {
            return None;
        }
        let resolved = touch.paths.first().cloned().unwrap_or_default();
        let verb = match touch.effect {
            Effect::Created => "creates",
            Effect::Changed => "changes",
            Effect::Removed => "removes",
        };
        Some(Violation {
            message: format!("{verb} `{}`", touch.given),
            evidence: Some(Evidence::Path { given: touch.given.clone(), resolved }),
        })
    }
}

/// Globs of files and folders, in the case that applies to a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    exact: Globs,
    /// The same without regard to case, once a call needs it.
    folded: OnceLock<Globs>,
    spellings: Vec<String>,
}

impl Files {
    /// Compiles the patterns of a rule.
    ///
    /// # Errors
    /// Returns the first pattern that is not a glob.
    pub(super) fn new(patterns: &[String]) -> Result<Self, String> {
        let spellings: Vec<String> = patterns.iter().flat_map(|pattern| spellings(pattern)).collect();
        let exact = Globs::compile(&spellings, &GlobOptions::default()).map_err(|errors| {
            errors
                .first()
                .map(|error| format!("`{}` is not a glob: {}", error.pattern, error.problem))
                .unwrap_or_default()
        })?;
        Ok(Self { exact, folded: OnceLock::new(), spellings })
    }

    pub(super) fn is_match(&self, path: &str, changes: &Changes) -> bool {
        !self.spellings.is_empty() && self.globs(changes).is_match(path)
    }

    /// Whether a pattern matches something below a folder.
    fn is_below(&self, folder: &str, changes: &Changes) -> bool {
        let anything =
            |globs: &Globs| globs.find_below(folder).is_some() || globs.is_match(&format!("{folder}/x"));
        anything(self.globs(changes))
    }

    /// Returns a key of each pattern; `None` if one has none.
    pub(super) fn keys(&self) -> Option<Vec<String>> {
        self.spellings.iter().map(|pattern| key(pattern)).collect()
    }

    fn globs(&self, changes: &Changes) -> &Globs {
        if !changes.ignores_case {
            return &self.exact;
        }
        self.folded.get_or_init(|| {
            let options = GlobOptions { case_insensitive: true, ..GlobOptions::default() };
            Globs::compile(&self.spellings, &options).unwrap_or_default()
        })
    }
}

/// Returns the globs that a pattern of a rule stands for: a name without a folder is meant in all folders, and a folder
/// with everything below it.
pub(super) fn spellings(pattern: &str) -> Vec<String> {
    let pattern = pattern.trim().trim_start_matches("./").trim_start_matches('/');
    let folder = pattern.trim_end_matches('/');
    if folder.is_empty() {
        return vec!["**".to_owned()];
    }
    let is_name = !folder.contains('/');
    let starred = |text: &str| {
        if is_name || text.strip_suffix("/**").is_some_and(|rest| !rest.contains('/')) {
            format!("**/{text}")
        } else {
            text.to_owned()
        }
    };
    if folder.ends_with("**") {
        return vec![if folder.starts_with("**") { folder.to_owned() } else { starred(folder) }];
    }
    if pattern.ends_with('/') {
        return vec![starred(&format!("{folder}/**"))];
    }
    vec![starred(folder), format!("{}/**", starred(folder))]
}

pub(super) fn last_parts(patterns: &[String]) -> Vec<String> {
    let parts = patterns.iter().map(|pattern| {
        pattern.trim_end_matches("/**").trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    });
    parts.filter(|part| part.len() > 1 && !part.contains(['*', '.'])).map(str::to_owned).collect()
}
