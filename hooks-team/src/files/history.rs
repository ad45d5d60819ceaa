//! `agents/NAME/history.md`: notes of an agent.

use hooks_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ledger::{Entry, Grammar, Ledger};
use crate::text::{Document, contained, guarded};
use crate::when;

/// An agent's history, or the archive of it.
///
/// ```
/// use hooks_core::time::Timestamp;
/// use hooks_team::files::{History, MemorySection};
/// use hooks_team::text::Document;
///
/// let at: Timestamp = "2026-03-15T10:00:00Z".parse()?;
/// let history = History::new(Document::parse("# Ada\n"));
/// let noted = History::new(Document::parse(history.with_note(MemorySection::Learnings, "Locks are slow.", at)));
/// let entry = noted.entries().next().expect("there is one");
/// assert_eq!(entry.group().as_deref(), Some("Learnings"));
/// assert_eq!(entry.body().trim(), "Locks are slow.");
/// # Ok::<(), hooks_core::time::TimestampError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    ledger: Ledger,
}

/// Kind of a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MemorySection {
    /// A thing the agent learnt.
    #[default]
    Learnings,
    /// A decision of the agent or of others.
    Updates,
    /// A summary of a session.
    Sessions,
}

impl History {
    /// Parses a history or its archive.
    pub fn new(document: Document) -> Self {
        Self { ledger: Ledger::new(document, Grammar::History) }
    }

    /// Returns the document.
    pub fn document(&self) -> &Document {
        self.ledger.document()
    }

    /// Returns the ledger of the file.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the entries in file order. The newest may be first or last; only the dates show it.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = Entry<'_>> + ExactSizeIterator + Clone {
        self.ledger.entries()
    }

    /// Returns the file with `note` at the end of `section`, dated `at`. A missing section is added.
    pub fn with_note(&self, section: MemorySection, note: &str, at: Timestamp) -> Vec<u8> {
        let document = self.document();
        let note = guarded(document, contained(note.trim(), 3).into_bytes());
        let entry = format!("### {}\n{}\n", when::date(at), String::from_utf8_lossy(&note).trim_end());
        let splice = match document.group(section.heading()) {
            Some(found) => document.add_behind(found.start..found.below, &entry),
            None => {
                let block = format!("## {}\n\n{entry}", section.heading());
                document.add_behind(0..document.bytes().len(), &block)
            }
        };
        document.with(vec![splice])
    }
}

impl MemorySection {
    /// Returns the heading of the section.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Learnings => "Learnings",
            Self::Updates => "Decisions",
            Self::Sessions => "Context",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_added_where_they_belong() {
        let at = Timestamp(1_795_321_247_000);
        let add = |text: &str, note: &str| {
            String::from_utf8(History::new(Document::parse(text)).with_note(
                MemorySection::Learnings,
                note,
                at,
            ))
            .unwrap()
        };
        let text = "# A\n\n## Learnings\n\n### old\nx\n\n## Patterns\n- p\n";
        assert_eq!(
            add(text, "$& new\n## Patterns"),
            text.replace("x\n\n", "x\n\n### 2026-11-22\n$& new\n#### Patterns\n\n")
        );
        assert_eq!(add("# A\r\n", "n"), "# A\r\n\r\n## Learnings\r\n\r\n### 2026-11-22\r\nn\r\n");
        assert_eq!(add("", "n"), "## Learnings\n\n### 2026-11-22\nn\n");
        let twice = add(&add(text, "one"), "one");
        assert_eq!(
            History::new(Document::parse(twice))
                .entries()
                .filter(|entry| entry.text().contains("one"))
                .count(),
            2
        );
    }
}
