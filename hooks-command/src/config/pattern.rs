//! Converts patterns of Go, in which docker-agent's files are written, to patterns of the `regex` crate.
//!
//! The two languages are almost the same. Go has ASCII classes, quoted text and literal braces. It has no
//! operators in classes, no flag `x`, and a limit on repetitions.

use std::iter::Peekable;
use std::str::Chars;

/// Maximum count of a repetition.
const MOST_REPEATS: u32 = 1000;

/// The flags of a group, and the sign that negates them.
const FLAGS: [char; 5] = ['i', 'm', 's', 'U', '-'];

/// Converts a pattern.
///
/// # Errors
/// Returns the reason if Go rejects a pattern that the `regex` crate would accept. Mistakes that both reject
/// are left to the crate.
pub(super) fn from_go(pattern: &str) -> Result<String, String> {
    let mut reader =
        PatternReader { rest: pattern.chars().peekable(), written: String::new(), repeated: None };
    while let Some(c) = reader.rest.next() {
        reader.piece(c)?;
    }
    Ok(reader.written)
}

/// Go pattern that is being converted.
struct PatternReader<'p> {
    rest: Peekable<Chars<'p>>,
    written: String,
    /// The repetition directly before the next piece.
    repeated: Option<String>,
}

impl PatternReader<'_> {
    fn piece(&mut self, c: char) -> Result<(), String> {
        match c {
            '*' | '+' | '?' => return self.repetition(c.to_string()),
            '{' => match self.counts() {
                Some(counts) => return self.repetition(counts),
                None => self.written.push_str(r"\{"),
            },
            '}' => self.written.push_str(r"\}"),
            '\\' => self.escape()?,
            '[' => self.class()?,
            '(' => self.group()?,
            other => self.written.push(other),
        }
        self.repeated = None;
        Ok(())
    }

    fn repetition(&mut self, mut sign: String) -> Result<(), String> {
        if let Some(first) = &self.repeated {
            return Err(format!("`{first}{sign}` repeats a repetition"));
        }
        let counts = sign.trim_matches(['{', '}']).split(',');
        if counts.filter_map(|count| count.parse().ok()).any(|count: u32| count > MOST_REPEATS) {
            return Err(format!("`{sign}` repeats more than {MOST_REPEATS} times"));
        }
        if self.rest.next_if_eq(&'?').is_some() {
            sign.push('?');
        }
        self.written.push_str(&sign);
        self.repeated = Some(sign);
        Ok(())
    }

    /// The counts of a repetition, if the brace begins one.
    fn counts(&mut self) -> Option<String> {
        let ahead = self.rest.clone();
        let inside: String = ahead.take_while(|c| *c != '}').take(MOST_DIGITS).collect();
        let is_count = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_counts = match inside.split_once(',') {
            None => is_count(&inside),
            Some((least, most)) => is_count(least) && (most.is_empty() || is_count(most)),
        };
        // Without an end, the brace is literal.
        let is_closed = self.rest.clone().nth(inside.chars().count()) == Some('}');
        if !is_counts || !is_closed {
            return None;
        }
        for _ in 0..=inside.len() {
            self.rest.next();
        }
        Some(format!("{{{inside}}}"))
    }

    fn escape(&mut self) -> Result<(), String> {
        match self.rest.next() {
            Some('Q') => self.quoted(),
            Some('b') => self.written.push_str(r"(?-u:\b)"),
            Some(c @ ('p' | 'P' | 'x')) => self.braced(c),
            Some(c @ ('u' | 'U')) => return Err(format!("`\\{c}` is not supported")),
            // Go reads these as themselves, and the crate as the borders of a word.
            Some(c @ ('<' | '>')) => self.written.push(c),
            Some(c) => match ascii_class(c) {
                Some((members, is_negated)) => {
                    self.written.push_str(if is_negated { "[^" } else { "[" });
                    self.written.push_str(members);
                    self.written.push(']');
                }
                None => self.written.extend(['\\', c]),
            },
            None => self.written.push('\\'),
        }
        Ok(())
    }

    /// An escape such as `\p{Greek}`, whose braces are part of it.
    fn braced(&mut self, letter: char) {
        self.written.extend(['\\', letter]);
        if self.rest.next_if_eq(&'{').is_none() {
            return;
        }
        self.written.push('{');
        while let Some(c) = self.rest.next_if(|c| *c != '}') {
            self.written.push(c);
        }
        self.written.extend(self.rest.next());
    }

    /// Text between `\Q` and `\E`, or up to the end.
    fn quoted(&mut self) {
        let mut literal = String::new();
        while let Some(c) = self.rest.next() {
            if c == '\\' && self.rest.next_if_eq(&'E').is_some() {
                break;
            }
            literal.push(c);
        }
        self.written.push_str(&regex::escape(&literal));
    }

    fn class(&mut self) -> Result<(), String> {
        self.written.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.written.push('^');
        }
        // A bracket at the beginning is a member of the class.
        if self.rest.next_if_eq(&']').is_some() {
            self.written.push_str(r"\]");
        }
        while let Some(c) = self.rest.next() {
            match c {
                ']' => {
                    self.written.push(']');
                    return Ok(());
                }
                '[' if self.rest.peek() == Some(&':') => self.named_class(),
                // Operators and nested classes of the crate.
                '[' | '&' | '~' => self.written.extend(['\\', c]),
                '-' if self.rest.peek() == Some(&'-') => {
                    self.rest.next();
                    self.written.push_str(r"-\-");
                }
                '\\' => match self.rest.next() {
                    Some(c @ ('<' | '>')) => self.written.push(c),
                    Some(c @ ('u' | 'U')) => return Err(format!("`\\{c}` is not supported")),
                    Some(c) => match ascii_class(c) {
                        Some((members, false)) => self.written.push_str(members),
                        Some((members, true)) => {
                            self.written.push_str("[^");
                            self.written.push_str(members);
                            self.written.push(']');
                        }
                        None => self.written.extend(['\\', c]),
                    },
                    None => self.written.push('\\'),
                },
                other => self.written.push(other),
            }
        }
        Ok(())
    }

    /// `[:alpha:]`, or a bracket that only looks like the beginning of it.
    fn named_class(&mut self) {
        let name: String = self.rest.clone().skip(1).take_while(|c| *c != ':').take(MOST_LETTERS).collect();
        let is_name = name.trim_start_matches('^').bytes().all(|byte| byte.is_ascii_lowercase());
        let end: String = self.rest.clone().skip(1 + name.chars().count()).take(2).collect();
        if !is_name || end != ":]" {
            self.written.push_str(r"\[");
            return;
        }
        for _ in 0..name.len() + 3 {
            self.rest.next();
        }
        self.written.push_str("[:");
        self.written.push_str(&name);
        self.written.push_str(":]");
    }

    fn group(&mut self) -> Result<(), String> {
        self.written.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        self.written.push('?');
        let ahead = self.rest.clone();
        let flags: String = ahead.take_while(|c| c.is_ascii_alphabetic() || *c == '-').collect();
        let is_name = flags == "P" && self.rest.clone().nth(1) == Some('<');
        match flags.chars().find(|flag| !FLAGS.contains(flag)) {
            Some(flag) if !is_name => Err(format!("there is no flag `{flag}`")),
            _ => Ok(()),
        }
    }
}

/// Number of characters in which the counts of a repetition end: no valid ones are longer.
const MOST_DIGITS: usize = 24;
/// Number of characters in which the name of a class ends.
const MOST_LETTERS: usize = 16;

/// The members of a class that is ASCII in Go, and whether it is negated.
const fn ascii_class(letter: char) -> Option<(&'static str, bool)> {
    match letter {
        'd' => Some(("0-9", false)),
        'D' => Some(("0-9", true)),
        's' => Some((r"\t\n\f\r ", false)),
        'S' => Some((r"\t\n\f\r ", true)),
        'w' => Some(("0-9A-Za-z_", false)),
        'W' => Some(("0-9A-Za-z_", true)),
        _ => None,
    }
}
