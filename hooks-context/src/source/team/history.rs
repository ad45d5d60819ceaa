//! History of an agent.

use std::sync::OnceLock;

use hooks_core::BoxError;
use hooks_core::time::Timestamp;
use hooks_team::TeamError;
use hooks_team::files::History;
use hooks_team::folder::TeamPath;

use super::{Ask, Reading, Section, cut};
use crate::source::{Item, Words};

/// Fields of an entry that determine its order.
struct Note {
    text: String,
    /// Date of the entry, or of the entry before it in the file.
    date: Option<Timestamp>,
    words: OnceLock<Words>,
}

/// Returns the newest entries of the agent's history, the most relevant for its task first.
pub(super) fn section(from: &Reading<'_>, ask: &Ask) -> Result<Section, BoxError> {
    let agent = match from.team.agent(&ask.agent) {
        Ok(agent) => agent,
        // An agent without a folder has no history.
        Err(TeamError::Missing { .. } | TeamError::Name { .. }) => return Ok(Section::default()),
        Err(error) => return Err(error.into()),
    };
    let place = TeamPath::new(&format!("agents/{agent}/history.md"))?;
    let notes = from.made(&place, |document| notes(&History::new(document)))?;
    let mut order: Vec<(usize, &Note)> = notes.iter().enumerate().collect();
    // The newest first: by date, and for equal dates the one that is later in the file.
    order.sort_by_key(|(at, note)| std::cmp::Reverse((note.date, *at)));
    let more = order.len().saturating_sub(from.limits.history);
    order.truncate(from.limits.history);
    if !ask.words.is_empty() {
        // The sort is stable: of equal relevance, the newest stays first.
        order.sort_by_cached_key(|(_, note)| {
            let words = note.words.get_or_init(|| Words::from_text(&note.text));
            std::cmp::Reverse(words.shared_with(&ask.words))
        });
    }
    let items = order.into_iter().map(|(_, note)| Item::new(&cut(&note.text))).collect();
    Ok(Section::new("What you have learnt here", items).with_rest(more, None))
}

fn notes(history: &History) -> Vec<Note> {
    let mut last = None;
    let entries = history.entries().map(|entry| {
        last = entry.date().or(last);
        Note { text: entry.text().into_owned(), date: last, words: OnceLock::new() }
    });
    entries.collect()
}
