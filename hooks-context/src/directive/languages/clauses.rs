//! Clauses of a sentence.

use std::ops::Range;

use super::{Likely, Role, phrase};
use crate::directive::sentence::Sentence;

/// A clause, with positions in the message.
#[derive(Debug)]
pub(super) struct Clause {
    /// Start, after the words that do not change an instruction.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The most clauses of a sentence that are read.
const MOST: usize = 24;

/// Returns the clauses of a sentence.
pub(super) fn clauses(language: &Likely, folded: &str, sentence: &Sentence<'_>) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut begins = 0;
    for at in 0..=sentence.len() {
        if at < sentence.len() && !sentence.mark(at).is_some_and(|mark| divides(language, mark)) {
            continue;
        }
        if let Some(span) = sentence.span(begins..at) {
            join(language, folded, span, &mut found);
        }
        begins = at + 1;
        if found.len() > MOST {
            break;
        }
    }
    found
}

/// Whether a mark ends a clause. In Japanese, a comma may come after each phrase of a clause.
fn divides(language: &Likely, mark: char) -> bool {
    match language.code {
        "ja" => matches!(mark, ';' | '；' | '—'),
        "zh" => matches!(mark, ',' | '，' | ';' | '；' | ':' | '：' | '—' | '（' | '）' | '(' | ')'),
        _ => matches!(mark, ',' | ';' | ':' | '—' | '–' | '(' | ')' | '،' | '؛'),
    }
}

/// Divides a part of the message at the words that join clauses.
fn join(language: &Likely, folded: &str, span: Range<usize>, found: &mut Vec<Clause>) {
    let mut start = span.start;
    loop {
        start = past_fillers(language, folded, start..span.end);
        let text = folded.get(start..span.end).unwrap_or_default();
        let Some(joint) = phrase::first(text, language.phrases(Role::Join), true) else { break };
        if found.len() > MOST || joint.start == 0 {
            break;
        }
        found.push(Clause { start, end: start + joint.start });
        start += joint.end;
    }
    if start < span.end {
        found.push(Clause { start, end: span.end });
    }
}

/// Returns the start of the first word in `span` that can change an instruction.
pub(super) fn past_fillers(language: &Likely, folded: &str, span: Range<usize>) -> usize {
    let mut start = span.start;
    for _ in 0..6 {
        let Some(text) = folded.get(start..span.end) else { return start };
        let plain = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '"');
        start = span.end - plain.len();
        let filler = phrase::at_start(plain, language.phrases(Role::Filler), language.has_spaces());
        let is_marker = [Role::FromNowOn, Role::Stop, Role::Remember, Role::Never]
            .into_iter()
            .any(|role| phrase::at_start(plain, language.phrases(role), language.has_spaces()) > filler);
        let Some(length) = filler.filter(|length| *length < plain.trim_end().len() && !is_marker) else {
            break;
        };
        start += length;
    }
    start
}
