//! Reads the groups of digits at a position and determines what they are.

use super::{
    card,
    label::{Label, Labels},
    network, phone,
    span::Span,
    ssn,
    text::{byte, byte_before, run_end},
};

/// Run of digits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// Position of the first digit.
    pub(super) start: usize,
    /// Position after the last digit.
    pub(super) end: usize,
}

impl Group {
    /// Returns the number of digits.
    pub(super) fn len(self) -> usize {
        self.end - self.start
    }
}

/// Most groups in any number that is searched for.
const MAX_GROUPS: usize = 9;
/// Most digits in any group that is searched for.
const MAX_RUN: usize = 20;

/// Digits in groups with short separators, starting at one digit.
#[derive(Debug)]
pub(super) struct Sequence<'t> {
    /// The whole text.
    pub(super) bytes: &'t [u8],
    groups: [Group; MAX_GROUPS],
    len: usize,
}

impl<'t> Sequence<'t> {
    fn read(bytes: &'t [u8], start: usize, over_lines: bool) -> Self {
        let mut sequence = Self { bytes, groups: [Group::default(); MAX_GROUPS], len: 0 };
        let mut from = start;
        for slot in &mut sequence.groups {
            let end = run_end(bytes, from, MAX_RUN + 1, |b| b.is_ascii_digit());
            if end == from || end - from > MAX_RUN {
                break;
            }
            *slot = Group { start: from, end };
            sequence.len += 1;
            from = run_end(bytes, end, 3, |b| b" -.()/".contains(&b));
            if over_lines {
                from = run_end(bytes, end, 3, |b| b" -.\r\n\xc2\xa0".contains(&b));
            }
            if from == end {
                break;
            }
        }
        sequence
    }

    /// Returns the groups.
    pub(super) fn groups(&self) -> &[Group] {
        self.groups.get(..self.len).unwrap_or_default()
    }

    /// Returns the text between two neighbouring groups.
    pub(super) fn separator(&self, left: Group, right: Group) -> &'t [u8] {
        self.bytes.get(left.end..right.start).unwrap_or_default()
    }

    /// Returns the separators between the first `count` groups.
    pub(super) fn separators(&self, count: usize) -> impl Iterator<Item = &'t [u8]> {
        let groups = self.groups();
        groups
            .iter()
            .zip(groups.iter().skip(1))
            .take(count.saturating_sub(1))
            .map(|(a, b)| self.separator(*a, *b))
    }

    /// Returns whether the text before `start` and after `end` does not make the digits part of something
    /// longer.
    pub(super) fn stands_alone(&self, start: usize, end: usize) -> bool {
        let before = byte_before(self.bytes, start);
        let before_that = start.checked_sub(2).map_or(0, |at| byte(self.bytes, at));
        let joined = b"-./".contains(&before) && before_that.is_ascii_alphanumeric();
        let escape = before_that == b'\\' && b"nrt".contains(&before);
        let opens = (!before.is_ascii_alphanumeric() && before != b'_' && before < 0x80 && !joined) || escape;
        opens && self.ends(end)
    }

    /// Returns whether the text after `end` does not make the digits part of something longer.
    pub(super) fn ends(&self, end: usize) -> bool {
        let (next, after) = (byte(self.bytes, end), byte(self.bytes, end + 1));
        !next.is_ascii_alphanumeric()
            && next != b'_'
            && !(b"-.".contains(&next) && after.is_ascii_alphanumeric())
    }
}

/// Returns the kind of the digits that start at `at`.
pub(super) fn number(text: &str, at: usize, labels: Labels) -> Option<Span> {
    let bytes = text.as_bytes();
    let wanted = |label: Label| labels.contains(&label).then_some(label);
    let span = |(start, end): (usize, usize), label| Span::new(start, end, label);
    let sequence = Sequence::read(bytes, at, false);
    let total: usize = sequence.groups().iter().map(|group| group.len()).sum();
    if total < 7 && sequence.groups().len() < 4 {
        return None;
    }
    if let Some(found) = wanted(Label::Ipv4).and_then(|label| Some(span(network::ipv4(&sequence)?, label))) {
        return Some(found);
    }
    if let Some(found) = wanted(Label::CreditCard).and_then(|label| Some(span(card(&sequence)?, label))) {
        return Some(found);
    }
    if let Some(found) = wanted(Label::Ssn).and_then(|label| Some(span(ssn::read(&sequence)?, label))) {
        return Some(found);
    }
    wanted(Label::Phone).and_then(|label| Some(span(phone::read(&sequence)?, label)))
}

/// Reads a card number, whose groups may stand on two lines.
fn card(sequence: &Sequence<'_>) -> Option<(usize, usize)> {
    let (first, last) = (*sequence.groups().first()?, sequence.groups().last()?);
    let goes_on = sequence.bytes.iter().skip(last.end).take(3).any(|b| b"\r\n\xc2".contains(b));
    if first.len() != 4 || !goes_on {
        return card::read(sequence);
    }
    card::read(&Sequence::read(sequence.bytes, first.start, true))
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Finds `labels` in `text`.
    pub(crate) fn found(text: &str, labels: &[Label]) -> Vec<String> {
        let spans = super::super::scan::scan(text, labels.iter().cloned().collect()).spans;
        spans.iter().map(|span| text.get(span.start..span.end).unwrap().to_owned()).collect()
    }
}
