//! Makes text of others safe for a terminal: it cannot move the cursor, change a colour, or reorder the text.

use std::fmt::Write as _;

/// Escapes all characters in `text` that could control a terminal, as JSON does (`\u009b`): control
/// characters, and characters that end a line or change its direction. In JSON, they occur only within
/// strings, so its meaning stays the same.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            // Writing to a `String` cannot fail. All these characters are below U+10000.
            let _written = write!(plain, "\\u{:04x}", u32::from(c));
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Escapes each of several lines.
pub(super) fn plain_lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

/// Whether a terminal would interpret the character.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn nothing_steers_and_json_says_the_same() {
        let steering = ('\0'..=char::MAX).filter(|c| steers(*c));
        let text: String = steering.chain("a\u{e9}\u{1f600}\"\\".chars()).collect();
        let value = json!({ "text": text, "list": [text] });
        for (shown, lines) in
            [(plain(&value.to_string()), 1), (plain_lines(&serde_json::to_string_pretty(&value).unwrap()), 6)]
        {
            assert!(!shown.chars().any(|c| c != '\n' && steers(c)), "{shown}");
            assert_eq!(
                (shown.lines().count(), serde_json::from_str::<Value>(&shown).unwrap()),
                (lines, value.clone())
            );
        }
        assert_eq!(plain("a\u{1b}[2J\n\u{202e}b\u{9b}"), "a\\u001b[2J\\u000a\\u202eb\\u009b");
    }
}
