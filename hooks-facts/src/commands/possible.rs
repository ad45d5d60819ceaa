//! Decides whether a partly known invocation may match a blocked pattern.
//!
//! Three parts may be unknown:
//!
//! - the rest of an option (`-r"$X"`);
//! - a word in the place of the subcommand (`git $X push`);
//! - the effect of an unknown program on its words (`chronic rm -rf x`).
//!
//! Unknown operands are treated as operands: nearly every command has some.

use super::analysis::{Analysis, Invocation, Options};
use super::argument::Argument;
use super::call_words::{CallWords, Opt};
use super::git;
use super::pattern::{BlockedPattern, Match, OptionPattern};

/// Most words at which a blocked program may start; with more, the invocation counts as a match.
const MAX_STARTS: usize = 16;

/// Programs whose words are texts, or names of packages or of programs to describe, and never commands.
const TEXT_PROGRAMS: &[&str] = table!("text_programs");

impl Analysis {
    /// Returns the first pattern of the list that an invocation may match, as far as it is known.
    ///
    /// ```
    /// use hooks_facts::commands::{Analysis, BlockedPattern, Options};
    ///
    /// let blocked = [BlockedPattern::parse("git push --force").unwrap()];
    /// let analysis = Analysis::of_text("git push --$MODE origin", &Options::default());
    /// assert_eq!(analysis.find(&blocked), None); // not for certain
    /// assert_eq!(analysis.find_possible(&blocked).unwrap().pattern, 0);
    /// // A word of which nothing is known counts as an operand, not as an option.
    /// let operand = Analysis::of_text("git push origin $X", &Options::default());
    /// assert_eq!(operand.find_possible(&blocked), None);
    /// ```
    pub fn find_possible(&self, patterns: &[BlockedPattern]) -> Option<Match> {
        patterns.iter().enumerate().find_map(|(pattern, blocked)| {
            let may_fit = |invocation: &&Invocation| {
                blocked.may_fit(&invocation.argv, &self.options)
                    || (invocation.is_opaque && blocked.may_start_in(&invocation.argv, &self.options))
            };
            let invocation = self.invocations.iter().find(may_fit)?;
            Some(Match { pattern, span: invocation.span, argv: invocation.argv.clone() })
        })
    }
}

impl BlockedPattern {
    /// Returns whether an invocation of the program may match the pattern.
    fn may_fit(&self, argv: &[Argument], options: &Options) -> bool {
        let Some((program, words)) = argv.split_first() else { return false };
        let Some(name) = options.program_name(program).filter(|name| self.is_program(name, options)) else {
            return false;
        };
        if words.iter().all(|word| word.literal().is_some()) {
            return false;
        }
        if self.may_fit_words(&name, words) {
            return true;
        }
        // An unknown word may be empty, or global options.
        let own = if name == "git" { git::subcommand(words) } else { words };
        match own.split_first() {
            Some((first, rest)) if first.is_unknown() && !self.operands.is_empty() => {
                self.may_fit_words(&name, rest)
            }
            _ => false,
        }
    }

    fn may_fit_words(&self, name: &str, words: &[Argument]) -> bool {
        let call = CallWords::new(name, words);
        let own = if name == "git" { git::subcommand(words) } else { words };
        let first = own.first().filter(|first| !first.prefix().starts_with('-') && first.literal().is_none());
        let operands_fit = self.operands_fit(name, &call)
            || first.zip(self.operands.first()).is_some_and(|(first, wanted)| {
                wanted.may_be(first)
                    && call
                        .operands
                        .iter()
                        .zip(&self.operands)
                        .skip(1)
                        .all(|(operand, wanted)| wanted.is(operand))
                    && call.operands.len() >= self.operands.len()
            });
        let may_be = |wanted: &OptionPattern| {
            let given = || wanted.any.iter().zip(std::iter::repeat(&call.partial_options));
            given().any(|(wanted, given)| given.iter().any(|given| may_be_option(given, wanted)))
        };
        let option_fits = |wanted: &OptionPattern| self.option_fits(wanted, name, &call) || may_be(wanted);
        operands_fit && self.options.iter().all(option_fits) && !self.is_escape(name, &call)
    }

    /// Returns whether a later word of an invocation is the blocked program, followed by everything that the
    /// pattern names.
    fn may_start_in(&self, argv: &[Argument], options: &Options) -> bool {
        // A bare name is often the name of a package, a file or a page.
        if self.operands.is_empty() && self.options.is_empty() {
            return false;
        }
        let is_start =
            |word: &Argument| options.program_name(word).is_some_and(|name| self.is_program(&name, options));
        let starts = argv.iter().enumerate().skip(1).filter(|(_, word)| is_start(word)).map(|(at, _)| at);
        starts.enumerate().any(|(count, at)| {
            count >= MAX_STARTS || argv.get(at..).is_some_and(|argv| self.fits(argv, options))
        })
    }
}

/// Returns whether the effect of the program's words is unknown.
pub(super) fn is_opaque(name: &str) -> bool {
    !TEXT_PROGRAMS.contains(&name)
}

/// Returns whether an option that is known up to some position may contain the wanted one.
fn may_be_option(known: &str, wanted: &Opt) -> bool {
    match (known.strip_prefix("--"), wanted) {
        (Some(""), _) => true,
        (Some(name), Opt::Long(wanted)) => wanted.starts_with(name),
        (Some(name), Opt::Short('f')) => "force".starts_with(name),
        (Some(name), Opt::Short('r' | 'R')) => "recursive".starts_with(name),
        (Some(_), _) => false,
        // A bundle may continue with any letter; a single dash with anything.
        (None, Opt::Short(_) | Opt::Long(_)) => true,
        (None, Opt::Word(wanted)) => wanted.starts_with(known.trim_start_matches('-')),
    }
}
