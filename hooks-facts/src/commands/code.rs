//! One-line programs of interpreters, and the commands in their strings.
//!
//! This is not a parser of those languages. A program without a call that starts commands is assumed to start
//! none. In any other program, every string may be a command, and every list of strings its words.

use super::analysis::UnresolvedReason;
use super::argument::Argument;
use super::reads;
use super::walk::{Stream, Walk};
use crate::shell::{Span, escape};

/// Languages of interpreters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Perl,
    Ruby,
    JavaScript,
    Php,
    Lua,
    Awk,
    Sed,
    Tcl,
}

impl Language {
    /// Name of the interpreter.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Perl => "perl",
            Self::Ruby => "ruby",
            Self::JavaScript => "node",
            Self::Php => "php",
            Self::Lua => "lua",
            Self::Awk => "awk",
            Self::Sed => "sed",
            Self::Tcl => "tclsh",
        }
    }
}

/// Returns the language of an interpreter, with or without a version after its name.
pub(super) fn language(name: &str) -> Option<Language> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match name {
        "python" | "pypy" | "ipython" => Language::Python,
        "perl" => Language::Perl,
        "ruby" | "irb" | "jruby" => Language::Ruby,
        "node" | "nodejs" | "deno" | "bun" | "osascript" => Language::JavaScript,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        "awk" | "gawk" | "mawk" | "nawk" => Language::Awk,
        "sed" | "gsed" => Language::Sed,
        "tclsh" | "wish" | "expect" => Language::Tcl,
        _ => return None,
    })
}

/// Programs and file among the words of an interpreter.
pub(super) struct Arguments {
    pub(super) texts: Vec<Argument>,
    pub(super) file: Option<Argument>,
}

/// Returns the programs and the file among the words of an interpreter.
pub(super) fn arguments(language: Language, words: &[Argument]) -> Arguments {
    let (short, long): (&str, &[&str]) = match language {
        Language::Python => ("c", &[]),
        Language::Perl => ("eE", &[]),
        Language::Ruby | Language::Lua | Language::Tcl => ("ec", &[]),
        Language::JavaScript => ("ep", &["eval", "print"]),
        Language::Php => ("rBRE", &["run"]),
        Language::Awk => ("", &["source"]),
        Language::Sed => ("e", &["expression"]),
    };
    let values = match language {
        Language::Awk => "vFfi",
        Language::Sed => "fl",
        Language::Python => "WX",
        Language::Ruby => "I",
        Language::JavaScript => "r",
        _ => "",
    };
    let mut result = Arguments { texts: Vec::new(), file: None };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let option = word.prefix();
        if language == Language::Python && option == "-m" {
            // The effect of a module on its words is unknown, but these modules run them.
            let runs = words.get(at).is_some_and(|module| {
                matches!(module.prefix(), "timeit" | "cProfile" | "profile" | "trace" | "pdb")
            });
            result.file = words.get(at).cloned().filter(|_| !runs);
            if runs {
                result.texts.extend(words.iter().skip(at + 1).cloned());
            }
            return result;
        }
        if let Some(name) = option.strip_prefix("--") {
            let (name, value) =
                name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            if long.contains(&name) {
                result.texts.extend(value.map(Argument::from).or_else(|| words.get(at).cloned()));
                at += usize::from(value.is_none());
            }
            continue;
        }
        let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            let is_program = matches!(language, Language::Awk | Language::Sed) || option == "eval";
            if is_program && result.texts.is_empty() {
                if option != "eval" {
                    result.texts.push(word.clone());
                    return result;
                }
                continue;
            }
            if result.texts.is_empty() && option != "-" {
                result.file = Some(word.clone());
            }
            return result;
        };
        // `-MModule` and `-I…` contain a word, not letters.
        let is_module = match language {
            Language::Perl => letters.starts_with(['M', 'm', 'I']),
            Language::Ruby => letters.len() > 1 && letters.starts_with('r'),
            _ => false,
        };
        if is_module {
            continue;
        }
        if let Some((index, _)) = letters.char_indices().find(|(_, c)| short.contains(*c)) {
            let attached =
                word.strip_prefix(option.get(..index + 2).unwrap_or(option)).filter(|rest| rest.len() > 0);
            match attached {
                Some(text) if !matches!(language, Language::Perl | Language::Ruby) || text.len() > 3 => {
                    result.texts.push(text);
                }
                _ => {
                    result.texts.extend(words.get(at).cloned());
                    at += 1;
                }
            }
        } else if letters.ends_with(|c| values.contains(c)) {
            at += 1;
        }
    }
    result
}

/// Calls that start a command, in any of the languages.
const STARTS: &[&str] = table!("program_words_starts");

/// Calls that decode a text which cannot be read here.
const DECODES: &[&str] = table!("program_words_decodes");

/// Collects the commands that a program may start.
pub(super) fn run(walk: &mut Walk, language: Language, text: &str, span: Span) {
    if !walk.pay(text.len(), span) {
        return;
    }
    if !matches!(language, Language::Sed) && (language != Language::Awk || prints_into_a_file(text)) {
        walk.interprets(text, span);
        reads::note_code(walk, language.name(), text, span);
    }
    match language {
        Language::Sed => return sed(walk, text, span),
        Language::Tcl => {
            for line in text.lines().filter_map(|line| line.split_once("exec ")) {
                walk.maybe_text(line.1.trim_end_matches(']'), span);
            }
            return;
        }
        _ => {}
    }
    let backticks = matches!(language, Language::Perl | Language::Ruby | Language::Php) && text.contains('`');
    let pipes = language == Language::Awk && text.contains('|')
        || language == Language::Perl && text.contains("open");
    if !(backticks || pipes || STARTS.iter().any(|call| text.contains(call))) {
        return;
    }
    let strings = strings(text);
    if DECODES.iter().any(|call| text.contains(call)) {
        walk.unresolved(UnresolvedReason::Text, span);
    }
    let mut words: Vec<Argument> = Vec::new();
    for string in &strings {
        if !string.joins {
            flush(walk, &mut words, span);
        }
        words.push(Argument::Literal(string.text.clone()));
        if string.text.trim().contains(char::is_whitespace) {
            walk.maybe_text(&string.text, span);
        }
    }
    flush(walk, &mut words, span);
    if strings.is_empty() && !pipes {
        walk.unresolved(UnresolvedReason::Text, span);
    }
}

/// Returns whether a program of awk may print into a file: `>` does, but it is also a comparison if a number
/// or `=` follows.
pub(super) fn prints_into_a_file(text: &str) -> bool {
    let mut behind = text.split('>').skip(1);
    behind.any(|behind| !behind.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '='))
}

/// Runs the strings of one list as a program and its words.
fn flush(walk: &mut Walk, words: &mut Vec<Argument>, span: Span) {
    // `execvp("rm", ["rm", …])` names the program twice; a list is checked from each of its first two words.
    for start in 0..words.len().min(2) {
        let argv = words.get(start..).unwrap_or_default();
        let has_name = argv
            .first()
            .and_then(Argument::literal)
            .is_some_and(|name| !name.is_empty() && !name.contains(char::is_whitespace));
        if has_name {
            walk.run_some(argv, &Stream::Empty, span);
        }
    }
    words.clear();
}

/// String of a program.
struct Quoted {
    text: String,
    /// Whether only commas and brackets are between it and the one before.
    joins: bool,
}

fn strings(text: &str) -> Vec<Quoted> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '`', '%', 'q']) {
        let between = rest.get(..at).unwrap_or_default();
        let after = rest.get(at..).unwrap_or_default();
        let (open, close) = match after.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => (1, quote),
            _ => match after
                .strip_prefix("%x")
                .or_else(|| after.strip_prefix("qx"))
                .and_then(|rest| rest.chars().next())
            {
                Some('(') => (3, ')'),
                Some('{') => (3, '}'),
                Some('[') => (3, ']'),
                Some(mark @ ('/' | '!' | '|')) => (3, mark),
                _ => {
                    rest = after.get(1..).unwrap_or_default();
                    continue;
                }
            },
        };
        let inner = after.get(open..).unwrap_or_default();
        let (text, length) = string(inner, close);
        let joins = !between.is_empty()
            && between.chars().all(|c| c.is_whitespace() || ",[](){}".contains(c))
            && between.contains(',');
        if !text.is_empty() {
            found.push(Quoted { text, joins });
        }
        rest = inner.get(length..).unwrap_or_default();
    }
    found
}

/// Returns a string up to its closing quote, and its length with the quote.
fn string(inner: &str, close: char) -> (String, usize) {
    let mut text = String::new();
    let mut at = 0;
    while let Some(c) = inner.get(at..).and_then(|rest| rest.chars().next()) {
        at += c.len_utf8();
        if c == close {
            break;
        }
        if c == '\\' {
            let read = escape(inner.get(at..).unwrap_or_default());
            text.push_str(&read.text);
            at += read.length;
        } else {
            text.push(c);
        }
    }
    (text, at)
}

/// Handles the `e` flag of `s///`, whose replacement runs, and the command `e`.
fn sed(walk: &mut Walk, text: &str, span: Span) {
    for line in text.split(['\n', ';']) {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || " ,$!".contains(c));
        if let Some(command) = line.strip_prefix("e ") {
            walk.maybe_text(command, span);
        }
        let Some(rest) = line.strip_prefix('s') else { continue };
        let Some(mark) = rest.chars().next().filter(|c| !c.is_alphanumeric()) else { continue };
        let parts: Vec<&str> = rest.split(mark).collect();
        if let [_, _, replacement @ .., flags] = parts.as_slice()
            && flags.contains('e')
            && flags.bytes().all(|b| b.is_ascii_digit() || b"gpiIemMw".contains(&b))
        {
            let command = replacement.join(&mark.to_string());
            walk.maybe_text(&command, span);
        }
    }
}
