//! `ceremonies.md`: ceremonies before and after work.

use crate::text::{Document, Table, items, key};

/// The ceremonies of a team.
///
/// ```
/// use hooks_team::files::{Ceremonies, CeremonyTime, CeremonyTrigger};
/// use hooks_team::text::Document;
///
/// let text = "# Ceremonies\n\n## Retro\n\n| Field | Value |\n|---|---|\n| Trigger | auto |\n| When | after |\n";
/// let ceremonies = Ceremonies::new(Document::parse(text));
/// let retro = &ceremonies.all()[0];
/// assert_eq!((&retro.trigger, &retro.when), (&CeremonyTrigger::Auto, &CeremonyTime::After));
/// assert!(retro.enabled, "a ceremony is held unless the file switches it off");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ceremonies {
    document: Document,
    ceremonies: Vec<Ceremony>,
}

/// A ceremony. A field that the file leaves out is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ceremony {
    /// Name of the ceremony.
    pub name: String,
    /// Trigger of the ceremony.
    pub trigger: CeremonyTrigger,
    /// Whether it is held before or after work.
    pub when: CeremonyTime,
    /// Condition under which it is held, in words.
    pub condition: String,
    /// Name of the participant who leads it.
    pub facilitator: String,
    /// Participants.
    pub participants: String,
    /// The most time it may take.
    pub time_budget: String,
    /// Whether it is held; true if the file does not set it.
    pub enabled: bool,
    /// Steps of the ceremony.
    pub agenda: Vec<String>,
}

/// Trigger of a ceremony.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CeremonyTrigger {
    /// The condition is met.
    Auto,
    /// A user or an agent requests it. This is the default, so that nothing happens without a request.
    #[default]
    Manual,
    /// Another trigger, as in the file.
    Other(String),
}

/// Time of a ceremony.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CeremonyTime {
    /// Before work begins.
    Before,
    /// After it ended.
    After,
    /// The file does not set it.
    #[default]
    Unsaid,
    /// Another time, as in the file.
    Other(String),
}

impl Ceremonies {
    /// Parses `ceremonies.md`.
    pub fn new(document: Document) -> Self {
        let sections = document.sections().iter().filter(|section| section.level == 2 || section.level == 3);
        let ceremonies = sections.filter_map(|section| {
            let range = section.body..section.end;
            let table = Table::find(&document, &range, &["field", "value"])?;
            let (field, value) = (table.column("field"), table.column("value"));
            let get = |wanted: &str| {
                let row = table.rows().iter().find(|row| key(row.cell(field)) == wanted);
                row.map_or("", |row| row.cell(value)).to_owned()
            };
            Some(Ceremony {
                name: document.title_of(section).into_owned(),
                trigger: match &*key(&get("trigger")) {
                    "auto" | "automatic" => CeremonyTrigger::Auto,
                    "" | "manual" => CeremonyTrigger::Manual,
                    _ => CeremonyTrigger::Other(get("trigger")),
                },
                when: match &*key(&get("when")) {
                    "before" => CeremonyTime::Before,
                    "after" => CeremonyTime::After,
                    "" => CeremonyTime::Unsaid,
                    _ => CeremonyTime::Other(get("when")),
                },
                condition: get("condition"),
                facilitator: get("facilitator"),
                participants: get("participants"),
                time_budget: get("time budget"),
                enabled: !is_no(&get("enabled")),
                agenda: items(&document, &range),
            })
        });
        let ceremonies = ceremonies.collect();
        Self { document, ceremonies }
    }

    /// Returns the document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the ceremonies, in order.
    pub fn all(&self) -> &[Ceremony] {
        &self.ceremonies
    }

    /// Returns the ceremonies that are held.
    pub fn enabled(&self) -> impl Iterator<Item = &Ceremony> {
        self.ceremonies.iter().filter(|ceremony| ceremony.enabled)
    }
}

fn is_no(text: &str) -> bool {
    text.contains(['❌', '✗', '⛔']) || matches!(&*key(text), "no" | "false" | "off" | "disabled" | "n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ceremonies_are_read() {
        let text = "# Ceremonies\n\n## Design Review\n\n| Field | Value |\n|--|--|\n| **Trigger** | auto |\n| **When** | before |\n| **Condition** | 2+ agents \\| systems |\n| **Time budget** | focused |\n| **Enabled** | ✅ yes |\n\n**Agenda:**\n1. a\n2. b\n\n---\n\n## Retro\n\n| Field | Value |\n|--|--|\n| When | at noon |\n| Enabled | ❌ no |\n\n## Notes\ntext\n";
        let ceremonies = Ceremonies::new(Document::parse(text));
        let [review, retro] = ceremonies.all() else { panic!("{ceremonies:?}") };
        assert_eq!((&review.trigger, &review.when), (&CeremonyTrigger::Auto, &CeremonyTime::Before));
        assert_eq!(
            (&*review.condition, &*review.agenda),
            ("2+ agents | systems", &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(retro.when, CeremonyTime::Other("at noon".into()));
        assert_eq!(ceremonies.enabled().count(), 1);
    }
}
