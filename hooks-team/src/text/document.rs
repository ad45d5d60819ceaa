//! A Markdown file with its headings.

use std::borrow::Cow;
use std::ops::Range;

use super::lines::{self, Kind, Line, Unclosed, ends_line};
use super::{FrontMatter, Splice, key, lossy, splice};

/// A file with its bytes and the positions of its sections. A file that is read and written again has the
/// same bytes.
///
/// Headings are those of CommonMark that begin with `#`. Fenced code, comments and front matter have no
/// headings. A fence or comment that is never closed hides nothing.
#[derive(Clone, Debug, Default)]
pub struct Document {
    bytes: Vec<u8>,
    lines: Vec<Line>,
    sections: Vec<Section>,
    unclosed: Option<Unclosed>,
}

/// A heading and the text after it, up to the next heading of any level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Level of the heading, from 1 to 6.
    pub level: u8,
    /// Range of the heading's text.
    pub title: Range<usize>,
    /// Start of the section: the line of the heading.
    pub start: usize,
    /// Start of the text after the line of the heading.
    pub body: usize,
    /// Start of the next heading, or the end of the file.
    pub end: usize,
    /// Start of the next heading of the same or a higher level, or the end of the file.
    pub below: usize,
}

impl Document {
    /// Parses `bytes`; every input is valid.
    pub fn parse(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let (lines, unclosed) = lines::scan(&bytes);
        let sections = sections(&bytes, &lines);
        Self { bytes, lines, sections, unclosed }
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of the file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the lines, with their kinds.
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the sections in order. Text before the first heading is in no section.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the text of `range`, with replacement characters for bytes that are not UTF-8.
    pub fn text(&self, range: Range<usize>) -> Cow<'_, str> {
        lossy(self.slice(range))
    }

    /// Returns the title of `section`.
    pub fn title_of(&self, section: &Section) -> Cow<'_, str> {
        self.text(section.title.clone())
    }

    /// Returns the title of the file: its first heading, if that is of the first level.
    pub fn title(&self) -> Option<Cow<'_, str>> {
        self.sections.first().filter(|first| first.level == 1).map(|first| self.title_of(first))
    }

    /// Returns the first section called `title`, ignoring case, punctuation and emoji.
    ///
    /// ```
    /// use hooks_team::text::Document;
    ///
    /// let document = Document::parse("# Ada\n\n## What I Own\n\nThe parser.\n");
    /// let section = document.section("what i own").expect("any case is fine");
    /// assert_eq!(document.text(section.body..section.end).trim(), "The parser.");
    /// assert!(document.section("Boundaries").is_none());
    /// ```
    pub fn section(&self, title: &str) -> Option<&Section> {
        let wanted = key(title);
        self.sections.iter().find(|section| key(&self.title_of(section)) == wanted)
    }

    /// Returns the first second-level section called `title`, which groups entries. A block that is added
    /// after it is in its group; that does not hold for headings of the first level.
    pub(crate) fn group(&self, title: &str) -> Option<&Section> {
        let wanted = key(title);
        self.sections.iter().find(|section| section.level == 2 && key(&self.title_of(section)) == wanted)
    }

    /// Returns the front matter at the beginning of the file.
    pub fn front_matter(&self) -> Option<FrontMatter<'_>> {
        let count = self.lines.iter().take_while(|line| line.kind == Kind::FrontMatter).count();
        let lines = self.lines.get(1..count.checked_sub(1)?)?;
        Some(FrontMatter::new(self, lines))
    }

    /// Returns the line end that this file uses.
    pub fn newline(&self) -> &'static str {
        match self.lines.first().map(|first| self.slice(first.start..first.end)) {
            Some([.., b'\r', b'\n']) => "\r\n",
            Some([.., b'\r']) => "\r",
            _ => "\n",
        }
    }

    /// Returns the file with `edits` applied, and otherwise unchanged.
    ///
    /// ```
    /// use hooks_team::text::{Document, Splice};
    ///
    /// let document = Document::parse("one two");
    /// assert_eq!(document.with(vec![Splice::replace(4..7, "2"), Splice::insert(0, "> ")]), b"> one 2");
    /// ```
    pub fn with(&self, edits: Vec<Splice>) -> Vec<u8> {
        splice::apply(&self.bytes, edits)
    }

    /// Adds `block` after the text in `range`, before the empty lines at its end. If there is text, an empty
    /// line separates the two. The lines of `block` get the line ends of this file.
    pub(crate) fn add_behind(&self, range: Range<usize>, block: &str) -> Splice {
        let newline = self.newline();
        let lines: String = block.lines().flat_map(|line| [line, newline]).collect();
        self.add_bytes_behind(range, lines.as_bytes())
    }

    /// Adds whole lines after the text in `range`, unchanged.
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
        // An empty line separates the block from the text after it.
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

    /// Returns the lines that begin within `range`.
    pub(crate) fn lines_in(&self, range: &Range<usize>) -> &[Line] {
        let first = self.lines.partition_point(|line| line.start < range.start);
        let last = self.lines.partition_point(|line| line.start < range.end);
        self.lines.get(first..last).unwrap_or_default()
    }

    /// Returns the text of a line, without its line end.
    pub(crate) fn line(&self, line: Line) -> &[u8] {
        lines::visible(&self.bytes, line)
    }

    /// Returns the end of the text in `range`: before its empty lines, and before a separate thematic break.
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

/// A document is written as the bytes from which it was parsed.
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
    // Sections whose subsections may go on: one for each level, so at most six.
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
