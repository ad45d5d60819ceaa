//! What is written down about an event: one line of JSON that a person can search, and its payload beside it.
//!
//! A [`Record`] says who did what, what was decided and by which rule. What personal data there may be (arguments,
//! results, prompts, messages) is in its [`Payload`], a line of its own of which the record holds a salted digest: it
//! can be erased later while the chain of records still verifies. Both together hold whatever a decision depended on,
//! so that it can be taken again.

mod moment;
mod name;
mod payload;
mod shorten;

use hooks_core::time::Timestamp;
use hooks_core::{Strength, event::Usage, event::VerdictSource};
use serde::{Deserialize, Serialize};

use crate::cache::CacheAnswer;

pub use self::name::kept_name;
pub use self::payload::Payload;
pub use self::shorten::Limits;

/// The version of this schema, in the header of every file. Fields may be added within a version; a reader ignores
/// those that it does not know.
pub const VERSION: u32 = 1;

/// One record. The order of the fields is the order in the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Record {
    /// Its number in its chain, from 1, without gaps but behind a file that was damaged. The log gives it.
    pub seq: u64,
    /// When it happened.
    #[serde(with = "moment")]
    pub at: Timestamp,
    /// What happened: the name of an event, or one of [`notes`] that the log writes about itself.
    pub event: String,
    /// Whose hooks decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The session that started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The agent that acted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The repository, as `owner/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The tool or model call that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The child agent that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<String>,
    /// What was decided; absent where there was nothing to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Strength>,
    /// The policy that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Its rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Who decided about a tool call, where the event says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<VerdictSource>,
    /// The version of the rules that were in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Whether something broke: a hook, a tool, a model.
    #[serde(skip_serializing_if = "is_false")]
    pub failed: bool,
    /// Whether hooks rewrote the event before it was judged.
    #[serde(skip_serializing_if = "is_false")]
    pub rewritten: bool,
    /// What became of a call of a tool whose results are cached: whether the tool ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheAnswer>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The tokens it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Usage>,
    /// What it cost, in millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// What the log says about itself, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The numbers of records that a note is about, as pairs of first and last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<(u64, u64)>,
}

/// The names of what the log writes about itself, in [`Record::event`].
pub mod notes {
    /// All of them.
    pub const ALL: [&str; 11] =
        [RECOVERED, ALARM, GAP, SPILLED, CHECKPOINT, INTENT, DELETED, HELD, RELEASED, ERASED, STORE];

    /// A writer took the chain over from one that did not close it, and cut or moved something aside.
    pub const RECOVERED: &str = "log.recovered";
    /// The file was damaged behind its writer's back; it was moved aside.
    pub const ALARM: &str = "log.alarm";
    /// Records were refused or lost before they were written; `covers` says how many, from 1.
    pub const GAP: &str = "log.gap";
    /// Records went to the spill log because this one could not be written; `covers` says how many, from 1, the note where.
    pub const SPILLED: &str = "log.spilled";
    /// A checkpoint; the note is the text that was signed.
    pub const CHECKPOINT: &str = "log.checkpoint";
    /// A tool that cannot be undone is about to run.
    pub const INTENT: &str = "log.intent";
    /// A file is about to be deleted, by retention; `covers` says which records it holds.
    pub const DELETED: &str = "log.deleted";
    /// What a legal hold is about must not go; the note says what and why.
    pub const HELD: &str = "log.held";
    /// A legal hold is over.
    pub const RELEASED: &str = "log.released";
    /// Payloads are about to be erased; `covers` says of which records.
    pub const ERASED: &str = "log.erased";
    /// Which state store is used, or that its loss was accepted; the note says where it is.
    pub const STORE: &str = "log.store";
}

impl Record {
    /// A record of `event`.
    pub fn new(event: impl Into<String>, at: Timestamp) -> Self {
        Self { event: event.into(), at, ..Self::default() }
    }

    /// Whether the log wrote it about itself.
    pub fn is_note(&self) -> bool {
        self.event.starts_with("log.")
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
