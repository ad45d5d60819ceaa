//! Rows of a table: what is forbidden, its replacement, its places and its status.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let table = "| Tool | Ring |\n| --- | --- |\n| axios | Hold |\n| lodash | Adopt |\n";
//! assert_eq!(Decisions::parse(table).all()[0].rules.len(), 1);
//! ```

use super::status::is_void;
use super::{Kind, Splitter};

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
    "ring",
    "rating",
    "answer",
    "usage",
    "may we",
    "may i",
    "in use",
    "in use?",
    "colour",
    "color",
];
const BANS: &[&str] = &[
    "banned",
    "forbidden",
    "prohibited",
    "no",
    "❌",
    "🚫",
    "✗",
    "disallowed",
    "denied",
    "out",
    "retire",
    "🔴",
    "red",
    "⛔",
    "✘",
    "never",
    "not allowed",
];
/// Verdicts about things that are states of work in a table of decisions: those do not count.
const WAITS: &[&str] = &["hold", "blocked"];
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
    "not permitted",
    "not approved",
    "avoid",
];
/// Other names of columns.
const OTHER_COLUMNS: &[&str] = &["decision", "rule", "text", "statement", "note", "notes", "comment"];
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
    "item",
    "what",
    "candidate",
    "option",
    "component",
    "dependencies",
    "lib",
    "libs",
    "blip",
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
/// Names of a first column that holds places.
const AREA_COLUMNS: &[&str] =
    &["area", "directory", "directories", "folder", "folders", "path", "paths", "file", "files", "location"];
/// Names of columns with the rule of such a place, and with those who may change it.
const RULE_COLUMNS: &[&str] = &["rule", "rules", "policy", "agents", "access", "for agents"];
const WRITER_COLUMNS: &[&str] = &[
    "may change it",
    "may change",
    "may edit",
    "may edit it",
    "may write",
    "can change it",
    "can edit",
    "may be changed by",
    "may be edited by",
    "changed by",
    "edited by",
    "writers",
    "editors",
];
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

impl Splitter {
    pub(super) fn row(&mut self, line: &str) {
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
        let column = |names: &[&str]| self.header.iter().position(|name| names.contains(&column_name(name)));
        let cell = |names: &[&str]| column(names).and_then(|at| cells.get(at)).cloned();
        let is_area = self.header.first().is_some_and(|name| AREA_COLUMNS.contains(&name.as_str()));
        let area = cells.first().filter(|cell| is_area && is_place(cell)).map(|cell| in_code(cell));
        if let Some(area) = area {
            let rule = cell(RULE_COLUMNS).map(|rule| rule_of(&area, &rule));
            let writers = cell(WRITER_COLUMNS).and_then(|writers| writers_of(&area, &writers));
            if let Some(text) = rule.or(writers) {
                self.push(Kind::Statement, text);
                return;
            }
        }
        let state = cell(STATE_COLUMNS).unwrap_or_default();
        let verdict = self.header.iter().position(|name| VERDICT_COLUMNS.contains(&name.as_str()));
        let is_thing = self.header.first().is_some_and(|name| THING_COLUMNS.contains(&name.as_str()))
            || verdict.and_then(|at| self.header.get(at)).is_some_and(|name| name == "ring");
        let verdict = verdict.and_then(|at| cells.get(at)).map(|cell| cell_text(cell));
        if verdict.as_deref().is_some_and(|cell| !is_thing && bans(cell, WAITS)) {
            return;
        }
        let is_ban =
            verdict.is_some_and(|cell| bans(&cell, BANS) || is_thing && (bans(&cell, WAITS) || ends(&cell)));
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

/// The name of a column as the lists have it, without the word `who` of a question.
fn column_name(name: &str) -> &str {
    name.strip_prefix("who ").unwrap_or(name)
}

/// Whether a cell is a path and nothing else.
fn is_place(cell: &str) -> bool {
    let cell = cell.trim_matches('`');
    !cell.contains([' ', '`']) && cell.contains(['/', '.', '*'])
}

fn in_code(cell: &str) -> String {
    format!("`{}`", cell.trim_matches('`'))
}

/// Returns the rule of a place as a sentence about it: "Frozen", "Only Ops changes this".
fn rule_of(area: &str, rule: &str) -> String {
    let stands_for_it = |word: &&str| ["this", "it", "these", "this,", "it,", "this.", "it."].contains(word);
    let is_only = rule.to_lowercase().starts_with("only ");
    if !is_only || !rule.split(' ').any(|word| stands_for_it(&word)) {
        return format!("{area}: {rule}");
    }
    let words = rule.split(' ').map(|word| match stands_for_it(&word) {
        true => format!("{area}{}", word.trim_start_matches(char::is_alphabetic)),
        false => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the sentence that only some change a place; `None` if all may, agents among them.
fn writers_of(area: &str, writers: &str) -> Option<String> {
    const ALL: &[&str] =
        &["everyone", "everybody", "anyone", "anybody", "all", "any", "agents", "agent", "free", "open"];
    let lower = writers.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let is_known = lower.chars().any(char::is_alphanumeric);
    (is_known && !words.any(|word| ALL.contains(&word))).then(|| format!("{area} is read-only."))
}

/// Returns a cell in lower case, without emphasis.
fn cell_text(cell: &str) -> String {
    cell.trim_matches(['*', ' ', '.']).to_lowercase()
}

/// Returns the first word of a cell, and whether a mark behind it, or its meaning, makes it a verdict: "no, use Y".
fn first_word(cell: &str) -> (&str, bool) {
    let first = cell.split(' ').next().unwrap_or_default();
    let bare = first.trim_end_matches([',', ';', ':', '.']);
    (bare, bare.len() < first.len() || !["no", "out"].contains(&bare))
}

/// Whether a cell is one of `verdicts`, or begins with it: "banned → snprintf".
fn bans(cell: &str, verdicts: &[&str]) -> bool {
    let (bare, is_clear) = first_word(cell);
    verdicts.contains(&cell) || verdicts.contains(&bare) && (is_clear || cell.split(' ').count() <= 2)
}

/// Whether a cell with the status of a thing is one of `ENDS`.
fn ends(cell: &str) -> bool {
    let (bare, is_clear) = first_word(cell);
    ENDS.contains(&cell) || ENDS.contains(&bare) && is_clear
}

/// Whether a line separates the header of a table from its rows.
pub(super) fn is_separator(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains('-') && line.chars().all(|c| matches!(c, '-' | ':' | ' ' | '|'))
}

/// Splits a row of a table.
pub(super) fn cells(line: &str) -> Vec<String> {
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

/// Whether a table may have a column of this name, in lower case.
pub(in super::super) fn is_column(name: &str) -> bool {
    [
        OLD_COLUMNS,
        NEW_COLUMNS,
        VERDICT_COLUMNS,
        THING_COLUMNS,
        ADVICE_COLUMNS,
        PLACE_COLUMNS,
        OUTSIDE_COLUMNS,
        STATE_COLUMNS,
        NOTE_COLUMNS,
        OTHER_COLUMNS,
        AREA_COLUMNS,
        RULE_COLUMNS,
        WRITER_COLUMNS,
    ]
    .iter()
    .any(|names| names.contains(&column_name(name)))
}
