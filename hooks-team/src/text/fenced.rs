//! Fenced code of one language, as the blocks that programs read.

use super::lines::{Kind, visible};
use super::{Document, lossy};

/// Fenced code, without its fences.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FencedCode {
    /// Text between the fences.
    pub text: String,
    /// Number of the line of the first fence, from 1.
    pub line: usize,
    /// Whether it is code: the fence is closed, and begins its line. A reader has to report other blocks,
    /// because their writer meant them to count.
    pub is_closed: bool,
}

impl Document {
    /// Returns the fenced code whose first word after the fence is `language`.
    ///
    /// ```
    /// use hooks_team::text::Document;
    ///
    /// let document = Document::parse("# Ada\n\n```boundaries\nwrites: [src/**]\n```\n");
    /// let code = document.fenced("boundaries");
    /// assert_eq!((code[0].text.as_str(), code[0].line), ("writes: [src/**]\n", 3));
    /// assert!(document.fenced("rust").is_empty());
    /// ```
    pub fn fenced(&self, language: &str) -> Vec<FencedCode> {
        let mut all: Vec<FencedCode> = Vec::new();
        // The marks of the open fence, and whether its language is the wanted one.
        let mut open: Option<(u8, usize, bool)> = None;
        for (number, line) in self.lines().iter().enumerate() {
            let text = lossy(visible(self.bytes(), *line)).into_owned();
            let begun = || opening(&text).filter(|(.., info)| is_word(info, language));
            match (line.kind, open) {
                (Kind::Fenced, None) => {
                    let wanted = begun().is_some();
                    open = opening(&text).map(|(mark, length, _)| (mark, length, wanted));
                    if wanted {
                        all.push(FencedCode { text: String::new(), line: number + 1, is_closed: true });
                    }
                }
                (Kind::Fenced, Some((mark, length, wanted))) => {
                    if closes(&text, mark, length) {
                        open = None;
                    } else if wanted && let Some(last) = all.last_mut() {
                        last.text.push_str(&text);
                        last.text.push('\n');
                    }
                }
                (Kind::Comment | Kind::FrontMatter, _) => {}
                _ => {
                    open = None;
                    if begun().is_some() {
                        all.push(FencedCode { text: String::new(), line: number + 1, is_closed: false });
                    }
                }
            }
        }
        all
    }
}

/// Returns the mark, the number of marks and the rest of a line that looks like a fence, at any indent and in
/// an item or quote.
fn opening(text: &str) -> Option<(u8, usize, &str)> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+' | '>'));
    let mark = *text.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    (length >= 3).then_some((mark, length, text.get(length..)?))
}

fn closes(text: &str, mark: u8, length: usize) -> bool {
    let is_plain = text.bytes().take_while(|byte| *byte == b' ').count() <= 3;
    is_plain
        && opening(text.trim_start())
            .is_some_and(|(own, count, rest)| own == mark && count >= length && rest.trim().is_empty())
}

fn is_word(info: &str, language: &str) -> bool {
    let word =
        info.split(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ',')).find(|word| !word.is_empty());
    word.is_some_and(|word| word.eq_ignore_ascii_case(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fenced(text: &str) -> Vec<(String, usize, bool)> {
        let code = Document::parse(text).fenced("x");
        code.into_iter().map(|code| (code.text, code.line, code.is_closed)).collect()
    }

    #[test]
    fn code_of_the_language_is_found() {
        assert_eq!(
            fenced("```x\na\n```\n```x\nb\n```\n"),
            [("a\n".into(), 1, true), ("b\n".into(), 4, true)]
        );
        assert_eq!(fenced("~~~ X more\na\n```\n~~~\n"), [("a\n```\n".into(), 1, true)]);
        assert_eq!(fenced("```y\n```x\n```\n"), [], "code about a block is none");
        assert_eq!(fenced("````md\n```x\na\n```\n````\n"), []);
        assert_eq!(fenced("<!--\n```x\na\n```\n-->\n"), []);
        assert_eq!(fenced("text ```x\n"), []);
    }

    #[test]
    fn code_that_is_not_closed_is_reported() {
        for text in
            ["```x\na\n", "- ```x\n  a\n  ```\n", "    ```x\n    a\n    ```\n", "> ```x\n> a\n> ```\n"]
        {
            let code = fenced(text);
            assert!(code.iter().any(|(.., is_closed)| !is_closed), "{text:?} {code:?}");
        }
    }
}
