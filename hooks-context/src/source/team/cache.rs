//! Cache of parsed files, valid until a file's content changes.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hooks_team::TeamError;
use hooks_team::folder::{Folder, TeamPath};
use hooks_team::text::Document;

/// The most files in the cache.
const MOST: usize = 512;

/// Parsed files by path. A file is read each time, and parsed only if its bytes changed.
#[derive(Default)]
pub(super) struct Cache(Mutex<HashMap<PathBuf, Known>>);

struct Known {
    bytes: Arc<[u8]>,
    made: Arc<dyn Any + Send + Sync>,
}

impl Cache {
    /// Returns the result of `make` for the file at `place`. A missing file counts as empty.
    pub(super) fn get<T: Any + Send + Sync>(
        &self,
        folder: &Folder,
        place: &TeamPath,
        make: impl FnOnce(Document) -> T,
    ) -> Result<Arc<T>, TeamError> {
        let file = folder.root().join(place.as_str());
        let bytes = folder.read(place)?.unwrap_or_default();
        if let Some(known) = self.known::<T>(&file, &bytes) {
            return Ok(known);
        }
        let made = Arc::new(make(Document::parse(bytes.as_slice())));
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MOST && !files.contains_key(&file) {
            files.clear();
        }
        files.insert(file, Known { bytes: bytes.into(), made: made.clone() });
        Ok(made)
    }

    fn known<T: Any + Send + Sync>(&self, file: &Path, bytes: &[u8]) -> Option<Arc<T>> {
        let (known, made) = {
            let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let known = files.get(file)?;
            (Arc::clone(&known.bytes), Arc::clone(&known.made))
        };
        // The comparison runs without the lock, because the files are large.
        (*known == *bytes).then(|| made.downcast().ok())?
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::FakeDisk;
    use hooks_core::time::SeededRandom;

    use super::*;

    #[test]
    fn so_many_files_are_remembered() {
        let disk = Arc::new(FakeDisk::default().with_directory("/t"));
        let (cache, folder) = (Cache::default(), Folder::new(disk, Arc::new(SeededRandom::new(1)), "/t"));
        for number in 0..=MOST {
            let place = TeamPath::new(&format!("agents/a{number}/history.md")).unwrap();
            cache.get(&folder, &place, |_| number).unwrap();
        }
        assert!(cache.0.lock().unwrap().len() <= MOST);
    }
}
