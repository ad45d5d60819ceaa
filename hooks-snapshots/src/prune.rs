//! Removes old snapshots: those beyond the quota, the age or the number.

use std::collections::BTreeSet;
use std::fs;

use crate::blobs::{Blobs, hex};
use crate::error::SnapshotError;
use crate::record::Record;
use crate::store::{State, Store, parsed};
use crate::tree::{Content, Id};

/// Most records. Their names are read to find one.
const MOST_RECORDS: u64 = 1_000;

/// Milliseconds of a day.
const DAY: u64 = 24 * 60 * 60 * 1_000;

/// Trees and contents that stay.
#[derive(Default)]
struct Live {
    trees: BTreeSet<Id>,
    blobs: BTreeSet<Id>,
    bytes: u64,
}

impl Store {
    /// Removes old snapshots if a limit is exceeded.
    pub(crate) fn prune_if_needed(&self, at: u64) -> Result<(), SnapshotError> {
        let state = self.state();
        let (oldest, first) = state.oldest.unwrap_or((at, state.number));
        let is_due = state.bytes > self.scope.quota
            || oldest.saturating_add(self.age()) < at
            || state.number.saturating_sub(first) > MOST_RECORDS;
        if is_due { self.prune(at, state) } else { Ok(()) }
    }

    fn age(&self) -> u64 {
        u64::from(self.scope.days).saturating_mul(DAY)
    }

    fn prune(&self, at: u64, mut state: State) -> Result<(), SnapshotError> {
        let mut live = Live::default();
        if let Some(newest) = &state.newest {
            self.add(newest, &mut live);
        }
        // Room is left, so that not each command removes one.
        let most = self.scope.quota / 4 * 3;
        let running = self.running_ids();
        let mut records = self.records()?;
        records.reverse();
        let mut kept = 0;
        let mut is_full = false;
        state.oldest = None;
        for record in &records {
            let is_running = running.contains(&record.id);
            let is_old = record.at.saturating_add(self.age()) < at;
            is_full = is_full
                || is_old
                || kept >= MOST_RECORDS / 4 * 3
                || live.bytes.saturating_add(self.cost(record, &live)) > most;
            if is_full && !is_running {
                let place = record.place(&self.records_folder());
                fs::remove_file(&place).map_err(SnapshotError::io(&place))?;
                continue;
            }
            record.trees().for_each(|tree| self.add(tree, &mut live));
            kept = kept.saturating_add(1);
            state.oldest = Some((record.at, record.number));
        }
        sweep(&self.trees, &live.trees)?;
        sweep(&self.blobs, &live.blobs)?;
        state.bytes = live.bytes;
        self.write_state(&state)
    }

    /// Bytes that a record takes besides what is kept already.
    fn cost(&self, record: &Record, live: &Live) -> u64 {
        let mut more = 0_u64;
        let mut seen = BTreeSet::new();
        for id in record.trees() {
            let Some((key, tree)) = parsed(id).and_then(|key| Some((key, self.tree(id).ok()?))) else {
                continue;
            };
            if live.trees.contains(&key) || !seen.insert(key) {
                continue;
            }
            for entry in tree.entries.values() {
                if let Content::File(Some(blob)) = entry.content
                    && !live.blobs.contains(&blob)
                    && seen.insert(blob)
                {
                    more = more.saturating_add(entry.stamp.size);
                }
            }
        }
        more
    }

    fn add(&self, id: &str, live: &mut Live) {
        let Some((key, tree)) = parsed(id).and_then(|key| Some((key, self.tree(id).ok()?))) else { return };
        if !live.trees.insert(key) {
            return;
        }
        let own = fs::metadata(self.trees.place(&key)).map_or(0, |about| about.len());
        live.bytes = live.bytes.saturating_add(own);
        for entry in tree.entries.values() {
            if let Content::File(Some(blob)) = entry.content
                && live.blobs.insert(blob)
            {
                live.bytes = live.bytes.saturating_add(entry.stamp.size);
            }
        }
    }
}

/// Removes what nothing refers to.
fn sweep(blobs: &Blobs, live: &BTreeSet<Id>) -> Result<(), SnapshotError> {
    let kept: BTreeSet<String> = live.iter().map(hex).collect();
    let folder = blobs.folder();
    for above in fs::read_dir(folder).map_err(SnapshotError::io(folder))?.flatten() {
        for entry in fs::read_dir(above.path()).into_iter().flatten().flatten() {
            let name =
                format!("{}{}", above.file_name().to_string_lossy(), entry.file_name().to_string_lossy());
            if !kept.contains(&name) {
                fs::remove_file(entry.path()).map_err(SnapshotError::io(&entry.path()))?;
            }
        }
    }
    Ok(())
}
