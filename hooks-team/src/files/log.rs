//! `log/` and `orchestration-log/`: what happened, a file each time.

use crate::text::one_line;

/// Why an agent was sent to work, written before it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpawnRecord {
    /// Who.
    pub agent: String,
    /// Why that one.
    pub why_chosen: String,
    /// Whether somebody waits for it.
    pub mode: String,
    /// Why or why not.
    pub why_mode: String,
    /// What it may read.
    pub reads: Vec<String>,
    /// What it shall write.
    pub produces: Vec<String>,
    /// What came of it, where that is known.
    pub outcome: String,
}

impl SpawnRecord {
    /// The record as the table that Squad's template has.
    pub fn to_markdown(&self, title: &str) -> String {
        let cell = |text: &str| one_line(text).replace('\\', "\\\\").replace('|', "\\|");
        let (reads, produces) = (self.reads.join(", "), self.produces.join(", "));
        let rows = [
            ("Agent routed", &self.agent),
            ("Why chosen", &self.why_chosen),
            ("Mode", &self.mode),
            ("Why this mode", &self.why_mode),
            ("Files authorized to read", &reads),
            ("File(s) agent must produce", &produces),
            ("Outcome", &self.outcome),
        ];
        let rows: String =
            rows.iter().map(|(field, value)| format!("| **{field}** | {} |\n", cell(value))).collect();
        format!("### {}\n\n| Field | Value |\n|-------|-------|\n{rows}", one_line(title))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Document, Table};

    #[test]
    fn a_record_is_a_table() {
        let record =
            SpawnRecord { agent: "a|b\nc".into(), reads: vec!["x".into(), "y".into()], ..Default::default() };
        let text = record.to_markdown("T");
        let tables = Table::all(&Document::parse(&*text), &(0..text.len()));
        assert_eq!(tables[0].rows().len(), 7);
        assert_eq!(tables[0].rows()[0].cell(Some(1)), "a|b c");
        assert_eq!(tables[0].rows()[4].cell(Some(1)), "x, y");
    }
}
