//! Spans of text to remove, and the merging of overlapping spans.

use super::label::Label;

/// Span of text to remove, in byte offsets.
///
/// ```
/// use hooks_redaction::Scrubber;
///
/// let span = &Scrubber::emails().spans("by a@b.org")[0];
/// assert_eq!((span.start, span.end, span.label.as_str()), (3, 10, "EMAIL"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Span {
    /// Position of the first byte.
    pub start: usize,
    /// Position after the last byte.
    pub end: usize,
    /// Kind of data in it.
    pub label: Label,
}

impl Span {
    pub(super) fn new(start: usize, end: usize, label: Label) -> Self {
        Self { start, end, label }
    }
}

/// Sorts spans and joins those that overlap.
///
/// The union has the label of the more exact form. An e-mail address that starts inside the password of a URL
/// is that password plus the host, and the host is kept.
pub(super) fn settle(mut found: Vec<Span>) -> Vec<Span> {
    let passwords: Vec<(usize, usize)> =
        found.iter().filter(|s| s.label == Label::UrlPassword).map(|s| (s.start, s.end)).collect();
    if !passwords.is_empty() {
        let mut passwords = passwords;
        passwords.sort_unstable();
        found.retain(|span| {
            let next = passwords.partition_point(|(_, end)| *end <= span.start);
            span.label != Label::Email || passwords.get(next).is_none_or(|(start, _)| *start >= span.end)
        });
    }
    found.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut settled: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match settled.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if span.label.precision() > last.label.precision() {
                    last.label = span.label;
                }
            }
            _ => settled.push(span),
        }
    }
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_joined_under_the_better_name() {
        let found = vec![
            Span::new(8, 20, Label::Jwt),
            Span::new(0, 12, Label::AuthHeader),
            Span::new(30, 31, Label::Ssn),
            Span::new(20, 22, Label::Phone),
        ];
        let settled = settle(found);
        assert_eq!(
            settled.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>(),
            [(0, 20), (20, 22), (30, 31)]
        );
        assert_eq!(settled[0].label, Label::Jwt);
    }

    #[test]
    fn a_password_in_an_address_leaves_the_host() {
        let settled = settle(vec![Span::new(5, 20, Label::Email), Span::new(5, 9, Label::UrlPassword)]);
        assert_eq!(settled, [Span::new(5, 9, Label::UrlPassword)]);
    }
}
