//! Sinks against real servers, each started on loopback in a temporary folder. If a server is not installed,
//! its tests report it and end.
// The helpers are tests as well, so that the lints exempt them.
#![cfg(test)]
#![cfg(all(unix, feature = "postgres", feature = "nats"))]

mod nats;
mod postgres;
mod process;

use hooks_audit::{Committed, Kept, Payload, Record};
use hooks_core::Strength;
use hooks_core::time::Timestamp;

/// Records of one chain, from number `first` on.
fn records(first: u64, count: u64) -> Vec<Committed> {
    let one = |seq: u64| {
        let mut record = Record::new("pre_tool_use", Timestamp(1_700_000_000_000 + seq));
        (record.seq, record.session, record.agent) = (seq, "s\0".to_owned(), "bäckend".to_owned());
        (record.tenant, record.tool) = (Some("acme".to_owned()), Some("bash".to_owned()));
        (record.outcome, record.rule) = (Some(Strength::Deny), Some("no-\"shell\\".to_owned()));
        let payload = Payload::new(serde_json::json!({"tool_args": {"command": "ls \0"}}));
        Committed { chain: "w0".into(), log: "l".into(), record, payload: Kept::Payload(Box::new(payload)) }
    };
    (first..first + count).map(one).collect()
}

/// The same records of another log.
fn records_elsewhere(first: u64, count: u64) -> Vec<Committed> {
    let mut all = records(first, count);
    all.iter_mut().for_each(|record| record.log = "m".into());
    all
}
