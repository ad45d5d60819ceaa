//! Commands of a rule.

use hooks_facts::commands::BlockedPattern;

use super::super::change::Run;
use super::super::index::{key, literal};
use super::super::tables;
use super::like::fits;

#[derive(Clone, Debug)]
pub(super) enum Command {
    /// A program with its first words and options.
    Blocked(String, Vec<BlockedPattern>),
    /// A word that any program must not have.
    Option(String),
    /// Words with `*` for any words.
    Words(Vec<String>),
}

impl Command {
    pub(super) fn is_run_by(&self, run: &Run) -> bool {
        match self {
            Self::Blocked(_, patterns) => {
                run.analyses.iter().any(|analysis| analysis.find(patterns).is_some())
            }
            Self::Option(option) => run.words.iter().any(|word| {
                word == option || word.strip_prefix(option.as_str()).is_some_and(|rest| rest.starts_with('='))
            }),
            Self::Words(wanted) => run.forms().any(|words| fits(wanted, &words)),
        }
    }

    /// Returns a text that a program's name or words contain if it is such a command.
    pub(super) fn key(&self) -> Option<String> {
        match self {
            Self::Blocked(text, patterns) => {
                let program = text.split_whitespace().next()?.rsplit('/').next()?;
                // A subcommand with two names has no word in common with its call but the program.
                let operands = text.split_whitespace().skip(1).filter(|_| patterns.len() == 1);
                let operands = operands.take_while(|word| !word.starts_with('-'));
                std::iter::once(program).chain(operands).filter_map(literal).max_by_key(String::len)
            }
            Self::Option(option) => literal(option),
            Self::Words(words) => words.iter().filter_map(|word| key(word)).max_by_key(String::len),
        }
    }

    pub(super) fn shown(&self) -> String {
        match self {
            Self::Blocked(text, _) | Self::Option(text) => text.clone(),
            Self::Words(words) => words.join(" "),
        }
    }
}

/// Parses a command of a rule.
pub(super) fn command(text: &str) -> Result<Command, String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Ok(Command::Option(text.to_owned()));
    }
    if text.contains('*') {
        return Ok(Command::Words(text.split_whitespace().map(str::to_owned).collect()));
    }
    let parse = |text: &str| BlockedPattern::parse(text).map_err(|error| error.to_string());
    let mut patterns = vec![parse(text)?];
    let words: Vec<&str> = text.split_whitespace().collect();
    if let [program, subcommand, rest @ ..] = words.as_slice()
        && let Some(full) = tables::full_command(program, Some(subcommand))
    {
        patterns.push(parse(&[&[*program, full], rest].concat().join(" "))?);
    }
    Ok(Command::Blocked(text.to_owned(), patterns))
}
