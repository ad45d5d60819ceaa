//! Finds where the value starts that stands in the line below its name: a block of YAML, or a nested line.
//!
//! A block of YAML:
//!
//! ```
//! use hooks_redaction::Scrubber;
//!
//! let scrubber = Scrubber::default();
//! assert_eq!(scrubber.scrub("password: >-\n  Xk7-qP2vRw\n"), "password: >-\n  [PASSWORD_REDACTED]\n");
//! ```

use super::{
    margins, names,
    quotation::quotation,
    text::{byte, run_end},
};

/// Most blanks in front of a value.
const MAX_INDENT: usize = 64;

/// Returns where the value starts in the line below the name at `start`, whose colon is at `colon`.
pub(super) fn value(bytes: &[u8], start: usize, colon: usize) -> Option<usize> {
    let blank = |from: usize| run_end(bytes, from, MAX_INDENT, |b| b == b' ' || b == b'\t');
    let sign = blank(colon + 1);
    let is_block = b"|>".contains(&byte(bytes, sign));
    let end = if is_block {
        run_end(bytes, sign + 1, 2, |b| b"+-".contains(&b) || b.is_ascii_digit())
    } else {
        sign
    };
    let newline = run_end(bytes, blank(end), 1, |b| b == b'\r');
    if byte(bytes, newline) != b'\n' {
        return None;
    }
    let line = margins::line_start(bytes, start);
    // A block may begin with an empty line.
    let next = newline + 1 + usize::from(is_block && byte(bytes, newline + 1) == b'\n');
    let (above, below) = margins::behind_both(bytes, line, next).unwrap_or((line, next));
    let from = blank(below);
    if !is_key(bytes.get(above..start.max(above))?) || from - below <= blank(above) - above {
        return None;
    }
    if quotation(bytes, from).is_some_and(|(_, close)| byte(bytes, close + 1) != b':') {
        return Some(from);
    }
    let to = run_end(bytes, from, 4096, |b| !b.is_ascii_whitespace());
    let word = bytes.get(from..to)?;
    let alone = matches!(byte(bytes, run_end(bytes, to, 8, |b| b == b' ' || b == b'\r')), 0 | b'\n');
    (alone && !word.ends_with(b":") && (is_block || is_nested(word))).then_some(from)
}

/// Returns whether nothing but a key stands before a name in its line: blanks, the sign of a list, a quotation mark, names with
/// full stops.
fn is_key(before: &[u8]) -> bool {
    let before = before.trim_ascii_start();
    let before = before.strip_prefix(b"- ").unwrap_or(before).trim_ascii_start();
    before.iter().all(|b| b.is_ascii_alphanumeric() || b"_.-\"'".contains(b))
}

/// Returns whether a word that is nested below a name may be its value: no word of a language or of a program.
fn is_nested(word: &[u8]) -> bool {
    let has = |class: fn(&u8) -> bool| word.iter().any(class);
    let upper = word.iter().skip(1).any(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let joined = upper && word.iter().any(|b| b"_-!@#$%^&*~+?".contains(b));
    let opens = word.first().is_some_and(|b| b"-#{[|!*&<(:=$`\\".contains(b));
    !opens && has(u8::is_ascii_alphabetic) && (has(u8::is_ascii_digit) || joined) && word.len() >= 4
}

/// Returns whether the value of the name in a line may stand in the line below.
pub(super) fn is_open(line: &str) -> bool {
    let line = line.trim_end();
    let line = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
    let line = line.strip_suffix(['|', '>']).unwrap_or(line).trim_end();
    // An object of JSON whose first member is the value.
    let line = line.strip_suffix('{').unwrap_or(line).trim_end();
    let Some(line) = line.strip_suffix(':') else { return false };
    let line = line.trim_end_matches(['"', '\'', '`', ']', '\\']);
    let start = line.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c))).map_or(0, |at| at + 1);
    line.get(start..).is_some_and(|name| name.len() <= names::MAX_NAME && names::noun(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::Scrubber;

    #[test]
    fn values_below_their_names() {
        for text in [
            "password: |\n  winter77x\nuser: joe\n",
            "spring:\n  password: >-\n    winter77x\n",
            "     4\t  password: |\n     5\t    winter77x\n     6\t  user: app\n",
            "-  password:\n-    winter77x\n",
            "a.yml:12:  password: |-\na.yml-13-    winter77x\n",
            "    root_password:\n        winter77x\n",
            "password:\n    \"winter77x\"\n",
            "password: >\n\n  winter77x\n",
            "12-password:\n13-  winter77x\n",
        ] {
            let marked = text.replace("winter77x", "[PASSWORD_REDACTED]");
            assert_eq!(Scrubber::all().scrub(text), marked, "{text}");
            let mut stream = Scrubber::all().stream();
            let parts: String = text.split_inclusive('\n').map(|line| stream.push(line)).collect();
            assert_eq!(parts + &stream.finish(), marked, "{text}");
        }
    }

    #[test]
    fn lines_below_that_are_no_values() {
        for text in [
            "password:\n  type: string2\n",
            "password:\n  valueFrom1: x\n",
            "if password:\n    return1\n",
            "password:\n    required\n",
            "password:\n  - item1\n",
            "password:\n  $ref1\n",
            "token:\n    | string1\n",
        ] {
            assert_eq!(Scrubber::all().scrub(text), text);
        }
    }
}
