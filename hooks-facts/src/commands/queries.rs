//! Statements that programs give to databases: `psql -c TEXT`, `mysql < TEXT`, `redis-cli WORDS`.

use super::argument::Argument;
use super::file_programs::operands;
use super::walk::{Stream, Walk};
use crate::shell::Span;
use crate::statements::{self, Dialect, Statement, Statements};

/// Client of a database.
struct Client {
    /// The programs, some with their first operand.
    programs: &'static [&'static str],
    language: Language,
    /// Program that a statement counts for.
    family: &'static str,
    /// Options whose value is a text of statements.
    texts: &'static [&'static str],
    /// Letters that take another value.
    values: &'static str,
    /// Long options that take another value.
    longs: &'static [&'static str],
    operands: Operands,
}

/// Language of the statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Mongo,
    Mysql,
    Other,
    Postgres,
    Redis,
}

/// Operands that are statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operands {
    All,
    /// Those after the first.
    First,
    None,
}

const CLIENTS: &[Client] = table!("query_clients");

/// Records the statements that a program receives in its words and on its input.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) {
    let is_known = |client: &&Client| client.programs.iter().any(|program| is_program(program, name, words));
    let Some(client) = CLIENTS.iter().find(is_known) else { return };
    let mut texts = client.texts_in(words);
    let all = operands(words, client.values, client.longs);
    let own = all.get(client.skipped()..).unwrap_or_default();
    match client.operands {
        Operands::None => {}
        _ if client.language == Language::Redis => {
            let words: Vec<_> = own.iter().map(|word| word.outline()).collect();
            record(walk, client, statements::redis(&words), span);
        }
        Operands::All | Operands::First => texts.extend(own.iter().map(|word| word.outline())),
    }
    if let Stream::Known(text) = input {
        texts.push(text.to_string());
    }
    for text in texts {
        if !walk.pay(text.len() + 16, span) {
            return;
        }
        let found = match client.language {
            Language::Postgres => statements::sql(&text, Dialect::Postgres),
            Language::Mysql => statements::sql(&text, Dialect::Mysql),
            Language::Other => statements::sql(&text, Dialect::Other),
            Language::Mongo => statements::mongo(&text),
            Language::Redis => {
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    record(walk, client, statements::redis_line(line), span);
                }
                continue;
            }
        };
        record(walk, client, found, span);
    }
}

/// Returns whether a program is one of a table: `mysql`, or `bq query` with its first operand.
fn is_program(program: &str, name: &str, words: &[Argument]) -> bool {
    match program.split_once(' ') {
        None => program == name,
        Some((program, first)) => {
            let operand = words.iter().find(|word| !word.prefix().starts_with('-'));
            program == name && operand.and_then(|operand| operand.literal()) == Some(first)
        }
    }
}

impl Client {
    /// Operands before the statements.
    fn skipped(&self) -> usize {
        usize::from(self.operands == Operands::First)
            + usize::from(self.programs.iter().any(|program| program.contains(' ')))
    }

    /// Returns the values of the options with texts.
    fn texts_in(&self, words: &[Argument]) -> Vec<String> {
        let mut texts = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let outline = word.outline();
            let attached = self.texts.iter().find_map(|option| self.attached(option, &outline));
            match attached {
                Some(Some(text)) => texts.push(text),
                Some(None) => texts.extend(words.get(at + 1).map(Argument::outline)),
                None => {}
            }
        }
        texts
    }

    /// Returns the text in the word of an option; `Some(None)` if it is the next word.
    fn attached(&self, option: &str, word: &str) -> Option<Option<String>> {
        if word == option {
            return Some(None);
        }
        if let Some(text) = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
            return Some(Some(text.to_owned()));
        }
        // A letter may stand behind others, and before its value: `-Atc TEXT`, `-eTEXT`.
        let letter = option.strip_prefix('-').filter(|letter| letter.chars().count() == 1)?;
        let bundle = word.strip_prefix('-').filter(|bundle| !bundle.starts_with('-'))?;
        let (before, text) = bundle.split_once(letter)?;
        if !before.chars().all(|c| c.is_alphabetic() && !self.values.contains(c)) {
            return None;
        }
        Some(Some(text.to_owned()).filter(|text| !text.is_empty()))
    }
}

/// Records statements, and runs what the client gives to a shell.
fn record(walk: &mut Walk, client: &Client, found: Statements, span: Span) {
    for Statement { words, marks } in found.all {
        let words =
            words.into_iter().map(|word| if word.starts_with('-') { format!("\"{word}") } else { word });
        let argv = std::iter::once(client.family.to_owned()).chain(words).chain(marks);
        let argv = argv.map(|word| Argument::from(word.as_str())).collect();
        walk.states(argv, span);
    }
    for text in found.shell {
        walk.text(&text, &walk.inherited_input(), span);
    }
}
