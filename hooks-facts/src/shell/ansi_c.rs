//! Backslash escapes as in `$'…'`, which `echo -e` and `printf` also support.

/// Decoded escape.
pub(crate) struct Escape {
    /// Text that it stands for.
    pub(crate) text: String,
    /// Length in bytes, without the backslash.
    pub(crate) length: usize,
}

/// Decodes the escape after a backslash.
pub(crate) fn escape(rest: &str) -> Escape {
    let Some(first) = rest.chars().next() else { return Escape { text: "\\".into(), length: 0 } };
    let simple = |c: char| Escape { text: c.into(), length: first.len_utf8() };
    match first {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'e' | 'E' => simple('\u{1B}'),
        'f' => simple('\u{C}'),
        'v' => simple('\u{B}'),
        '\\' | '\'' | '"' | '?' => simple(first),
        'x' => number(rest, 1, 2, 16),
        'u' => number(rest, 1, 4, 16),
        'U' => number(rest, 1, 8, 16),
        '0'..='7' => number(rest, 0, if first == '0' { 4 } else { 3 }, 8),
        'c' => {
            let control = rest.chars().nth(1).filter(char::is_ascii);
            let text = control.and_then(|c| char::from_u32(u32::from(c) & 0x1F)).map(String::from);
            Escape { text: text.unwrap_or_default(), length: 1 + control.map_or(0, char::len_utf8) }
        }
        other => Escape { text: format!("\\{other}"), length: other.len_utf8() },
    }
}

fn number(rest: &str, prefix: usize, most: usize, radix: u32) -> Escape {
    let digits = rest.chars().skip(prefix).take(most).take_while(|c| c.is_digit(radix)).count();
    let length = prefix + digits;
    let value = rest.get(prefix..length).and_then(|digits| u32::from_str_radix(digits, radix).ok());
    match value.map(|value| char::from_u32(if radix == 8 { value & 0xFF } else { value })) {
        // A NUL ends a word in the shell; leaving it out can only make more of the text visible.
        Some(Some('\0')) => Escape { text: String::new(), length },
        Some(Some(c)) => Escape { text: c.into(), length },
        Some(None) => Escape { text: '\u{FFFD}'.into(), length },
        None => Escape { text: format!("\\{}", rest.get(..length).unwrap_or_default()), length },
    }
}
