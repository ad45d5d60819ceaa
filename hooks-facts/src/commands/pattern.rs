//! Command patterns such as `rm -rf` or `aws * delete-*`, and the invocations that they match.

use std::fmt;

use super::analysis::Options;
use super::argument::Argument;
use super::call_words::{CallWords, Operand, Opt, has_word_options, opts};
use super::word_pattern::WordPattern;
use crate::shell::Span;

/// Program with the operands that come first, and the options that it must have.
///
/// A pattern is a text of words:
///
/// | word | meaning |
/// | --- | --- |
/// | `git`, `{terraform,tofu}` | the first word is the program |
/// | `push`, `{ns,namespace}`, `delete-*` | operands, in this order and before all others; `*` is any part of a word |
/// | `**` | any number of operands |
/// | `--force`, `-rf`, `{-f,--force}` | options that must be present, at any place; of a group, one |
/// | `--request=DELETE` | option with this value, without regard to case; the value may be the next word |
/// | `!--dry-run`, `!status` | option or operand that must not be present; `--dry-run=none`, `--no-dry-run` and a value such as `--as --dry-run` do not count |
/// | `git -c=core.pager=*` | the settings before the subcommand of git count as options |
/// | `!--skip=publish` | option that must not have this value and no other |
/// | `docker run => rm -r` | the command after the arrow, if one that matches the command before it starts it |
///
/// ```
/// use hooks_facts::commands::{Analysis, BlockedPattern, Options};
///
/// let is_found = |pattern: &str, text: &str| {
///     let patterns = [BlockedPattern::parse(pattern).unwrap()];
///     Analysis::of_text(text, &Options::default()).find(&patterns).is_some()
/// };
/// assert!(is_found("aws * delete-*", "aws --profile prod dynamodb delete-table --table-name x"));
/// assert!(is_found("kubectl delete {ns,namespace} !--dry-run", "kubectl -n x delete ns y --dry-run=none"));
/// assert!(!is_found("kubectl delete {ns,namespace} !--dry-run", "kubectl delete ns y --dry-run=server"));
/// assert!(is_found("curl {-X,--request}=DELETE ** *api.example/*", "curl -sX delete https://api.example/x"));
/// assert!(is_found("docker run => rm -r", "docker run -v data:/d alpine sh -c 'rm -rf /d/*'"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedPattern {
    program: WordPattern,
    /// The program as a file, if it is named so: `./tools/lint.sh`.
    file: Option<String>,
    pub(super) operands: Vec<OperandPattern>,
    /// Options of which all must be present.
    pub(super) options: Vec<OptionPattern>,
    /// Words that must not be present.
    absent: Vec<Absent>,
    /// Command that has to start this one.
    starter: Option<Box<BlockedPattern>>,
}

/// Operand of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum OperandPattern {
    /// Any number of operands.
    Any,
    Word(WordPattern),
}

/// Option of a pattern, with its other spellings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OptionPattern {
    /// One of them has to be present.
    pub(super) any: Vec<Opt>,
    value: Option<WordPattern>,
}

/// Word that must not be present.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Absent {
    Option(OptionPattern),
    Operand(WordPattern),
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

/// Most operands of a pattern.
const MOST_OPERANDS: usize = 32;

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
        let mut result: Option<Self> = None;
        for part in pattern.split(" => ") {
            let starter = result.take().map(Box::new);
            let parsed = Self::parse_one(part).ok_or_else(|| PatternError { pattern: pattern.to_owned() })?;
            result = Some(Self { starter, ..parsed });
        }
        result.ok_or_else(|| PatternError { pattern: pattern.to_owned() })
    }

    /// Returns the names of the programs that a pattern is about, without the rest of it; none if it is no pattern.
    ///
    /// ```
    /// use hooks_facts::commands::BlockedPattern;
    ///
    /// assert_eq!(BlockedPattern::programs_of("sudo => {docker,podman} volume rm"), ["docker", "podman"]);
    /// ```
    pub fn programs_of(pattern: &str) -> Vec<String> {
        let last = pattern.rsplit(" => ").next().unwrap_or(pattern);
        let named = Self::first_word(last);
        named.map(|(name, _)| WordPattern::parse(name).texts().to_vec()).unwrap_or_default()
    }

    /// Returns whether a text is certainly a pattern, without parsing all of it. A long one may be a pattern all the same.
    pub(crate) fn is_certain(pattern: &str) -> bool {
        let is_short = |part: &str| part.split_whitespace().count() <= MOST_OPERANDS;
        pattern.split(" => ").all(|part| is_short(part) && Self::first_word(part).is_some())
    }

    /// Returns the name of the program that a pattern begins with, and the word that has it.
    fn first_word(pattern: &str) -> Option<(&str, &str)> {
        let mut words = pattern.split_whitespace();
        let program = words.next().filter(|word| !word.starts_with(['-', '!', '*']) && *word != "=>")?;
        let name = program.rsplit('/').next().filter(|_| !program.contains('{')).unwrap_or(program);
        Some((name, program))
    }

    /// Parses the pattern of one command.
    fn parse_one(pattern: &str) -> Option<Self> {
        let (name, program) = Self::first_word(pattern)?;
        let words = pattern.split_whitespace().skip(1);
        let file = (name != program).then(|| program.to_owned());
        let program = WordPattern::parse(name);
        let one_dash = program.texts().first().is_some_and(|name| has_word_options(name));
        let mut result = Self {
            program,
            file,
            operands: Vec::new(),
            options: Vec::new(),
            absent: Vec::new(),
            starter: None,
        };
        for word in words {
            if let Some(word) = word.strip_prefix('!').filter(|word| !word.is_empty()) {
                result.absent.push(match option(word, one_dash) {
                    Some(option) => Absent::Option(option),
                    None => Absent::Operand(WordPattern::parse(word)),
                });
                continue;
            }
            match option(word, one_dash) {
                // The letters of a bundle are options that must all be present.
                Some(OptionPattern { any, value: None }) if !word.starts_with('{') => {
                    result
                        .options
                        .extend(any.into_iter().map(|one| OptionPattern { any: vec![one], value: None }));
                }
                Some(option) => result.options.push(option),
                None if word == "**" => result.operands.push(OperandPattern::Any),
                None => result.operands.push(OperandPattern::Word(WordPattern::parse(word))),
            }
        }
        (result.operands.len() <= MOST_OPERANDS).then_some(result)
    }

    /// Returns the names of the programs that the pattern is about.
    ///
    /// ```
    /// use hooks_facts::commands::BlockedPattern;
    ///
    /// let pattern = BlockedPattern::parse("rm -rf").unwrap();
    /// assert!(pattern.programs().eq(["rm"]));
    /// ```
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.program.texts().iter().map(String::as_str)
    }

    /// Returns whether the pattern names the option of a word.
    pub(super) fn names(&self, word: &str) -> bool {
        let one_dash = self.programs().next().is_some_and(has_word_options);
        let options = opts(word, one_dash);
        let is_named = |option: &Opt| self.options.iter().any(|pattern| pattern.any.contains(option));
        word.starts_with('-') && !options.is_empty() && options.iter().all(is_named)
    }

    /// Returns the file that the pattern names as its program.
    pub(super) fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Returns the command that has to start the one that matches.
    pub(super) fn starter(&self) -> Option<&Self> {
        self.starter.as_deref()
    }

    /// Returns whether an invocation matches the pattern, whatever started it.
    pub(super) fn fits(&self, argv: &[Argument], options: &Options) -> bool {
        let Some((program, words)) = argv.split_first() else { return false };
        let Some(name) = options.program_name(program) else { return false };
        if !self.is_program(&name, options) {
            return false;
        }
        let call = CallWords::new(&name, words);
        self.operands_fit(&name, &call)
            && self.options.iter().all(|option| self.option_fits(option, &name, &call))
            && !self.is_escape(&name, &call)
            && self.lacks(&call)
    }

    /// Returns whether a program with this name is the blocked one.
    pub(super) fn is_program(&self, name: &str, options: &Options) -> bool {
        let ignores_case = options.ignores_case || options.windows;
        self.programs().any(|program| {
            let family = program == "mkfs" && name.starts_with("mkfs.");
            family || if ignores_case { name == program.to_lowercase() } else { name == program }
        })
    }

    /// Returns whether the operands of a call begin with those of the pattern. Linear in the operands.
    pub(super) fn operands_fit(&self, name: &str, call: &CallWords<'_>) -> bool {
        // For unknown programs, an option before a word may take it.
        let may_skip = name != "git";
        let end = self.operands.len();
        // Bit `n` is set if the first `n` words of the pattern have been found.
        let mut reached = self.beyond_any(1);
        for operand in &call.operands {
            if reached & (1 << end) != 0 {
                return true;
            }
            let mut next = 0_u64;
            for (at, wanted) in self.operands.iter().enumerate().filter(|(at, _)| reached & (1 << at) != 0) {
                match wanted {
                    OperandPattern::Any => next |= 1 << at,
                    OperandPattern::Word(word) if operand.is(word) => next |= 1 << (at + 1),
                    OperandPattern::Word(_) => {}
                }
                if may_skip && operand.follows_option {
                    next |= 1 << at;
                }
            }
            reached = self.beyond_any(next);
        }
        reached & (1 << end) != 0
    }

    /// Adds the places behind each `**`, which may stand for no operand.
    fn beyond_any(&self, mut reached: u64) -> u64 {
        for (at, wanted) in self.operands.iter().enumerate() {
            if matches!(wanted, OperandPattern::Any) && reached & (1 << at) != 0 {
                reached |= 1 << (at + 1);
            }
        }
        reached
    }

    pub(super) fn option_fits(&self, option: &OptionPattern, name: &str, call: &CallWords<'_>) -> bool {
        match &option.value {
            Some(value) => call.has_value(&option.any, value),
            None => option.any.iter().any(|option| self.one_option_fits(option, name, call)),
        }
    }

    fn one_option_fits(&self, option: &Opt, name: &str, call: &CallWords<'_>) -> bool {
        let subcommand = self.subcommand();
        let is_push = name == "git" && subcommand == "push";
        let forced_push = is_push && (*option == Opt::Short('f') || *option == Opt::Long("force".into()));
        if forced_push {
            let is_force = |given: &Opt| {
                matches!(given, Opt::Short('f'))
                    || matches!(given, Opt::Long(long) if long == "force" || long == "mirror")
            };
            return call.options.iter().any(is_force)
                || call.operands.iter().skip(1).any(|operand| operand.text.starts_with('+'));
        }
        let same = same_options(name, subcommand, option);
        call.options.iter().any(|given| same.iter().any(|wanted| is_same(wanted, given)))
    }

    /// First operand of the pattern.
    fn subcommand(&self) -> &str {
        match self.operands.first() {
            Some(OperandPattern::Word(word)) => word.texts().first().map_or("", String::as_str),
            _ => "",
        }
    }

    /// Returns whether a call has none of the words that must not be present.
    fn lacks(&self, call: &CallWords<'_>) -> bool {
        self.absent.iter().all(|absent| match absent {
            // A word behind an option may be its value.
            Absent::Operand(word) => {
                !call.operands.iter().any(|operand| !operand.follows_option && word.is(&operand.text))
            }
            Absent::Option(OptionPattern { any, value: Some(value) }) => !call.has_only_values(any, value),
            Absent::Option(OptionPattern { any, value: None }) => {
                !any.iter().any(|option| call.has_exactly(option))
            }
        })
    }

    /// Returns whether a call only ends or continues an operation: `git rebase --abort` does not rebase.
    pub(super) fn is_escape(&self, name: &str, call: &CallWords<'_>) -> bool {
        let is_escape = |option: &Opt| matches!(option, Opt::Long(long) if ESCAPES.contains(&long.as_str()));
        let known = matches!(self.subcommand(), "rebase" | "merge" | "cherry-pick" | "revert" | "am");
        name == "git"
            && known
            && call.options.iter().any(is_escape)
            && !self.options.iter().any(|option| option.any.iter().any(is_escape))
    }
}

impl OperandPattern {
    /// Returns whether a word is the operand.
    pub(super) fn is(&self, operand: &Operand) -> bool {
        match self {
            Self::Any => true,
            Self::Word(word) => operand.is(word),
        }
    }

    /// Returns whether a partly known word may be the operand.
    pub(super) fn may_be(&self, word: &Argument) -> bool {
        match self {
            Self::Any => true,
            Self::Word(pattern) => pattern.may_be(word),
        }
    }
}

/// Parses a word of a pattern as an option: `-rf`, `--force`, `{-f,--force}`, `{-X,--request}=DELETE`.
fn option(word: &str, one_dash: bool) -> Option<OptionPattern> {
    let (names, value) = match word.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((names, "")) => (names.split(',').collect(), None),
        Some((names, rest)) => (names.split(',').collect(), Some(rest.strip_prefix('=')?)),
        None => match word.split_once('=') {
            Some((name, value)) => (vec![name], Some(value)),
            None => (vec![word], None),
        },
    };
    let is_option = |name: &&str| name.len() > 1 && name.starts_with('-') && *name != "--";
    if !names.iter().all(is_option) {
        return None;
    }
    let any = names.into_iter().flat_map(|name| opts(name, one_dash)).collect();
    Some(OptionPattern { any, value: value.map(WordPattern::parse) })
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
