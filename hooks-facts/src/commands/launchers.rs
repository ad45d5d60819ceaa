//! Programs that start what their words name, in the forms of the table `launchers`: words after a subcommand, a text for a
//! shell, or the value of an option.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::argument::Argument;
use super::run::operands_from;
use super::walk::{Stream, Walk};
use super::wrappers;
use crate::shell::Span;

/// Most words before a command that may be values of options.
const MAX_VALUES: usize = 8;

/// Programs, subcommands, letters, long options, operands before the command.
type Row = (&'static [&'static str], &'static str, &'static str, &'static [&'static str], usize);

/// Form in which a program names what it starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Words,
    Text,
    Texts,
    Option,
    /// The value of an option is the program, and the words after the operands are its words.
    Entry,
    /// The command follows a mark at the beginning of a word.
    Mark,
}

const ROWS: &[(Form, &[Row])] = &[
    (Form::Words, table!("launchers_words")),
    (Form::Text, table!("launchers_text")),
    (Form::Texts, table!("launchers_texts")),
    (Form::Option, table!("launchers_option")),
    (Form::Entry, table!("launchers_entry")),
    (Form::Mark, table!("launchers_mark")),
];

static INDEX: LazyLock<HashMap<&'static str, Vec<(Form, &'static Row)>>> = LazyLock::new(|| {
    let mut index: HashMap<_, Vec<_>> = HashMap::new();
    for (form, rows) in ROWS {
        for row in *rows {
            for program in row.0 {
                index.entry(*program).or_default().push((*form, row));
            }
        }
    }
    index
});

/// Walks what a program starts; returns whether the program is one that starts its words.
pub(super) fn note(walk: &mut Walk, name: &str, words: &[Argument], input: &Stream, span: Span) -> bool {
    let Some(rows) = INDEX.get(name) else { return false };
    let folder = wrappers::folder(name, words);
    walk.in_folder(folder.as_ref(), |walk| by_rows(walk, rows, words, input, span))
}

fn by_rows(walk: &mut Walk, rows: &[(Form, &Row)], words: &[Argument], input: &Stream, span: Span) -> bool {
    let mut starts = false;
    for (form, row) in rows {
        let (_, sub, short, long, operands) = row;
        if *form == Form::Option {
            if has_subcommand(words, sub) {
                option(walk, words, short, long, span);
            }
            continue;
        }
        let Some(rest) = after(words, sub) else { continue };
        match form {
            Form::Entry => {
                starts |= entry(walk, rest, long, *operands, input, span);
                continue;
            }
            Form::Mark => {
                let after = |word: &Argument| long.iter().find_map(|mark| word.strip_prefix(mark));
                for text in rest.iter().filter_map(after) {
                    walk.maybe_started(&text.as_shell_text(), span);
                }
                continue;
            }
            _ => {}
        }
        let long: Vec<&str> = long.iter().map(|name| name.trim_start_matches('-')).collect();
        let rest = operands_from(rest, short, &long, *operands);
        let rest = match rest.split_first() {
            Some((first, rest)) if first.literal() == Some("--") => rest,
            _ => rest,
        };
        match form {
            Form::Words => {
                starts |= !rest.is_empty();
                walk.run_some(rest, input, span);
            }
            Form::Text => {
                let text = walk.joined(rest, " ");
                walk.maybe_text(&text.as_shell_text(), span);
            }
            Form::Texts => {
                for word in rest.iter().filter(|word| !word.prefix().starts_with('-')) {
                    walk.maybe_text(&word.as_shell_text(), span);
                }
            }
            Form::Option | Form::Entry | Form::Mark => {}
        }
    }
    starts
}

/// Returns the words after the subcommands, which come first but for options.
fn after<'w>(words: &'w [Argument], sub: &str) -> Option<&'w [Argument]> {
    let mut rest = words;
    for wanted in sub.split(' ').filter(|wanted| !wanted.is_empty()) {
        let is_one = |word: &Argument| wanted.split('|').any(|wanted| word.literal() == Some(wanted));
        // An option before the subcommand may take a value.
        let at = rest.iter().position(is_one)?;
        rest = rest.get(at + 1..)?;
    }
    Some(rest)
}

/// `docker run --entrypoint rm IMAGE -r a`, `start-stop-daemon --exec /bin/rm -- -r a`.
fn entry(
    walk: &mut Walk,
    words: &[Argument],
    long: &[&str],
    operands: usize,
    input: &Stream,
    span: Span,
) -> bool {
    let found = words.iter().enumerate().find_map(|(at, word)| {
        let attached = long.iter().find_map(|name| word.strip_prefix(&format!("{name}=")));
        let next = || words.get(at + 1).filter(|_| long.contains(&word.prefix())).cloned();
        Some((attached.clone().or_else(next)?, at + 1 + usize::from(attached.is_none())))
    });
    let Some((program, next)) = found else { return false };
    let rest = words.get(next..).unwrap_or_default();
    let rest = match rest.iter().position(|word| word.literal() == Some("--")) {
        Some(end) => rest.get(end + 1..).unwrap_or_default(),
        None => after_operands(rest, operands),
    };
    let argv: Vec<Argument> = std::iter::once(program.clone()).chain(rest.iter().cloned()).collect();
    walk.run(&argv, input, span);
    // A word that is taken for the image may be the value of an option.
    for at in 1..rest.len().min(MAX_VALUES) {
        let rest = rest.get(at..).unwrap_or_default();
        let argv: Vec<Argument> = std::iter::once(program.clone()).chain(rest.iter().cloned()).collect();
        walk.guess(|walk| {
            walk.run(&argv, input, span);
        });
    }
    true
}

/// Returns the words after a number of operands, whatever they look like.
fn after_operands(words: &[Argument], operands: usize) -> &[Argument] {
    let mut places = words.iter().enumerate().filter(|(_, word)| !word.prefix().starts_with('-'));
    let end = operands.checked_sub(1).map_or(Some(0), |last| places.nth(last).map(|(at, _)| at + 1));
    end.and_then(|end| words.get(end..)).unwrap_or_default()
}

fn has_subcommand(words: &[Argument], sub: &str) -> bool {
    after(words, sub).is_some()
}

/// Walks the values of the options that are commands.
fn option(walk: &mut Walk, words: &[Argument], short: &str, long: &[&str], span: Span) {
    for (at, word) in words.iter().enumerate() {
        let text = word.prefix();
        if text == "--" {
            return;
        }
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        let is_long = long.contains(&name);
        let letter =
            text.strip_prefix('-').and_then(|rest| rest.chars().next()).filter(|c| short.contains(*c));
        let value = match letter {
            _ if is_long && name.len() < text.len() => word.strip_prefix(&format!("{name}=")),
            _ if is_long => words.get(at + 1).cloned(),
            Some(letter) if text.len() == 1 + letter.len_utf8() => words.get(at + 1).cloned(),
            Some(letter) if text.contains(' ') => word.strip_prefix(&format!("-{letter}")),
            _ => None,
        };
        if let Some(value) = value {
            let text = value.as_shell_text();
            walk.maybe_text(&text, span);
            // `--config alias.x='!COMMAND'`, `--parameters commands=COMMAND`.
            let named = text.split_once('=').filter(|(name, _)| !name.contains(char::is_whitespace));
            if let Some((_, command)) = named {
                walk.maybe_text(command.trim_start_matches('!'), span);
            }
        }
    }
}
