//! Folders that were listed for one call: each of them once, with a bounded number of names in all.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use hooks_core::fs::{EntryKind, FileSystem};

/// Most names that are listed for one call.
const MAX_LISTED: usize = 20_000;

/// Folders that were listed for a call.
#[derive(Debug)]
pub(in crate::calls) struct Looked {
    left: AtomicUsize,
    folders: Mutex<HashMap<String, Option<Arc<Folder>>>>,
    lists: Mutex<HashMap<String, Option<Arc<[String]>>>>,
}

/// Names in a folder.
#[derive(Debug)]
pub(super) struct Folder {
    /// Names that are UTF-8; others match no pattern of a rule.
    pub(super) names: Vec<String>,
    kinds: OnceLock<Vec<Option<EntryKind>>>,
}

impl Default for Looked {
    fn default() -> Self {
        Self { left: AtomicUsize::new(MAX_LISTED), folders: Mutex::default(), lists: Mutex::default() }
    }
}

impl Looked {
    /// Returns the names in a folder; `None` if it cannot be listed, or too many names were listed for this call.
    pub(super) fn folder(&self, files: &dyn FileSystem, path: &str) -> Option<Arc<Folder>> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = folders.get(path) {
            return known.clone();
        }
        let listed = self.read(files, path).map(Arc::new);
        folders.insert(path.to_owned(), listed.clone());
        listed
    }

    /// Returns the names in a list, each of them once; `None` if it cannot be read.
    pub(super) fn list(
        &self,
        path: &str,
        read: impl FnOnce() -> Option<Vec<String>>,
    ) -> Option<Arc<[String]>> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.entry(path.to_owned()).or_insert_with(|| read().map(Arc::from)).clone()
    }

    /// Returns whether more names would have to be listed than are looked at.
    pub(super) fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    fn read(&self, files: &dyn FileSystem, path: &str) -> Option<Folder> {
        let left = self.left.load(Ordering::Relaxed);
        let names = match files.names_in(Path::new(path), left) {
            Ok(names) => names,
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                // After the first folder that is too large, no other one is looked at.
                self.left.store(0, Ordering::Relaxed);
                return None;
            }
            Err(_) => return None,
        };
        self.left.store(left.saturating_sub(names.len() + 1), Ordering::Relaxed);
        let names = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        Some(Folder { names, kinds: OnceLock::new() })
    }
}

impl Folder {
    /// Returns the names with their kinds; `None` for a file that cannot be looked at.
    pub(super) fn entries<'a>(
        &'a self,
        files: &dyn FileSystem,
        path: &str,
    ) -> impl Iterator<Item = (&'a str, Option<EntryKind>)> {
        let kind = |name: &String| {
            let path = format!("{}/{name}", path.trim_end_matches('/'));
            files.entry(Path::new(&path)).ok().flatten().map(|entry| entry.kind)
        };
        let kinds = self.kinds.get_or_init(|| self.names.iter().map(kind).collect());
        self.names.iter().map(String::as_str).zip(kinds.iter().copied())
    }
}
