//! A record as JSON, for sinks that send it whole.

use serde::Serialize;

use crate::read::Committed;
use crate::record::{Payload, Record};

/// A record, its key, and its payload where that is sent.
#[derive(Serialize)]
pub(super) struct Sent<'a> {
    /// The same for ever, and no record of another log has it: what a receiver tells duplicates by.
    pub(super) key: String,
    /// The record.
    pub(super) record: &'a Record,
    /// What stands beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payload: Option<&'a Payload>,
}

impl<'a> Sent<'a> {
    pub(super) fn of(committed: &'a Committed) -> Self {
        Self { key: committed.key(), record: &committed.record, payload: committed.payload() }
    }
}
