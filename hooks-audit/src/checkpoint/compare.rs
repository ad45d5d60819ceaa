//! Compares checkpoints with one another to find contradictions.

use super::collect::CheckpointedChain;
use super::fleet::Fleet;
use crate::verify::{Condition, Finding};

/// Finds checkpoints of single chains that are older than the one before them in the same file.
pub(super) fn out_of_order(checkpointed: &[CheckpointedChain]) -> Vec<Finding> {
    let pairs = checkpointed.windows(2).filter_map(|pair| match pair {
        [before, after] => Some((before, after)),
        _ => None,
    });
    let is_next = |(before, after): &(&CheckpointedChain, &CheckpointedChain)| {
        before.file == after.file && !after.is_fleet && is_same_chain(before, after)
    };
    let older = pairs.filter(is_next).filter(|(before, after)| before.head.size > after.head.size);
    older
        .map(|(before, after)| {
            let (new, old) = (before.head.size, after.head.size);
            let what = format!(
                "an older checkpoint behind a newer one: {old} records behind {new}; the log or this file was put back"
            );
            finding(after, what)
        })
        .collect()
}

/// Finds checkpoints that state different roots for the same number of records of a chain. Takes n log n
/// time.
pub(super) fn forks(checkpointed: &[CheckpointedChain]) -> Vec<Finding> {
    let mut by_size: Vec<&CheckpointedChain> = checkpointed.iter().collect();
    by_size.sort_by(|a, b| a.head.cmp(&b.head));
    let mut findings = Vec::new();
    for pair in by_size.windows(2) {
        let [one, other] = pair else { continue };
        let is_same = is_same_chain(one, other) && one.head.size == other.head.size;
        if is_same && one.head.root != other.head.root {
            let (size, chain) = (other.head.size, &other.head.chain);
            let what = format!(
                "its root for {size} records of `{chain}` differs from that in `{}`, byte {}: the chain was forked",
                one.file, one.offset
            );
            findings.push(finding(other, what));
        }
    }
    findings
}

/// Describes what the newer of two notes over many chains has lost. A log that is missing as a whole was left
/// out on purpose.
pub(super) fn shrunk(before: &Fleet, after: &Fleet) -> Option<String> {
    before.heads().iter().find_map(|old| {
        let heads = after.heads();
        let at = heads.partition_point(|new| (&new.log, &new.chain) < (&old.log, &old.chain));
        let new = heads.get(at).filter(|new| (&new.log, &new.chain) == (&old.log, &old.chain));
        let has_log = heads.get(at).is_some_and(|new| new.log == old.log)
            || at.checked_sub(1).and_then(|at| heads.get(at)).is_some_and(|new| new.log == old.log);
        match new {
            Some(new) if new.size < old.size => {
                let (chain, size) = (&old.chain, new.size);
                Some(format!(
                    "chain `{chain}` has {size} records, and had {} in the checkpoint before",
                    old.size
                ))
            }
            None if has_log => {
                Some(format!("chain `{}` is missing, and was in the checkpoint before", old.chain))
            }
            _ => None,
        }
    })
}

fn is_same_chain(a: &CheckpointedChain, b: &CheckpointedChain) -> bool {
    (&a.head.log, &a.head.chain) == (&b.head.log, &b.head.chain)
}

fn finding(checkpointed: &CheckpointedChain, what: String) -> Finding {
    Finding {
        condition: Condition::Mismatched,
        file: checkpointed.file.clone(),
        offset: checkpointed.offset,
        what,
    }
}
