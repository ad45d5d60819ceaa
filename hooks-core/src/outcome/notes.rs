//! Notes: the parts of a judgement besides its strength and reasons.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::{ContextNote, ContextPatch, Outcome};

/// The notes of one kind of judgement. They are a monoid of their own.
pub trait Notes: Debug + Default + PartialEq + Send + Sync + 'static {
    /// Merges later notes into these.
    fn merge(&mut self, later: Self);
}

impl Notes for () {
    fn merge(&mut self, _later: ()) {}
}

impl Notes for ContextPatch {
    fn merge(&mut self, later: Self) {
        Outcome::merge(self, later);
    }
}

/// Texts of a decision for the model and the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionNotes {
    /// Text for the model, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_context: Vec<ContextNote>,
    /// Text for the user, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system_messages: Vec<String>,
}

impl Notes for DecisionNotes {
    fn merge(&mut self, mut later: Self) {
        self.additional_context.append(&mut later.additional_context);
        self.system_messages.append(&mut later.system_messages);
    }
}

/// Notes on a tool result.
///
/// ```
/// use hooks_core::{Notes, ResultNotes};
///
/// let mut notes = ResultNotes { stop: Some("done".to_owned()), ..ResultNotes::default() };
/// notes.merge(ResultNotes { stop: Some("later".to_owned()), suppress_output: true, ..ResultNotes::default() });
/// assert_eq!(notes.stop.as_deref(), Some("done")); // the first value wins
/// assert!(notes.suppress_output);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultNotes {
    /// Text for the model, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_context: Vec<ContextNote>,
    /// Whether the result is hidden in the transcript that the user sees.
    pub suppress_output: bool,
    /// Reason to end the run after this result; the first value wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
}

impl Notes for ResultNotes {
    fn merge(&mut self, mut later: Self) {
        self.additional_context.append(&mut later.additional_context);
        self.suppress_output |= later.suppress_output;
        self.stop = self.stop.take().or(later.stop);
    }
}

/// Requests of hooks about a compaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompactNotes {
    /// Context that must survive the compaction, and instructions for the model that writes the summary.
    pub context: ContextPatch,
    /// A summary to use in place of the host's; the first value wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// State to carry over, by name; the first value for a name wins.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub exported_state: serde_json::Map<String, serde_json::Value>,
}

impl Notes for CompactNotes {
    fn merge(&mut self, later: Self) {
        Outcome::merge(&mut self.context, later.context);
        self.summary = self.summary.take().or(later.summary);
        for (name, value) in later.exported_state {
            self.exported_state.entry(name).or_insert(value);
        }
    }
}
