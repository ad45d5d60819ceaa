//! Blocked commands such as `rm -rf` or `git push --force`, and the invocations that they match.

use std::fmt;

use super::analysis::Options;
use super::argument::Argument;
use super::git;
use crate::shell::Span;

/// Program with the operands that come first, and the options that it must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedPattern {
    program: String,
    pub(super) operands: Vec<String>,
    /// Single letters and long names; all must be present.
    pub(super) options: Vec<Opt>,
}

/// Option of a pattern or an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Opt {
    Short(char),
    Long(String),
    /// `-delete`: one dash, and more than one letter.
    Word(String),
}

/// Blocked pattern that matches an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Index of the pattern in the list.
    pub pattern: usize,
    /// Position in the text that leads to the invocation.
    pub span: Span,
    /// Words of the invocation.
    pub argv: Vec<Argument>,
}

/// Text that is not a valid pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The invalid text.
    pub pattern: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern } = self;
        write!(f, "`{pattern}` names no program; write one as in `git push --force`")
    }
}

impl std::error::Error for PatternError {}

/// Options by which a git command ends or continues an earlier operation instead of starting one.
const ESCAPES: &[&str] = table!("program_words_git_escapes");

/// Programs whose long options start with one dash.
const WORD_OPTIONS: &[&str] = table!("program_words_word_options");

impl BlockedPattern {
    /// Parses a pattern: a program, plain words, options.
    ///
    /// # Errors
    /// Returns an error if the pattern names no program.
    ///
    /// ```
    /// use hooks_facts::commands::BlockedPattern;
    ///
    /// assert!(BlockedPattern::parse("rm -rf").is_ok());
    /// let error = BlockedPattern::parse("-rf").unwrap_err();
    /// assert_eq!(error.to_string(), "`-rf` names no program; write one as in `git push --force`");
    /// ```
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        let mut words = pattern.split_whitespace();
        let error = || PatternError { pattern: pattern.to_owned() };
        let program = words.next().filter(|word| !word.starts_with('-')).ok_or_else(error)?;
        let program = program.rsplit('/').next().unwrap_or(program).to_owned();
        let mut result = Self { program, operands: Vec::new(), options: Vec::new() };
        for word in words {
            match word.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-") {
                None => result.operands.push(word.to_owned()),
                Some(_) => result.options.extend(opts(word, WORD_OPTIONS.contains(&result.program.as_str()))),
            }
        }
        Ok(result)
    }

    /// Returns whether the pattern names the option of a word.
    pub(super) fn names(&self, word: &str) -> bool {
        let options = opts(word, WORD_OPTIONS.contains(&self.program.as_str()));
        word.starts_with('-')
            && !options.is_empty()
            && options.iter().all(|option| self.options.contains(option))
    }

    /// Returns whether an invocation matches the pattern.
    pub(super) fn fits(&self, argv: &[Argument], options: &Options) -> bool {
        let Some((program, words)) = argv.split_first() else { return false };
        let Some(name) = options.program_name(program) else { return false };
        if !self.is_program(&name, options) {
            return false;
        }
        let call = Call::new(&name, words);
        self.operands_fit(&name, &call)
            && self.options.iter().all(|option| self.option_fits(option, &name, &call))
            && !self.is_escape(&name, &call)
    }

    /// Returns whether a program with this name is the blocked one.
    pub(super) fn is_program(&self, name: &str, options: &Options) -> bool {
        let family = self.program == "mkfs" && name.starts_with("mkfs.");
        let same = if options.ignores_case || options.windows {
            name == self.program.to_lowercase()
        } else {
            name == self.program
        };
        same || family
    }

    pub(super) fn operands_fit(&self, name: &str, call: &Call) -> bool {
        let is = |at: usize| {
            let mut given = call.operands.iter().skip(at);
            self.operands.iter().all(|operand| given.next().is_some_and(|(given, _)| given == operand))
        };
        if is(0) {
            return true;
        }
        // For unknown programs, an option before the subcommand may take the next word.
        let skippable = call.operands.iter().take_while(|(_, follows_option)| *follows_option).count();
        name != "git" && (1..=skippable).any(is)
    }

    pub(super) fn option_fits(&self, option: &Opt, name: &str, call: &Call) -> bool {
        let subcommand = self.operands.first().map_or("", String::as_str);
        let is_push = name == "git" && subcommand == "push";
        let forced_push = is_push && (*option == Opt::Short('f') || *option == Opt::Long("force".into()));
        if forced_push {
            let is_force = |given: &Opt| {
                matches!(given, Opt::Short('f'))
                    || matches!(given, Opt::Long(long) if long == "force" || long == "mirror")
            };
            return call.options.iter().any(is_force)
                || call.operands.iter().skip(1).any(|(operand, _)| operand.starts_with('+'));
        }
        let same = same_options(name, subcommand, option);
        call.options.iter().any(|given| same.iter().any(|wanted| is_same(wanted, given)))
    }

    /// Returns whether a call only ends or continues an operation: `git rebase --abort` does not rebase.
    pub(super) fn is_escape(&self, name: &str, call: &Call) -> bool {
        let is_escape = |option: &Opt| matches!(option, Opt::Long(long) if ESCAPES.contains(&long.as_str()));
        let known = matches!(
            self.operands.first().map(String::as_str),
            Some("rebase" | "merge" | "cherry-pick" | "revert" | "am")
        );
        name == "git" && known && call.options.iter().any(is_escape) && !self.options.iter().any(is_escape)
    }
}

/// Words of an invocation, split into operands and options.
pub(super) struct Call {
    /// Operands, each with whether an option without a value of its own comes directly before.
    pub(super) operands: Vec<(String, bool)>,
    options: Vec<Opt>,
    /// Known parts of options whose end is unknown.
    pub(super) partial_options: Vec<String>,
}

impl Call {
    pub(super) fn new(name: &str, words: &[Argument]) -> Self {
        let mut call = Self { operands: Vec::new(), options: Vec::new(), partial_options: Vec::new() };
        let words = if name == "git" { git::subcommand(words) } else { words };
        let subcommand = if name == "git" { words.first().map_or("", Argument::prefix) } else { "" };
        let (short, long) = value_options(name, subcommand);
        let one_dash = WORD_OPTIONS.contains(&name);
        let mut follows_option = false;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.prefix();
            if text == "--" && word.literal().is_some() {
                call.operands.extend(words.map(|word| (word.prefix().to_owned(), false)));
                break;
            }
            let is_partial = word.literal().is_none() && text.starts_with('-');
            if is_partial && text.len() < 2 {
                call.partial_options.push(text.to_owned());
                continue;
            }
            if text.len() < 2 || !text.starts_with('-') {
                // `cargo +nightly publish` selects a toolchain.
                if !(name == "cargo" && text.starts_with('+')) {
                    call.operands.push((text.to_owned(), follows_option));
                }
                follows_option = false;
                continue;
            }
            let mut letters = text.char_indices().skip(1);
            let value = letters.find(|(_, c)| !text.starts_with("--") && !one_dash && short.contains(*c));
            let end = value.map_or(text.len(), |(at, c)| at + c.len_utf8());
            call.options.extend(opts(text.get(..end).unwrap_or(text), one_dash));
            if is_partial && value.is_none() && !text.contains('=') {
                call.partial_options.push(text.to_owned());
                follows_option = true;
                continue;
            }
            let takes_next = match value {
                Some(_) => end == text.len(),
                None => text.strip_prefix("--").is_some_and(|name| long.contains(&name)),
            };
            if takes_next {
                words.next();
            }
            follows_option = !takes_next && !text.contains('=');
        }
        call
    }
}

/// Returns the options in one word.
fn opts(word: &str, one_dash: bool) -> Vec<Opt> {
    if let Some(long) = word.strip_prefix("--") {
        return vec![Opt::Long(long.split('=').next().unwrap_or(long).to_owned())];
    }
    let letters = word.strip_prefix('-').unwrap_or(word);
    if one_dash && letters.len() > 1 {
        return vec![Opt::Word(letters.split('=').next().unwrap_or(letters).to_owned())];
    }
    letters.chars().map(Opt::Short).collect()
}

/// Returns the options of a program with the same meaning as `option`.
fn same_options(name: &str, subcommand: &str, option: &Opt) -> Vec<Opt> {
    let groups: &[(char, &str)] = match (name, subcommand) {
        ("rm", _) => {
            &[('r', "recursive"), ('R', "recursive"), ('f', "force"), ('d', "dir"), ('i', "interactive")]
        }
        ("git", "clean") => &[('f', "force"), ('d', "d"), ('x', "x")],
        ("git", "commit") => &[('n', "no-verify"), ('a', "all"), ('m', "message")],
        ("git", "branch") => &[('D', "delete-force"), ('f', "force"), ('d', "delete")],
        ("git", "checkout" | "switch") => &[('f', "force")],
        ("git", "stash" | "tag" | "worktree" | "add" | "mv" | "rm") => &[('f', "force"), ('d', "delete")],
        ("git", "push") => &[('d', "delete"), ('n', "dry-run")],
        ("chmod" | "chown" | "chgrp", _) => &[('R', "recursive")],
        ("cp" | "scp", _) => &[('r', "recursive"), ('R', "recursive"), ('f', "force")],
        ("docker" | "podman", _) => &[('f', "force"), ('a', "all"), ('v', "volumes")],
        ("npm" | "yarn" | "pnpm", _) => &[('g', "global"), ('f', "force")],
        _ => &[('f', "force"), ('r', "recursive")],
    };
    let mut same = vec![option.clone()];
    // Two rounds connect `-r`, `--recursive` and `-R`.
    for _ in 0..2 {
        for (short, long) in groups {
            let pair = [Opt::Short(*short), Opt::Long((*long).to_owned())];
            if pair.iter().any(|one| same.contains(one)) {
                same.extend(pair.into_iter().filter(|one| !same.contains(one)).collect::<Vec<_>>());
            }
        }
    }
    same
}

/// Returns whether a given option is the wanted one; a long one may be abbreviated.
fn is_same(wanted: &Opt, given: &Opt) -> bool {
    match (wanted, given) {
        (Opt::Long(wanted), Opt::Long(given)) => {
            wanted == given
                || (!given.is_empty() && wanted.starts_with(given.as_str()) && !given.contains("no-"))
        }
        (Opt::Word(wanted), Opt::Long(given)) => wanted == given,
        (wanted, given) => wanted == given,
    }
}

/// Returns the options of a program that take a value: letters, and long names.
pub(super) fn value_options(name: &str, subcommand: &str) -> (&'static str, &'static [&'static str]) {
    match (name, subcommand) {
        ("git", "commit") => (
            "mFCctS",
            &["message", "file", "author", "date", "template", "fixup", "squash", "reuse-message", "trailer"],
        ),
        ("git", "push") => ("o", &["push-option", "repo", "receive-pack", "exec"]),
        ("git", "rebase") => ("xsXC", &["exec", "onto", "strategy", "strategy-option"]),
        ("git", "clean") => ("e", &["exclude"]),
        ("git", "checkout" | "switch") => ("bBcC", &["orphan", "conflict"]),
        ("git", "tag" | "merge" | "notes") => ("mFu", &["message", "file"]),
        ("git", _) => ("", &["message", "format", "author"]),
        ("chmod" | "chown", _) => ("", &["reference"]),
        _ => ("", &[]),
    }
}
