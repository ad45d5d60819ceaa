//! Classifies the lines of a Markdown text in linear time for every input: one backward pass, then one
//! forward pass.

use memchr::{memchr2_iter, memmem};

/// A line with its range, line end included, and its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
}

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Blank,
    Text,
    Heading(u8),
    /// A thematic break.
    Rule,
    /// First line of a top-level list item.
    Item,
    Quote,
    /// A fence, or code between two fences.
    Fenced,
    Comment,
    FrontMatter,
}

/// A structure that a text opens and does not close. It is read as plain text, so that it hides nothing of
/// the text after it. Text that is appended could close it by accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclosed {
    Fence(Fence),
    Comment,
}

/// A line that opens or closes fenced code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    pub(crate) mark: u8,
    pub(crate) length: usize,
    /// Whether the line has no other text, so that it can close code.
    bare: bool,
}

/// State of the forward pass.
enum Within {
    Nothing,
    Fence(Fence),
    Comment,
}

/// Classifies the lines of `bytes`, and returns the structure that stays unclosed.
pub(crate) fn scan(bytes: &[u8]) -> (Vec<Line>, Option<Unclosed>) {
    let mut lines = split(bytes);
    let front_matter = front_matter(bytes, &lines);
    let mut fences = fences(bytes, &lines);
    let last_comment_end = memmem::rfind(bytes, b"-->");
    let (mut within, mut unclosed) = (Within::Nothing, None);

    for (number, line) in lines.iter_mut().enumerate() {
        let text = visible(bytes, *line);
        let fence = fences.pop_if(|(at, ..)| *at == number);
        if number < front_matter {
            line.kind = Kind::FrontMatter;
            continue;
        }
        line.kind = match within {
            Within::Fence(open) => {
                if fence.is_some_and(|(_, fence, _)| fence.closes(open)) {
                    within = Within::Nothing;
                }
                Kind::Fenced
            }
            Within::Comment => {
                if memmem::find(text, b"-->").is_some() {
                    within = Within::Nothing;
                }
                Kind::Comment
            }
            Within::Nothing => {
                let (kind, opened) = match fence.filter(|(_, fence, _)| fence.opens(text)) {
                    Some((_, open, true)) => {
                        within = Within::Fence(open);
                        (Kind::Fenced, None)
                    }
                    Some((_, open, false)) => (Kind::Text, Some(Unclosed::Fence(open))),
                    None => match comment(text) {
                        Comment::Whole => (Kind::Comment, None),
                        Comment::Begun if last_comment_end.is_some_and(|end| end >= line.end) => {
                            within = Within::Comment;
                            (Kind::Comment, None)
                        }
                        Comment::Begun => (Kind::Text, Some(Unclosed::Comment)),
                        Comment::None => (kind(text), None),
                    },
                };
                unclosed = unclosed.or(opened);
                kind
            }
        };
    }
    (lines, unclosed)
}

/// Role of a line in comments.
enum Comment {
    None,
    /// The line begins a comment that goes on.
    Begun,
    /// The line begins and ends a comment.
    Whole,
}

fn comment(text: &[u8]) -> Comment {
    match unindented(text).and_then(|text| text.strip_prefix(b"<!--")) {
        None => Comment::None,
        Some(rest) if memmem::find(rest, b"-->").is_some() => Comment::Whole,
        Some(_) => Comment::Begun,
    }
}

impl Fence {
    /// Parses a line of three or more backticks or tildes.
    fn read(text: &[u8]) -> Option<Self> {
        let text = unindented(text)?;
        let mark = *text.first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = text.iter().take_while(|byte| **byte == mark).count();
        let rest = text.get(length..).unwrap_or_default();
        (length >= 3).then(|| Self { mark, length, bare: rest.trim_ascii().is_empty() })
    }

    /// Whether the line can open code. After backticks there must be no further backtick: that would be code
    /// within a line.
    fn opens(self, text: &[u8]) -> bool {
        let info = unindented(text).and_then(|text| text.get(self.length..)).unwrap_or_default();
        self.mark == b'~' || !info.contains(&b'`')
    }

    fn closes(self, open: Self) -> bool {
        self.bare && self.mark == open.mark && self.length >= open.length
    }
}

/// Returns the text of a line without its line end and without a byte order mark.
pub(crate) fn visible(bytes: &[u8], line: Line) -> &[u8] {
    let text = bytes.get(line.start..line.end).unwrap_or_default();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if line.start == 0 { text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text) } else { text }
}

/// Whether `bytes` end with a line end.
pub(crate) fn ends_line(bytes: &[u8]) -> bool {
    matches!(bytes.last(), Some(b'\n' | b'\r'))
}

/// Returns the title in the line of a heading, with its start.
pub(crate) fn heading(text: &[u8]) -> (usize, &[u8]) {
    let indent = text.iter().take_while(|byte| **byte == b' ').count();
    let marks = text.iter().skip(indent).take_while(|byte| **byte == b'#').count();
    let rest = text.get(indent + marks..).unwrap_or_default();
    let title = rest.trim_ascii();
    // Marks at the end are part of the title only if no space is before them.
    let closed = title.trim_ascii_end();
    let without = closed.iter().rev().skip_while(|byte| **byte == b'#').count();
    let title = match closed.get(..without) {
        Some([]) => &[],
        Some(short) if short.last().is_some_and(u8::is_ascii_whitespace) => short.trim_ascii_end(),
        _ => closed,
    };
    (indent + marks + (rest.len() - rest.trim_ascii_start().len()), title)
}

fn split(bytes: &[u8]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(memchr2_iter(b'\n', b'\r', bytes).count() + 1);
    let mut start = 0;
    for mark in memchr2_iter(b'\n', b'\r', bytes) {
        // A carriage return followed by a line feed is one line end, and so is a single carriage return.
        if bytes.get(mark..mark + 2) == Some(b"\r\n") {
            continue;
        }
        lines.push(Line { start, end: mark + 1, kind: Kind::Text });
        start = mark + 1;
    }
    if start < bytes.len() {
        lines.push(Line { start, end: bytes.len(), kind: Kind::Text });
    }
    lines
}

/// Returns every fence, the last one first, and whether a closing fence follows it.
fn fences(bytes: &[u8], lines: &[Line]) -> Vec<(usize, Fence, bool)> {
    let mut found = Vec::new();
    // Lengths of the longest closing fences after the current line.
    let (mut backticks, mut tildes) = (0, 0);
    for (number, line) in lines.iter().enumerate().rev() {
        let Some(fence) = Fence::read(visible(bytes, *line)) else { continue };
        let longest = if fence.mark == b'~' { &mut tildes } else { &mut backticks };
        found.push((number, fence, *longest >= fence.length));
        if fence.bare {
            *longest = fence.length.max(*longest);
        }
    }
    found
}

/// Counts the lines of the front matter; 0 if the lines between the marks are not keys and values.
fn front_matter(bytes: &[u8], lines: &[Line]) -> usize {
    let mut texts = lines.iter().map(|line| visible(bytes, *line));
    if texts.next().is_none_or(|first| first.trim_ascii_end() != b"---") {
        return 0;
    }
    for (text, number) in texts.zip(2..) {
        match text.trim_ascii_end() {
            b"---" | b"..." => return if number > 2 { number } else { 0 },
            [] | [b' ' | b'\t' | b'#' | b'-', ..] => {}
            [first, ..]
                if text.contains(&b':')
                    && (first.is_ascii_alphanumeric() || matches!(first, b'"' | b'\'' | b'_')) => {}
            _ => return 0,
        }
    }
    0
}

fn kind(text: &[u8]) -> Kind {
    if text.trim_ascii().is_empty() {
        return Kind::Blank;
    }
    let Some(text) = unindented(text) else { return Kind::Text };
    let marks = text.iter().take_while(|byte| **byte == b'#').count();
    match text {
        [b'#', ..] if marks <= 6 && text.get(marks).is_none_or(|byte| matches!(byte, b' ' | b'\t')) => {
            Kind::Heading(u8::try_from(marks).unwrap_or(6))
        }
        [b'>', ..] => Kind::Quote,
        _ if is_rule(text) => Kind::Rule,
        _ if item_marker(text).is_some() => Kind::Item,
        _ => Kind::Text,
    }
}

fn is_rule(text: &[u8]) -> bool {
    let mut marks = text.iter().filter(|byte| !matches!(byte, b' ' | b'\t'));
    let Some(first @ (b'-' | b'*' | b'_')) = marks.next() else { return false };
    let mut count = 1;
    marks.all(|mark| {
        count += 1;
        mark == first
    }) && count >= 3
}

/// Returns the length of a list item's marker, with the space after it.
pub(crate) fn item_marker(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = match text.get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    matches!(text.get(mark), Some(b' ' | b'\t')).then_some(mark + 1)
}

/// Returns the text after up to three spaces. Returns `None` if there are more spaces: the line is then code
/// or belongs to an item.
fn unindented(text: &[u8]) -> Option<&[u8]> {
    let indent = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(indent..).filter(|text| indent <= 3 && text.first() != Some(&b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        scan(text.as_bytes()).0.iter().map(|line| line.kind).collect()
    }

    #[test]
    fn code_and_comments_hide_headings() {
        use Kind::{Comment, Fenced, Heading, Text};
        assert_eq!(kinds("# a\n```sh\n# b\n```\n# c"), [Heading(1), Fenced, Fenced, Fenced, Heading(1)]);
        assert_eq!(kinds("~~~~\n~~~\n# b\n~~~~~\n## c"), [Fenced, Fenced, Fenced, Fenced, Heading(2)]);
        assert_eq!(kinds("<!-- a\n# b\n-->\n# c"), [Comment, Comment, Comment, Heading(1)]);
        assert_eq!(kinds("<!-- a --> b\n# c"), [Comment, Heading(1)]);
        assert_eq!(kinds("``` a`\n# b\n```"), [Text, Heading(1), Text]);
        assert_eq!(kinds("# a\r## b\r\r\n# c"), [Heading(1), Heading(2), Kind::Blank, Heading(1)]);
        assert_eq!(kinds("#a\n    # b\n\t# c\n#\n####### d"), [Text, Text, Text, Heading(1), Text]);
    }

    #[test]
    fn what_is_never_closed_hides_nothing() {
        use Kind::{Heading, Text};
        assert_eq!(kinds("```\n# a"), [Text, Heading(1)]);
        assert_eq!(kinds("````\n# a\n```"), [Text, Heading(1), Text]);
        assert_eq!(kinds("<!-- a\n# b"), [Text, Heading(1)]);
        let fence = |text: &str| scan(text.as_bytes()).1;
        assert_eq!(fence("~~~x\na"), Some(Unclosed::Fence(Fence { mark: b'~', length: 3, bare: false })));
        assert_eq!(fence("a\n<!-- b"), Some(Unclosed::Comment));
        assert_eq!(fence("```\n<!--\n```\n"), None);
    }

    #[test]
    fn front_matter_is_no_heading() {
        use Kind::{FrontMatter, Heading, Rule, Text};
        assert_eq!(
            kinds("---\r\na: b\r\n# c\r\n---\r\n# d"),
            [FrontMatter; 4].into_iter().chain([Heading(1)]).collect::<Vec<_>>()
        );
        assert_eq!(kinds("\u{feff}---\na: b\n---"), [FrontMatter; 3]);
        assert_eq!(kinds("---\nplain words\n---"), [Rule, Text, Rule]);
    }

    #[test]
    fn titles_are_read_without_their_marks() {
        let title = |text: &str| String::from_utf8(heading(text.as_bytes()).1.to_vec()).unwrap();
        assert_eq!(title("## a ##"), "a");
        assert_eq!(title("#  C# "), "C#");
        assert_eq!(title("# ##"), "");
        assert_eq!(title("#"), "");
        assert_eq!(heading(b"  ##  a").0, 6);
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        // Fences of decreasing length, and comments. None of them is closed, so a simple parser would search
        // to the end for each.
        let mut text = String::new();
        for length in (3..1_500).rev() {
            text.push_str(&"`".repeat(length));
            text.push_str(" a\n<!-- \n");
        }
        let (lines, unclosed) = scan(text.as_bytes());
        assert_eq!(lines.len(), 2 * 1_497);
        assert!(unclosed.is_some());
    }
}
