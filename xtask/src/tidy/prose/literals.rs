//! Messages in Rust: string literals with at least [`FEWEST`] words, outside of tests.
//!
//! Literals that are no messages are recognised by their form: SQL, HTML, JSON, YAML, tables, names.

use super::text::{Kind, Passage};

/// The fewest words in a message. Shorter literals are names, keys or formats.
const FEWEST: usize = 3;

/// First words of SQL statements.
const SQL: &[&str] = &[
    "ALTER", "BEGIN", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "PRAGMA", "REPLACE", "SELECT", "UPDATE",
    "VACUUM", "WITH",
];

/// Replacement of placeholders.
const PLACEHOLDER: &str = "`x`";

/// The attribute of tests.
const TEST: &str = "#[cfg(test)]";

/// The messages of a file.
pub(super) fn messages(text: &str) -> Vec<Passage> {
    let mut scanner =
        Scanner { rest: text, line: 1, depth: 0, is_test_next: false, test: None, found: Vec::new() };
    while scanner.step() {}
    let literals = scanner.found.into_iter();
    literals
        .filter_map(|(line, literal)| {
            message(&literal).map(|text| Passage { kind: Kind::Message, line, text })
        })
        .collect()
}

/// The prose of a literal, with placeholders in backticks; `None` if the literal is not a message.
fn message(literal: &str) -> Option<String> {
    let start = literal.trim_start();
    let is_sql = start.split_whitespace().next().is_some_and(|word| SQL.contains(&word));
    let is_data = is_sql || literal.contains("</") || start.starts_with(['<', '[']);
    let is_json = ["{\"", "{ ", "{{"].iter().any(|open| start.starts_with(open));
    let is_template = literal.contains('\n') && literal.lines().any(is_template);
    if is_data || is_json || is_template {
        return None;
    }
    // Indented lines of a text are commands.
    let lines = literal.lines().filter(|line| !(literal.contains('\n') && line.starts_with("  ")));
    let prose = without_placeholders(&lines.collect::<Vec<_>>().join(" "));
    let words =
        prose.split_whitespace().filter(|word| *word != PLACEHOLDER && word.contains(char::is_alphabetic));
    (words.count() >= FEWEST).then_some(prose)
}

/// Returns whether a line is Markdown's heading or table, or a key of YAML.
fn is_template(line: &str) -> bool {
    let is_key = |(key, _): (&str, &str)| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
    };
    line.starts_with(['#', '|']) || line.split_once(':').is_some_and(is_key)
}

/// A text with `` `x` `` in the place of each placeholder.
fn without_placeholders(text: &str) -> String {
    let mut parts = text.split('{');
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(PLACEHOLDER);
        kept.push_str(part.split_once('}').map_or(part, |(_, after)| after));
    }
    kept
}

/// Goes through the code of a file, and collects its literals.
struct Scanner<'t> {
    /// Text that was not read yet.
    rest: &'t str,
    /// Line of `rest`, from 1.
    line: usize,
    /// Number of open braces.
    depth: usize,
    /// Whether the next block is a test.
    is_test_next: bool,
    /// Depth of the block of tests around `rest`.
    test: Option<usize>,
    /// Literals with their lines.
    found: Vec<(usize, String)>,
}

impl<'t> Scanner<'t> {
    /// Reads the next token. Returns `false` at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if self.rest.starts_with("//") {
            self.until("\n");
        } else if self.rest.starts_with(TEST) {
            self.skip(TEST.len());
            self.is_test_next = true;
        } else if first.is_alphanumeric() || first == '_' {
            let word = self.word();
            if matches!(word, "r" | "br" | "cr") {
                self.raw_string();
            }
        } else if first == '"' {
            self.string();
        } else if first == '\'' {
            self.character();
        } else {
            self.brace(first);
            self.skip(first.len_utf8());
        }
        true
    }

    fn brace(&mut self, mark: char) {
        match mark {
            '{' => {
                if std::mem::take(&mut self.is_test_next) && self.test.is_none() {
                    self.test = Some(self.depth);
                }
                self.depth = self.depth.saturating_add(1);
            }
            '}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.test == Some(self.depth) {
                    self.test = None;
                }
            }
            ';' => self.is_test_next = false,
            _ => {}
        }
    }

    /// Skips this number of bytes.
    fn skip(&mut self, length: usize) -> &'t str {
        let (skipped, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.line = self.line.saturating_add(skipped.matches('\n').count());
        self.rest = rest;
        skipped
    }

    /// Skips everything before `end`.
    fn until(&mut self, end: &str) -> &'t str {
        self.skip(self.rest.find(end).unwrap_or(self.rest.len()))
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        self.skip(end.unwrap_or(self.rest.len()))
    }

    /// Reads the rest of a raw string, if one follows.
    fn raw_string(&mut self) {
        let hashes = self.rest.len().saturating_sub(self.rest.trim_start_matches('#').len());
        if self.rest.trim_start_matches('#').starts_with('"') {
            self.skip(hashes.saturating_add(1));
            let line = self.line;
            let literal = self.until(&format!("\"{}", "#".repeat(hashes))).to_owned();
            self.skip(hashes.saturating_add(1));
            self.add(line, literal);
        }
    }

    /// Reads a string, and resolves the escapes that occur in prose.
    fn string(&mut self) {
        self.skip(1);
        let (line, mut literal) = (self.line, String::new());
        let (mut length, mut chars) = (0_usize, self.rest.chars());
        while let Some(next) = chars.next() {
            length = length.saturating_add(next.len_utf8());
            match next {
                '"' => break,
                '\\' => {
                    let escaped = chars.next().unwrap_or_default();
                    length = length.saturating_add(escaped.len_utf8());
                    if escaped == '\n' {
                        let rest = chars.as_str();
                        let after = rest.trim_start();
                        length = length.saturating_add(rest.len().saturating_sub(after.len()));
                        chars = after.chars();
                    } else {
                        literal.push(if escaped == 'n' { '\n' } else { escaped });
                    }
                }
                other => literal.push(other),
            }
        }
        self.skip(length);
        self.add(line, literal);
    }

    /// Skips a character, or the mark of a lifetime.
    fn character(&mut self) {
        let mut chars = self.rest.chars().skip(1);
        let length = match (chars.next(), chars.next()) {
            (Some('\\'), Some(escaped)) => {
                let start = escaped.len_utf8().saturating_add(2);
                let rest = self.rest.get(start..).unwrap_or_default();
                rest.find('\'').map_or(1, |end| start.saturating_add(end).saturating_add(1))
            }
            (Some(one), Some('\'')) => one.len_utf8().saturating_add(2),
            _ => 1,
        };
        self.skip(length);
    }

    fn add(&mut self, line: usize, literal: String) {
        if self.test.is_none() {
            self.found.push((line, literal));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, String)> {
        messages(text).into_iter().map(|passage| (passage.line, passage.text)).collect()
    }

    #[test]
    fn messages_are_literals_outside_of_tests() {
        let text = "// \"not in a comment\"\nfn a<'a>(b: char) {\n    b == '\"' || b == '\\'';\n    \"`{}` cannot be \\\n     read: {b}\";\n    r#\"a \"raw\" text\"#;\n}\n#[cfg(test)]\nmod tests { fn b() { \"only in a test\"; } }\nfn c() { \"after all tests\" }\n";
        let expected = [(4, "``x`` cannot be read: `x`"), (6, "a \"raw\" text"), (10, "after all tests")];
        assert_eq!(found(text), expected.map(|(line, text)| (line, text.to_owned())));
    }

    #[test]
    fn a_declared_module_of_tests_has_no_block() {
        let text = "#[cfg(test)]\nmod tests;\nfn a() { \"one more message\" }\n";
        assert_eq!(found(text), [(3, "one more message".to_owned())]);
    }

    #[test]
    fn data_is_no_message() {
        for data in [
            "SELECT a FROM b WHERE c",
            "<b>one two three</b>",
            "{\"one\": \"two three four\"}",
            "[one, two, three]",
            "# Title\n\nOne two three.",
            "version: 1\nrules: one two three",
            "one two",
            "{a} {b} {c}",
        ] {
            assert_eq!(message(data), None, "{data}");
        }
        assert_eq!(message("Examples:\n  hooks run\n\nOne line.").as_deref(), Some("Examples:  One line."));
    }
}
