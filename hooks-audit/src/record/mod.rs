//! Records, the entries of the log: one line of searchable JSON for each event, and its payload line.
//!
//! A [`Record`] holds the actor, the action, the decision and its rule. Data that may be personal (arguments,
//! results, prompts, messages) is in its [`Payload`], a separate line of which the record holds a salted
//! digest: it can be erased later, and the chain of records still verifies. Both together hold everything
//! that a decision depended on, so that the decision can be repeated.

mod moment;
mod name;
mod payload;
mod shorten;

use std::collections::BTreeMap;

use hooks_core::cache::CacheAnswer;
use hooks_core::time::Timestamp;
use hooks_core::{Reason, Strength, event::Usage, event::VerdictSource};
use serde::{Deserialize, Serialize};

pub use self::name::kept_name;
pub use self::payload::Payload;
pub use self::shorten::Limits;

/// Version of this schema, in the header of every file. Fields may be added within a version; readers ignore
/// fields that they do not know.
pub const VERSION: u32 = 1;

/// One record. The order of the fields is the order in the line.
///
/// Fields without a value are not in the line.
///
/// ```
/// use hooks_audit::{Record, notes};
/// use hooks_core::time::Timestamp;
///
/// let mut record = Record::new("pre_tool_use", Timestamp(0));
/// record.tool = Some("bash".to_owned());
/// assert_eq!(
///     serde_json::to_string(&record)?,
///     r#"{"seq":0,"at":"1970-01-01T00:00:00.000Z","event":"pre_tool_use","tool":"bash"}"#
/// );
/// assert!(!record.is_note() && Record::new(notes::GAP, Timestamp(0)).is_note());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Record {
    /// Number in its chain, from 1; gaps exist only behind a damaged file. The log sets it.
    pub seq: u64,
    /// Time of the event.
    #[serde(with = "moment")]
    pub at: Timestamp,
    /// Name of the event, or one of [`notes`], which are the log's own records.
    pub event: String,
    /// Tenant whose hooks decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Id of the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// Id of the session that started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Agent that acted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Repository, as `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Id of the tool call or model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Name of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of the child agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<String>,
    /// Id of the child agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
    /// Strength of the decision; absent if the event is not decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Strength>,
    /// Answer that the client received: `none`, `allow`, `ask`, `stop`, `deny` or `block`. It can differ from the
    /// decision; absent if the event did not come from a client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
    /// Effects that the client does not support as they are meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<DegradedEffect>,
    /// Policy that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Denials and questions of rules in the shadow; see `hooks_core::shadow`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub would: Vec<WouldHave>,
    /// Source of the verdict on a tool call, if the event has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<VerdictSource>,
    /// Version of the rules in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Whether a hook, a tool or a model failed.
    #[serde(skip_serializing_if = "is_false")]
    pub failed: bool,
    /// Whether hooks rewrote the event before it was judged.
    #[serde(skip_serializing_if = "is_false")]
    pub rewritten: bool,
    /// Number of findings that were removed from a result, by label.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub redacted: BTreeMap<String, u64>,
    /// Modes of the standing wishes that were found in a message, such as `never`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<String>,
    /// Answer of the cache to a call of a cached tool; shows whether the tool ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheAnswer>,
    /// Duration in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Tokens used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Usage>,
    /// Cost in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// Message of the log, in its own records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Numbers of the records that a note is about, as pairs of first and last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<(u64, u64)>,
}

/// The answer that a rule in the shadow would have given.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WouldHave {
    /// Strength of the answer.
    pub outcome: Strength,
    /// Policy of the rule.
    pub policy: String,
    /// Name of the rule.
    pub rule: String,
}

impl WouldHave {
    /// The denials and questions that `reasons` note, each once.
    pub(crate) fn noted_in(reasons: &[Reason]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for reason in reasons {
            let Some(outcome) = reason.would.filter(|would| *would >= Strength::Ask) else { continue };
            let (policy, rule) = (reason.policy.clone().into_owned(), reason.rule.clone().into_owned());
            let one = Self { outcome, policy, rule };
            if all.len() < MOST_NOTED && !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }
}

/// Most answers of rules in the shadow in one record; the payload has the reasons of all.
const MOST_NOTED: usize = 32;

/// An effect that a client does not support as it is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DegradedEffect {
    /// The effect, such as `ask`.
    pub wish: String,
    /// The effect in its place: `denied`, `stopped`, `as_allow`, `as_reason`, `as_context`, `left_out` or `not_enforced`.
    pub instead: String,
}

impl DegradedEffect {
    /// Creates the note that `instead` replaced `wish`.
    pub fn new(wish: impl Into<String>, instead: impl Into<String>) -> Self {
        Self { wish: wish.into(), instead: instead.into() }
    }
}

/// Answer that a client received to an event, for the record of the event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedAnswer {
    /// See [`Record::answered`].
    pub answered: String,
    /// See [`Record::degraded`].
    pub degraded: Vec<DegradedEffect>,
    /// Source of the verdict, if it is not the hooks.
    pub source: Option<VerdictSource>,
}

impl RecordedAnswer {
    /// An answer with its name, and the effects that the client does not support.
    pub fn new(answered: impl Into<String>, degraded: impl IntoIterator<Item = DegradedEffect>) -> Self {
        Self { answered: answered.into(), degraded: degraded.into_iter().collect(), source: None }
    }

    /// Sets the source of the verdict.
    #[must_use]
    pub const fn decided_by(mut self, source: Option<VerdictSource>) -> Self {
        self.source = source;
        self
    }

    /// Adds the answer to the record of the event.
    pub(crate) fn describe(&self, record: &mut Record) {
        record.answered = Some(self.answered.clone());
        record.degraded.clone_from(&self.degraded);
        record.source = self.source.or(record.source);
    }
}

/// Names of the log's own records, in [`Record::event`].
pub mod notes {
    /// All names.
    pub const ALL: [&str; 10] =
        [RECOVERED, ALARM, GAP, SPILLED, INTENT, DELETED, HELD, RELEASED, ERASED, STORE];

    /// A writer took the chain over from one that did not close it, and committed records again or found torn
    /// bytes.
    pub const RECOVERED: &str = "log.recovered";
    /// The file was damaged by something other than its writer, and was moved aside; or checkpoints are
    /// missing or fail.
    pub const ALARM: &str = "log.alarm";
    /// Records were refused or lost before they were written; `covers` has their number, as a range from 1.
    pub const GAP: &str = "log.gap";
    /// Records went to the spill log because this log could not be written; `covers` has their number, as a
    /// range from 1, and the note has the folder.
    pub const SPILLED: &str = "log.spilled";
    /// A tool whose effects cannot be undone is about to run.
    pub const INTENT: &str = "log.intent";
    /// A file is about to be deleted by retention; `covers` has the numbers of its records.
    pub const DELETED: &str = "log.deleted";
    /// A legal hold begins; the note has the selected records and the reason.
    pub const HELD: &str = "log.held";
    /// A legal hold ends.
    pub const RELEASED: &str = "log.released";
    /// Payloads are about to be erased; `covers` has the numbers of their records.
    pub const ERASED: &str = "log.erased";
    /// A state store is in use, or its loss was accepted; the note has its location.
    pub const STORE: &str = "log.store";
}

impl Record {
    /// Creates a record of `event`.
    pub fn new(event: impl Into<String>, at: Timestamp) -> Self {
        Self { event: event.into(), at, ..Self::default() }
    }

    /// Whether this is one of the log's own records.
    pub fn is_note(&self) -> bool {
        self.event.starts_with("log.")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
