//! Ids of traces and spans, derived from records.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::read::Committed;
use crate::record::Record;

/// Limit on stored sessions. Beyond it all are dropped; a session that is deeper than the child of a session
/// then starts its own trace.
const MOST: usize = 16_384;

/// Root session of each session's trace.
#[derive(Debug, Default)]
pub(super) struct Roots(Mutex<HashMap<(String, String), String>>);

impl Roots {
    /// Trace of a record: that of the session which started its session, and so on upwards.
    pub(super) fn trace(&self, record: &Record) -> String {
        let tenant = || record.tenant.clone().unwrap_or_default();
        let mut roots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let root = match roots.get(&(tenant(), record.session.clone())) {
            Some(root) => root.clone(),
            None => {
                let above = record.parent.as_ref();
                let root =
                    above.map(|parent| roots.get(&(tenant(), parent.clone())).unwrap_or(parent).clone());
                let root = root.unwrap_or_else(|| record.session.clone());
                if roots.len() >= MOST {
                    roots.clear();
                }
                roots.insert((tenant(), record.session.clone()), root.clone());
                root
            }
        };
        hex(16, &["trace", &tenant(), &root])
    }
}

/// Span of a session.
pub(super) fn of_session(record: &Record, session: &str) -> String {
    hex(8, &["session", record.tenant.as_deref().unwrap_or_default(), session])
}

/// Span of a record's call or child.
pub(super) fn of_record(committed: &Committed) -> String {
    hex(8, &["record", &committed.key()])
}

/// Span of the decision of a record.
pub(super) fn of_guardrail(committed: &Committed) -> String {
    hex(8, &["guardrail", &committed.key()])
}

/// Returns the first bytes of a digest of the parts, in hex. Never all zero, because that means a missing id.
fn hex(bytes: usize, parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let digest = digest.finalize();
    let text: String = digest.iter().take(bytes).map(|byte| format!("{byte:02x}")).collect();
    if text.bytes().all(|digit| digit == b'0') {
        format!("{}1", text.get(1..).unwrap_or_default())
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::time::Timestamp;

    use super::*;

    #[test]
    fn no_more_sessions_are_known_than_there_is_room_for() {
        let roots = Roots::default();
        let record = |session: usize| Record {
            session: format!("s{session}"),
            parent: Some("root".to_owned()),
            ..Record::new("stop", Timestamp(1))
        };
        let first = roots.trace(&record(0));
        for session in 1..=2 * MOST {
            assert_eq!(roots.trace(&record(session)), first);
        }
        assert!(roots.0.lock().unwrap().len() <= MOST);
    }
}
