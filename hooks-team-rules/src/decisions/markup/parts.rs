//! Fenced code and the prose around it. Code has no markup: it stays as it is.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("### Map\n\n```\naxios -> no\nky -> yes\n```\n");
//! assert!(decisions.all()[0].rules.is_empty());
//! ```

/// Part of a text: whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part<'t> {
    pub(super) text: &'t str,
    /// Whether it is code, with its fences.
    pub(super) is_code: bool,
}

/// Splits a text at its fences. A fence without an end holds the rest of the text.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut fence: Option<&str> = None;
    let (mut start, mut at) = (0, 0);
    let mut part = |from: usize, to: usize, is_code: bool| {
        let text = text.get(from..to).filter(|text| !text.is_empty());
        parts.extend(text.map(|text| Part { text, is_code }));
    };
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let end = at + line.len();
        match fence {
            Some(mark) if trimmed.starts_with(mark) => {
                part(start, end, true);
                (fence, start) = (None, end);
            }
            Some(_) => {}
            None => {
                fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
                if fence.is_some() {
                    part(start, at, false);
                    start = at;
                }
            }
        }
        at = end;
    }
    part(start, at, fence.is_some());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole_text() {
        let text = "a\n```x\n~~~\n```\nb\n  ~~~\nc";
        let shown: Vec<_> = parts(text).iter().map(|part| (part.text, part.is_code)).collect();
        let wanted = [("a\n", false), ("```x\n~~~\n```\n", true), ("b\n", false), ("  ~~~\nc", true)];
        assert_eq!(shown, wanted);
        assert!(parts("").is_empty());
    }
}
