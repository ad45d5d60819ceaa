//! Reader of PowerShell: quotes, backtick escapes, variables with one text, blocks, and the separators `;`, `|` and `&&`.

use std::collections::HashMap;

use super::super::access::AccessKind;
use super::super::analysis::UnresolvedReason;
use super::super::argument::Argument;
use super::super::walk::{MAX_TEXT, Walk};
use super::POWERSHELL;
use super::bound::{COMPUTED, DIVIDER, word_of};
use super::listing;
use crate::shell::Span;

/// Words before a command, which leave it a command.
const BEFORE: &[&str] =
    &["&", ".", "return", "else", "try", "finally", "do", "{", "}", "=", "begin", "process", "end"];

/// Stages of a pipeline that hand on what they are given.
const FILTERS: &[&str] =
    &["where-object", "where", "?", "select-object", "select", "sort-object", "sort", "get-unique"];

/// Most texts that one with variables stands for.
const MAX_ITEMS: usize = 32;

/// Deepest blocks and parentheses that are read.
const MAX_DEPTH: usize = 32;

/// Runs a text; the words of each of its commands are known except for `?`, which stands for a computed part.
pub(super) fn run(walk: &mut Walk, text: &str, span: Span) {
    let mut reader = PowerShellReader {
        variables: HashMap::new(),
        tables: HashMap::new(),
        lists: false,
        piped: None,
        depth: 0,
    };
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

/// Most parameters of a table.
const MAX_PAIRS: usize = 32;

struct PowerShellReader {
    /// Texts of variables; items of a list are divided by `DIVIDER`.
    variables: HashMap<String, String>,
    /// Parameters in tables: `$p = @{ Path = "a" }`, which `@p` hands over.
    tables: HashMap<String, Vec<String>>,
    /// Whether an earlier stage of the pipeline lists everything below a folder.
    lists: bool,
    /// Files that the stage before hands on.
    piped: Option<String>,
    depth: usize,
}

/// One command, as far as the next separator.
#[derive(Default)]
struct Statement {
    words: Vec<String>,
    /// Blocks and parentheses, which run before or with the command.
    blocks: Vec<String>,
    /// Files of its redirections.
    targets: Vec<String>,
    /// Methods of .NET with their arguments.
    calls: Vec<Vec<String>>,
    /// Variables of its loops, with their values.
    loops: Vec<(String, String)>,
    length: usize,
    is_piped: bool,
    word: String,
    is_open: bool,
    /// Whether the next word is the file of a redirection.
    is_target: bool,
}

impl Statement {
    fn push(&mut self, text: &str) {
        self.word.push_str(text);
        self.is_open = true;
    }

    fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            let word = std::mem::take(&mut self.word);
            // In a list, blanks may follow a comma.
            if word.ends_with(DIVIDER) {
                self.push(&word);
            } else if std::mem::take(&mut self.is_target) {
                self.targets.push(word);
            } else {
                self.words.push(word);
            }
        }
    }

    /// Ends the statement, also behind a comma.
    fn end(&mut self) {
        self.word.truncate(self.word.trim_end_matches(DIVIDER).len());
        self.close();
    }

    /// A comma: the next word is one more item of the last one.
    fn comma(&mut self) {
        if !self.is_open {
            self.word = self.words.pop().unwrap_or_default();
        }
        self.push(DIVIDER.encode_utf8(&mut [0; 4]));
    }

    /// Returns the length of a redirection's sign at the start of a text: `>`, `>>`, `2>&1`.
    fn redirection(&mut self, rest: &str) -> usize {
        // `2>` and `*>` redirect other streams.
        let is_stream = matches!(&*self.word, "*" | "1" | "2" | "3" | "4" | "5" | "6");
        if is_stream {
            self.word.clear();
            self.is_open = false;
        }
        self.close();
        let length = rest.len() - rest.trim_start_matches('>').len();
        if rest.get(length..).is_some_and(|behind| behind.starts_with('&')) {
            return length + 2;
        }
        self.is_target = true;
        length
    }
}

impl PowerShellReader {
    fn text(&mut self, walk: &mut Walk, text: &str, span: Span) {
        if self.depth >= MAX_DEPTH {
            return walk.too_complex(span);
        }
        self.depth += 1;
        let mut rest = text;
        while !rest.is_empty() && !walk.is_spent() {
            let statement = self.command(walk, rest, span, self.depth);
            self.keeps_table(walk, rest.get(..statement.length).unwrap_or_default(), span);
            self.variables.extend(statement.loops);
            let item =
                self.piped.clone().filter(|_| statement.words.first().is_some_and(|word| is_for_each(word)));
            let outer = item.and_then(|item| self.variables.insert("_".to_owned(), item));
            for block in statement.blocks {
                if walk.pay(block.len() + 1, span) {
                    self.text(walk, &block, span);
                }
            }
            self.variables.extend(outer.map(|outer| ("_".to_owned(), outer)));
            for call in statement.calls {
                walk.windows_call(&call, span);
            }
            for target in statement.targets {
                walk.writes(&word_of(&target), AccessKind::Redirected, span);
            }
            let words = self.assigned(walk, statement.words, statement.is_piped, span);
            let next = self.handed_on(&words);
            let behind = rest.get(statement.length..).unwrap_or_default().trim_start().to_lowercase();
            let is_counted = statement.is_piped && behind.starts_with("measure");
            walk.counted(is_counted, |walk| self.start(walk, words, span));
            self.lists &= statement.is_piped;
            self.piped = next.filter(|_| statement.is_piped);
            rest = rest.get(statement.length.max(1)..).unwrap_or_default();
        }
        self.depth -= 1;
    }

    /// Reads one command.
    fn command(&self, walk: &mut Walk, text: &str, span: Span, depth: usize) -> Statement {
        let mut read = Statement::default();
        let mut at = 0;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next())
            && !walk.is_spent()
        {
            let rest = text.get(at..).unwrap_or_default();
            at += match c {
                '`' => {
                    let next = rest.chars().nth(1);
                    match next {
                        // At the end of a line, the command goes on.
                        Some('\n') => read.close(),
                        Some(next) => read.push(next.encode_utf8(&mut [0; 4])),
                        None => {}
                    }
                    1 + next.map_or(0, char::len_utf8)
                }
                '\'' | '"' => {
                    let (inner, length) = quoted(rest, c);
                    read.push(&if c == '"' { self.expanded(walk, &inner, span, depth) } else { inner });
                    length
                }
                '<' if rest.starts_with("<#") => rest.find("#>").map_or(rest.len(), |end| end + 2),
                '#' if !read.is_open => rest.find('\n').unwrap_or(rest.len()),
                '@' if rest.starts_with("@(") => 1,
                '(' | '{' => self.nested(walk, &mut read, rest, span, depth),
                '$' => self.variable(walk, &mut read, rest, span),
                '>' => read.redirection(rest),
                ';' | '\n' | '|' | '&' if c != '&' || rest.starts_with("&&") => {
                    read.end();
                    let is_double = rest.starts_with("&&") || rest.starts_with("||");
                    read.length = at + if is_double { 2 } else { 1 };
                    read.is_piped = c == '|' && !is_double;
                    return read;
                }
                ',' => {
                    read.comma();
                    1
                }
                c => {
                    if matches!(c, ')' | '}') || c.is_whitespace() {
                        read.close();
                    } else {
                        read.push(c.encode_utf8(&mut [0; 4]));
                    }
                    c.len_utf8()
                }
            };
        }
        read.end();
        read.length = at;
        read
    }

    /// Reads a block or parentheses, and returns their length.
    fn nested(&self, walk: &mut Walk, read: &mut Statement, rest: &str, span: Span, depth: usize) -> usize {
        let open = if rest.starts_with('(') { '(' } else { '{' };
        let length = nested(rest, open);
        let inner = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
        if open == '{' {
            read.push(COMPUTED);
            read.blocks.push(inner.to_owned());
            return length;
        }
        let name = read.word.to_lowercase();
        let is_method = read.is_open && (name.contains("]::") || name.ends_with("streamwriter"));
        let is_download = name.ends_with(".downloadfile");
        if is_method || is_download {
            let arguments = self.items(walk, inner, span, depth);
            let method = name.rsplit(['.', '[']).next().unwrap_or_default().to_owned();
            read.calls.push(std::iter::once(method).chain(arguments).collect());
        }
        let is_loop =
            !read.is_open && read.words.last().is_some_and(|word| word.eq_ignore_ascii_case("foreach"));
        if is_loop && let Some((variable, values)) = inner.split_once(" in ") {
            let value = self.value_of(walk, values.trim(), span, depth);
            read.loops.extend(value.map(|value| (key(variable.trim().trim_start_matches('$')), value)));
        }
        // `('a' + 'b')` is a text.
        match self.value_of(walk, inner, span, depth) {
            Some(value) => {
                let (value, of_property) = with_property(&value, rest.get(length..).unwrap_or_default());
                read.push(&value);
                return length + of_property;
            }
            None => {
                read.push(COMPUTED);
                read.blocks.push(inner.to_owned());
            }
        }
        length
    }

    /// Reads a variable with its property, and returns their length.
    fn variable(&self, walk: &mut Walk, read: &mut Statement, rest: &str, span: Span) -> usize {
        let name = variable(rest);
        // What is assigned to is a name, also if it has a value already.
        let sign = assignment(rest, name).filter(|_| read.words.is_empty() && !read.is_open);
        if let Some((sign, length)) = sign {
            read.words.extend([format!("${}", key(name)), sign.to_owned()]);
            return length;
        }
        let length = 1 + name.len();
        let Some(value) = self.value(name) else {
            read.push(COMPUTED);
            return length;
        };
        let behind = rest.get(length..).unwrap_or_default();
        if let Some(method) = method_of(behind) {
            read.calls.push(self.of_object(walk, method, value, behind, span));
        }
        let (value, of_property) = with_property(value, behind);
        if walk.pay(value.len() + 1, span) {
            read.push(&value);
        }
        length + of_property
    }

    /// Returns the method of a file with its arguments: `$_.MoveTo('x')`.
    fn of_object(&self, walk: &mut Walk, method: &str, value: &str, behind: &str, span: Span) -> Vec<String> {
        let arguments = behind.find('(').and_then(|at| behind.get(at..)).unwrap_or_default();
        let length = nested(arguments, '(');
        let inner = arguments.get(1..length.saturating_sub(1)).unwrap_or_default();
        let mut call = vec![format!("fileinfo]::{}", method.to_lowercase()), value.to_owned()];
        call.extend(self.items(walk, inner, span, MAX_DEPTH));
        call
    }

    /// Returns the arguments of a method.
    fn items(&self, walk: &mut Walk, inner: &str, span: Span, depth: usize) -> Vec<String> {
        if depth > MAX_DEPTH || !walk.pay(inner.len() + 1, span) {
            return Vec::new();
        }
        let words = self.command(walk, inner, span, depth + 1).words;
        words.iter().flat_map(|word| word.split(DIVIDER)).map(str::to_owned).collect()
    }

    /// Returns the text of a variable.
    fn value(&self, name: &str) -> Option<&str> {
        let key = key(name);
        let known = || match &*key {
            "home" | "env:home" | "env:userprofile" => Some("~"),
            "pwd" => Some("."),
            "null" => Some("/dev/null"),
            _ => None,
        };
        self.variables.get(&key).map(String::as_str).or_else(known)
    }

    /// Returns the text of an expression, or the files that it finds.
    fn value_of(&self, walk: &mut Walk, inner: &str, span: Span, depth: usize) -> Option<String> {
        if let Some(text) = text_of(inner) {
            return Some(text);
        }
        if depth > MAX_DEPTH || !walk.pay(inner.len() + 1, span) {
            return None;
        }
        let read = self.command(walk, inner, span, depth + 1);
        let is_whole = read.length >= inner.len() && read.calls.is_empty() && read.targets.is_empty();
        match read.words.as_slice() {
            _ if !is_whole || !read.blocks.is_empty() => None,
            [word] if !word.contains(COMPUTED) && inner.trim_start().starts_with(['$', '\'', '"', '(']) => {
                Some(word.clone())
            }
            words => listing::value(words),
        }
    }

    /// Returns what a stage hands to the next one.
    fn handed_on(&self, words: &[String]) -> Option<String> {
        match words {
            [] => None,
            [first, ..] if FILTERS.contains(&&*first.to_lowercase()) => self.piped.clone(),
            [word] => listing::value(words).or_else(|| Some(word.clone())),
            words => listing::value(words).or_else(|| Some(COMPUTED.to_owned())),
        }
    }

    /// Keeps the parameters of `$NAME = @{ PARAMETER = VALUE; … }`.
    fn keeps_table(&mut self, walk: &mut Walk, statement: &str, span: Span) {
        let pair = statement.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair else { return };
        let inner = value
            .strip_prefix("@{")
            .and_then(|value| value.trim_end_matches([';', '\n', ' ']).strip_suffix('}'));
        let (Some(name), Some(inner)) = (name.strip_prefix('$'), inner) else { return };
        let mut words = Vec::new();
        for pair in inner.split([';', '\n']).filter_map(|pair| pair.split_once('=')).take(MAX_PAIRS) {
            let value = self.value_of(walk, pair.1.trim(), span, self.depth);
            words.push(format!("-{}", pair.0.trim()));
            words.push(value.unwrap_or_else(|| COMPUTED.to_owned()));
        }
        self.tables.insert(name.to_lowercase(), words);
    }

    /// Keeps the value of an assignment, and returns the words that run.
    fn assigned(
        &mut self,
        walk: &mut Walk,
        mut words: Vec<String>,
        is_piped: bool,
        span: Span,
    ) -> Vec<String> {
        let [name, sign, values @ ..] = words.as_slice() else { return words };
        let (true, Some(name)) = (matches!(&**sign, "=" | "+="), name.strip_prefix('$')) else {
            return words;
        };
        let value = match values {
            [] => return words,
            [value] => value.clone(),
            _ if is_piped => COMPUTED.to_owned(),
            values => {
                listing::value(values).or_else(|| joined(values)).unwrap_or_else(|| COMPUTED.to_owned())
            }
        };
        let before = self.variables.get(name).filter(|_| sign == "+=");
        let mut kept = before.cloned().unwrap_or_default();
        add(walk, &mut kept, &value, span);
        let kept = if kept.len() > MAX_TEXT { COMPUTED.to_owned() } else { kept };
        let name = name.to_owned();
        self.variables.insert(name, kept);
        words.drain(..2);
        if words.len() == 1 { Vec::new() } else { words }
    }

    fn start(&mut self, walk: &mut Walk, mut words: Vec<String>, span: Span) {
        while words.first().is_some_and(|word| BEFORE.contains(&&*word.to_lowercase())) {
            words.remove(0);
        }
        let Some(first) = words.first().map(|word| word.to_lowercase()) else { return };
        let mut words: Vec<String> = words
            .into_iter()
            .flat_map(|word| {
                let table = word.strip_prefix('@').and_then(|name| self.tables.get(&name.to_lowercase()));
                table.cloned().unwrap_or_else(|| vec![word])
            })
            .collect();
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
            "new-item" | "ni" => walk.windows_program(&listing::created(&words), span),
            "rename-item" | "rni" | "ren" => {
                walk.windows_program(&listing::renamed(&words, self.piped.as_deref()), span);
            }
            name if name.starts_with('[') => {}
            _ => {
                if self.lists && !FILTERS.contains(&&*first) {
                    words.push("-recurse".to_owned());
                }
                walk.windows_command(&POWERSHELL, &words, self.piped.as_deref(), span);
            }
        }
    }

    /// `Start-Process PROGRAM -ArgumentList WORDS -Verb RunAs`.
    fn start_process(&self, walk: &mut Walk, words: &[String], span: Span) {
        let (mut argv, mut is_raised, mut skips, mut is_output) = (Vec::new(), false, false, false);
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
            if lower.starts_with("-redirectstandard") && !lower.starts_with("-redirectstandardi") {
                is_output = true;
                continue;
            }
            if std::mem::take(&mut is_output) {
                walk.writes(&word_of(word), AccessKind::Redirected, span);
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
            argv.extend(
                word.split([' ', '\t', '\n', DIVIDER]).filter(|word| !word.is_empty()).map(str::to_owned),
            );
        }
        if is_raised {
            argv.insert(0, "sudo".to_owned());
        }
        walk.windows_command(&POWERSHELL, &argv, None, span);
    }

    /// Fills in the variables of a text in double quotes.
    fn expanded(&self, walk: &mut Walk, text: &str, span: Span, depth: usize) -> String {
        // One text for each item of a list.
        let mut results = vec![String::with_capacity(text.len())];
        let mut rest = text;
        while let Some(at) = rest.find('$')
            && !walk.is_spent()
        {
            results.iter_mut().for_each(|result| result.push_str(rest.get(..at).unwrap_or_default()));
            let from = rest.get(at..).unwrap_or_default();
            let (value, length) = match from.get(1..).filter(|rest| rest.starts_with('(')) {
                Some(inner) => {
                    let length = nested(inner, '(');
                    let inner = inner.get(1..length.saturating_sub(1)).unwrap_or_default();
                    (self.value_of(walk, inner, span, depth), 1 + length)
                }
                None => {
                    let name = variable(from);
                    (self.value(name).map(str::to_owned), 1 + name.len())
                }
            };
            let value = value.unwrap_or_else(|| COMPUTED.to_owned());
            let items: Vec<&str> = value.split(DIVIDER).collect();
            if items.len() * results.len() > MAX_ITEMS || !walk.pay(value.len() * results.len() + 1, span) {
                return COMPUTED.to_owned();
            }
            results = results
                .iter()
                .flat_map(|result| items.iter().map(move |item| format!("{result}{item}")))
                .collect();
            rest = from.get(length..).unwrap_or_default();
        }
        results.iter_mut().for_each(|result| result.push_str(rest));
        results.join(DIVIDER.encode_utf8(&mut [0; 4]))
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

/// Returns the text of literals that `+` joins, or the list of those that commas divide.
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
        rest = match rest.strip_prefix(',') {
            Some(rest) => {
                result.push(DIVIDER);
                rest
            }
            None => rest.strip_prefix('+')?,
        }
        .trim_start();
    }
}

/// Returns the text of words that `+` joins.
fn joined(words: &[String]) -> Option<String> {
    let (texts, signs): (Vec<_>, Vec<_>) = words.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let is_sum = signs.iter().all(|(_, sign)| *sign == "+") && texts.len() == signs.len() + 1;
    is_sum.then(|| texts.into_iter().map(|(_, text)| text.as_str()).collect())
}

/// Returns whether a command runs its block for each item that it is given.
fn is_for_each(program: &str) -> bool {
    matches!(&*program.to_lowercase(), "foreach-object" | "foreach" | "%" | "where-object" | "where" | "?")
}

/// Returns the property behind a value, without the dot.
fn property(behind: &str) -> &str {
    let name = behind.strip_prefix('.').unwrap_or_default();
    let end = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
    name.get(..end).unwrap_or_default()
}

/// Returns the method behind a file that changes it: `.MoveTo(`.
fn method_of(behind: &str) -> Option<&str> {
    let name = property(behind);
    let is_call = behind.get(1 + name.len()..).is_some_and(|rest| rest.starts_with('('));
    let changes = ["delete", "moveto", "copyto"].iter().any(|known| name.eq_ignore_ascii_case(known));
    (is_call && changes).then_some(name)
}

/// Returns the value of a property of files, and the length of its name with the dot.
fn with_property(value: &str, behind: &str) -> (String, usize) {
    let name = property(behind);
    if name.is_empty() {
        return (value.to_owned(), 0);
    }
    // The name of a method stays in the word, and its result is not known.
    if behind.get(1 + name.len()..).is_some_and(|rest| rest.starts_with('(')) {
        return (COMPUTED.to_owned(), 0);
    }
    let of_item = |item: &str| {
        let (above, own) = item.rsplit_once(['/', '\\']).unwrap_or((".", item));
        match &*name.to_lowercase() {
            "fullname" | "path" | "providerpath" | "pspath" => item.to_owned(),
            "name" => own.to_owned(),
            "directoryname" | "directory" | "parent" => above.to_owned(),
            _ => COMPUTED.to_owned(),
        }
    };
    let items: Vec<String> = value.split(DIVIDER).map(of_item).collect();
    (items.join(DIVIDER.encode_utf8(&mut [0; 4])), 1 + name.len())
}
