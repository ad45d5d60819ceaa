//! A record as JSON, for sinks that send all of it.

use serde::Serialize;

use crate::read::Committed;
use crate::record::{Payload, Record};

/// A record, its key, and its payload if payloads are sent.
#[derive(Serialize)]
pub(super) struct Sent<'a> {
    /// Unique and unchanging key, also across logs; receivers recognize duplicates by it.
    pub(super) key: String,
    /// The record.
    pub(super) record: &'a Record,
    /// Payload of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payload: Option<&'a Payload>,
}

impl<'a> Sent<'a> {
    pub(super) fn new(committed: &'a Committed) -> Self {
        Self { key: committed.key(), record: &committed.record, payload: committed.payload() }
    }
}
