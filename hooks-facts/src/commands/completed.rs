//! Whether a command that ends well has done the work that its patterns name.
//!
//! `cargo test &`, `! cargo test`, `cargo test --no-run` and `./cargo test` all match the pattern `cargo test`. None of them
//! shows that the tests passed.

use super::analysis::{Analysis, Invocation};
use super::argument::Argument;
use super::pattern::BlockedPattern;
use crate::by_key::ByKey;

/// Options with which a program does not do its work.
struct Idle {
    /// Whole words, also before `=`.
    options: &'static [&'static str],
    /// Letters that may be joined with others.
    letters: &'static str,
}

static TABLE: ByKey<Idle> = table!("idle_options");

/// Name that stands for every program.
const EVERY: &str = "every";

impl Analysis {
    /// Returns whether each program of the text has done its work if the text ends with exit code 0.
    ///
    /// Nothing runs in the background or in another order, each program is one of the system's, and no option keeps it from
    /// its work. Options that one of `patterns` names are not counted.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, BlockedPattern, Options};
    ///
    /// let completes = |text: &str, pattern: &str| {
    ///     Analysis::of_text(text, &Options::default()).completes(&[BlockedPattern::parse(pattern).unwrap()])
    /// };
    /// assert!(completes("cargo test --workspace", "cargo test"));
    /// for text in ["cargo test &", "! cargo test", "cargo test --help", "./cargo test", "cargo test $MORE"] {
    ///     assert!(!completes(text, "cargo test"), "{text}");
    /// }
    /// assert!(completes("cargo test --no-run", "cargo test --no-run"));
    /// ```
    pub fn completes(&self, patterns: &[BlockedPattern]) -> bool {
        !self.hides_results
            && self.unresolved.is_empty()
            && self.invocations.iter().all(|invocation| self.does_its_work(invocation, patterns))
    }

    fn does_its_work(&self, invocation: &Invocation, patterns: &[BlockedPattern]) -> bool {
        let Some(words) = invocation.argv.get(1..) else { return false };
        let Some(name) = self.program_name(invocation) else { return false };
        let is_wanted = |word: &Argument| {
            let text = word.literal().unwrap_or_default();
            patterns
                .iter()
                .any(|pattern| pattern.fits(&invocation.argv, &self.options) && pattern.names(text))
        };
        (self.runs_as_named(invocation) || patterns.iter().any(|pattern| self.is_meant(pattern, invocation)))
            && words.iter().all(|word| !may_be_idle(&name, word) || is_wanted(word))
    }
}

/// Returns whether a word keeps a program from its work, or may do so.
fn may_be_idle(program: &str, word: &Argument) -> bool {
    let text = word.prefix();
    if word.literal().is_none() && !text.contains('=') && (text.is_empty() || text.starts_with('-')) {
        return true;
    }
    let name = text.split('=').next().unwrap_or(text);
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let mut rows = [program, EVERY].into_iter().filter_map(|name| TABLE.get(name));
    rows.any(|row| row.options.contains(&name) || letters.contains(|c| row.letters.contains(c)))
}
