//! Finds the entries of a document.

use std::ops::Range;

use super::EntryKind;
use super::entry::dated;
use crate::text::{Document, Kind, Line, Section, fields, key};
use crate::when;

/// Meaning of the headings in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grammar {
    /// Decisions: a heading of the second level is a group if headings of the third level follow below it,
    /// and otherwise an entry.
    Decisions,
    /// A history: headings of the first two levels are groups, unless they have a date.
    History,
    /// A file with one entry, unless its headings show several.
    Inbox,
}

/// Position of an entry.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) kind: EntryKind,
    pub(super) range: Range<usize>,
    pub(super) content: Range<usize>,
    pub(super) title: Range<usize>,
    pub(super) body: Range<usize>,
    /// Index of the section that is the entry's group.
    pub(super) group: Option<usize>,
}

/// Fields at the start of an entry, whatever its heading is.
const FIRST_FIELDS: &[&str] = &[
    "by",
    "author",
    "what",
    "decision",
    "date",
    "decided by",
    "requested by",
    "reviewer",
    "status",
    "owner",
];

/// Headings of parts of a decision, which are not decisions.
const PARTS: &[&str] = &[
    "alternatives",
    "background",
    "consequences",
    "context",
    "decision",
    "details",
    "impact",
    "implementation",
    "next steps",
    "notes",
    "options",
    "problem",
    "rationale",
    "references",
    "scope",
    "status",
    "what",
    "why",
];

pub(super) fn spans(document: &Document, grammar: Grammar) -> Vec<Span> {
    let sections = document.sections();
    let before = sections.first().map_or(document.bytes().len(), |first| first.start);
    let mut spans = Vec::new();
    loose(document, 0..before, None, &mut spans);

    // Level of the entry that is still open.
    let mut open: Option<u8> = None;
    // Groups that are still open, one for each level.
    let mut groups: Vec<(u8, usize)> = Vec::new();
    let mut following = sections.iter().skip(1);
    for (number, section) in sections.iter().enumerate() {
        let next = following.next();
        let marked = is_marked(document, grammar, section);
        // Within a history, a group heading is never part of an entry.
        let groups_here = grammar == Grammar::History && section.level <= 2;
        if let Some(level) = open
            && section.level > level
            && !(section.level <= 3 && (marked || groups_here))
        {
            if let Some(span) = spans.last_mut() {
                span.range.end = section.end;
            }
            continue;
        }
        while groups.pop_if(|(level, _)| *level >= section.level).is_some() {}
        if marked || is_entry(document, grammar, number, section, next) {
            open = Some(section.level);
            spans.push(Span {
                kind: EntryKind::Block,
                range: section.start..section.end,
                content: 0..0,
                title: section.title.clone(),
                body: section.body..section.end,
                group: groups.last().map(|(_, group)| *group),
            });
        } else {
            open = None;
            groups.push((section.level, number));
            loose(document, section.body..section.end, Some(number), &mut spans);
        }
    }
    for span in spans.iter_mut().filter(|span| span.kind == EntryKind::Block) {
        let end = document.written_end(span.range.clone()).max(span.body.start);
        (span.content, span.body) = (span.range.start..end, span.body.start..end);
    }
    spans
}

/// Whether a heading itself marks the start of an entry: by a date, by the word "decision", or by the fields
/// below it.
fn is_marked(document: &Document, grammar: Grammar, section: &Section) -> bool {
    let title = document.title_of(section);
    if dated(&title).is_some() || when::trailing(&title).is_some() {
        return true;
    }
    if grammar == Grammar::History && section.level <= 2 {
        return false;
    }
    let word = title.get(..8).is_some_and(|word| word.eq_ignore_ascii_case("decision"));
    if word && title.get(8..).is_some_and(|rest| rest.trim_start().starts_with([':', '—', '–', '-'])) {
        return true;
    }
    let lines = document.lines_in(&(section.body..section.end));
    let first = lines.iter().find(|line| line.kind != Kind::Blank);
    first.is_some_and(|first| {
        let fields = fields(document, &(first.start..first.end));
        fields.first().is_some_and(|field| field.is(FIRST_FIELDS))
    })
}

/// Whether a heading without a mark begins an entry and not a group.
fn is_entry(
    document: &Document,
    grammar: Grammar,
    number: usize,
    section: &Section,
    next: Option<&Section>,
) -> bool {
    match (grammar, section.level) {
        (Grammar::Inbox, _) => true,
        (Grammar::History, 1 | 2) => false,
        (Grammar::Decisions, 1) => number > 0,
        (Grammar::Decisions, 2) => {
            let is_part = |next: &Section| PARTS.contains(&&*key(&document.title_of(next)));
            let groups = next.is_some_and(|next| next.level == 3 && !is_part(next));
            !groups && !key(&document.title_of(section)).ends_with("decisions")
        }
        (Grammar::Decisions | Grammar::History, _) => true,
    }
}

/// Finds items and paragraphs that are not below the heading of an entry.
fn loose(document: &Document, range: Range<usize>, group: Option<usize>, spans: &mut Vec<Span>) {
    let lines = document.lines_in(&range);
    let mut at = 0;
    while let Some(first) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        let (kind, count) = match first.kind {
            Kind::Item => (EntryKind::Item, item(document, rest)),
            Kind::Text | Kind::Fenced => (EntryKind::Loose, paragraph(rest)),
            // Under the title of the file, a quote describes the file, unless it begins with a date.
            Kind::Quote if group.is_some_and(|group| group > 0) || is_dated_quote(document.line(*first)) => {
                (EntryKind::Loose, paragraph(rest))
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let end = rest.get(count.saturating_sub(1)).map_or(range.end, |last| last.end);
        let content = first.start..document.written_end(first.start..end).max(first.end.min(end));
        let blank =
            rest.get(count..).unwrap_or_default().iter().take_while(|line| line.kind == Kind::Blank).count();
        let behind = rest.get((count + blank).saturating_sub(1)).map_or(range.end, |last| last.end);
        let text = document.line(*first);
        let skipped = if kind == EntryKind::Item { marker(text) } else { 0 };
        // The first line starts with the byte order mark, if there is one.
        let title_end = first.start + (first.end - first.start).min(line_length(document, *first));
        spans.push(Span {
            kind,
            range: first.start..behind,
            title: (title_end - text.len() + skipped).min(title_end)..title_end,
            body: content.clone(),
            content,
            group,
        });
        at += (count + blank).max(1);
    }
}

/// Counts the lines of an item: those that follow without an empty line, and indented lines after one.
fn item(document: &Document, lines: &[Line]) -> usize {
    let (mut count, mut gap) = (1, 0);
    for line in lines.iter().skip(1) {
        let belongs = match line.kind {
            Kind::Blank => {
                gap += 1;
                continue;
            }
            Kind::Text => gap == 0 || is_indented(document.line(*line)),
            Kind::Fenced => gap == 0 || is_indented(document.line(*line)),
            _ => false,
        };
        if !belongs {
            break;
        }
        count += gap + 1;
        gap = 0;
    }
    count
}

/// Whether a quotation begins with a date, as a line of a log does.
fn is_dated_quote(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start().trim_start_matches('>').trim_start_matches([' ', '[', '*', '(']);
    dated(text.get(..text.len().min(10)).unwrap_or_default()).is_some()
}

fn paragraph(lines: &[Line]) -> usize {
    let fenced = lines.first().is_some_and(|first| first.kind == Kind::Fenced);
    let belongs = |kind| match kind {
        Kind::Fenced => true,
        Kind::Text | Kind::Quote | Kind::Comment => !fenced,
        _ => false,
    };
    lines.iter().take_while(|line| belongs(line.kind)).count().max(1)
}

fn is_indented(text: &[u8]) -> bool {
    matches!(text, [b'\t', ..] | [b' ', b' ', ..])
}

/// Returns the length of an item's marker, with the white space around it.
fn marker(text: &[u8]) -> usize {
    let indent = text.len() - text.trim_ascii_start().len();
    let digits = text.iter().skip(indent).take_while(|byte| byte.is_ascii_digit()).count();
    let behind = text.get(indent + digits + 1..).unwrap_or_default();
    text.len() - behind.trim_ascii_start().len()
}

/// Returns the length of a line without its line end; a byte order mark is included.
fn line_length(document: &Document, line: Line) -> usize {
    let raw = document.slice(line.start..line.end);
    let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
    raw.strip_suffix(b"\r").unwrap_or(raw).len()
}

#[cfg(test)]
mod tests {
    use super::super::Ledger;
    use super::*;

    fn shown(text: &str, grammar: Grammar) -> Vec<String> {
        let ledger = Ledger::new(Document::parse(text), grammar);
        let ranges: Vec<_> = ledger.entries().map(|entry| entry.range()).collect();
        assert!(ranges.is_sorted_by(|one, next| one.end <= next.start), "{ranges:?}");
        ledger.entries().map(|entry| format!("{:?} {}", entry.kind(), entry.title())).collect()
    }

    #[test]
    fn decisions_as_teams_write_them() {
        let text = "\
# Decisions

> What all respect.

---

## Foundations

### Strict types
**By:** A
**What:** strict

### Root cause
Three factors.
#### 1. First
text

# Decision: Overlap

**Date:** 2026-03-25

## Problem
p
### Detail
d

---

### 2026-03-26: Guard
**By:** B

## Database
Files under migrations/ are frozen.

## Use Postgres
We will.

### Context
c

### Consequences
d

## Style

- Never use jQuery.
  Really.

  Not even there.
- Keep pull requests small.

A paragraph that
stands alone.
";
        let expected = [
            "Block Strict types",
            "Block Root cause",
            "Block Decision: Overlap",
            "Block Guard",
            "Block Database",
            "Block Use Postgres",
            "Block Style",
        ];
        assert_eq!(shown(text, Grammar::Decisions), expected);
    }

    #[test]
    fn lists_and_paragraphs_are_entries_too() {
        let text = "# Team decisions\n\n1. Do not use `requests`; use `httpx`.\n2. All times are UTC.\n\n| a |\n|---|\n| b |\n\n```\n- c\n```\n";
        let expected = [
            "Item Do not use `requests`; use `httpx`.",
            "Item All times are UTC.",
            "Loose | a |",
            "Loose ```",
        ];
        assert_eq!(shown(text, Grammar::Decisions), expected);
        assert_eq!(shown("\u{feff}- a\r\n- b", Grammar::Decisions), ["Item a", "Item b"]);
        assert_eq!(
            shown("Decision: unsafe is forbidden.", Grammar::Decisions),
            ["Loose Decision: unsafe is forbidden."]
        );
    }

    #[test]
    fn histories_group_by_section() {
        let text = "# E\n\n> quote\n\n## Learnings\n\n### Loop (#767) (2025-07-26)\ntext\n### Loop\n- a\n\n## Patterns\n\n- 2026-01-01 b\n- c\n\n📌 update\n";
        assert_eq!(
            shown(text, Grammar::History),
            ["Block Loop (#767) (2025-07-26)", "Block Loop", "Item b", "Item c", "Loose 📌 update"]
        );
        let ledger = Ledger::new(Document::parse(text), Grammar::History);
        let entries: Vec<_> = ledger.entries().collect();
        assert_eq!(entries[0].group().unwrap(), "Learnings");
        assert_eq!(entries[2].group().unwrap(), "Patterns");
        let dates: Vec<_> = entries.iter().map(|entry| entry.date().map(when::date)).collect();
        assert_eq!(dates, [Some("2025-07-26".into()), None, Some("2026-01-01".into()), None, None]);
        assert_eq!(
            String::from_utf8(ledger.without([entries[0].range(), entries[3].range()])).unwrap(),
            "# E\n\n> quote\n\n## Learnings\n\n### Loop\n- a\n\n## Patterns\n\n- 2026-01-01 b\n📌 update\n"
        );
    }

    #[test]
    fn the_inbox_has_an_entry_a_file() {
        assert_eq!(shown("# Use X\n\nBy us\n\n## Context\nc\n", Grammar::Inbox), ["Block Use X"]);
        assert_eq!(
            shown("### 2026-01-01: A\n**By:** x\n### 2026-01-02: B\n", Grammar::Inbox),
            ["Block A", "Block B"]
        );
        assert_eq!(shown("just text\n", Grammar::Inbox), ["Loose just text"]);
    }

    #[test]
    fn an_entry_says_who_and_when() {
        let text = "### [2026-03-29] — Versions\n**By:** Flight (Lead)\n\n**Decision:**\n1. a\n2. b\n\n**Why:** c\n\n---\n";
        let ledger = Ledger::new(Document::parse(text), Grammar::Decisions);
        let entry = ledger.entries().next().unwrap();
        assert_eq!((&*entry.title(), &*entry.by().unwrap()), ("Versions", "Flight (Lead)"));
        assert_eq!(entry.field(&["decision"]).unwrap(), "1. a\n2. b");
        assert!(entry.text().ends_with("**Why:** c\n"));
    }
}
