//! Splits a decision into the paragraphs, items and rows that state something.

use super::tables;

/// Part of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// Purpose of a part of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading.
    Title,
    /// A statement of the decision.
    Statement,
    /// A part that may state exceptions only.
    Side,
    /// Rule block, with its line in the text.
    Rule(usize),
    /// Row of a table: what is forbidden, and the replacement.
    Pair(String),
    /// Row of a table that states something: the replacement.
    Advised(String),
}

/// Section that the lines belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Decide,
    Side,
    Skip,
}

#[derive(Default)]
struct Splitter {
    blocks: Vec<Block>,
    open: Option<Block>,
    header: Vec<String>,
    /// Whether the section is a field with its value on the line.
    is_inline: bool,
}

/// Names of columns with what is forbidden, and with the replacement.
const OLD_COLUMNS: &[&str] = &[
    "banned",
    "forbidden",
    "don't use",
    "do not use",
    "avoid",
    "old",
    "from",
    "out",
    "before",
    "not",
    "never",
    "replaced",
    "deprecated",
    "disallowed",
    "instead of",
    "not allowed",
    "was",
    "don't",
    "no longer",
    "prohibited",
    "removed",
    "dropped",
    "ban",
    "we don't use",
    "we do not use",
    "not used",
    "never use",
    "we avoid",
    "no longer used",
    "not accepted",
    "not permitted",
    "not approved",
    "unwanted",
    "don'ts",
    "we dropped",
    "gone",
];
const NEW_COLUMNS: &[&str] = &[
    "use instead",
    "use",
    "new",
    "replacement",
    "to",
    "in",
    "now",
    "after",
    "instead",
    "allowed",
    "replaced by",
    "preferred",
    "replace with",
    "do",
    "is",
    "alternative",
    "we use",
    "use this",
    "chosen",
    "approved",
    "successor",
];
/// Names of columns that state whether something may be used, and what they contain if it may not.
const VERDICT_COLUMNS: &[&str] = &[
    "status",
    "state",
    "verdict",
    "allowed",
    "allowed?",
    "ok?",
    "use?",
    "ruling",
    "permitted",
    "permitted?",
    "judgement",
];
const BANS: &[&str] =
    &["banned", "forbidden", "prohibited", "no", "❌", "🚫", "✗", "disallowed", "denied", "blocked", "out"];
/// More verdicts in a table whose first column names things: a decision with such a status does not count.
const ENDS: &[&str] = &[
    "retired",
    "deprecated",
    "removed",
    "dropped",
    "rejected",
    "gone",
    "obsolete",
    "sunset",
    "do not use",
    "don't use",
    "not allowed",
    "not permitted",
    "not approved",
    "avoid",
    "never",
    "hold",
];
/// Names of a first column that holds things, and no decisions.
const THING_COLUMNS: &[&str] = &[
    "technology",
    "technologies",
    "tech",
    "tool",
    "tools",
    "library",
    "libraries",
    "package",
    "packages",
    "dependency",
    "framework",
    "module",
    "crate",
    "gem",
    "thing",
    "name",
    "product",
    "command",
    "api",
    "image",
    "language",
];
/// Names of columns that hold a replacement, whatever the other columns are.
const ADVICE_COLUMNS: &[&str] = &[
    "use instead",
    "instead",
    "replacement",
    "alternative",
    "use",
    "we use",
    "replace with",
    "replaced by",
    "preferred",
    "successor",
    "we use instead",
    "recommended",
];
const PLACE_COLUMNS: &[&str] = &["where", "scope", "applies to", "path", "paths"];
const OUTSIDE_COLUMNS: &[&str] = &["except", "exception", "exceptions", "unless"];
const STATE_COLUMNS: &[&str] = &["state", "status", "outcome", "result"];
const NOTE_COLUMNS: &[&str] = &[
    "date",
    "who",
    "by",
    "when",
    "topic",
    "area",
    "why",
    "reason",
    "owner",
    "author",
    "id",
    "#",
    "nr",
    "no",
    "rationale",
    "decided by",
    "subject",
    "context",
];

/// Fields about a decision, of one line.
const META: &[&str] = &[
    "by",
    "author",
    "date",
    "owner",
    "who",
    "when",
    "deciders",
    "participants",
    "tags",
    "references",
    "links",
    "issue",
    "ticket",
    "confidence",
    "supersedes",
    "requested by",
    "reviewer",
    "reviewers",
    "decided by",
    "reviewed by",
    "topic",
    "updated",
    "last updated",
    "decided",
    "proposed by",
    "agreed by",
    "approved by",
];

/// Splits the text of a decision.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut splitter = Splitter::default();
    let mut section = Section::Decide;
    let mut fence: Option<(String, bool, usize, String)> = None;
    let mut quote = false;
    let mut following = text.lines().skip(1);
    for (line, number) in text.lines().zip(1..) {
        let next = following.next().unwrap_or_default();
        let (line, is_quote) = unquoted(line, quote);
        quote = is_quote;
        let trimmed = line.trim();
        if let Some((mark, is_rule, start, body)) = &mut fence {
            if trimmed.starts_with(mark.as_str()) {
                if *is_rule {
                    splitter.push(Kind::Rule(*start), std::mem::take(body));
                }
                fence = None;
            } else {
                body.push_str(line);
                body.push('\n');
            }
            continue;
        }
        if let Some(info) = trimmed.strip_prefix("```").or_else(|| trimmed.strip_prefix("~~~")) {
            splitter.close();
            let is_rule = info.trim_matches('`').split_whitespace().next() == Some("rule");
            fence = Some((trimmed.get(..3).unwrap_or("```").to_owned(), is_rule, number + 1, String::new()));
            continue;
        }
        if trimmed.is_empty()
            || ["<<<<<<<", "=======", ">>>>>>>", "---", "***"].iter().any(|mark| trimmed.starts_with(mark))
        {
            splitter.close();
            splitter.header.clear();
            // A field with its value on the line ends with its paragraph; a section does not.
            if std::mem::take(&mut splitter.is_inline) {
                section = Section::Decide;
            }
        } else if trimmed.starts_with('>') || trimmed.starts_with("<!--") {
            splitter.close();
        } else if let Some(title) = heading(trimmed).or_else(|| plain_heading(trimmed, next)) {
            splitter.close();
            splitter.is_inline = false;
            section = if is_void_title(title) { Section::Skip } else { section_of(title) };
            let is_part = section != Section::Decide || is_decision(title);
            if !is_part {
                splitter.push(Kind::Title, title.to_owned());
            }
        } else if trimmed.starts_with('|') {
            splitter.close();
            let is_header = is_separator(next) || !splitter.header.is_empty() || is_separator(trimmed);
            if section == Section::Decide && is_header {
                splitter.row(trimmed);
            } else if section == Section::Decide {
                // A table without a header: "| moment | banned |"
                let cells = cells(trimmed);
                splitter
                    .push(Kind::Statement, cells.get(..cells.len().min(2)).unwrap_or_default().join(": "));
            }
        } else {
            splitter.line(line, &mut section);
        }
    }
    // A block without an end is read as far as it goes: a rule must not be lost.
    if let Some((_, true, start, body)) = fence {
        splitter.push(Kind::Rule(start), body);
    }
    splitter.close();
    splitter.blocks
}

/// Returns a line without the mark of a quotation, if the quotation is a decision: it begins with a heading, a field or a date.
/// `is_open` is true if the line before was one of such a quotation.
fn unquoted(line: &str, is_open: bool) -> (&str, bool) {
    let Some(inner) = line.trim_start().strip_prefix('>') else { return (line, false) };
    let inner = inner.trim_start();
    let first = inner.split([' ', ':']).next().unwrap_or_default().trim_matches(['[', ']', '*', '(', ')']);
    let is_date = first.chars().filter(char::is_ascii_digit).count() >= 6
        && first.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | 'T' | 'Z'));
    if is_open || heading(inner).is_some() || field(inner).is_some() || is_date {
        (inner, true)
    } else {
        (line, false)
    }
}

impl Splitter {
    fn push(&mut self, kind: Kind, text: String) {
        if !text.trim().is_empty() {
            self.blocks.push(Block { kind, text });
        }
    }

    fn close(&mut self) {
        if let Some(block) = self.open.take() {
            self.push(block.kind, block.text);
        }
    }

    fn line(&mut self, line: &str, section: &mut Section) {
        let trimmed = line.trim();
        let item = item(trimmed);
        let text = item.unwrap_or(trimmed);
        if text.starts_with("[ ]") {
            // An open task is not decided.
            self.close();
            self.open = Some(Block { kind: Kind::Title, text: String::new() });
            return;
        }
        let text = text.strip_prefix("[x]").or_else(|| text.strip_prefix("[X]")).unwrap_or(text).trim();
        if let Some((name, value)) = field(text) {
            self.close();
            *section = section_of(&name);
            if name == "status" || name == "state" {
                *section = Section::Decide;
                // "Status: accepted. No X." goes on with the decision.
                if let Some((_, rest)) = value.split_once(". ").filter(|(status, _)| !is_void(status)) {
                    self.begin(*section, rest);
                }
                return;
            }
            self.is_inline = !value.is_empty();
            // The fields about a decision have one line; what follows states something.
            let is_about = META.contains(&name.as_str());
            if let Some((_, rest)) = value.split_once(". ").filter(|_| name == "by") {
                *section = Section::Decide;
                self.begin(*section, rest);
                return;
            }
            if is_about && *section == Section::Skip && !value.is_empty() {
                *section = Section::Decide;
                return;
            }
            self.begin(*section, value);
            return;
        }
        if item.is_some() || begins_with_id(trimmed) || begins_with_order(trimmed) {
            self.close();
            self.begin(*section, text);
        } else if let Some(block) = &mut self.open {
            block.text.push('\n');
            block.text.push_str(text);
        } else {
            self.begin(*section, text);
        }
    }

    fn begin(&mut self, section: Section, text: &str) {
        let kind = match section {
            Section::Decide => Kind::Statement,
            Section::Side => Kind::Side,
            Section::Skip => {
                self.open = Some(Block { kind: Kind::Side, text: String::new() });
                return;
            }
        };
        self.open = Some(Block { kind, text: text.to_owned() });
    }

    fn row(&mut self, line: &str) {
        let cells: Vec<String> = cells(line);
        let lower = |cells: &[String]| {
            let plain = |cell: &String| cell.trim_matches('*').to_lowercase().replace('\u{2019}', "'");
            cells.iter().map(plain).collect::<Vec<_>>()
        };
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
            return;
        }
        if self.header.is_empty() {
            self.header = lower(&cells);
            return;
        }
        let column = |names: &[&str]| self.header.iter().position(|name| names.contains(&name.as_str()));
        let cell = |names: &[&str]| column(names).and_then(|at| cells.get(at)).cloned();
        let state = cell(STATE_COLUMNS).unwrap_or_default();
        let verdict = self.header.iter().position(|name| VERDICT_COLUMNS.contains(&name.as_str()));
        let is_ban = verdict.and_then(|at| cells.get(at)).is_some_and(|cell| {
            let cell = cell.trim_matches(['*', ' ', '.']).to_lowercase();
            let first = cell.split(' ').next().unwrap_or_default();
            // "banned → snprintf", "no, use Y"
            let bare = first.trim_end_matches([',', ';', ':', '.']);
            let is_clear = bare.len() < first.len() || !["no", "out"].contains(&bare);
            let is_thing = self.header.first().is_some_and(|name| THING_COLUMNS.contains(&name.as_str()));
            BANS.contains(&cell.as_str())
                || is_thing && (ENDS.contains(&cell.as_str()) || ENDS.contains(&bare) && is_clear)
                || BANS.contains(&bare) && (is_clear || cell.split(' ').count() <= 2)
        });
        let place = cell(PLACE_COLUMNS).filter(|place| !place.is_empty());
        let outside = cell(OUTSIDE_COLUMNS).filter(|place| !place.is_empty());
        let placed = |text: String| {
            let text = place.iter().fold(text, |text, place| format!("{text} in {place}"));
            outside.iter().fold(text, |text, place| format!("{text} except in {place}"))
        };
        let first = || {
            let mut named = cells.iter().zip(&self.header);
            named.find(|(_, name)| !NOTE_COLUMNS.contains(&name.as_str())).map(|(cell, _)| cell.clone())
        };
        if let Some(old) = is_ban.then(first).flatten() {
            self.push(Kind::Pair(cell(NEW_COLUMNS).unwrap_or_default()), placed(old));
            return;
        }
        if is_void(&state) {
            return;
        }
        if let Some(old) = cell(OLD_COLUMNS) {
            self.push(Kind::Pair(cell(NEW_COLUMNS).unwrap_or_default()), placed(old));
            return;
        }
        let stated: Vec<String> = cells
            .iter()
            .zip(&self.header)
            .filter(|(_, name)| {
                !NOTE_COLUMNS.contains(&name.as_str())
                    && !STATE_COLUMNS.contains(&name.as_str())
                    && !PLACE_COLUMNS.contains(&name.as_str())
                    && !OUTSIDE_COLUMNS.contains(&name.as_str())
                    && !ADVICE_COLUMNS.contains(&name.as_str())
            })
            .map(|(cell, _)| placed(cell.clone()))
            .collect();
        // "in force, except in `db/`"
        let exception = ["except", "outside", "apart from"]
            .iter()
            .find_map(|word| Some(state.get(state.find(word)?..)?.to_owned()));
        let advice = cell(ADVICE_COLUMNS).filter(|advice| advice.chars().any(char::is_alphanumeric));
        for text in stated {
            let text = exception
                .iter()
                .fold(text, |text, exception| format!("{}, {exception}", text.trim_end_matches('.')));
            self.push(advice.clone().map_or(Kind::Statement, Kind::Advised), text);
        }
    }
}

/// Whether a status means that a decision does not count.
pub(super) fn is_void(status: &str) -> bool {
    let lower = status.to_lowercase();
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    // "Accepted, now reversed"
    let ends = |part: &str| {
        let mut words = part
            .split_whitespace()
            .skip_while(|word| ["now", "then", "later", "since", "but", "was"].contains(word));
        let word = words.next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
        ["reversed", "superseded", "withdrawn", "rejected", "revoked", "rescinded", "void", "retired"]
            .contains(&word)
    };
    tables::VOID.contains(first)
        || (["under", "in"].contains(&first) && ["discussion", "review"].contains(&second))
        || (first == "to" && second == "be")
        || lower.contains("on hold")
        || lower.split([',', ';']).skip(1).any(ends)
}

/// Returns the text of a heading.
pub(super) fn heading(line: &str) -> Option<&str> {
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && (rest.starts_with(' ') || rest.is_empty()))
        .then(|| rest.trim().trim_end_matches('#').trim())
}

/// Returns the text of a heading without `#`: a line that is bold as a whole, or that a line of marks follows.
fn plain_heading<'t>(line: &'t str, next: &str) -> Option<&'t str> {
    // AsciiDoc: "== Dates"
    let marked = line.trim_start_matches('=');
    if (1..=6).contains(&(line.len() - marked.len())) && marked.starts_with(' ') {
        return Some(marked.trim());
    }
    let next = next.trim();
    let is_underlined = next.len() > 2 && (next.chars().all(|c| c == '=') || next.chars().all(|c| c == '-'));
    let is_sentence = line.ends_with(['.', '!', '?', ',', ';']) || line.split(' ').count() > 10;
    if is_underlined && !is_sentence && item(line).is_none() && !line.starts_with('|') {
        return Some(line);
    }
    let inner = line.strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"))?;
    let title = inner.trim_end_matches([':', ' ']);
    let is_title =
        !title.contains("**") && !title.ends_with(['.', '!', '?', ',']) && title.split(' ').count() <= 8;
    (is_title && !is_field(&title.to_lowercase())).then_some(title)
}

/// Returns the title that a paragraph is: a line that ends with a colon, a heading without `#`, or a few words.
pub(super) fn title_of_paragraph(text: &str) -> Option<&str> {
    let mut lines = text.trim().lines();
    let (first, next) = (lines.next()?.trim(), lines.next().unwrap_or_default());
    if let Some(title) = plain_heading(first, next) {
        return Some(title);
    }
    let title = first.trim_end_matches(':').trim_matches(['*', '_', ' ']);
    let is_alone = next.is_empty() && !title.contains(". ") && title.split(' ').count() <= 8;
    (is_alone && !title.ends_with(['.', '!', '?', ','])).then_some(title)
}

/// Whether a title is that of things that were not decided: "Discussed and not adopted", "Open questions".
pub(super) fn is_void_title(title: &str) -> bool {
    const LINKS: &[&str] = &[
        "and",
        "or",
        "but",
        "/",
        "&",
        "these",
        "were",
        "was",
        "we",
        "have",
        "been",
        "things",
        "items",
        "points",
        "decisions",
        "rules",
        "so",
        "far",
        "now",
        "currently",
        "the",
        "list",
        "of",
        "then",
        "only",
        "still",
        "for",
    ];
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '\''))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .collect();
    let (mut at, mut is_void) = (0, false);
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let fits = |phrase: &&&str| {
            let count = phrase.split(' ').count();
            rest.len() >= count && phrase.split(' ').zip(rest).all(|(wanted, word)| wanted == *word)
        };
        let phrase = tables::VOID_TITLE.iter().filter(fits).map(|phrase| phrase.split(' ').count()).max();
        let is_link = rest.first().is_some_and(|word| LINKS.contains(word));
        match phrase {
            Some(length) => (at, is_void) = (at + length, true),
            None if is_link => at += 1,
            None => return false,
        }
    }
    is_void
}

fn is_decision(title: &str) -> bool {
    ["decision", "what", "decisions", "rule", "rules", "the decision", "resolution"]
        .contains(&title.to_lowercase().trim_matches([':', ' ', '*']))
}

fn section_of(title: &str) -> Section {
    let lower = title.to_lowercase();
    let lower = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let first = lower.split(' ').next().unwrap_or_default();
    // "Exceptions are disabled" is a sentence.
    let is_short = lower.split(' ').count() <= 3 && !lower.split(' ').any(|word| tables::BE.contains(word));
    if is_short
        && (tables::SIDE_SECTION.contains(first) || tables::SIDE_SECTION.contains(lower))
        && first != "migration"
    {
        Section::Side
    } else if is_short
        && (tables::SKIP_SECTION.contains(lower)
            || (tables::SKIP_SECTION.contains(first) && lower.split(' ').count() == 1))
    {
        Section::Skip
    } else {
        Section::Decide
    }
}

/// Returns the text behind the marker of a list item.
fn item(line: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "+ ", "• "].iter().find_map(|marker| line.strip_prefix(marker)) {
        return Some(rest.trim_start());
    }
    let digits = line.trim_start_matches('(');
    let length = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    // "(a) …", "iv) …"
    let letters = digits.split_once(") ").filter(|(mark, _)| {
        mark.len() == 1 && mark.chars().all(|c| c.is_ascii_lowercase())
            || (2..=4).contains(&mark.len()) && mark.chars().all(|c| matches!(c, 'i' | 'v' | 'x'))
    });
    if let Some((_, rest)) = letters {
        return Some(rest.trim_start());
    }
    let rest = digits.get(length..).filter(|_| (1..=3).contains(&length))?;
    [". ", ") "].iter().find_map(|marker| rest.strip_prefix(marker)).map(str::trim_start)
}

/// Whether a line begins with the id or the date of a decision, as a log does.
fn begins_with_id(line: &str) -> bool {
    if let Some((stamp, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // "[2025-06-02 10:14] ada: …"
        let digits = stamp.chars().filter(char::is_ascii_digit).count();
        let is_time =
            |c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | ':' | 'T' | 'Z' | ' ' | ',');
        if digits >= 6 && stamp.chars().all(is_time) {
            return true;
        }
    }
    let Some(end) = line.find([' ', ':', ')']) else { return false };
    let (first, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    let first = first.trim_start_matches(['[', '*', '(']).trim_end_matches([']', '*']);
    let digits = first.chars().filter(char::is_ascii_digit).count();
    let is_date = digits >= 6
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | ':' | 'T' | 'Z'));
    let is_id = (1..=4).contains(&digits)
        && first.starts_with(char::is_uppercase)
        && first.ends_with(|c: char| c.is_ascii_digit());
    let is_marked =
        [":", " (", " -", " \u{2014}", " \u{2013}", ")", " |"].iter().any(|mark| rest.starts_with(mark));
    is_marked && (is_date || is_id)
}

/// Whether a line begins with an order in capitals as a label: "NEVER: …", "DO NOT: …".
fn begins_with_order(line: &str) -> bool {
    let Some((label, rest)) = line.split_once(':') else { return false };
    let label = label.trim_matches(['*', '_', ' ']);
    let is_capital = label.chars().all(|c| c.is_uppercase() || matches!(c, ' ' | '\'' | '\u{2019}' | '-'));
    is_capital && label.len() > 1 && label.split(' ').count() <= 3 && rest.starts_with([' ', '*'])
}

/// Returns the name and value of a field.
fn field(line: &str) -> Option<(String, &str)> {
    let bold = line.strip_prefix("**").or_else(|| line.strip_prefix("__"));
    if let Some(bold) = bold {
        let mark = if line.starts_with("**") { "**" } else { "__" };
        let (name, rest) = bold.split_once(mark)?;
        let value = if name.ends_with(':') { rest } else { rest.trim_start().strip_prefix(':')? };
        let name = name.trim_end_matches(':').trim().to_lowercase();
        return is_field(&name).then_some((name, value.trim()));
    }
    let (name, value) = line.split_once(':')?;
    let name = name.trim().to_lowercase();
    (is_field(&name) && (value.is_empty() || value.starts_with(' '))).then_some((name, value.trim()))
}

fn is_field(name: &str) -> bool {
    is_decision(name)
        || section_of(name) != Section::Decide
        || [
            "superseded by",
            "decided by",
            "requested by",
            "reviewed by",
            "last updated",
            "updated",
            "decided",
            "proposed by",
            "agreed by",
            "approved by",
        ]
        .contains(&name)
}

/// Whether a line separates the header of a table from its rows.
fn is_separator(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains('-') && line.chars().all(|c| matches!(c, '-' | ':' | ' ' | '|'))
}

/// Splits a row of a table.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut in_code = false;
    for c in line.trim().trim_start_matches('|').trim_end_matches('|').chars() {
        match c {
            '`' => in_code = !in_code,
            '|' if !in_code => {
                cells.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = cells.last_mut() {
            last.push(c);
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(Kind, String)> {
        blocks(text).into_iter().map(|block| (block.kind, block.text)).collect()
    }

    #[test]
    fn statements_are_told_from_reasons() {
        let text = "### Title\n**By:** A\n**What:** No x.\nmore\n**Why:** y\n\n- item\n";
        assert_eq!(
            shown(text)[..2],
            [(Kind::Title, "Title".to_owned()), (Kind::Statement, "No x.\nmore".to_owned())]
        );
        let text = "## D\n### Context\nNo a.\n### Decision\nNo b.\n### Consequences\nNo c.\n";
        assert_eq!(
            shown(text),
            [
                (Kind::Title, "D".to_owned()),
                (Kind::Statement, "No b.".to_owned()),
                (Kind::Side, "No c.".to_owned())
            ]
        );
        assert_eq!(shown("- [ ] ban x?\n- [x] ban y\n"), [(Kind::Statement, "ban y".to_owned())]);
    }

    #[test]
    fn tables_have_pairs_and_statements() {
        let text = "| Topic | Banned | Use instead |\n|---|---|---|\n| HTTP | axios | fetch |\n";
        assert_eq!(shown(text), [(Kind::Pair("fetch".to_owned()), "axios".to_owned())]);
        let text = "| When | What | State |\n|---|---|---|\n| Sept | no `x` | agreed |\n| Sept | no y | rejected |\n";
        assert_eq!(shown(text), [(Kind::Statement, "no `x`".to_owned())]);
        assert_eq!(shown("```rule\npackages: [a]\n```\n"), [(Kind::Rule(2), "packages: [a]\n".to_owned())]);
    }
}
