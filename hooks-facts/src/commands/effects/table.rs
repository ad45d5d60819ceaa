//! The table of effects: which words of which programs have an effect.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::Effect;
use super::git::Situation;
use super::words::{Words, glob, is_found, is_gap_in};
use crate::commands::argument::Argument;
use crate::commands::call_words;

/// Programs, the words that come first, what else is needed, and what must not be there.
type Row = (&'static [&'static str], &'static str, &'static str, &'static str);

/// Rows of each effect.
const ROWS: &[(Effect, &[Row])] = &[
    (Effect::RecursiveDelete, table!("effects_recursive-delete")),
    (Effect::Privilege, table!("effects_privilege")),
    (Effect::DeviceWrite, table!("effects_device-write")),
    (Effect::HistoryOverwrite, table!("effects_history-overwrite")),
    (Effect::DiscardWork, table!("effects_discard-work")),
    (Effect::HistoryRewrite, table!("effects_history-rewrite")),
    (Effect::GitDirWrite, table!("effects_git-dir-write")),
];

/// Options of `find` that take no value.
const FIND_FLAGS: &[&str] = table!("effect_words_find_flags");

/// Most words of a program that are compared; with more, each row that may match does.
const MAX_WORDS: usize = 8192;

/// Rows by the name of the program, and the rows whose name is a pattern.
#[derive(Default)]
struct Index {
    named: HashMap<&'static str, Rows>,
    patterns: Vec<(&'static str, Effect, &'static Row)>,
}

/// Rows of a program, and the options to which one of them gives a value.
#[derive(Clone, Default)]
struct Rows {
    rows: Vec<(Effect, &'static Row)>,
    values: Vec<&'static str>,
}

impl Rows {
    fn add(&mut self, effect: Effect, row: &'static Row) {
        let words = [row.2, row.3].into_iter().flat_map(|cell| cell.split([' ', '|']));
        let options = words.filter(|word| word.starts_with('-')).filter_map(|word| word.split_once('='));
        self.values.extend(options.map(|(name, _)| name));
        self.rows.push((effect, row));
    }
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index::default();
    for (effect, rows) in ROWS {
        for row in *rows {
            for program in row.0 {
                match program.contains('*') {
                    true => index.patterns.push((program, *effect, row)),
                    false => index.named.entry(*program).or_default().add(*effect, row),
                }
            }
        }
    }
    index
});

/// Options of a program that take the next word: those to which a row gives a value, and those that are known otherwise.
pub(super) struct ValueOptions<'r> {
    names: &'r [&'static str],
}

impl ValueOptions<'_> {
    /// Returns whether an option takes the next word as its value.
    pub(super) fn take_next(&self, name: &str, subcommand: &str, given: &str) -> bool {
        if given.contains('=') || is_gap_in(given) {
            return false;
        }
        if matches!(name, "find" | "gfind" | "bfs") {
            return !FIND_FLAGS.contains(&given) && !given.starts_with("-exec") && !given.starts_with("-ok");
        }
        if name == "git" {
            let (short, long) = call_words::value_options(name, subcommand);
            return match given.strip_prefix("--") {
                Some(own) => long.contains(&own),
                None => given
                    .chars()
                    .skip(1)
                    .position(|c| short.contains(c))
                    .is_some_and(|at| at + 2 == given.chars().count()),
            };
        }
        self.names.iter().any(|known| match known.strip_prefix("--") {
            Some(_) => *known == given,
            None if known.len() == 2 => {
                !given.starts_with("--") && given.ends_with(known.trim_start_matches('-'))
            }
            None => *known == given,
        })
    }
}

/// Calls `found` for each effect of a program with its words.
pub(super) fn compare(
    name: &str,
    words: &[Argument],
    situation: &Situation<'_>,
    found: &mut dyn FnMut(Effect),
) {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let named = INDEX.named.get(name).or_else(|| INDEX.named.get(plain));
    let mut matched = INDEX.patterns.iter().filter(|(program, ..)| glob(program, name)).peekable();
    let rows = match (named, matched.peek()) {
        (None, None) => return,
        (Some(rows), None) => Cow::Borrowed(rows),
        (named, Some(_)) => {
            let mut rows = named.cloned().unwrap_or_default();
            matched.for_each(|(_, effect, row)| rows.add(*effect, row));
            Cow::Owned(rows)
        }
    };
    let is_long = words.len() > MAX_WORDS;
    let words = words.get(..MAX_WORDS).unwrap_or(words);
    let read = Words::new(name, words, &ValueOptions { names: &rows.values });
    for (effect, row) in rows.rows.iter().copied() {
        let (_, sub, needs, unless) = row;
        let Some(start) = read.after(sub, name == "git") else { continue };
        if is_long && !needs.is_empty() {
            found(effect);
            continue;
        }
        let question = Question { words: &read, start, situation };
        let holds = |cell: &str| cell.split('|').any(|token| question.holds(token));
        let is_met = needs.split(' ').filter(|need| !need.is_empty()).all(holds);
        if is_met && !unless.split([' ', '|']).filter(|it| !it.is_empty()).any(|token| question.holds(token))
        {
            found(effect);
        }
    }
}

/// A program whose words are compared with the requirements of a row.
pub(super) struct Question<'q> {
    pub(super) words: &'q Words,
    /// Number of operands that the subcommand takes.
    pub(super) start: usize,
    pub(super) situation: &'q Situation<'q>,
}

impl Question<'_> {
    /// Returns the operands after the subcommand.
    pub(super) fn operands(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.words.operands.iter().skip(self.start).map(|(operand, _)| operand.as_str())
    }

    fn holds(&self, token: &str) -> bool {
        if token == "--" {
            return self.words.has_end;
        }
        if token.len() > 1 && token.starts_with('-') {
            return self.words.has(token);
        }
        if let Some(setting) = token.strip_prefix('%') {
            return self.situation.has_setting(self.words, setting);
        }
        let question = token.strip_prefix('@').map(|question| ("", question));
        let Some((before, question)) = question.or_else(|| token.split_once("=@")) else {
            // Everything that does not start with a sign of its own is a pattern of an operand.
            return self.operands().any(|operand| glob(token, operand));
        };
        match question {
            "device" => self.operands().any(|operand| {
                let value = operand.strip_prefix(before).map(|rest| rest.trim_start_matches('='));
                value.is_some_and(super::devices::is_device)
            }),
            "device-last" => self.operands().next_back().is_some_and(super::devices::is_device),
            "found" => self.operands().any(|operand| {
                let is_gap = |c| crate::globs::Gap::from_char(c).is_some();
                is_found(operand)
                    || self.situation.searches && !operand.is_empty() && operand.chars().all(is_gap)
            }),
            question => self.of_git(question),
        }
    }
}
