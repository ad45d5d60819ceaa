//! Finds the passwords among the words of a command: the rows of `data/commands.txt`.
//!
//! A program of the table:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("mysql -u root -pXk7-qP2vRw shop"), "mysql -u root -p[PASSWORD_REDACTED] shop");
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::{
    label::Label,
    quotation::quotation,
    span::Span,
    text::{byte, floor, line_before, run_end},
    value::{self, Style},
};

/// Shape of the words that hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// The next word.
    Next,
    /// The rest of the word.
    Attached,
    /// The rest of the word, or the next word.
    Either,
    /// The part of the next word behind the user and this sign.
    User(u8),
    /// The part of the next word behind this one.
    Behind(&'static str),
    /// The operand of this number behind the program.
    Operand(usize),
    /// The operand behind the name of a shared folder.
    Share,
}

/// Option of a program.
#[derive(Debug)]
struct Row {
    /// Words of the command: the program, perhaps with `*`, and its subcommand.
    words: Vec<&'static str>,
    option: &'static str,
    shape: Shape,
}

/// The rows, by the name of the program without `*`.
struct Table {
    rows: Vec<Row>,
    by_program: BTreeMap<&'static str, Vec<usize>>,
    /// The first two bytes of the options, each once.
    starts: Vec<[u8; 2]>,
    /// The long options, each once.
    long: Vec<&'static str>,
    /// The programs with a password among their operands.
    operands: Vec<&'static str>,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

impl Table {
    fn new() -> Self {
        let lines = include_str!("../data/commands.txt").lines().filter(|line| !line.starts_with('#'));
        let rows: Vec<Row> = lines.filter_map(rows_of).flatten().collect();
        let mut by_program: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            let program = row.words.first().copied().unwrap_or_default();
            by_program.entry(program.trim_end_matches('*')).or_default().push(index);
        }
        let options: BTreeSet<&'static str> = rows.iter().map(|row| row.option).collect();
        let start = |option: &&str| option.as_bytes().first_chunk::<2>().copied();
        let long = options.iter().filter(|option| option.starts_with("--")).copied().collect();
        let starts: BTreeSet<[u8; 2]> = options.iter().filter_map(start).collect();
        let operand = |row: &&Row| {
            let shape = matches!(row.shape, Shape::Operand(_))
                || matches!(row.shape, Shape::User(_)) && row.option == "-";
            shape && !row.option.starts_with('/')
        };
        let operands: BTreeSet<&'static str> =
            rows.iter().filter(operand).filter_map(|row| row.words.first().copied()).collect();
        let operands = operands.into_iter().collect();
        Self { rows, by_program, starts: starts.into_iter().collect(), long, operands }
    }

    /// Returns whether an option of the table may start with these bytes.
    fn may_have(&self, rest: &str) -> bool {
        let Some(first) = rest.as_bytes().first_chunk::<2>() else { return false };
        self.starts.contains(first)
            && (first != b"--" || self.long.iter().any(|option| rest.starts_with(option)))
    }

    /// Returns the rows of a program, and those of its family: `mysqldump` is one of `mysql*`.
    fn rows_for(&self, program: &str) -> Vec<&Row> {
        let rows = |name: &str| {
            self.by_program.get(name).into_iter().flatten().filter_map(|index| self.rows.get(*index))
        };
        let is_family = |row: &&Row| row.words.first().is_some_and(|word| word.ends_with('*'));
        let family = FAMILIES.iter().filter(|family| program.starts_with(**family) && program != **family);
        rows(program).chain(family.flat_map(|family| rows(family).filter(is_family))).collect()
    }
}

/// Programs whose rows also count for programs with a longer name.
const FAMILIES: &[&str] = &["mysql", "mariadb", "mycli"];

/// Parses a line of the table: a row for each program.
fn rows_of(line: &'static str) -> Option<Vec<Row>> {
    let mut columns = line.split('\t');
    let programs = columns.next()?;
    let option = columns.next()?;
    let shape = match columns.next()? {
        "next" => Shape::Next,
        "attached" => Shape::Attached,
        "either" => Shape::Either,
        "share" => Shape::Share,
        shape => match (shape.strip_prefix('#'), shape.as_bytes().last()) {
            (Some(number), _) => Shape::Operand(number.parse().ok()?),
            (None, Some(sign)) if shape.starts_with("user") => Shape::User(*sign),
            (None, Some(_)) => Shape::Behind(shape),
            _ => return None,
        },
    };
    let row = |program: &'static str| Row { words: program.split('+').collect(), option, shape };
    Some(programs.split(' ').map(row).collect())
}

/// Most bytes of a command that are read.
const REACH: usize = 320;
/// Most words of a command that are read.
const MAX_WORDS: usize = 40;

/// Word of a command.
#[derive(Clone, Copy, Debug)]
struct Word<'t> {
    /// Start of its text, without a quotation mark.
    start: usize,
    text: &'t str,
}

/// Finds the password of the option that starts at `at`, if its program takes one.
pub(super) fn option(text: &str, at: usize, lines: bool) -> Option<Span> {
    let bytes = text.as_bytes();
    let rest = text.get(at..)?;
    if !TABLE.may_have(rest) {
        return None;
    }
    let from = in_quotes(bytes, command_start(bytes, at, lines), at);
    let before = words(text, from, at);
    programs(&before).find_map(|(program, rows)| {
        let words = before.get(program + 1..).unwrap_or_default();
        let mut rows = rows.into_iter().filter(|row| is_given(row, rest) && has_subcommand(row, words));
        rows.find_map(|row| behind(text, from, program, at + row.option.len(), row))
    })
}

/// Programs whose user option takes a user and a group.
const GROUPED: &[&str] = &[
    "docker",
    "docker-compose",
    "podman",
    "podman-compose",
    "nerdctl",
    "kubectl",
    "buildah",
    "runuser",
    "setpriv",
];
/// Programs whose user option takes a user and a password, also inside a command of [`GROUPED`].
const CLIENTS: &[&str] = &["curl", "wget", "http", "https", "xh"];

/// Returns whether the user option at `at` takes a user and a group.
pub(super) fn takes_group(text: &str, at: usize, lines: bool) -> bool {
    let bytes = text.as_bytes();
    let before = words(text, in_quotes(bytes, command_start(bytes, at, lines), at), at);
    let mut names = before.iter().rev().filter_map(|word| word.text.rsplit('/').next());
    names
        .find(|name| GROUPED.contains(name) || CLIENTS.contains(name))
        .is_some_and(|name| GROUPED.contains(&name))
}

/// Returns whether the words have the subcommand of a row.
fn has_subcommand(row: &Row, words: &[Word<'_>]) -> bool {
    let mut wanted = row.words.iter().skip(1);
    wanted.all(|wanted| words.iter().any(|word| word.text == *wanted))
}

fn is_given(row: &Row, rest: &str) -> bool {
    let Some(behind) = rest.strip_prefix(row.option) else { return false };
    let next = byte(behind.as_bytes(), 0);
    let apart = matches!(next, b' ' | b'=');
    match row.shape {
        Shape::Next | Shape::Behind(_) => apart,
        Shape::User(_) => apart || next.is_ascii_alphanumeric() || b"'\"".contains(&next),
        Shape::Attached => !apart && next.is_ascii_graphic(),
        Shape::Either => apart || next.is_ascii_graphic(),
        Shape::Operand(_) => true,
        Shape::Share => !apart,
    }
}

/// Returns the start of the command around `at`; with `lines`, also over lines that end with a backslash.
fn command_start(bytes: &[u8], at: usize, lines: bool) -> usize {
    let mut from = at;
    loop {
        let line = line_before(bytes, from, REACH.saturating_sub(at - from));
        let cut = line.iter().enumerate().rev().find(|(place, b)| {
            let next = line.get(place + 1).copied().unwrap_or(0);
            matches!(b, b'|' | b';' | b'`')
                || (**b == b'&' && next == b'&')
                || (**b == b'(' && line.get(place.wrapping_sub(1)) == Some(&b'$'))
        });
        if let Some((place, _)) = cut {
            return from - line.len() + place + 1;
        }
        from -= line.len();
        let above = from.checked_sub(2).filter(|above| bytes.get(*above..from) == Some(b"\\\n"));
        match above {
            Some(above) if lines && at - from < REACH => from = above,
            _ => return from,
        }
    }
}

/// Returns the start of the command in a quotation that is open at `at`: `ssh h 'mysql …'`.
fn in_quotes(bytes: &[u8], from: usize, at: usize) -> usize {
    let mut open: Option<(u8, usize)> = None;
    for (length, b) in bytes.get(from..at).unwrap_or_default().iter().enumerate() {
        open = match (open, *b) {
            (Some((quote, _)), b) if b == quote => None,
            (None, quote @ (b'"' | b'\'')) => Some((quote, from + length + 1)),
            (open, _) => open,
        };
    }
    open.map_or(from, |(_, start)| start)
}

/// Splits `text[from..to]` into words as a shell does.
fn words(text: &str, from: usize, to: usize) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = from;
    while words.len() < MAX_WORDS {
        at = run_end(bytes, at, REACH, |b| b == b' ' || b == b'\t' || b == b'\\' || b == b'\n');
        // The name of a host or a shared folder in Windows.
        while at > from && bytes.get(at - 1) == Some(&b'\\') && byte(bytes, at).is_ascii_graphic() {
            at -= 1;
        }
        if at >= to {
            break;
        }
        let (start, end, next) = word(bytes, at);
        let end = floor(text, end.min(to));
        let Some(word) = text.get(start..end) else { break };
        words.push(Word { start, text: word });
        at = next.max(at + 1);
    }
    words
}

/// Returns the extent of the word at `at`, and where the next one may start.
fn word(bytes: &[u8], at: usize) -> (usize, usize, usize) {
    if let Some((start, end)) = quotation(bytes, at) {
        return (start, end, end + 1);
    }
    let end = run_end(bytes, at, 512, |b| !b.is_ascii_whitespace() && !b"|;\"'`<>".contains(&b));
    (at, end, end)
}

/// Returns the places of programs among the words, and their rows; the last one first, as others may call it.
fn programs<'w>(words: &'w [Word<'_>]) -> impl Iterator<Item = (usize, Vec<&'static Row>)> + 'w {
    let of = |word: &Word<'_>| {
        let name = word.text.rsplit(['/', '\\']).next().unwrap_or_default().trim_start_matches(['(', '[']);
        let name = name.strip_suffix(".exe").or(name.strip_suffix(".sh")).unwrap_or(name);
        TABLE.rows_for(name)
    };
    let places = words.iter().enumerate().rev().map(move |(place, word)| (place, of(word)));
    places.filter(|(_, rows)| !rows.is_empty())
}

/// Finds the password of a row whose option ends at `end`; the program is word number `program` from `from` on.
fn behind(text: &str, from: usize, program: usize, end: usize, row: &Row) -> Option<Span> {
    let bytes = text.as_bytes();
    let apart = matches!(byte(bytes, end), b' ' | b'=');
    let at = if apart { run_end(bytes, end, 4, |b| b == b' ' || b == b'=') } else { end };
    let (start, stop) = match row.shape {
        Shape::Operand(number) => return operand(text, from, program, row, number),
        Shape::Share => return share(text, from),
        Shape::Next | Shape::Attached | Shape::Either => {
            let (start, stop, _) = word(bytes, at);
            (start, stop)
        }
        Shape::Behind(prefix) => {
            let (start, stop, _) = word(bytes, at);
            let named = bytes.get(start..stop)?.starts_with(prefix.as_bytes());
            named.then_some((start + prefix.len(), stop))?
        }
        Shape::User(sign) => {
            let (start, stop, _) = word(bytes, at);
            behind_user(text, start, stop, sign)?
        }
    };
    password(text, start, stop)
}

/// Returns the part of the word `start..stop` behind the user and `sign`.
fn behind_user(text: &str, start: usize, stop: usize, sign: u8) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let place = start + memchr::memchr(sign, bytes.get(start..stop)?)?;
    let user = bytes.get(start..place)?;
    let named = !user.is_empty() && user.iter().all(|b| b.is_ascii_alphanumeric() || b"._@\\/$-".contains(b));
    // A service follows the password of Oracle.
    let service =
        if sign == b'/' { memchr::memrchr(b'@', bytes.get(place..stop)?).map(|at| place + at) } else { None };
    named.then_some((place + 1, service.unwrap_or(stop)))
}

fn password(text: &str, start: usize, stop: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let head = text.get(start..floor(text, stop.min(start + value::HEAD)))?;
    // Quotation marks of a text around the command.
    let markup = b"`".contains(&byte(bytes, start));
    let plain = head.starts_with(['-', '$', '|', '>', '<', '%', '/']) || markup;
    (!plain && head.len() >= 3 && value::is_password(head, Style::Attached))
        .then(|| Span::new(start, stop, Label::Password))
}

/// Returns the operands behind the program and its subcommand.
fn operands<'t>(words: &[Word<'t>], program: usize, row: &Row) -> Vec<Word<'t>> {
    let mut operands = Vec::new();
    let mut wanted = row.words.iter().skip(1).peekable();
    for word in words.iter().skip(program + 1) {
        if wanted.peek().is_some_and(|wanted| **wanted == word.text) {
            wanted.next();
        } else if wanted.peek().is_none()
            && !word.text.starts_with('-')
            && !(word.text.starts_with('/') && row.option.starts_with('/'))
        {
            operands.push(*word);
        }
    }
    operands
}

/// Returns the end of the command that `at` belongs to.
fn command_end(bytes: &[u8], at: usize) -> usize {
    run_end(bytes, at, REACH, |b| b != b'\n')
}

/// Finds the password that is an operand.
fn operand(text: &str, from: usize, program: usize, row: &Row, number: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let start = run_end(bytes, from, REACH, |b| b == b' ');
    let words = words(text, from, command_end(bytes, start));
    let given = row.option == "-"
        || row.option.starts_with('/')
        || words.iter().any(|word| {
            let letter = row.option.trim_start_matches('-');
            word.text == row.option
                || word.text.starts_with('-')
                    && !word.text.starts_with("--")
                    && letter.len() == 1
                    && word.text.contains(letter)
        });
    let found = operands(&words, program, row);
    let word = found.get(number.checked_sub(1)?).filter(|_| given)?;
    // A placeholder, a path or a sentence.
    let last = found.len() <= number + 1 || row.words.len() > 1;
    if !last || !word.text.bytes().any(|b| !b.is_ascii_lowercase()) || word.text.ends_with(['.', ':', ',']) {
        return None;
    }
    password(text, word.start, word.start + word.text.len())
}

/// Finds the password behind a shared folder: `net use Z: \\host\folder PASSWORD /user:joe`.
fn share(text: &str, from: usize) -> Option<Span> {
    let words = words(text, from, command_end(text.as_bytes(), from));
    let folder = words.iter().position(|word| word.text.starts_with("\\\\"))?;
    let word = words.iter().skip(folder + 1).find(|word| !word.text.starts_with('/'))?;
    (word.text != "*").then(|| password(text, word.start, word.start + word.text.len())).flatten()
}

/// Finds the password among the operands of the program whose name is at `start..end`.
pub(super) fn at_program(text: &str, start: usize, end: usize) -> Option<Span> {
    let name = text.get(start..end)?;
    let bytes = text.as_bytes();
    if byte(bytes, end) != b' ' || !TABLE.operands.contains(&name) {
        return None;
    }
    let words = words(text, start, command_end(bytes, start));
    TABLE.rows_for(name).into_iter().find_map(|row| {
        let wanted = || has_subcommand(row, words.get(1..).unwrap_or_default());
        match row.shape {
            Shape::Operand(number) if !row.option.starts_with('/') && wanted() => {
                operand(text, start, 0, row, number)
            }
            Shape::User(sign) if row.option == "-" => {
                let word = words.iter().skip(1).take(4).find(|word| !word.text.starts_with('-'))?;
                let found = behind_user(text, word.start, word.start + word.text.len(), sign)?;
                password(text, found.0, found.1)
            }
            _ => None,
        }
    })
}

/// Finds the password of an option that is a word: `nmcli … password …`.
pub(super) fn word_option(text: &str, start: usize, end: usize, lines: bool) -> Option<Span> {
    let name = text.get(start..end)?;
    if !matches!(name, "password" | "passwd" | "pass" | "key") || !b" =".contains(&byte(text.as_bytes(), end))
    {
        return None;
    }
    option(text, start, lines).or_else(|| {
        let from = command_start(text.as_bytes(), start, lines);
        let before = words(text, from, start);
        programs(&before).find_map(|(program, rows)| {
            rows.into_iter().find_map(|row| match row.shape {
                Shape::Operand(number) if row.words.last() == Some(&name) => {
                    operand(text, from, program, row, number)
                }
                _ => None,
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::Scrubber;

    #[test]
    fn each_example_loses_its_password() {
        let rows = include_str!("../data/commands.txt").lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            let columns: Vec<&str> = row.split('\t').collect();
            let [_, _, _, example, password] = columns[..] else { panic!("{row}: five columns") };
            for text in [example.to_owned(), format!("$ sudo {example}"), format!("x; {example}\ny")] {
                let wanted = text.replace(password, "[PASSWORD_REDACTED]");
                assert_eq!(Scrubber::all().scrub(&text), wanted, "{row}");
            }
        }
    }

    #[test]
    fn commands_without_a_password() {
        for text in [
            "mysql -u root -p app",
            "mysql -u root -p\"$PW\" app",
            "docker login; git log -p Mond4711",
            "cp -p Mond4711 b",
            "zip -P \"$PASS1\" a.zip",
            "htpasswd -c /etc/pw joe4711",
            "net use Z: \\\\h\\x4711 /user:joe *",
            "sqlplus / as sysdba",
            "rabbitmqctl list_users Mond4711 x2",
            "impdp the data pump/export4 tool",
            "exp is 1/2",
            "ssh -p 2222 joe@h",
            "sshpass -p $PASS ssh h",
            "openssl enc -pass file:pw4711",
        ] {
            assert_eq!(Scrubber::all().scrub(text), text);
        }
    }
}
