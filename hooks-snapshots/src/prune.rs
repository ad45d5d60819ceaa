//! Removes old snapshots: those beyond the quota, the age or the number.

use std::collections::BTreeSet;
use std::fs;

use crate::blobs::{Blobs, hex};
use crate::error::SnapshotError;
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
            let mut more = Live::default();
            self.add(newest, &live, &mut more);
            live.join(more);
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
            is_full = is_full || is_old || kept >= MOST_RECORDS / 4 * 3;
            let mut more = Live::default();
            if !is_full || is_running {
                record.trees().for_each(|tree| self.add(tree, &live, &mut more));
                is_full = is_full || live.bytes.saturating_add(more.bytes) > most;
            }
            if is_full && !is_running {
                let place = record.place(&self.records_folder());
                fs::remove_file(&place).map_err(SnapshotError::io(&place))?;
                continue;
            }
            live.join(more);
            kept = kept.saturating_add(1);
            state.oldest = Some((record.at, record.number));
        }
        sweep(&self.trees, &live.trees)?;
        sweep(&self.blobs, &live.blobs)?;
        state.bytes = live.bytes;
        self.write_state(&state)
    }

    /// Adds a tree to `more`, unless `live` has it.
    fn add(&self, id: &str, live: &Live, more: &mut Live) {
        let Some(key) = parsed(id).filter(|key| !live.trees.contains(key) && more.trees.insert(*key)) else {
            return;
        };
        let own = fs::metadata(self.trees.place(&key)).map_or(0, |about| about.len());
        more.bytes = more.bytes.saturating_add(own);
        // One that is damaged cannot be restored, whatever is kept of it.
        for entry in self.unchecked_tree(&key).into_iter().flat_map(|tree| tree.entries.into_values()) {
            if let Content::File(Some(blob)) = entry.content
                && !live.blobs.contains(&blob)
                && more.blobs.insert(blob)
            {
                more.bytes = more.bytes.saturating_add(entry.stamp.size);
            }
        }
    }
}

impl Live {
    fn join(&mut self, more: Self) {
        self.trees.extend(more.trees);
        self.blobs.extend(more.blobs);
        self.bytes = self.bytes.saturating_add(more.bytes);
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
