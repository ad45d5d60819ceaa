//! A file of Markdown, whole, with its headings found.

use std::borrow::Cow;
use std::ops::Range;

use super::lines::{self, Kind, Line, Unclosed, ends_line};
use super::{FrontMatter, Splice, key, lossy, splice};

/// A file: its bytes, and where its sections are. Reading and writing it back is the same bytes.
///
/// Headings are those of CommonMark that begin with `#`; in code between fences, in comments and in front matter
/// there are none. A fence or comment that is never closed hides nothing.
#[derive(Clone, Debug, Default)]
pub struct Document {
    bytes: Vec<u8>,
    lines: Vec<Line>,
    sections: Vec<Section>,
    unclosed: Option<Unclosed>,
}

/// A heading and the text behind it, up to the next heading of whatever level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// From 1 to 6.
    pub level: u8,
    /// Where the heading's text is.
    pub title: Range<usize>,
    /// Where the section begins: the heading's line.
    pub start: usize,
    /// Where the text behind the heading's line begins.
    pub body: usize,
    /// Where the next heading begins, or the end of the file.
    pub end: usize,
    /// Where the next heading begins that is not below this one, or the end of the file.
    pub below: usize,
}

impl Document {
    /// Reads `bytes`, whatever they are.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let (lines, unclosed) = lines::scan(&bytes);
        let sections = sections(&bytes, &lines);
        Self { bytes, lines, sections, unclosed }
    }

    /// The file as it was read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The file as it was read.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The sections in order. What stands before the first is in none.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The text of `range`; bytes that are no UTF-8 show as replacement characters.
    pub fn text(&self, range: Range<usize>) -> Cow<'_, str> {
        lossy(self.slice(range))
    }

    /// The title of `section`.
    pub fn title_of(&self, section: &Section) -> Cow<'_, str> {
        self.text(section.title.clone())
    }

    /// The file's own title: its first heading, if that is of the first level.
    pub fn title(&self) -> Option<Cow<'_, str>> {
        self.sections.first().filter(|first| first.level == 1).map(|first| self.title_of(first))
    }

    /// The first section called `title`, without regard to case, punctuation and pictures.
    pub fn section(&self, title: &str) -> Option<&Section> {
        let wanted = key(title);
        self.sections.iter().find(|section| key(&self.title_of(section)) == wanted)
    }

    /// The same among headings of the second level, which group entries. What is added behind one stands in its group; of a
    /// heading of the first level that is not so.
    pub(crate) fn group(&self, title: &str) -> Option<&Section> {
        let wanted = key(title);
        self.sections.iter().find(|section| section.level == 2 && key(&self.title_of(section)) == wanted)
    }

    /// What stands between the marks at the beginning of the file.
    pub fn front_matter(&self) -> Option<FrontMatter<'_>> {
        let count = self.lines.iter().take_while(|line| line.kind == Kind::FrontMatter).count();
        let lines = self.lines.get(1..count.checked_sub(1)?)?;
        Some(FrontMatter::new(self, lines))
    }

    /// The end of line this file uses.
    pub fn newline(&self) -> &'static str {
        match self.lines.first().map(|first| self.slice(first.start..first.end)) {
            Some([.., b'\r', b'\n']) => "\r\n",
            Some([.., b'\r']) => "\r",
            _ => "\n",
        }
    }

    /// The file with `edits` made, everything else as it was.
    pub fn with(&self, edits: Vec<Splice>) -> Vec<u8> {
        splice::apply(&self.bytes, edits)
    }

    /// Adds `block` behind what is written in `range`, before the empty lines at its end, with an empty line before it
    /// where there is text. Its lines end as those of this file do.
    pub(crate) fn add_behind(&self, range: Range<usize>, block: &str) -> Splice {
        let newline = self.newline();
        let lines: String = block.lines().flat_map(|line| [line, newline]).collect();
        self.add_bytes_behind(range, lines.as_bytes())
    }

    /// The same with whole lines that are added as they are.
    pub(crate) fn add_bytes_behind(&self, range: Range<usize>, block: &[u8]) -> Splice {
        let newline = self.newline().as_bytes();
        let written = self.written_end(range.clone());
        let mut text = Vec::with_capacity(block.len() + 6);
        if written > range.start.max(bom(&self.bytes)) {
            if !ends_line(self.slice(0..written)) {
                text.extend_from_slice(newline);
            }
            text.extend_from_slice(newline);
        }
        text.extend_from_slice(block);
        // What follows is kept apart as well.
        if self.line_at(written).is_some_and(|line| line.kind != Kind::Blank) {
            text.extend_from_slice(newline);
        }
        Splice::insert(written, text)
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    pub(crate) fn unclosed(&self) -> Option<Unclosed> {
        self.unclosed
    }

    /// The lines that begin within `range`.
    pub(crate) fn lines_in(&self, range: &Range<usize>) -> &[Line] {
        let first = self.lines.partition_point(|line| line.start < range.start);
        let last = self.lines.partition_point(|line| line.start < range.end);
        self.lines.get(first..last).unwrap_or_default()
    }

    /// The text of a line, without its end.
    pub(crate) fn line(&self, line: Line) -> &[u8] {
        lines::visible(&self.bytes, line)
    }

    /// Where what is written in `range` ends: before its empty lines, and before a thematic break that stands alone.
    pub(crate) fn written_end(&self, range: Range<usize>) -> usize {
        let lines = self.lines_in(&range);
        let mut rest = lines;
        while let [before @ .., last] = rest {
            let apart = matches!(before, [.., line] if line.kind == Kind::Blank) || before.is_empty();
            match last.kind {
                Kind::Blank => rest = before,
                Kind::Rule if apart && before.iter().any(|line| line.kind != Kind::Blank) => rest = before,
                _ => return last.end.min(range.end),
            }
        }
        range.start
    }

    fn line_at(&self, start: usize) -> Option<&Line> {
        let number = self.lines.binary_search_by_key(&start, |line| line.start).ok()?;
        self.lines.get(number)
    }
}

/// A document is written as the bytes it was read from.
impl AsRef<[u8]> for Document {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn bom(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}

fn sections(bytes: &[u8], lines: &[Line]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    // The sections whose ends below are not known yet: one a level, so there are six at most.
    let mut open: Vec<(u8, usize)> = Vec::new();
    for line in lines {
        let Kind::Heading(level) = line.kind else { continue };
        let text = lines::visible(bytes, *line);
        let skipped = if line.start == 0 { bom(bytes) } else { 0 };
        let (at, title) = lines::heading(text);
        let title_start = line.start + skipped + at;
        if let Some(last) = sections.last_mut() {
            last.end = line.start;
        }
        while let Some((_, closed)) = open.pop_if(|(above, _)| *above >= level) {
            if let Some(closed) = sections.get_mut(closed) {
                closed.below = line.start;
            }
        }
        open.push((level, sections.len()));
        sections.push(Section {
            level,
            title: title_start..title_start + title.len(),
            start: line.start,
            body: line.end,
            end: bytes.len(),
            below: bytes.len(),
        });
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_tile_the_file_behind_the_first_heading() {
        let document = Document::parse("pre\n# A\na\n## B\n```\n## no\n```\n### C\n## D\n# E");
        let shown: Vec<_> = document
            .sections()
            .iter()
            .map(|section| (document.title_of(section), document.text(section.start..section.below)))
            .map(|(title, text)| (title.into_owned(), text.matches("# ").count()))
            .collect();
        assert_eq!(shown.iter().map(|(title, _)| &**title).collect::<String>(), "ABCDE");
        assert_eq!(shown.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [5, 3, 1, 1, 1]);
        assert_eq!(document.section("b").unwrap().level, 2);
        assert_eq!(document.title(), Some("A".into()));
    }

    #[test]
    fn text_is_added_behind_what_is_written() {
        let add = |text: &str, title: &str| {
            let document = Document::parse(text);
            let section = document.section(title).unwrap();
            let splice = document.add_behind(section.start..section.below, "### new\nline\n");
            String::from_utf8(document.with(vec![splice])).unwrap()
        };
        assert_eq!(
            add("# T\n\n## A\n\nold\n\n\n## B\n", "a"),
            "# T\n\n## A\n\nold\n\n### new\nline\n\n\n## B\n"
        );
        assert_eq!(add("## A\nold\n## B", "a"), "## A\nold\n\n### new\nline\n\n## B");
        assert_eq!(add("## A", "a"), "## A\n\n### new\nline\n");
        assert_eq!(add("## A\r\nold", "a"), "## A\r\nold\r\n\r\n### new\r\nline\r\n");
        assert_eq!(add("## A\n\nold\n\n---\n\n## B\n", "a"), "## A\n\nold\n\n### new\nline\n\n---\n\n## B\n");
    }

    #[test]
    fn a_mark_of_byte_order_and_bytes_that_are_no_text_stay() {
        let bytes = b"\xEF\xBB\xBF# A\r\n\xFF\xFE\0## x\r\n## B".to_vec();
        let document = Document::parse(bytes.clone());
        assert_eq!(document.title(), Some("A".into()));
        assert_eq!(document.sections().len(), 2);
        assert_eq!(document.with(Vec::new()), bytes);
    }
}
