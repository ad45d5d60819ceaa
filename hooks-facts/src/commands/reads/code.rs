//! Files and hosts in the text of an interpreter: strings of a program that opens files.
//!
//! This is not a parser. If the text calls something that opens a file, each of its strings may be the name of one. Strings
//! that only an operator, a comma or a bracket divides are also put together: `'.e' + 'nv'`, `join(home, '.ssh', 'id_rsa')`.

use super::super::network;
use super::{AccessKind, Argument, Reads, Recorder, UnknownReadsReason, wildcards};
use crate::globs::Gap;
use crate::shell::Span;

/// Calls that open a file, in any of the languages.
const OPENS: &[&str] = table!("read_words_opens");

/// Most strings of one text that are looked at.
const MAX_STRINGS: usize = 256;

/// Longest string that may be the name of a file.
const MAX_NAME: usize = 512;

/// Calls and names that stand for the user's home.
const HOMES: &[&str] = table!("read_words_homes");

/// Calls and operators that put a path together.
const JOINS: &[&str] = table!("read_words_joins");

/// Calls that copy the file of their first argument.
const COPIES: &[&str] = table!("read_words_copies");

/// Calls that do not read the file which they name.
const SILENT: &[&str] = table!("read_words_silent");

/// Calls that only make a value of another one.
const BUILDS: &[&str] = table!("read_words_builds");

/// Calls that load `.env` without naming it.
const LOADS: &[&str] = table!("read_words_loads");

/// Calls that print.
const SHOWN: &[&str] = &["print", "puts", "echo", "console.log", "parsed", "dotenv_values", "pp"];

/// Returns whether a text has a call: its name, not as a part of another one.
fn calls(text: &str, call: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let is_name = call.ends_with(is_letter);
    text.match_indices(call).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + call.len()..).and_then(|behind| behind.chars().next());
        !(before.is_some_and(is_letter) || is_name && behind.is_some_and(is_letter))
    })
}

/// Returns the name of the call whose bracket ends a text: `x = open(`.
fn call_at_end(text: &str) -> Option<&str> {
    let text = text.trim_end().strip_suffix('(')?;
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || "_?!".contains(c)))
        .map_or(0, |at| at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    text.get(start..).filter(|name| !name.is_empty())
}

/// Returns whether the code outside of the strings calls something that may open a file.
fn may_open(code: &str) -> bool {
    let mut calls = code.match_indices('(').filter_map(|(at, _)| call_at_end(code.get(..=at)?));
    calls.any(|call| !SILENT.contains(&call) && !BUILDS.contains(&call) && !super::listings::lists(call))
}

/// Returns a text without the lists of plain words that a call starts as a program: its reads are those of an invocation.
fn without_commands(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("([") {
        kept.push_str(before);
        kept.push_str("([");
        let is_start = STARTS.iter().any(|call| before.ends_with(call));
        let list =
            behind.split_once(']').map(|(list, _)| list).filter(|list| is_start && is_plain_list(list));
        rest = behind.get(list.map_or(0, str::len)..).unwrap_or_default();
    }
    kept + rest
}

/// Calls that start a program with a list of its words.
const STARTS: &[&str] = &[
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
];

/// Returns whether a list has only strings, in which nothing is computed or escaped.
fn is_plain_list(list: &str) -> bool {
    list.split(',').map(str::trim).all(|item| {
        let inner = item.strip_prefix('\'').and_then(|item| item.strip_suffix('\''));
        let inner = inner.or_else(|| item.strip_prefix('"').and_then(|item| item.strip_suffix('"')));
        inner.is_some_and(|inner| !inner.contains(['\'', '"', '\\']))
    })
}

/// Returns a text without calls that load a module by its name: `require('path')` opens no file that a rule could name.
fn without_modules(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("require(") {
        let name = behind.split_once(')').map_or("", |(name, _)| name.trim());
        let is_module = name.len() > 2
            && name.starts_with(['\'', '"'])
            && name
                .trim_matches(['\'', '"'])
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-:@/".contains(c))
            && !name.trim_matches(['\'', '"']).starts_with('/');
        kept.push_str(before);
        kept.push_str(if is_module { "(" } else { "require(" });
        rest = behind;
    }
    kept + rest
}

/// Returns a text without the lines that are comments.
fn without_comments(text: &str) -> String {
    let is_comment = |line: &&str| line.trim_start().starts_with("# ") || line.trim_start().starts_with("//");
    text.lines().filter(|line| !is_comment(line)).collect::<Vec<_>>().join("\n")
}

/// Records the files that the text of a program may read, and the hosts in it.
pub(super) fn of_text(walk: &mut Recorder, program: &str, text: &str, span: Span) {
    if program == "tclsh" {
        // Words need no quotes.
        return Reads { walk, name: program, span }.possible(&[Argument::from(text)]);
    }
    let text = &without_commands(&without_comments(text));
    let (strings, code) = strings(text);
    for string in &strings {
        network::note_address(walk, program, &string.text, span);
    }
    network::note_calls(walk, program, text, span);
    // Functions of awk open nothing.
    if program != "awk" {
        super::listings::of_text(walk, program, text, span);
    }
    let code = if text.contains("require(") { self::strings(&without_modules(text)).1 } else { code };
    let is_open = program != "awk" && may_open(&code);
    let loads = LOADS.iter().any(|load| text.contains(load));
    let opens = |text: &str| OPENS.iter().any(|call| calls(text, call));
    if !(is_open || loads || opens(text) && opens(&without_modules(text))) {
        return;
    }
    // Libraries that load a file which the text does not name.
    if let Some(load) = LOADS.iter().find(|load| text.contains(**load)) {
        let shows = SHOWN.iter().any(|call| calls(text, call));
        let kind = if shows && !load.is_empty() { AccessKind::Implied } else { AccessKind::Used };
        walk.reads(program, &Argument::from(".env"), kind, true, span);
    }
    if strings.len() >= MAX_STRINGS {
        walk.reads_unknown("", UnknownReadsReason::TooMany, span);
    }
    // The slash of `pathlib`.
    let joins = text.contains(" / ") || JOINS.iter().any(|call| text.contains(call));
    let mut names = Vec::new();
    for (at, string) in strings.iter().enumerate() {
        // The mode of `open`, or the target of a copy.
        let is_second = string.join == Join::Part && !joins && at > 0;
        let is_copied = is_second && strings.get(at - 1).is_some_and(|first| first.is_copied);
        let mode = strings.get(at + 1).filter(|next| next.join == Join::Part).map(|next| next.text.as_str());
        let is_written = mode.is_some_and(|mode| mode.len() <= 3 && mode.starts_with(['w', 'a', 'x', '>']));
        let is_written = is_written && !string.is_copied;
        if is_copied || is_written || string.is_silent || string.text.starts_with('>') {
            continue;
        }
        add(&mut names, &string.text);
        let (mut joined, mut path) = (string.text.clone(), string.text.clone());
        if string.after_home && !string.text.starts_with('~') {
            add(&mut names, &format!("~/{}", string.text.trim_start_matches('/')));
            path = format!("~/{path}");
        }
        for next in strings.iter().skip(at + 1).take_while(|next| next.join != Join::None) {
            match next.join {
                Join::Text => {
                    joined.push_str(&next.text);
                    path.push_str(&next.text);
                }
                _ if !joins => break,
                _ => {
                    path = format!("{}/{}", path.trim_end_matches('/'), next.text.trim_start_matches('/'));
                }
            }
            add(&mut names, &joined);
            add(&mut names, &path);
            if joined.len() > MAX_NAME {
                break;
            }
        }
    }
    for name in names {
        let name = if name.contains('*') { wildcards(&name) } else { name };
        walk.reads(program, &Argument::of_outline(&name), AccessKind::Read, true, span);
    }
}

fn add(names: &mut Vec<String>, name: &str) {
    let name = name.trim();
    // `open(F, "< file")` of Perl.
    let name = name.trim_start_matches(['<', ' ']).to_owned();
    let is_name = !name.is_empty()
        && name.len() <= MAX_NAME
        && !name.contains(['\n', '\0'])
        && name.contains(|c: char| c.is_alphanumeric())
        && name.split_whitespace().count() <= 3;
    if is_name && names.len() < MAX_STRINGS && !names.contains(&name) {
        names.push(name);
    }
}

/// Joint between a string and the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// No joint: the strings are independent.
    None,
    /// An operator that appends.
    Text,
    /// A comma or a slash, which may append a name to a folder.
    Part,
}

struct Quoted {
    text: String,
    join: Join,
    /// Whether something that stands for the home is directly before it.
    after_home: bool,
    /// Whether it is the first argument of a call that copies a file.
    is_copied: bool,
    /// Whether nothing opens it: it is compared with another text, or the first argument of a call that reads no file.
    is_silent: bool,
}

/// Operators that compare two texts.
const COMPARES: &[&str] = &["==", "!=", "=~", " eq", " ne", " in"];

fn is_silent(between: &str) -> bool {
    let before = between.trim_end().trim_end_matches(['f', 'b', 'r', 'F', 'B', 'R']);
    COMPARES.iter().any(|operator| before.trim_end().ends_with(operator))
        || call_at_end(before).is_some_and(|call| SILENT.contains(&call))
}

/// Returns the strings of a text, with `…` for the parts that are computed, and the code around them.
fn strings(text: &str) -> (Vec<Quoted>, String) {
    let mut found = Vec::new();
    let mut code = String::new();
    let mut rest = text;
    while found.len() < MAX_STRINGS
        && let Some(at) = begins_string(rest)
    {
        let between = rest.get(..at).unwrap_or_default();
        let quote = rest.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('"');
        let inner = rest.get(at + 1..).unwrap_or_default();
        let (quote, between) = match quote {
            '(' => (')', between.trim_end_matches(['q', '%', 'Q'])),
            '{' => ('}', between.trim_end_matches(['q', '%', 'Q'])),
            quote => (quote, between),
        };
        let (text, length) = string(inner, quote);
        code.push_str(between);
        found.push(Quoted {
            text,
            join: join_of(between, found.is_empty()),
            after_home: is_home(between),
            is_copied: call_at_end(between).is_some_and(|call| COPIES.contains(&call)),
            is_silent: is_silent(between),
        });
        rest = inner.get(length..).unwrap_or_default();
    }
    code.push_str(rest);
    (found, code)
}

/// Returns the position of the quote of the next string: `"…"`, and `q(…)`, `qq{…}` or `%q(…)` of Perl and Ruby.
fn begins_string(text: &str) -> Option<usize> {
    let quote = text.find(['"', '\'', '`']);
    let is_mark = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        let start = before.trim_end_matches('q');
        let is_word = start.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        (start.len() < before.len() && !is_word) || before.ends_with("%q") || before.ends_with("%Q")
    };
    let marked = text.match_indices(['(', '{']).map(|(at, _)| at).find(|at| is_mark(*at));
    quote.into_iter().chain(marked).min()
}

fn join_of(between: &str, is_first: bool) -> Join {
    let middle = between.trim();
    // The prefix of a string of Python: `f"…"`, `b'…'`.
    let middle = middle.trim_end_matches(['f', 'b', 'r', 'F', 'B', 'R']).trim_end();
    match middle {
        _ if is_first => Join::None,
        "" | "+" | "." | ".." | "<<" => Join::Text,
        "," | "/" | ")," | ")/" | ") /" | "),(" | "/(" => Join::Part,
        _ => Join::None,
    }
}

fn is_home(between: &str) -> bool {
    let tail: String = between.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    HOMES.iter().any(|home| tail.contains(home))
}

/// Returns the value of a string up to its end mark, and its length.
fn string(text: &str, close: char) -> (String, usize) {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            c if c == close => return (value, at + c.len_utf8()),
            '\\' => match characters.next() {
                Some((start, 'x' | 'u')) => {
                    let digits: String = text
                        .get(start + 1..)
                        .unwrap_or_default()
                        .chars()
                        .take_while(char::is_ascii_hexdigit)
                        .take(4)
                        .collect();
                    let digits = if text.get(start..start + 1) == Some("x") {
                        digits.get(..2).unwrap_or(&digits)
                    } else {
                        &digits
                    };
                    if let Some(c) = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
                        value.push(c);
                    }
                    for _ in 0..digits.len() {
                        characters.next();
                    }
                }
                Some((start, digit @ '0'..='7')) => {
                    let digits: String = text
                        .get(start..)
                        .unwrap_or_default()
                        .chars()
                        .take_while(|c| ('0'..='7').contains(c))
                        .take(3)
                        .collect();
                    if let Some(c) = u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32) {
                        value.push(c);
                    } else {
                        value.push(digit);
                    }
                    for _ in 1..digits.len() {
                        characters.next();
                    }
                }
                Some((_, 'n' | 'r' | 't')) => value.push(' '),
                Some((_, c)) => value.push(c),
                None => {}
            },
            // `${home}/x`, `#{home}/x`, `{home}/x`.
            '{' => {
                if value.ends_with(['$', '#']) {
                    value.pop();
                }
                let end = text.get(at..).and_then(|rest| rest.find(['}', close]));
                let inner = end.and_then(|end| text.get(at + 1..at + end)).unwrap_or_default();
                let is_home = HOMES.iter().any(|home| inner.contains(home));
                if is_home && value.is_empty() {
                    value.push('~');
                } else {
                    value.push(Gap::Any.stand_in());
                }
                if let Some(end) = end {
                    while characters.peek().is_some_and(|(next, _)| *next < at + end) {
                        characters.next();
                    }
                    if text.get(at + end..).is_some_and(|rest| rest.starts_with('}')) {
                        characters.next();
                    }
                }
            }
            c => value.push(c),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use crate::commands::{Analysis, Options};

    #[test]
    fn strings_are_put_together() {
        for (code, wanted) in [
            ("open('.e' + 'nv').read()", ".env"),
            ("open(os.path.join(os.path.expanduser('~'), '.ssh', 'id_rsa'))", "~/.ssh/id_rsa"),
            ("(Path.home() / '.aws' / 'credentials').read_text()", "~/.aws/credentials"),
            ("open(f\"{os.environ['HOME']}/.netrc\")", "~/.netrc"),
            ("open('\\x2eenv')", ".env"),
            ("fs.readFileSync(`${os.homedir()}/.npmrc`)", "~/.npmrc"),
        ] {
            let quoted = format!("python3 - <<'END'\n{code}\nEND\n");
            let analysis = Analysis::of_text(&quoted, &Options::default());
            let names: Vec<_> = analysis.reads().iter().map(|it| it.target.outline()).collect();
            assert!(names.iter().any(|name| name == wanted), "{code}: {names:?}");
        }
        let analysis = Analysis::of_text("python3 -c \"print('.env')\"", &Options::default());
        assert!(analysis.reads().is_empty());
    }
}
