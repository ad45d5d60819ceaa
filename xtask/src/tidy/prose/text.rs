//! Passages of prose in Rust and Markdown: paragraphs, without code, tables and links' targets.

/// A paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// Part that the paragraph has in the text around it.
    pub(super) kind: Kind,
    /// Line where it begins, from 1.
    pub(super) line: usize,
    /// Words of the paragraph, on one line.
    pub(super) text: String,
}

/// Part that a passage has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first paragraph of a doc comment.
    Opening,
    /// The first paragraph below `# Errors`.
    Errors,
    /// A string literal that is shown to users.
    Message,
    /// Any other.
    Plain,
}

/// The passages of comments.
pub(super) fn of_rust(text: &str) -> Vec<Passage> {
    let mut found = Vec::new();
    let mut block = Block::default();
    let mut marker = "";
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_start();
        let now = ["///", "//!", "//"].into_iter().find(|marker| line.starts_with(marker)).unwrap_or("");
        if now != marker {
            found.append(&mut block.end());
            marker = now;
            block = Block { next: if now == "//" { Kind::Plain } else { Kind::Opening }, ..Block::default() };
        }
        if !now.is_empty() {
            block.line(line.get(now.len()..).unwrap_or_default(), number);
        }
    }
    found.append(&mut block.end());
    found
}

/// The passages of a page.
pub(super) fn of_markdown(text: &str) -> Vec<Passage> {
    let mut block = Block::default();
    for (line, number) in text.lines().zip(1..) {
        block.line(line, number);
    }
    block.end()
}

/// Paragraphs of one comment or page, as they are collected.
struct Block {
    found: Vec<Passage>,
    next: Kind,
    in_code: bool,
    line: usize,
    text: String,
}

impl Default for Block {
    fn default() -> Self {
        Self { found: Vec::new(), next: Kind::Plain, in_code: false, line: 0, text: String::new() }
    }
}

impl Block {
    fn line(&mut self, line: &str, number: usize) {
        let line = line.trim();
        if line.starts_with("```") {
            self.paragraph();
            self.in_code = !self.in_code;
            return;
        }
        let is_heading = line.starts_with('#');
        if self.in_code || line.is_empty() || is_heading || line.starts_with(['|', '<']) {
            self.paragraph();
            if is_heading && !self.in_code {
                self.next = if line == "# Errors" { Kind::Errors } else { Kind::Plain };
            }
            return;
        }
        if line.starts_with("* ") || line.starts_with("- ") || starts_with_number(line) {
            self.paragraph();
        }
        if self.text.is_empty() {
            self.line = number;
        } else {
            self.text.push(' ');
        }
        self.text.push_str(line);
    }

    fn paragraph(&mut self) {
        if !self.text.is_empty() {
            let text = without_targets(&std::mem::take(&mut self.text));
            self.found.push(Passage { kind: self.next, line: self.line, text });
            self.next = Kind::Plain;
        }
    }

    fn end(&mut self) -> Vec<Passage> {
        self.paragraph();
        std::mem::take(&mut self.found)
    }
}

/// An entry of a numbered list.
fn starts_with_number(line: &str) -> bool {
    line.split_once(". ").is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A text without the targets of its links: `[a](b)` is `[a]`.
fn without_targets(text: &str) -> String {
    let mut parts = text.split("](");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push(']');
        kept.push_str(part.split_once(')').map_or("", |(_, after)| after));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(passages: &[Passage]) -> Vec<(Kind, usize, &str)> {
        passages.iter().map(|passage| (passage.kind, passage.line, &*passage.text)).collect()
    }

    #[test]
    fn comments_are_split_into_passages() {
        let text = "//! A module.\n\n/// Reads\n/// it.\n///\n/// More.\n///\n/// ```\n/// code\n/// ```\n///\n/// # Errors\n/// It fails.\nfn a() {\n    // Why.\n}\n";
        let expected = [
            (Kind::Opening, 1, "A module."),
            (Kind::Opening, 3, "Reads it."),
            (Kind::Plain, 6, "More."),
            (Kind::Errors, 13, "It fails."),
            (Kind::Plain, 15, "Why."),
        ];
        assert_eq!(texts(&of_rust(text)), expected);
    }

    #[test]
    fn pages_are_split_into_passages() {
        let text = "# Title\n\nA [link](there.md) in\ntext.\n\n| a | table |\n\n* one\n* two\n1. three\n";
        let expected = [
            (Kind::Plain, 3, "A [link] in text."),
            (Kind::Plain, 8, "* one"),
            (Kind::Plain, 9, "* two"),
            (Kind::Plain, 10, "1. three"),
        ];
        assert_eq!(texts(&of_markdown(text)), expected);
    }
}
