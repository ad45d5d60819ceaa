//! Trees of settings: JSON, YAML, TOML and INI, as far as files of tasks use them.
//!
//! The readers are lenient: they are for finding commands, and a line that they cannot read is passed over. A text that is
//! too deep, and JSON that cannot be read, is no tree.

use serde_json::{Map, Value};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 16;

/// Reads the text of a file by the ending of its name; `None` if it is not a tree that can be read.
pub(super) fn parse(file: &str, text: &str) -> Option<Value> {
    match file.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "json" | "jsonc" | "json5" => serde_json::from_str(&without_comments(text)).ok(),
        "toml" => sections(text, true),
        "ini" | "cfg" | "conf" => sections(text, false),
        _ => yaml(text),
    }
}

/// Returns JSON without its comments, and without the commas before closing brackets.
fn without_comments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("//") => {
                rest = rest.get(rest.find('\n').unwrap_or(rest.len())..).unwrap_or_default();
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = rest.split_once("*/").map_or("", |(_, behind)| behind);
                continue;
            }
            ']' | '}' => {
                let end = result.trim_end().trim_end_matches(',').len();
                if result.trim_end().ends_with(',') {
                    result.truncate(end);
                }
                1
            }
            c => c.len_utf8(),
        };
        result.push_str(rest.get(..length).unwrap_or(rest));
        rest = rest.get(length..).unwrap_or_default();
    }
    result
}

/// Returns the length of the string at the start of a text.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Line of YAML: its indentation and its text.
struct Line<'t> {
    indent: usize,
    text: &'t str,
}

fn yaml(text: &str) -> Option<Value> {
    let lines: Vec<Line<'_>> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#') && !line.trim().is_empty() && *line != "---")
        .map(|line| Line { indent: line.len() - line.trim_start().len(), text: line.trim_start() })
        .collect();
    block(&lines, 0)
}

/// Reads lines that are one node.
fn block(lines: &[Line<'_>], depth: usize) -> Option<Value> {
    let Some(first) = lines.first() else { return Some(Value::Null) };
    if depth > MAX_DEPTH {
        return None;
    }
    let starts = |line: &Line<'_>| line.indent <= first.indent;
    if first.text == "-" || first.text.starts_with("- ") {
        return parts(lines, starts).map(|part| item(part, depth)).collect::<Option<_>>().map(Value::Array);
    }
    if key_of(first.text).is_none() {
        let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
        return scalar(&texts.join(" "), depth);
    }
    let mut map = Map::new();
    for part in parts(lines, starts) {
        let Some((line, below)) = part.split_first() else { continue };
        let Some((key, value)) = key_of(line.text) else { continue };
        map.insert(key.to_owned(), value_of(value, below, depth)?);
    }
    Some(Value::Object(map))
}

/// Splits lines before each line that starts a part.
fn parts<'l, 't>(
    lines: &'l [Line<'t>],
    starts: impl Fn(&Line<'t>) -> bool,
) -> impl Iterator<Item = &'l [Line<'t>]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = lines.get(at..)?;
        let (_, behind) = rest.split_first()?;
        // Items of a list may stand at the indentation of its key.
        let is_key = rest.first().is_some_and(|line| !line.text.starts_with("- ") && line.text != "-");
        let ends =
            |line: &Line<'t>| starts(line) && !(is_key && (line.text.starts_with("- ") || line.text == "-"));
        let length = 1 + behind.iter().position(ends).unwrap_or(behind.len());
        at += length;
        rest.get(..length)
    })
}

/// Reads an item of a list: the first line begins with `-`.
fn item(lines: &[Line<'_>], depth: usize) -> Option<Value> {
    let Some((first, below)) = lines.split_first() else { return Some(Value::Null) };
    let text = first.text.strip_prefix('-').unwrap_or(first.text);
    let inner = text.trim_start();
    if inner.is_empty() {
        return block(below, depth + 1);
    }
    let is_quoted = inner.starts_with(['"', '\'', '[', '{', '|', '>']);
    if is_quoted || key_of(inner).is_none() && !inner.starts_with("- ") {
        return value_of(inner, below, depth);
    }
    // The rest of the line is the first line of the item.
    let indent = first.indent + (first.text.len() - inner.len());
    let mut all = vec![Line { indent, text: inner }];
    all.extend(below.iter().map(|line| Line { indent: line.indent, text: line.text }));
    block(&all, depth + 1)
}

fn value_of(value: &str, below: &[Line<'_>], depth: usize) -> Option<Value> {
    match value.trim() {
        "" => block(below, depth + 1),
        mark if mark.starts_with(['|', '>']) && mark.len() <= 3 => {
            let base = below.first().map_or(0, |line| line.indent);
            let lines = below.iter().map(|line| {
                let indent = " ".repeat(line.indent.saturating_sub(base));
                format!("{indent}{}", line.text)
            });
            let separator = if mark.starts_with('|') { "\n" } else { " " };
            Some(Value::String(lines.collect::<Vec<_>>().join(separator)))
        }
        value if below.is_empty() => scalar(value, depth),
        value => {
            let texts: Vec<&str> = std::iter::once(value).chain(below.iter().map(|line| line.text)).collect();
            scalar(&texts.join(" "), depth)
        }
    }
}

/// Splits `key: value`; `None` for other text.
fn key_of(text: &str) -> Option<(&str, &str)> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = text.get(1..)?;
        let (key, rest) = inner.split_once(quote)?;
        return Some((key, rest.trim_start().strip_prefix(':')?));
    }
    let at = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1))?;
    let key = text.get(..at)?;
    (!key.contains(['{', '[', '"', '\''])).then_some((key.trim(), text.get(at + 1..)?))
}

/// Reads a text, with quotes or as a list or a table in one line.
fn scalar(text: &str, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let text = text.trim();
    let inner = |open: char, close: char| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
    if let Some(list) = inner('[', ']') {
        let items = split_flow(list).into_iter().map(|item| scalar(item, depth + 1));
        return items.collect::<Option<_>>().map(Value::Array);
    }
    if let Some(table) = inner('{', '}') {
        let pairs = split_flow(table).into_iter().filter_map(|pair| pair.split_once(['=', ':']));
        let pairs = pairs.map(|(key, value)| {
            Some((key.trim().trim_matches(['"', '\'']).to_owned(), scalar(value, depth + 1)?))
        });
        return pairs.collect::<Option<_>>().map(Value::Object);
    }
    let plain = if let Some(quoted) = text.strip_prefix('"') {
        let quoted = quoted.strip_suffix('"').unwrap_or(quoted);
        quoted.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\")
    } else if let Some(quoted) = text.strip_prefix('\'') {
        quoted.strip_suffix('\'').unwrap_or(quoted).replace("''", "'")
    } else {
        text.split(" #").next().unwrap_or_default().trim_end().to_owned()
    };
    Some(Value::String(plain))
}

/// Splits a list at its commas, outside of quotes and brackets.
fn split_flow(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(start..).unwrap_or_default());
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect()
}

/// Reads sections with `key = value` lines. In TOML the names of sections are paths.
fn sections(text: &str, is_toml: bool) -> Option<Value> {
    let mut root = Map::new();
    let mut path: Vec<String> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            let name = name.trim_start_matches('[').trim();
            path = if is_toml { dotted(name) } else { vec![name.to_owned()] };
            insert(&mut root, &path, Value::Object(Map::new()))?;
            continue;
        }
        let Some((key, value)) = trimmed.split_once('=').or_else(|| trimmed.split_once(':')) else {
            continue;
        };
        let mut value = value.trim().to_owned();
        if is_toml {
            let ending = ["\"\"\"", "'''"].into_iter().find(|mark| value.starts_with(mark));
            if let Some(mark) = ending {
                let mut body = value.trim_start_matches(mark).to_owned();
                let mut ends = body.contains(mark);
                while !ends && let Some(next) = lines.next() {
                    ends = next.contains(mark);
                    body.extend(["\n", next]);
                }
                let body = body.split(mark).next().unwrap_or_default().to_owned();
                insert(&mut root, &with(&path, dotted(key.trim())), Value::String(body))?;
                continue;
            }
            let count = |text: &str, bracket: char| text.matches(bracket).count();
            let (mut open, mut closed) = (count(&value, '['), count(&value, ']'));
            while open > closed
                && let Some(next) = lines.next()
            {
                (open, closed) = (open + count(next, '['), closed + count(next, ']'));
                value.extend([" ", next.trim()]);
            }
        } else {
            // Indented lines continue the value.
            while lines.peek().is_some_and(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty()) {
                let next = lines.next().unwrap_or_default().trim();
                value.extend(if value.is_empty() { ["", next] } else { ["\n", next] });
            }
            insert(&mut root, &with(&path, vec![key.trim().to_owned()]), Value::String(value))?;
            continue;
        }
        insert(&mut root, &with(&path, dotted(key.trim())), scalar(&value, 0)?)?;
    }
    Some(Value::Object(root))
}

fn with(path: &[String], more: Vec<String>) -> Vec<String> {
    path.iter().cloned().chain(more).collect()
}

fn dotted(name: &str) -> Vec<String> {
    name.split('.').map(|part| part.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// Inserts a value at a path; `None` if the path is too long.
fn insert(root: &mut Map<String, Value>, path: &[String], value: Value) -> Option<()> {
    let (first, rest) = path.split_first()?;
    if rest.len() >= MAX_DEPTH {
        return None;
    }
    if rest.is_empty() {
        // A table that is there already stays.
        let is_table = value.as_object().is_some_and(Map::is_empty);
        if !(is_table && root.contains_key(first)) {
            root.insert(first.clone(), value);
        }
        return Some(());
    }
    match root.entry(first.clone()).or_insert_with(|| Value::Object(Map::new())) {
        Value::Object(inner) => insert(inner, rest, value),
        _ => Some(()),
    }
}
