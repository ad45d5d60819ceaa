//! Splits a decision into the paragraphs, items and rows that state something.

mod lines;
mod rows;
mod status;

use self::lines::{
    begins_with_id, begins_with_mark, begins_with_order, field, is_decision, item, plain_heading,
};
pub(super) use self::lines::{heading, title_of_paragraph};
pub(super) use self::rows::is_column;
use self::rows::{cells, is_separator};
pub(super) use self::status::{is_void, is_void_title};
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
    if is_open
        || heading(inner).is_some()
        || field(inner).is_some()
        || is_date
        || inner.starts_with("**Decision")
    {
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
        // "Exceptions: no `throw`" is about those of a language.
        let is_ban =
            |(name, value): &(String, &str)| name.starts_with("exception") && value.starts_with("no ");
        if let Some((name, value)) = field(text).filter(|field| !is_ban(field)) {
            self.close();
            let is_status = name == "status" || name == "state";
            if item.is_some()
                && !is_status
                && !text.starts_with(['*', '_'])
                && section_of(&name) != Section::Decide
            {
                // A plain label is about its own item only.
                self.begin(section_of(&name), value);
                return;
            }
            *section = section_of(&name);
            if is_status {
                *section = Section::Decide;
                self.status(value);
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
        let has_id = item.is_none() && begins_with_id(trimmed);
        if item.is_some() || has_id || begins_with_order(trimmed) || begins_with_mark(trimmed) {
            self.close();
            if has_id && std::mem::take(&mut self.is_inline) {
                // "Rationale: …" belongs to the rule above.
                *section = Section::Decide;
            }
            self.begin(*section, text);
        } else if let Some(block) = &mut self.open {
            block.text.push('\n');
            block.text.push_str(text);
        } else {
            self.begin(*section, text);
        }
    }

    /// Reads the value of a field with the status.
    fn status(&mut self, value: &str) {
        // "# moment" and "Status: banned" below it
        let verdict = value.split([' ', ',', '.', '(']).next().unwrap_or_default().to_lowercase();
        let mut titles = self.blocks.iter().rev().filter(|block| block.kind == Kind::Title);
        let title = titles.next().map(|block| block.text.clone());
        let is_ban = ["banned", "forbidden", "prohibited", "disallowed"].contains(&verdict.as_str());
        if let Some(title) = title.filter(|title| is_ban && title.split(' ').count() <= 3) {
            self.push(Kind::Statement, format!("{title}: banned"));
        }
        // "Status: accepted. No X." goes on with the decision.
        if let Some((_, rest)) = value.split_once(". ").filter(|(status, _)| !is_void(status)) {
            self.begin(Section::Decide, rest);
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
    fn a_state_of_work_is_no_verdict() {
        let title = (Kind::Title, "Kafka".to_owned());
        assert_eq!(shown("### Kafka\nStatus: blocked\n"), std::slice::from_ref(&title));
        let ban = (Kind::Statement, "Kafka: banned".to_owned());
        assert_eq!(shown("### Kafka\nStatus: banned\n"), [title, ban]);
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
