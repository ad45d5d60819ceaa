//! Finds the value that stands in the lines below its name: a block of YAML, or a nested line.
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
    label::Label,
    margins,
    names::{self, Noun},
    quotation::{quotation, takes_value},
    span::Span,
    text::{byte, floor, line_before, run_end},
    value::{self, Style},
};

/// Most blanks in front of a value.
const MAX_INDENT: usize = 64;

/// Most lines of a block that are read as one value.
const MAX_LINES: usize = 8;
/// Longest line of such a block.
const MAX_LINE: usize = 512;

/// Line below a key.
struct Below {
    /// Whether a sign behind the key opens a block.
    is_block: bool,
    /// Start of the line of the key.
    key_line: usize,
    /// Start of the line below it.
    line: usize,
}

impl Below {
    /// Reads what is below the key around `at`, whose colon is at `colon`.
    fn read(bytes: &[u8], at: usize, colon: usize) -> Option<Self> {
        let sign = blank(bytes, colon + 1);
        let is_block = b"|>".contains(&byte(bytes, sign));
        let end = if is_block {
            run_end(bytes, sign + 1, 2, |b| b"+-".contains(&b) || b.is_ascii_digit())
        } else {
            sign
        };
        let newline = run_end(bytes, blank(bytes, end), 1, |b| b == b'\r');
        if byte(bytes, newline) != b'\n' {
            return None;
        }
        // A block may begin with an empty line.
        let line = newline + 1 + usize::from(is_block && byte(bytes, newline + 1) == b'\n');
        Some(Self { is_block, key_line: margins::line_start(bytes, at), line })
    }

    /// Returns where the key and the text of the line at `line` begin behind their margins.
    fn behind_margins(&self, bytes: &[u8], line: usize) -> (usize, usize) {
        margins::behind_both(bytes, self.key_line, line).unwrap_or((self.key_line, line))
    }

    /// Returns where the text of the first line begins, if nothing but its key stands before the name at `start` and the line
    /// has more blanks in front.
    fn nested(&self, bytes: &[u8], start: usize) -> Option<usize> {
        let (above, below) = self.behind_margins(bytes, self.line);
        let from = blank(bytes, below);
        let is_deeper = from - below > blank(bytes, above) - above;
        (is_key(bytes.get(above..start.max(above))?) && is_deeper).then_some(from)
    }

    /// Reads the lines that are indented as the first one, and whether more may follow behind the text; no block has empty
    /// lines or many of them.
    fn lines(&self, bytes: &[u8]) -> Option<(Vec<(usize, usize)>, bool)> {
        let mut lines = Vec::new();
        let (mut line, mut indent) = (self.line, 1);
        while line < bytes.len() {
            let (_, below) = self.behind_margins(bytes, line);
            let from = blank(bytes, below);
            let to = run_end(bytes, from, MAX_LINE, |b| b != b'\n');
            let text = bytes.get(from..to)?.trim_ascii_end();
            if text.is_empty() || from - below < indent {
                return Some((lines, to >= bytes.len()));
            }
            if lines.len() == MAX_LINES || to == from + MAX_LINE {
                return None;
            }
            indent = if lines.is_empty() { from - below } else { indent };
            lines.push((from, from + text.len()));
            line = to + 1;
        }
        Some((lines, true))
    }
}

/// Returns the position behind the blanks at `from`.
fn blank(bytes: &[u8], from: usize) -> usize {
    run_end(bytes, from, MAX_INDENT, |b| b == b' ' || b == b'\t')
}

/// Returns where the value starts in the line below the name at `start`, whose colon is at `colon`.
pub(super) fn value(bytes: &[u8], start: usize, colon: usize) -> Option<usize> {
    let below = Below::read(bytes, start, colon)?;
    let from = below.nested(bytes, start)?;
    if quotation(bytes, from).is_some_and(|(_, close)| byte(bytes, close + 1) != b':') {
        return Some(from);
    }
    let to = run_end(bytes, from, 4096, |b| !b.is_ascii_whitespace());
    let word = bytes.get(from..to)?;
    let alone = matches!(byte(bytes, run_end(bytes, to, 8, |b| b == b' ' || b == b'\r')), 0 | b'\n');
    (alone && !word.ends_with(b":") && (below.is_block || is_nested(word))).then_some(from)
}

/// Finds the lines of the secret in a block of several words below the name at `start..end`. A block of one word is read as the
/// value of a line.
pub(super) fn block(text: &str, start: usize, end: usize) -> Option<Vec<Span>> {
    let bytes = text.as_bytes();
    let colon = run_end(bytes, end, 2, |b| b"\"'".contains(&b));
    let sign = blank(bytes, colon + 1);
    if byte(bytes, colon) != b':' || !b"|>".contains(&byte(bytes, sign)) {
        return None;
    }
    let below = Below::read(bytes, start, colon)?;
    below.nested(bytes, start)?;
    let (lines, _) = below.lines(bytes)?;
    let texts: Option<Vec<&str>> = lines.iter().map(|(from, to)| text.get(*from..*to)).collect();
    let label = label_of(text.get(start..end)?, &texts?)?;
    Some(lines.into_iter().map(|(from, to)| Span::new(from, to, label.clone())).collect())
}

/// Returns the label of the secret that the lines of a block are: words of a passphrase, or a word that is cut into lines.
fn label_of(name: &str, lines: &[&str]) -> Option<Label> {
    let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
    let noun = names::noun(name)?;
    if words.len() > lines.len() {
        let is_phrase = noun == Noun::Password && value::is_passphrase(&words.join(" "));
        return is_phrase.then_some(Label::Password);
    }
    let is_entry = |word: &str| {
        let word = word.trim_end_matches('=');
        word.contains([':', '=']) || word.starts_with(['-', '#', '{', '[', '$', '<'])
    };
    if lines.len() < 2 || words.iter().any(|word| is_entry(word)) {
        return None;
    }
    let whole = words.concat();
    let head = whole.get(..floor(&whole, value::HEAD))?;
    let is_token = words.iter().all(|word| value::is_token(word, Style::Plain(true), 8));
    match noun {
        Noun::Password => value::is_mixed(head, 6) && value::is_password(head, Style::Plain(true)),
        Noun::Secret | Noun::Token => is_token,
    }
    .then_some(if noun == Noun::Token { Label::ApiKey } else { Label::Password })
}

/// Returns the start of the line of a key whose block, or quotation in three marks, may go on behind `end`.
pub(super) fn open_before(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(..end)?;
    let mut start = end;
    for line_count in 0..=MAX_LINES + 2 {
        let last = start.checked_sub(1)?;
        start = last - line_before(bytes, last, MAX_LINE).len();
        let line = text.get(start..last)?;
        if line_count < 2 && opens_quotation(line) {
            return Some(start);
        }
        if before_block(line).is_some() && is_open(line) {
            let below = Below::read(bytes, start, start + line.rfind(':')?)?;
            let (_, is_unfinished) = below.lines(bytes)?;
            return is_unfinished.then_some(start);
        }
    }
    None
}

/// Returns whether a line ends with the marks of a quotation whose text stands in the line below.
fn opens_quotation(line: &str) -> bool {
    let line = line.trim_end();
    let line = line.strip_suffix('\\').unwrap_or(line);
    let before = line.strip_suffix("\"\"\"").or_else(|| line.strip_suffix("'''"));
    before.is_some_and(|before| takes_value(before.as_bytes()))
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
    let line = before_block(line).unwrap_or(line).trim_end();
    // An object of JSON whose first member is the value.
    let line = line.strip_suffix('{').unwrap_or(line).trim_end();
    let Some(line) = line.strip_suffix(':') else { return false };
    let line = line.trim_end_matches(['"', '\'', '`', ']', '\\']);
    let start = line.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c))).map_or(0, |at| at + 1);
    line.get(start..).is_some_and(|name| name.len() <= names::MAX_NAME && names::noun(name).is_some())
}

/// Returns a line without the sign that opens a block of YAML at its end.
fn before_block(line: &str) -> Option<&str> {
    let line = line.trim_end().trim_end_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
    line.strip_suffix(['|', '>'])
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

    fn assert_marked(text: &str, marked: &str) {
        assert_eq!(Scrubber::all().scrub(text), marked, "{text}");
        let mut stream = Scrubber::all().stream();
        let parts: String = text.split_inclusive('\n').map(|line| stream.push(line)).collect();
        assert_eq!(parts + &stream.finish(), marked, "{text}");
    }

    #[test]
    fn values_of_several_lines() {
        for text in [
            "password: |\n  Xk7-qP2v\n  Rw9zLm3n\nuser: joe\n",
            "a:\n  password: |2-\n\n    Xk7-qP2v\n    Rw9zLm3n\n  user: joe\n",
            "4\tpassword: |\n5\t  Xk7-qP2v\n6\t  Rw9zLm3n\n7\tuser: joe\n",
            "\"password\": >\n  Xk7-qP2v\n  Rw9zLm3n\n",
            "api_key: |\n  Xk7-qP2v\n  Rw9zLm3n\n",
        ] {
            let label = if text.starts_with("api") { "[API_KEY_REDACTED]" } else { "[PASSWORD_REDACTED]" };
            assert_marked(text, &text.replace("Xk7-qP2v", label).replace("Rw9zLm3n", label));
        }
        for text in [
            "password: >-\n  lantern otter summer monkey 39\n",
            "password: >-\n  lantern otter summer monkey 39\nuser: joe\n",
        ] {
            assert_marked(text, &text.replace("lantern otter summer monkey 39", "[PASSWORD_REDACTED]"));
        }
        let folded = "password: >-\n  lantern otter\n  summer monkey 39\nuser: joe\n";
        assert_marked(folded, "password: >-\n  [PASSWORD_REDACTED]\n  [PASSWORD_REDACTED]\nuser: joe\n");
        assert!(super::opens_quotation("login(\"joe\", \"\"\"") && !super::opens_quotation("the end\"\"\""));
        let tripled = "password = \"\"\"\nXk7-qP2vRw9z\n\"\"\"\nuser = 1\n";
        assert_marked(tripled, &tripled.replace("Xk7-qP2vRw9z", "[PASSWORD_REDACTED]"));
    }

    #[test]
    fn blocks_that_are_no_values() {
        for text in [
            "password: |\n  The password must have 8 characters\n  and one sign.\n",
            "password: |\n  curl -s host7/reset\n  echo done2\n",
            "password: >\n  a word of\n  the language\n",
            "token: |\n  a text about step2\n  and step3\n",
        ] {
            assert_marked(text, text);
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
