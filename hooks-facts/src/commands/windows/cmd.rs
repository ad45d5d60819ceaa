//! Reader of cmd: `^` escapes, double quotes, `%NAME%`, and the separators `&`, `|` and parentheses.

use std::collections::HashMap;

use super::super::access::AccessKind;
use super::super::walk::{MAX_TEXT, Walk};
use super::bound::word_of;
use super::{CMD, listing};
use crate::shell::Span;

/// Words before a command that leave it a command.
const BEFORE: &[&str] = &["call", "@", "do", "else", "start", "echo."];

pub(super) fn run(walk: &mut Walk, text: &str, span: Span) {
    let mut variables: HashMap<String, String> = HashMap::new();
    for line in text.replace("^\r\n", "").replace("^\n", "").lines() {
        let Some(line) = expanded(walk, line, &variables, span) else { return };
        for Simple { words, targets, .. } in commands(&line) {
            if walk.is_spent() {
                return;
            }
            for target in targets.iter().filter(|target| !target.eq_ignore_ascii_case("nul")) {
                walk.writes(&word_of(target), AccessKind::Redirected, span);
            }
            command(walk, words, &mut variables, span);
        }
    }
}

fn command(walk: &mut Walk, mut words: Vec<String>, variables: &mut HashMap<String, String>, span: Span) {
    while let Some(first) = words.first().map(|word| word.to_lowercase()) {
        match first.trim_start_matches('@') {
            "rem" | "::" | "echo" | "title" => return,
            "set" => {
                let setting = words.iter().skip(1).cloned().collect::<Vec<_>>().join(" ");
                if let Some((name, value)) = setting.split_once('=') {
                    variables.insert(name.trim().to_lowercase(), value.to_owned());
                }
                return;
            }
            "if" => {
                // `if [not] exist X`, `if A==B`, `if errorlevel N`
                let skipped = words.iter().skip(1).take_while(|word| {
                    let word = word.to_lowercase();
                    matches!(&*word, "not" | "/i" | "exist" | "defined" | "errorlevel")
                });
                let skipped = 1 + skipped.count() + 1;
                words.drain(..skipped.min(words.len()));
            }
            "for" => {
                let at = words.iter().position(|word| word.eq_ignore_ascii_case("do"));
                words.drain(..at.map_or(words.len(), |at| at + 1));
            }
            "start" => {
                words.remove(0);
                let is_option = |word: &String| word.is_empty() || word.starts_with('/');
                let options = words.iter().take_while(|word| is_option(word)).count();
                words.drain(..options);
            }
            name if BEFORE.contains(&name) || name.is_empty() => {
                words.remove(0);
            }
            "powershell" | "pwsh" | "powershell.exe" | "pwsh.exe" => {
                let rest: Vec<_> = words.iter().skip(1).map(|word| word.as_str().into()).collect();
                return super::powershell::started(walk, &rest, span);
            }
            "cmd" | "cmd.exe" => {
                let rest: Vec<_> = words.iter().skip(1).map(|word| word.as_str().into()).collect();
                return walk.windows_shell("cmd", &rest, span);
            }
            _ => break,
        }
    }
    if let Some(first) = words.first_mut() {
        *first = first.trim_start_matches('@').to_owned();
        // `rd/s` is `rd /s`.
        if let Some((name, options)) =
            first.split_once('/').filter(|(name, _)| !name.is_empty() && !name.contains(':'))
        {
            let (name, options) = (name.to_owned(), format!("/{options}"));
            *first = name;
            words.insert(1, options);
        }
    }
    match words.first().map(|word| word.to_lowercase()).as_deref() {
        Some("ren" | "rename") => walk.windows_program(&listing::renamed(&words, None), span),
        _ => walk.windows_command(&CMD, &words, None, span),
    }
}

/// Replaces `%NAME%`, and `%NAME:~0,1%` by an unknown part; `None` if the line becomes too long, which is reported.
fn expanded(walk: &mut Walk, line: &str, variables: &HashMap<String, String>, span: Span) -> Option<String> {
    let mut result = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('%') {
        result.push_str(rest.get(..at).unwrap_or_default());
        let after = rest.get(at + 1..).unwrap_or_default();
        // `%i` is the variable of a loop.
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        match after.find('%') {
            Some(end) if after.get(..end).is_some_and(is_name) => {
                let name = after.get(..end).unwrap_or_default().to_lowercase();
                match variables.get(&name) {
                    Some(value) if result.len() + value.len() > MAX_TEXT => {
                        walk.too_complex(span);
                        return None;
                    }
                    Some(value) if !walk.pay(value.len() + 1, span) => return None,
                    Some(value) => result.push_str(value),
                    None => result.push('?'),
                }
                rest = after.get(end + 1..).unwrap_or_default();
            }
            _ => {
                result.push('%');
                rest = after;
            }
        }
    }
    Some(result + rest)
}

/// A command of a line.
#[derive(Default)]
struct Simple {
    words: Vec<String>,
    /// Files of its redirections.
    targets: Vec<String>,
    word: String,
    is_open: bool,
    is_target: bool,
}

impl Simple {
    fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            let word = std::mem::take(&mut self.word);
            let is_target = std::mem::take(&mut self.is_target);
            if is_target { &mut self.targets } else { &mut self.words }.push(word);
        }
    }
}

/// Splits a line into commands with their words and redirections.
fn commands(line: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    let mut read = Simple::default();
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' => {
                quoted = !quoted;
                read.is_open = true;
            }
            '^' if !quoted => {
                read.word.extend(characters.next());
                read.is_open = true;
            }
            '>' if !quoted => {
                // `2>` redirects another stream, `2>&1` to one.
                if matches!(&*read.word, "1" | "2") {
                    read.word.clear();
                    read.is_open = false;
                }
                read.close();
                while characters.next_if_eq(&'>').is_some() {}
                let to_stream = characters.next_if_eq(&'&').and_then(|_| characters.next());
                read.is_target = to_stream.is_none();
            }
            '&' | '|' | '(' | ')' if !quoted => {
                read.close();
                found.push(std::mem::take(&mut read));
            }
            ' ' | '\t' | ',' | ';' if !quoted => read.close(),
            c => {
                read.word.push(c);
                read.is_open = true;
            }
        }
    }
    read.close();
    found.push(read);
    found.retain(|command| !command.words.is_empty() || !command.targets.is_empty());
    found
}
