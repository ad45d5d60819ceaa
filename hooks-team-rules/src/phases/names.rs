//! Patterns of names: phases and tools, which have no slash.

use hooks_core::PolicyErrors;
use hooks_facts::globs::{GlobOptions, Globs};

/// Compiled names, without regard to case.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Globs);

impl Names {
    /// Compiles `patterns`; each that cannot be used is reported as an item of `field`.
    pub(super) fn compile(patterns: &[String], field: &str, errors: &mut PolicyErrors) -> Self {
        for (index, _) in patterns.iter().enumerate().filter(|(_, pattern)| pattern.trim().is_empty()) {
            errors.push(format!("{field}[{index}]"), "the name is empty", "write a name, or leave it out");
        }
        let options = GlobOptions { case_insensitive: true, ..GlobOptions::default() };
        let patterns = patterns.iter().filter(|pattern| !pattern.trim().is_empty());
        match Globs::compile(patterns, &options) {
            Ok(globs) => Self(globs),
            Err(bad) => {
                for error in bad {
                    errors.push_text(
                        format!("{field}[{}]", error.index),
                        &error.problem.to_string(),
                        "check the name",
                    );
                }
                Self::default()
            }
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}
