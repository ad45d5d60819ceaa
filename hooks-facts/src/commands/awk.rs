//! Programs of awk that start other programs or load code.
//!
//! A shell runs what is printed into it:
//!
//! ```
//! use hooks_facts::commands::{Analysis, BlockedPattern, Options};
//!
//! let analysis = Analysis::of_text("awk '{ print \"rm -rf \" $1 | \"sh\" }' list", &Options::default());
//! assert!(analysis.find(&[BlockedPattern::parse("rm -rf").unwrap()]).is_some());
//! ```

use super::effects::code::Token;
use crate::globs::Gap;

/// Returns whether a program of awk may start another program: it calls `system`, a pipe is beside `print` or
/// `getline`, or an `@` loads or calls something named elsewhere. Linear.
pub(super) fn starts(text: &str) -> bool {
    let Some(code) = without_strings(text) else { return true };
    code.contains("system") || code.contains('@') || code.split([';', '{', '}', '\n']).any(has_pipe)
}

/// Returns what a program prints into commands, with each command: `print "rm " $1 | "sh"`. What is computed is a gap.
pub(super) fn piped(tokens: &[Token]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut printed: Option<String> = None;
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        match (token, &mut printed) {
            (Token::Name(name), _) if matches!(name.as_str(), "print" | "printf") => {
                printed = Some(String::new());
            }
            (Token::Sign('\n' | ';' | '{' | '}'), _) => printed = None,
            (Token::Sign('|'), Some(text)) => {
                if let Some(Token::Text(command)) = tokens.peek() {
                    found.push((std::mem::take(text), command.clone()));
                }
                printed = None;
            }
            (Token::Text(piece), Some(text)) => text.push_str(piece),
            (Token::Sign(','), Some(text)) => text.push(' '),
            (Token::Sign('(' | ')'), _) | (_, None) => {}
            (Token::Name(_) | Token::Sign(_) | Token::Command(_), Some(text)) => {
                if !text.ends_with(Gap::Any.stand_in()) {
                    text.push(Gap::Any.stand_in());
                }
            }
        }
    }
    found
}

/// Returns whether a statement has a pipe; `|` also occurs in patterns.
fn has_pipe(statement: &str) -> bool {
    let statement = statement.replace("||", "");
    let Some((before, _)) = statement.split_once('|') else { return false };
    before.contains("print") || statement.contains("getline")
}

/// Returns the text without the contents of its strings. `None` if a quote may be in a pattern or a comment,
/// so that the starts of strings are ambiguous. Strings and patterns end with their line.
fn without_strings(text: &str) -> Option<String> {
    let mut code = String::with_capacity(text.len());
    let (mut is_in_string, mut is_in_pattern, mut is_in_doubt) = (false, false, false);
    // Whether a slash after this code starts a pattern; after anything else it may be a division.
    let begins_a_pattern = |code: &str| {
        let before = code.trim_end_matches([' ', '\t']).chars().next_back();
        before.is_none_or(|c| "\n{};(,!~&|".contains(c))
    };
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                characters.next();
            }
            '\n' => {
                (is_in_string, is_in_pattern, is_in_doubt) = (false, false, false);
                code.push(c);
            }
            '"' if is_in_pattern || is_in_doubt => return None,
            '"' => {
                is_in_string = !is_in_string;
                code.push(c);
            }
            _ if is_in_string => {}
            '/' => {
                let is_pattern = !is_in_pattern && begins_a_pattern(&code);
                is_in_doubt |= !is_in_pattern && !is_pattern;
                is_in_pattern = is_pattern;
                code.push(c);
            }
            c => {
                is_in_doubt |= c == '#' || (is_in_pattern && c == '[');
                code.push(c);
            }
        }
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::code::Language;
    use crate::commands::effects::code::tokens;

    #[test]
    fn what_is_printed_into_a_command_has_gaps() {
        let tokens =
            tokens(Language::Awk, "{ print \"a \" $1, (\"b\") | \"sh\"; print $1 | c } /x|y/ { print }");
        let any = Gap::Any.stand_in();
        assert_eq!(piped(&tokens), [(format!("a {any} b"), "sh".to_owned())]);
    }

    #[test]
    fn pipes_are_told_from_patterns_and_strings() {
        for text in [
            "/a|b/ { print $1 }",
            "{ print $1 \"|\" $2 }",
            "$1 == \"a@b\" || $2 ~ /x|y/",
            "{ print \"system\" }",
            "/deny/ { print $1 \"|\" $2 }",
            "{ n += $1 / 2 } END { print n }",
            "{ print \"\\\"|\" }",
        ] {
            assert!(!starts(text), "{text}");
        }
        for text in [
            "{ print \"x\"|\"c\" }",
            "{ print $1 | c }",
            "{ c | getline }",
            "{ \"c\" | getline x }",
            "{ system(c) }",
            "{ @f(c) }",
            "@load \"x\"",
            "{ print \"\\\\\" | c; x = \"\" }",
            "/\"/ { print | c } /\"/",
            "# / \"\n{ print | c } # / \"",
            "/[/\"]/ { print | c } /[/\"]/",
            "{ a = 1 /b; } /\"/ { print | c } /\"/",
            "# \"\n{ print | c } # \"",
        ] {
            assert!(starts(text), "{text}");
        }
    }
}
