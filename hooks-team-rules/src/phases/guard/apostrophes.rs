//! Apostrophes within words: `echo it's; git switch main; echo it's`.
//!
//! A shell takes the text between them as quoted. A person, another program in front of the shell, and `cmd` read three
//! commands. A call that depends on the difference is judged by both readings.

/// Returns the text with each such pair of apostrophes escaped; `None` without such a pair.
///
/// A pair counts if letters are on both of its sides, and a command could end in between.
pub(super) fn other_reading(text: &str) -> Option<String> {
    let mut other = String::new();
    let (mut copied, mut at, mut is_changed) = (0, 0, false);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let c = rest.chars().next()?;
        let step = match c {
            '\\' => c.len_utf8() + rest.chars().nth(1).map_or(0, char::len_utf8),
            '"' => closing(rest, '"')? + 1,
            '\'' => {
                let end = closing(rest, '\'')?;
                let quoted = rest.get(1..end)?;
                if is_within_words(text.get(..at)?, quoted, rest.get(end + 1..)?) {
                    other.push_str(text.get(copied..at)?);
                    other.push_str(&format!("\\'{quoted}\\'"));
                    copied = at + end + 1;
                    is_changed = true;
                }
                end + 1
            }
            c => c.len_utf8(),
        };
        at += step;
    }
    is_changed.then(|| other + text.get(copied..).unwrap_or_default())
}

fn is_within_words(before: &str, quoted: &str, behind: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let (first, last) = (quoted.chars().next(), quoted.chars().next_back());
    let is_inner = is_letter(before.chars().next_back()) && is_letter(first);
    is_inner && is_letter(last) && is_letter(behind.chars().next()) && quoted.contains([';', '&', '|', '\n'])
}

/// Returns the position of the quote that closes the one at the start.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == quote {
            return Some(at);
        }
        if c == '\\' && quote == '"' {
            characters.next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_apostrophes_within_words_are_read_in_two_ways() {
        let other = other_reading("echo it's; git switch main; echo it's");
        assert_eq!(other.as_deref(), Some("echo it\\'s; git switch main; echo it\\'s"));
        for text in [
            "printf '%s' 'git switch master; x'",
            "echo \"it's; git switch main; it's\"",
            "git commit -m 'it'\\''s; done'",
            "awk 'a;b' x'y'z",
            "echo it's",
            "x='a;b'c",
            "echo it\\'s; git switch main; echo it\\'s",
        ] {
            assert_eq!(other_reading(text), None, "{text}");
        }
    }
}
