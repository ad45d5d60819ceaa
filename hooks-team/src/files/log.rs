//! `log/` and `orchestration-log/`: records of what happened, one file each.

use crate::text::one_line;

/// Reason why an agent was started, written before it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpawnRecord {
    /// Name of the agent.
    pub agent: String,
    /// Reason why this agent was chosen.
    pub why_chosen: String,
    /// Mode: whether the caller waits for the agent.
    pub mode: String,
    /// Reason for the mode.
    pub why_mode: String,
    /// Files the agent may read.
    pub reads: Vec<String>,
    /// Files the agent has to write.
    pub produces: Vec<String>,
    /// Result of the work, if known.
    pub outcome: String,
}

impl SpawnRecord {
    /// Formats the record as the table of Squad's template.
    ///
    /// ```
    /// use hooks_team::files::SpawnRecord;
    ///
    /// let record = SpawnRecord { agent: "Ada".to_owned(), why_chosen: "knows a|b".to_owned(), ..SpawnRecord::default() };
    /// let text = record.to_markdown("Session 1");
    /// assert!(text.starts_with("### Session 1\n"));
    /// assert!(text.contains(r"| **Why chosen** | knows a\|b |"));
    /// ```
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
