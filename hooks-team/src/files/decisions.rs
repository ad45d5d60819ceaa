//! `decisions.md`, its archive and its inbox.

use hooks_core::time::Timestamp;

use crate::error::TeamError;
use crate::ledger::{Entry, EntryKind, Grammar, Ledger};
use crate::name::slug;
use crate::text::{Document, Kind, contained, one_line};
use crate::when;

/// The decisions of a team, or its archived decisions.
///
/// ```
/// use hooks_team::files::Decisions;
/// use hooks_team::text::Document;
///
/// let text = "# Decisions\n\n### 2026-03-15: Use SQLite\n**By:** Ada\n\n### 2026-03-16: Use Redis\n**Status:** rejected\n";
/// let decisions = Decisions::new(Document::parse(text));
/// let first = decisions.entries().next().expect("there are two");
/// assert_eq!((&*first.title(), first.by().as_deref()), ("Use SQLite", Some("Ada")));
/// assert_eq!(first.date().expect("it is dated").date(), (2026, 3, 15));
/// assert_eq!(decisions.entries().filter(|entry| entry.is_in_force()).count(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    ledger: Ledger,
}

/// A file of the inbox, with decisions that are not merged yet.
#[derive(Clone, Debug)]
pub struct InboxFile {
    name: String,
    ledger: Ledger,
}

/// A decision to write.
///
/// ```
/// use hooks_core::time::Timestamp;
/// use hooks_team::files::NewDecision;
///
/// let at: Timestamp = "2026-03-15T10:00:00Z".parse()?;
/// let decision = NewDecision { author: "Ada".to_owned(), summary: "Use SQLite".to_owned(), ..NewDecision::default() };
/// assert!(decision.to_markdown(at)?.starts_with("### 2026-03-15: Use SQLite\n**By:** Ada\n"));
/// assert!(NewDecision { author: String::new(), ..decision }.to_markdown(at).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewDecision {
    /// Author of the decision.
    pub author: String,
    /// The decision, on one line.
    pub summary: String,
    /// Reason, of any length. Headings in it are moved below the heading of the decision.
    pub body: String,
    /// References to issues, files and other decisions.
    pub references: Vec<String>,
}

impl Decisions {
    /// Parses `decisions.md` or its archive.
    pub fn new(document: Document) -> Self {
        Self { ledger: Ledger::new(document, Grammar::Decisions) }
    }

    /// Returns the document.
    pub fn document(&self) -> &Document {
        self.ledger.document()
    }

    /// Returns the ledger of the file.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the decisions, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry<'_>> + ExactSizeIterator + Clone {
        self.ledger.entries()
    }
}

impl InboxFile {
    /// Parses a file of the inbox.
    pub fn new(name: impl Into<String>, document: Document) -> Self {
        Self { name: name.into(), ledger: Ledger::new(document, Grammar::Inbox) }
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the document.
    pub fn document(&self) -> &Document {
        self.ledger.document()
    }

    /// Returns the decisions of the file, usually one.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry<'_>> + ExactSizeIterator + Clone {
        self.ledger.entries()
    }

    /// Returns the date of the first dated decision, or else the date in the file name.
    pub fn date(&self) -> Option<Timestamp> {
        self.entries().find_map(|entry| entry.date()).or_else(|| when::first(&self.name))
    }

    /// Returns the text for `decisions.md`. Its headings start at the third level, and it begins with a
    /// heading, so that no part of it belongs to the entry before. `scrub` removes secrets.
    pub(crate) fn as_decision(&self, scrub: &dyn Fn(&str) -> Option<String>) -> String {
        let text = self.ledger.document().text(0..self.ledger.document().bytes().len());
        let scrubbed = scrub(&text);
        let text = scrubbed.as_deref().unwrap_or(&text);
        let (front, text) = parted(text.trim_start_matches('\u{feff}').trim());
        let text = contained(text.trim(), 2);
        let ledger = Ledger::new(Document::parse(&*text), Grammar::Inbox);
        let begins_with_heading = ledger
            .entries()
            .next()
            .map_or(!ledger.document().sections().is_empty(), |first| first.kind() == EntryKind::Block);
        let text = if begins_with_heading {
            text
        } else {
            let stem = self.name.strip_suffix(".md").unwrap_or(&self.name);
            let stem = scrub(stem).unwrap_or_else(|| stem.to_owned());
            let date = self.date().map(|date| format!("{}: ", when::date(date))).unwrap_or_default();
            format!("### {date}{}\n\n{text}", one_line(&stem.replace('-', " ")))
        };
        if front.is_empty() { text } else { with_front_matter(&text, front) }
    }
}

/// Splits `text` into its front matter and the rest.
fn parted(text: &str) -> (&str, &str) {
    let document = Document::parse(text);
    let lines = document.lines_in(&(0..text.len()));
    let front = lines.iter().take_while(|line| line.kind == Kind::FrontMatter).last();
    text.split_at_checked(front.map_or(0, |last| last.end)).unwrap_or(("", text))
}

/// Adds `front` to `text` as a code block, at the end of the first section. Front matter is only valid at the
/// beginning of a file, and would be plain text between two entries.
fn with_front_matter(text: &str, front: &str) -> String {
    let longest = front.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let code = format!("{fence}yaml\n{}\n{fence}\n", front.trim());
    let document = Document::parse(text);
    let first = document.sections().first().map_or(0..text.len(), |first| first.start..first.end);
    let whole = document.with(vec![document.add_behind(first, &code)]);
    String::from_utf8_lossy(&whole).into_owned()
}

impl NewDecision {
    const LONGEST_NAME: usize = 200;

    /// Formats the decision as a Markdown block, dated `at`, that all readers of such files recognize as a
    /// decision.
    ///
    /// # Errors
    /// Returns `Invalid` if the author or the summary is empty or too long.
    pub fn to_markdown(&self, at: Timestamp) -> Result<String, TeamError> {
        let author = short("author", &self.author)?;
        let summary = short("summary", &self.summary)?;
        let mut text = format!("### {}: {summary}\n**By:** {author}\n**What:** {summary}\n", when::date(at));
        let references: Vec<_> =
            self.references.iter().map(|one| one_line(one)).filter(|one| !one.is_empty()).collect();
        if !references.is_empty() {
            text.push_str(&format!("**References:** {}\n", references.join(", ")));
        }
        let body = contained(self.body.trim(), 3);
        if !body.is_empty() {
            // A code block, list or table must begin on a line of its own.
            let apart = if body.starts_with(|c: char| c.is_alphanumeric()) { " " } else { "\n\n" };
            text.push_str(&format!("**Why:**{apart}{}\n", body.trim_end()));
        }
        Ok(text)
    }

    /// Returns the first part of the file name.
    pub(crate) fn stem(&self) -> String {
        let (author, summary) = (slug(&self.author, 40), slug(&self.summary, 60));
        let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
        format!("{}-{}", or(author, "somebody"), or(summary, "decision"))
    }
}

/// Puts `text` on one line; returns an error if it is empty or too long.
fn short(field: &'static str, text: &str) -> Result<String, TeamError> {
    let line = one_line(text);
    if line.is_empty() {
        return Err(TeamError::invalid(field, "it is empty"));
    }
    let length = line.chars().count();
    if length > NewDecision::LONGEST_NAME {
        let limit = NewDecision::LONGEST_NAME;
        return Err(TeamError::invalid(
            field,
            format!("it has {length} characters, {limit} are the limit; put the rest in the body"),
        ));
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry_of(text: &str) -> (String, Option<String>, Option<String>, usize) {
        let decisions = Decisions::new(Document::parse(text));
        let count = decisions.entries().len();
        let entry = decisions.entries().next().unwrap();
        (entry.title().into(), entry.by().map(Into::into), entry.date().map(when::date), count)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let decision = NewDecision {
            author: "Lead\n**By:** somebody else".into(),
            summary: "Use\nPostgres ### x".into(),
            body: "# Why\nBecause.\n\n### 2026-01-01: Not a decision\n```\n# code".into(),
            references: vec!["#12".into(), "a\nb".into()],
        };
        let text = decision.to_markdown(Timestamp(1_795_321_247_000)).unwrap();
        let expected = (
            "Use Postgres ### x".into(),
            Some("Lead **By:** somebody else".into()),
            Some("2026-11-22".into()),
            1,
        );
        assert_eq!(entry_of(&text), expected);
        assert!(
            text.contains("**References:** #12, a b\n**Why:**\n\n#### Why\nBecause.\n\n###### 2026-01-01"),
            "{text}"
        );
        assert!(text.ends_with("```\n"));
    }

    #[test]
    fn names_have_both_and_are_never_empty() {
        let stem = |author: &str, summary: &str| {
            NewDecision { author: author.into(), summary: summary.into(), ..Default::default() }.stem()
        };
        assert_eq!(stem("Fact Checker", "Use `X`!"), "fact-checker-use-x");
        assert_eq!(stem("🔧", "!!!"), "somebody-decision");
        assert!(NewDecision::default().to_markdown(Timestamp(0)).is_err());
        let long = NewDecision { author: "a".into(), summary: "x".repeat(201), ..Default::default() };
        assert!(long.to_markdown(Timestamp(0)).is_err());
    }

    #[test]
    fn files_of_the_inbox_become_decisions() {
        let text =
            |name: &str, text: &str| InboxFile::new(name, Document::parse(text)).as_decision(&|_| None);
        let merged = text("x.md", "\u{feff}# Decision: X\n**Author:** A\n\n## Context\nc\n");
        assert_eq!(merged, "### Decision: X\n**Author:** A\n\n#### Context\nc");
        assert_eq!(
            text("copilot-directive-2026-04-13T00-08.md", "always x"),
            "### 2026-04-13: copilot directive 2026 04 13T00 08\n\nalways x"
        );
    }

    #[test]
    fn nothing_of_a_file_stands_before_its_heading() {
        let text = |text: &str| InboxFile::new("x-y.md", Document::parse(text)).as_decision(&|_| None);
        assert_eq!(
            text("---\nauthor: A\n---\n\n# T\n**By:** A\n\n## Why\nw\n"),
            "### T\n**By:** A\n\n```yaml\n---\nauthor: A\n---\n```\n\n#### Why\nw"
        );
        assert_eq!(
            text("---\na: `b`\n---\nno heading"),
            "### x y\n\nno heading\n\n```yaml\n---\na: `b`\n---\n```\n"
        );
        assert_eq!(text("first\n\n# T\nx"), "### x y\n\nfirst\n\n### T\nx");
        assert_eq!(text("---\n# T"), "---\n### T");
    }
}
