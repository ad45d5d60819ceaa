//! Ids of a log's chains, stored once for all of its feeds, so that a chain keeps its id when its first files
//! are deleted.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::Disk;
use serde::{Deserialize, Serialize};

use super::bookmark::{FeedPosition, fingerprint, replace, version_of};
use super::origin::Origin;
use super::source::Source;

/// Name of the file. It cannot collide with a sink's file, because names of sinks have no dot.
const FILE: &str = "log.chains";
/// Time to wait for another feed that updates the file.
const PATIENCE: Duration = Duration::from_secs(1);
/// Limit on the length of the file in bytes; a chain takes a few dozen.
const LONGEST: u64 = 16 << 20;

/// Chains of a log, as known to its feeds.
pub(super) struct Chains {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct Written {
    version: u32,
    chains: BTreeMap<String, Origin>,
}

impl Chains {
    pub(super) fn new(disk: Arc<dyn Disk>, folder: PathBuf) -> Self {
        Self { disk, folder }
    }

    /// Returns the id of `chain`, which never changes; `None` if the chain has no records, or `source` has no
    /// ids. The folder has to exist.
    pub(super) fn identify(&self, source: &mut impl Source, chain: &str) -> io::Result<Option<Arc<str>>> {
        let _others_wait = self.disk.lock(&self.folder.join(format!("{FILE}.lock")), PATIENCE)?;
        let mut written = self.read()?;
        let known = written.chains.get(chain);
        let Some(origin) = source.origin(chain, known).map_err(io::Error::other)? else { return Ok(None) };
        let id = Arc::clone(origin.id());
        if known != Some(&origin) {
            written.chains.insert(chain.to_owned(), origin);
            replace(&*self.disk, &self.folder, FILE, &serde_json::to_vec(&written)?)?;
        }
        Ok(Some(id))
    }

    /// Checks that `place` is a position in the log that `source` reads; `file` is the path of the position.
    /// A position without fingerprints, from an older version, gets those of the present records.
    ///
    /// # Errors
    /// Returns an error if the position is ahead of the log, or in another log: continuing there would skip
    /// records that were never sent.
    pub(super) fn check(
        &self,
        source: &mut impl Source,
        place: &mut FeedPosition,
        file: &str,
    ) -> io::Result<()> {
        let FeedPosition { positions, last, logs } = place;
        for (chain, seq) in positions.iter().filter(|(_, seq)| *seq > 0) {
            let is = self.identify(source, chain)?;
            if let (Some(was), Some(is)) = (logs.get(chain), is)
                && *was != is
            {
                return Err(io::Error::other(format!(
                    "`{file}` is a place in another log: chain `{chain}` was begun anew since; remove it to send everything \
                     that is in this one"
                )));
            }
            if !source.reaches(chain, seq).map_err(io::Error::other)? {
                return Err(io::Error::other(format!(
                    "`{file}` is ahead of the log, which has no record `{chain}:{seq}`: it was put back, or begun anew; \
                     remove it to send everything again"
                )));
            }
            // Deleted by retention, or damaged: there is nothing to compare.
            let Some(record) = source.record(chain, seq).map_err(io::Error::other)? else { continue };
            let is = fingerprint(&record);
            if last.get(chain).is_some_and(|was| *was != is) {
                return Err(io::Error::other(format!(
                    "`{file}` is a place in another log: record `{chain}:{seq}` is not the one that was there, so the log \
                     was put back and written on since; remove it to send everything that is in this one"
                )));
            }
            last.insert(chain.to_owned(), is);
        }
        Ok(())
    }

    fn read(&self) -> io::Result<Written> {
        let file = self.folder.join(FILE);
        let Some(bytes) = self.disk.read(&file, LONGEST)? else {
            return Ok(Written { version: 1, ..Written::default() });
        };
        let written =
            version_of(&bytes).and_then(|()| serde_json::from_slice(&bytes).map_err(io::Error::other));
        written.map_err(|error| {
            let way_out =
                "remove it: ids are found out again where the first files of the log are still there";
            io::Error::other(format!(
                "the list of chains in `{}` cannot be parsed: {error}; {way_out}",
                file.display()
            ))
        })
    }
}
