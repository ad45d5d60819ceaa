//! Reader of PowerShell: quotes, backtick escapes, variables with one text, blocks, and the separators `;`, `|` and `&&`.

use std::collections::HashMap;

use super::super::analysis::UnresolvedReason;
use super::super::argument::Argument;
use super::super::walk::{MAX_TEXT, Walk};
use super::POWERSHELL;
use crate::shell::Span;

/// Words before a command, which leave it a command.
const BEFORE: &[&str] =
    &["&", ".", "return", "else", "try", "finally", "do", "{", "}", "=", "begin", "process", "end"];

/// Deepest blocks and parentheses that are read.
const MAX_DEPTH: usize = 32;

/// Runs a text; the words of each of its commands are known except for `?`, which stands for a computed part.
pub(super) fn run(walk: &mut Walk, text: &str, span: Span) {
    let mut reader = PowerShellReader { variables: HashMap::new(), lists: false, depth: 0 };
    reader.text(walk, text, span);
}

/// `powershell -Command TEXT`, `-EncodedCommand BASE64`, `-File FILE`.
pub(super) fn started(walk: &mut Walk, words: &[Argument], span: Span) {
    for (at, word) in words.iter().enumerate() {
        let option = word.prefix().to_lowercase();
        let is = |long: &str, least: usize| option.len() >= least && long.starts_with(option.as_str());
        let rest = words.get(at + 1..).unwrap_or_default();
        if is("-command", 2) || option == "/c" {
            let text = walk.joined(rest, " ").as_shell_text();
            return walk.powershell(&text, span);
        }
        if is("-encodedcommand", 2) && !is("-executionpolicy", 3) || option == "-ec" {
            match rest.first().and_then(Argument::literal).and_then(decoded) {
                Some(text) => walk.powershell(&text, span),
                None => walk.unresolved(UnresolvedReason::Text, span),
            }
            return;
        }
        if !option.starts_with(['-', '/']) && !previous_takes_value(words, at) {
            let text = walk.joined(words.get(at..).unwrap_or_default(), " ").as_shell_text();
            return walk.powershell(&text, span);
        }
    }
}

fn previous_takes_value(words: &[Argument], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at)).map(|word| word.prefix().to_lowercase());
    before.is_some_and(|before| {
        ["-ex", "-ep", "-win", "-w", "-ver", "-work", "-conf", "-in", "-out", "-psc", "-f"]
            .iter()
            .any(|start| before.starts_with(start))
    })
}

/// Decodes base64 of UTF-16 in little-endian order.
fn decoded(text: &str) -> Option<String> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0_u32, Vec::new());
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    let units: Vec<u16> =
        bytes.chunks(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(u16::from_le_bytes).collect();
    String::from_utf16(&units).ok()
}

struct PowerShellReader {
    variables: HashMap<String, String>,
    /// Whether an earlier stage of the pipeline lists everything below a folder.
    lists: bool,
    depth: usize,
}

impl PowerShellReader {
    fn text(&mut self, walk: &mut Walk, text: &str, span: Span) {
        if self.depth >= MAX_DEPTH {
            return walk.too_complex(span);
        }
        self.depth += 1;
        let mut rest = text;
        while !rest.is_empty() && !walk.is_spent() {
            let (words, inner, length, is_piped) = self.command(walk, rest, span);
            for block in inner {
                if walk.pay(block.len() + 1, span) {
                    self.text(walk, &block, span);
                }
            }
            self.start(walk, words, span);
            self.lists &= is_piped;
            rest = rest.get(length.max(1)..).unwrap_or_default();
        }
        self.depth -= 1;
    }

    /// Reads one command: its words, the blocks in it, its length, and whether a pipe follows.
    fn command<'t>(
        &self,
        walk: &mut Walk,
        text: &'t str,
        span: Span,
    ) -> (Vec<String>, Vec<String>, usize, bool) {
        let mut words = Vec::new();
        let mut blocks = Vec::new();
        let (mut word, mut is_open) = (String::new(), false);
        let mut at = 0;
        let close = |word: &mut String, is_open: &mut bool, words: &mut Vec<String>| {
            if std::mem::take(is_open) {
                words.push(std::mem::take(word));
            }
        };
        while let Some(c) = text.get(at..).and_then(|rest: &'t str| rest.chars().next())
            && !walk.is_spent()
        {
            let rest = text.get(at..).unwrap_or_default();
            match c {
                '`' => {
                    let next = rest.chars().nth(1);
                    // At the end of a line, the command goes on.
                    match next {
                        Some('\n') => close(&mut word, &mut is_open, &mut words),
                        Some(next) => {
                            word.push(next);
                            is_open = true;
                        }
                        None => {}
                    }
                    at += 1 + next.map_or(0, char::len_utf8);
                    continue;
                }
                '\'' | '"' => {
                    let (inner, length) = quoted(rest, c);
                    word.push_str(&if c == '"' { self.expanded(walk, &inner, span) } else { inner });
                    is_open = true;
                    at += length;
                    continue;
                }
                '#' if !is_open => {
                    let end = if rest.starts_with("<#") { rest.find("#>") } else { rest.find('\n') };
                    at += end.unwrap_or(rest.len());
                    continue;
                }
                '(' | '{' => {
                    let length = nested(rest, c);
                    let inner = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
                    // `('a' + 'b')` is a text.
                    match text_of(inner).filter(|_| c == '(') {
                        Some(text) => word.push_str(&text),
                        None => {
                            word.push('?');
                            blocks.push(inner.to_owned());
                        }
                    }
                    is_open = true;
                    at += length;
                    continue;
                }
                '$' => {
                    let name = variable(rest);
                    // What is assigned to is a name, also if it has a value already.
                    let sign = assignment(rest, name).filter(|_| words.is_empty() && !is_open);
                    if let Some((sign, length)) = sign {
                        words.extend([format!("${}", key(name)), sign.to_owned()]);
                        at += length;
                        continue;
                    }
                    match self.variables.get(&key(name)) {
                        Some(value) => add(walk, &mut word, value, span),
                        None => word.push('?'),
                    }
                    is_open = true;
                    at += 1 + name.len();
                    continue;
                }
                ';' | '\n' | '|' | '&' if c != '&' || rest.starts_with("&&") => {
                    close(&mut word, &mut is_open, &mut words);
                    let is_double = rest.starts_with("&&") || rest.starts_with("||");
                    return (words, blocks, at + if is_double { 2 } else { 1 }, c == '|' && !is_double);
                }
                ')' | '}' => close(&mut word, &mut is_open, &mut words),
                c if c.is_whitespace() || c == ',' => close(&mut word, &mut is_open, &mut words),
                c => {
                    word.push(c);
                    is_open = true;
                }
            }
            at += c.len_utf8();
        }
        close(&mut word, &mut is_open, &mut words);
        (words, blocks, at, false)
    }

    fn start(&mut self, walk: &mut Walk, mut words: Vec<String>, span: Span) {
        if let [name, sign, value, ..] = words.as_slice()
            && matches!(sign.as_str(), "=" | "+=")
            && let Some(name) = name.strip_prefix('$')
        {
            let before = self.variables.get(name).filter(|_| sign == "+=");
            let mut kept = before.cloned().unwrap_or_default();
            add(walk, &mut kept, value, span);
            let kept = if kept.len() > MAX_TEXT { "?".to_owned() } else { kept };
            self.variables.insert(name.to_owned(), kept);
            words.drain(..2);
            if words.len() == 1 {
                return;
            }
        }
        while words.first().is_some_and(|word| BEFORE.contains(&&*word.to_lowercase())) {
            words.remove(0);
        }
        let Some(first) = words.first().map(|word| word.to_lowercase()) else { return };
        let has = |long: &str, least: usize| {
            words.iter().skip(1).any(|word| {
                let word = word.to_lowercase();
                let word = word.split(':').next().unwrap_or_default();
                word.len() >= least && long.starts_with(word)
            })
        };
        match first.as_str() {
            "if" | "while" | "foreach" | "for" | "switch" | "catch" | "param" | "function" => {}
            "invoke-expression" | "iex" => match words.iter().skip(1).find(|word| !word.starts_with('-')) {
                Some(text) if !text.contains('?') => walk.powershell(&text.clone(), span),
                _ => walk.unresolved(UnresolvedReason::Text, span),
            },
            "start-process" | "saps" | "start" => self.start_process(walk, &words, span),
            "get-childitem" | "gci" | "dir" | "ls" => {
                self.lists = has("-recurse", 2);
            }
            "powershell" | "pwsh" | "powershell.exe" | "pwsh.exe" | "cmd" | "cmd.exe" => {
                let rest: Vec<Argument> = words.iter().skip(1).map(|word| word.as_str().into()).collect();
                walk.windows_shell(first.trim_end_matches(".exe"), &rest, span);
            }
            name if name.starts_with("[") && name.contains("directory]::delete") => {
                walk.windows_command(POWERSHELL, &["rm", "-recurse", "-force", "?"].map(str::to_owned), span);
            }
            _ => {
                if self.lists && first != "where-object" && first != "?" {
                    words.push("-recurse".to_owned());
                }
                walk.windows_command(POWERSHELL, &words, span);
            }
        }
    }

    /// `Start-Process PROGRAM -ArgumentList WORDS -Verb RunAs`.
    fn start_process(&self, walk: &mut Walk, words: &[String], span: Span) {
        let (mut argv, mut is_raised, mut skips) = (Vec::new(), false, false);
        for word in words.iter().skip(1) {
            let lower = word.to_lowercase();
            if skips {
                is_raised |= lower == "runas";
                skips = false;
                continue;
            }
            if lower.len() > 1
                && (lower.starts_with("-arg")
                    || lower.starts_with("-file")
                    || lower == "-a"
                    || lower == "-wait"
                    || lower.starts_with("-nonew"))
            {
                continue;
            }
            if lower.starts_with("-verb")
                || lower.starts_with("-work")
                || lower.starts_with("-redirect")
                || lower.starts_with("-window")
            {
                skips = true;
                continue;
            }
            argv.extend(word.split_whitespace().map(str::to_owned));
        }
        if is_raised {
            argv.insert(0, "sudo".to_owned());
        }
        walk.windows_command(POWERSHELL, &argv, span);
    }

    fn expanded(&self, walk: &mut Walk, text: &str, span: Span) -> String {
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$')
            && !walk.is_spent()
        {
            result.push_str(rest.get(..at).unwrap_or_default());
            let from = rest.get(at..).unwrap_or_default();
            let name = variable(from);
            match self.variables.get(&key(name)) {
                Some(value) => add(walk, &mut result, value, span),
                None => result.push('?'),
            }
            rest = from.get(1 + name.len()..).unwrap_or_default();
        }
        result + rest
    }
}

/// Appends a value and pays for it.
fn add(walk: &mut Walk, text: &mut String, value: &str, span: Span) {
    if walk.pay(value.len() + 1, span) {
        text.push_str(value);
    }
}

/// Returns the key of a variable: its name without braces and scope, in lower case.
fn key(name: &str) -> String {
    let name = name.trim_start_matches('{').trim_end_matches('}').to_lowercase();
    match name.split_once(':') {
        Some(("global" | "script" | "local" | "private" | "variable", own)) => own.to_owned(),
        _ => name,
    }
}

/// Returns the name of the variable at the start of a text.
fn variable(text: &str) -> &str {
    let rest = text.get(1..).unwrap_or_default();
    if rest.starts_with('{') {
        return rest.find('}').and_then(|end| rest.get(..=end)).unwrap_or_default();
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Returns the sign of an assignment to a variable, and the length of both.
fn assignment(text: &str, name: &str) -> Option<(&'static str, usize)> {
    let behind = text.get(1 + name.len()..)?;
    let sign = behind.trim_start();
    let blanks = behind.len() - sign.len();
    let sign = ["+=", "="].into_iter().find(|known| sign.starts_with(known))?;
    Some((sign, 1 + name.len() + blanks + sign.len()))
}

/// Returns the text between quotes, and its length with them. A doubled quote is one.
fn quoted(text: &str, quote: char) -> (String, usize) {
    let mut inner = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == quote {
            if characters.peek().is_some_and(|(_, next)| *next == quote) {
                inner.push(quote);
                characters.next();
                continue;
            }
            return (inner, at + 1);
        }
        if c == '`' && quote == '"' {
            inner.extend(characters.next().map(|(_, next)| next));
        } else {
            inner.push(c);
        }
    }
    (inner, text.len())
}

/// Returns the length of a block with the blocks in it.
fn nested(text: &str, open: char) -> usize {
    let close = if open == '(' { ')' } else { '}' };
    let (mut depth, mut quote) = (0_usize, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == open => depth += 1,
            None if c == close => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            None => {}
        }
    }
    text.len()
}

/// Returns the text of literals that `+` joins.
fn text_of(inner: &str) -> Option<String> {
    let mut result = String::new();
    let mut rest = inner.trim();
    loop {
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (text, length) = quoted(rest, quote);
        result.push_str(&text);
        rest = rest.get(length..)?.trim_start();
        if rest.is_empty() {
            return Some(result);
        }
        rest = rest.strip_prefix('+')?.trim_start();
    }
}
