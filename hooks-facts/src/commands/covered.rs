//! Whether a text runs nothing but what patterns name.
//!
//! `git status` names the program of the system. `./git status`, `PATH=. git status` and `git --exec-path=x status` may run any other.

use super::analysis::{Analysis, Invocation};
use super::argument::Argument;
use super::git;
use super::pattern::BlockedPattern;
use super::told::is_of_the_system;

/// Options before a subcommand of git that select another repository.
const GIT_ELSEWHERE: &[&str] = &["-C", "--git-dir", "--work-tree"];

impl Analysis {
    /// Returns whether the text runs something, and each program of it is one that a pattern names: a program of the system if
    /// the pattern has only its name, or the file that the pattern names. A client of a database is also covered if all its
    /// statements are.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, BlockedPattern, Options};
    ///
    /// let patterns = ["git status", "./tools/lint.sh"].map(|pattern| BlockedPattern::parse(pattern).unwrap());
    /// let runs_only = |text| Analysis::of_text(text, &Options::default()).runs_only(&patterns);
    /// assert!(runs_only("/usr/bin/git status && tools/lint.sh --all"));
    /// for text in ["git status; ls", "./git status", "PATH=. git status", "git --exec-path=. status", "./lint.sh"] {
    ///     assert!(!runs_only(text), "{text}");
    /// }
    /// ```
    pub fn runs_only(&self, patterns: &[BlockedPattern]) -> bool {
        let is_covered = |invocation: &Invocation| {
            patterns
                .iter()
                .any(|pattern| self.matches(pattern, invocation) && self.is_meant(pattern, invocation))
        };
        let mut states = vec![false; self.invocations.len()];
        for statement in &self.statements {
            if !is_covered(statement) {
                return false;
            }
            if let Some(client) = statement.starter.and_then(|at| states.get_mut(at)) {
                *client = true;
            }
        }
        let covered = |(at, invocation): (usize, &Invocation)| {
            is_covered(invocation) || states.get(at) == Some(&true) && self.runs_as_named(invocation)
        };
        !self.invocations.is_empty() && self.invocations.iter().enumerate().all(covered)
    }

    /// Returns whether an invocation runs the program that its name stands for: one of the system's, as far as the text shows.
    pub(super) fn runs_as_named(&self, invocation: &Invocation) -> bool {
        let Some((program, words)) = invocation.argv.split_first() else { return false };
        let is_git = || self.program_name(invocation).is_some_and(|name| name == "git");
        !invocation.is_untold && is_of_the_system(program) && (!is_git() || git::are_harmless(words))
    }

    /// Returns whether an invocation runs the program that a pattern means.
    pub(super) fn is_meant(&self, pattern: &BlockedPattern, invocation: &Invocation) -> bool {
        // The settings of another repository start programs.
        let is_elsewhere = || {
            let words = invocation.argv.get(1..).unwrap_or_default();
            let globals = words.get(..words.len() - git::subcommand(words).len()).unwrap_or_default();
            globals.iter().any(|word| GIT_ELSEWHERE.iter().any(|option| word.prefix().starts_with(option)))
        };
        if self.program_name(invocation).is_some_and(|name| name == "git") && is_elsewhere() {
            return false;
        }
        match pattern.file().filter(|file| !is_of_the_system(&Argument::from(*file))) {
            None => self.runs_as_named(invocation),
            Some(file) => {
                let named = invocation.argv.first().and_then(Argument::literal);
                !invocation.is_untold
                    && self.runs_at_the_start(invocation)
                    && named.is_some_and(|named| named.contains('/') && is_same_file(file, named))
            }
        }
    }
}

/// Returns whether two paths are the same, apart from `./` at their start.
fn is_same_file(one: &str, other: &str) -> bool {
    one.trim_start_matches("./") == other.trim_start_matches("./")
}
