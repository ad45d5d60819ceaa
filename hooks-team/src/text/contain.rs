//! Keeps text of others within the place it is put: nothing it holds opens or closes what is around it.

use super::lines::Unclosed;
use super::{Document, Splice};

/// `text` with its headings below `level`, and nothing left open. All of its words stay.
pub(crate) fn contained(text: &str, level: u8) -> String {
    let document = Document::parse(balanced(text.trim_end().as_bytes()));
    let highest = document.sections().iter().map(|section| section.level).min().unwrap_or(u8::MAX);
    let deeper = (level + 1).saturating_sub(highest);
    let edits = document.sections().iter().filter(|_| deeper > 0).map(|section| {
        // There is no seventh level; what would be there stands on the sixth.
        let marks = "#".repeat(usize::from(deeper.min(6 - section.level.min(6))));
        Splice::insert(section.start + indent(document.slice(section.start..section.body)), marks)
    });
    let edits = edits.collect();
    String::from_utf8_lossy(&document.with(edits)).into_owned()
}

/// `text` with the code or comment that it leaves open closed at its end.
pub(crate) fn balanced(text: &[u8]) -> Vec<u8> {
    let document = Document::parse(text);
    let close = match document.unclosed() {
        None => return document.into_bytes(),
        Some(Unclosed::Fence(fence)) => vec![fence.mark; fence.length],
        Some(Unclosed::Comment) => b"-->".to_vec(),
    };
    let newline = document.newline();
    let mut text = document.into_bytes();
    if !text.ends_with(b"\n") {
        text.extend_from_slice(newline.as_bytes());
    }
    text.extend(close);
    text.extend_from_slice(newline.as_bytes());
    text
}

/// `text` on one line: every run of space, ends of lines and control characters is a space.
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
        assert_eq!(contained("~~~\n# a\n~~~", 3), "~~~\n# a\n~~~");
    }

    #[test]
    fn nothing_is_left_open() {
        for text in ["```\n~~~", "````\n```", "<!--\n```", "```\n<!--", "~~~~\n~~~", "```a\n```b"] {
            let closed = balanced(text.as_bytes());
            assert_eq!(Document::parse(closed.clone()).unclosed(), None, "{text}: {}", String::from_utf8_lossy(&closed));
        }
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line(" a\r\n\tb\u{0}c\u{2028}d "), "a b c d");
    }
}
