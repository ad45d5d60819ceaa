//! Keeps text of others within its place: nothing in it opens or closes a structure of the text around it.

use memchr::memmem;

use super::lines::{Unclosed, ends_line};
use super::{Document, Kind, Splice};

/// Moves the headings of `text` below `level`, and closes open code and comments. All of its words stay.
pub(crate) fn contained(text: &str, level: u8) -> String {
    // Some readers end a line at a single carriage return.
    let text = text.trim_end().replace("\r\n", "\n").replace('\r', "\n");
    let document = Document::parse(balanced(text.as_bytes()));
    let highest = document.sections().iter().map(|section| section.level).min().unwrap_or(u8::MAX);
    let deeper = (level + 1).saturating_sub(highest);
    let edits = document.sections().iter().filter(|_| deeper > 0).map(|section| {
        // There is no seventh level; deeper headings become sixth-level headings.
        let marks = "#".repeat(usize::from(deeper.min(6 - section.level.min(6))));
        Splice::insert(section.start + indent(document.slice(section.start..section.body)), marks)
    });
    let edits = edits.collect();
    String::from_utf8_lossy(&document.with(edits)).into_owned()
}

/// Closes code or a comment that is still open at the end of `text`.
pub(crate) fn balanced(text: &[u8]) -> Vec<u8> {
    let document = Document::parse(text);
    let close = match document.unclosed() {
        None => return document.into_bytes(),
        Some(Unclosed::Fence(fence)) => vec![fence.mark; fence.length],
        Some(Unclosed::Comment) => b"-->".to_vec(),
    };
    let newline = document.newline();
    let mut text = document.into_bytes();
    if !ends_line(&text) {
        text.extend_from_slice(newline.as_bytes());
    }
    text.extend(close);
    text.extend_from_slice(newline.as_bytes());
    text
}

/// Prepares `block` for the end of `document`. An unclosed fence or comment in `document` hides nothing as
/// long as it stays unclosed. In that case, lines of `block` that could close it are quoted.
pub(crate) fn guarded(document: &Document, block: Vec<u8>) -> Vec<u8> {
    if document.unclosed().is_none() {
        return block;
    }
    let block = Document::parse(block);
    let mut guarded = Vec::with_capacity(block.bytes().len() * 2);
    for line in block.lines_in(&(0..block.bytes().len())) {
        if matches!(line.kind, Kind::Fenced | Kind::Comment) {
            guarded.extend_from_slice(b"> ");
        }
        let mut text = block.slice(line.start..line.end);
        while let Some(at) = memmem::find(text, b"-->") {
            guarded.extend_from_slice(text.get(..at).unwrap_or_default());
            guarded.extend_from_slice(b"--&gt;");
            text = text.get(at + 3..).unwrap_or_default();
        }
        guarded.extend_from_slice(text);
    }
    guarded
}

/// Puts `text` on one line: every run of white space and control characters becomes a space.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn indent(line: &[u8]) -> usize {
    let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    line.len() - text.trim_ascii_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_go_below_and_code_is_closed() {
        assert_eq!(contained("# a\nb\n## c\n", 3), "#### a\nb\n##### c");
        assert_eq!(contained("#### a", 3), "#### a");
        assert_eq!(contained("# a\n###### b", 3), "#### a\n###### b");
        assert_eq!(contained("```sh\n# a", 3), "```sh\n# a\n```\n");
        assert_eq!(contained("a\n<!-- b", 3), "a\n<!-- b\n-->\n");
        assert_eq!(contained("a\r# b\r\nc", 3), "a\n#### b\nc");
        assert_eq!(contained("~~~\n# a\n~~~", 3), "~~~\n# a\n~~~");
    }

    #[test]
    fn nothing_is_left_open() {
        for text in ["```\n~~~", "````\n```", "<!--\n```", "```\n<!--", "~~~~\n~~~", "```a\n```b"] {
            let closed = balanced(text.as_bytes());
            assert_eq!(
                Document::parse(closed.clone()).unclosed(),
                None,
                "{text}: {}",
                String::from_utf8_lossy(&closed)
            );
        }
    }

    #[test]
    fn what_others_left_open_stays_open() {
        for open in ["```\n", "~~~~\n", "<!-- x\n"] {
            let document = Document::parse(open);
            let block = b"### a\n```\n# b\n```\n~~~~\nc\n~~~~\n<!-- d -->\ne -->\n".to_vec();
            let whole = Document::parse([open.as_bytes(), &guarded(&document, block)].concat());
            assert_eq!(whole.sections().len(), 1, "{}", String::from_utf8_lossy(whole.bytes()));
            assert!(whole.unclosed().is_some());
        }
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line(" a\r\n\tb\u{0}c\u{2028}d "), "a b c d");
    }
}
