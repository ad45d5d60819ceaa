//! Root of a call, followed through the file system.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use hooks_core::Platform;
use hooks_core::fs::{EntryKind, FileSystem};

use crate::globs::{self, Gap};
use crate::paths::{PathError, Resolution, ResolvedRoot};

use super::call::Call;

/// Root of a call, as text and followed.
#[derive(Debug)]
pub(super) struct Root {
    text: String,
    cwd: String,
    platform: Platform,
    resolved: Result<ResolvedRoot, PathError>,
    /// All folders on the way to the root and to the working directory; `None` if they cannot be derived from
    /// the texts.
    ways: Option<[Vec<String>; 2]>,
}

/// Root of the last call, if there is no link on the way to it.
///
/// Facts derived from such a root depend on the file system only in one way: all folders on its way are
/// folders, or are missing. These folders are looked up for every call, so a root that became a link is
/// followed again.
#[derive(Debug, Default)]
pub(super) struct KnownRoot(RwLock<Option<Arc<Root>>>);

impl Root {
    pub(super) fn from_call(call: Call<'_>) -> Arc<Self> {
        let context = call.request().context();
        let environment = &context.environment;
        let (files, platform) = (&*environment.files, environment.platform);
        // Compared as they are: the known ones are UTF-8.
        let named = call.reader().fixed_root().map_or(context.root().as_os_str(), OsStr::new);
        let named_cwd = Some(context.cwd.as_os_str()).filter(|cwd| !cwd.is_empty()).unwrap_or(named);
        if let Some(root) = call.reader().known_root().get(named, named_cwd, platform)
            && root.has_no_links(files)
        {
            return root;
        }
        let text = call.reader().root(context).unwrap_or_default();
        let cwd = context.cwd.to_str().filter(|cwd| !cwd.is_empty()).unwrap_or(text);
        let resolved = ResolvedRoot::new(files, text, cwd, platform);
        let ways = ways(text, cwd);
        let root = Arc::new(Self { text: text.to_owned(), cwd: cwd.to_owned(), platform, resolved, ways });
        if root.resolved().is_ok_and(|resolved| resolved.real_path() == text)
            && (cwd == text || root.has_no_links(files))
        {
            call.reader().known_root().set(Arc::clone(&root));
        }
        root
    }

    /// Returns the root as it is named.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the working directory of the call.
    pub(super) fn cwd(&self) -> &str {
        &self.cwd
    }

    pub(super) fn resolved(&self) -> Result<&ResolvedRoot, &PathError> {
        self.resolved.as_ref()
    }

    /// Returns the file system's root, with the working directory of the call.
    pub(super) fn top(&self, call: Call<'_>) -> Result<ResolvedRoot, PathError> {
        let environment = &call.request().context().environment;
        ResolvedRoot::new(&*environment.files, "/", &self.cwd, environment.platform)
    }

    /// Returns the part of a reading from the file system's root that is below this root; `None` if it is
    /// elsewhere.
    pub(super) fn strip<'t>(&self, reading: &'t str) -> Option<&'t str> {
        self.names().find_map(|root| match root {
            "" => Some(reading),
            root => reading.strip_prefix(root)?.strip_prefix('/'),
        })
    }

    /// Returns the part of an outline from the file system's root that may be below this root. If a gap that
    /// may hold slashes comes before that part, the result starts at this gap.
    pub(super) fn strip_outline<'t>(&self, outline: &'t str) -> Option<&'t str> {
        self.names().find_map(|root| {
            let mut rest = outline;
            for folder in root.split('/').filter(|folder| !folder.is_empty()) {
                let (first, behind) = rest.split_once('/').unwrap_or((rest, ""));
                if first.contains(|c| Gap::from_char(c).is_some_and(Gap::is_deep)) {
                    return Some(rest);
                }
                if !globs::may_be(first, folder) {
                    return None;
                }
                rest = behind;
            }
            Some(rest)
        })
    }

    /// Returns readings below this root as readings from the file system's root, without the first slash.
    pub(super) fn prefixed(&self, resolution: &Resolution) -> Vec<String> {
        let prefixed = |root: &str| {
            let readings = resolution.readings.iter().map(|reading| reading.path.as_str());
            readings
                .map(|reading| [root, "/", reading].concat().trim_matches('/').to_owned())
                .collect::<Vec<_>>()
        };
        let mut all: Vec<String> = self.names().flat_map(prefixed).collect();
        all.dedup();
        all
    }

    /// Returns whether only folders are on its way. Nothing exists below a missing folder.
    fn has_no_links(&self, files: &dyn FileSystem) -> bool {
        let has_none = |way: &Vec<String>| {
            for path in way {
                match files.entry(Path::new(path)) {
                    Ok(Some(entry)) if entry.kind == EntryKind::Directory => {}
                    Ok(None) => break,
                    _ => return false,
                }
            }
            true
        };
        self.ways.as_ref().is_some_and(|ways| ways.iter().all(has_none))
    }

    /// Returns the root as it is named, and without links.
    fn names(&self) -> impl Iterator<Item = &str> {
        let real = self.resolved.as_ref().ok().map(ResolvedRoot::real_path);
        std::iter::once(&*self.text).chain(real).map(|root| root.trim_matches('/'))
    }
}

impl KnownRoot {
    fn get(&self, text: &OsStr, cwd: &OsStr, platform: Platform) -> Option<Arc<Root>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let same = |root: &&Arc<Root>| text == &*root.text && cwd == &*root.cwd && root.platform == platform;
        known.as_ref().filter(same).map(Arc::clone)
    }

    fn set(&self, root: Arc<Root>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(root);
    }
}

/// Returns all folders on the way to the root (unless it is on the way to the working directory) and on the
/// way to the working directory.
fn ways(root: &str, cwd: &str) -> Option<[Vec<String>; 2]> {
    let in_root = cwd.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let to_root = if in_root { "" } else { root };
    Some([folders(to_root)?, folders(cwd)?])
}

/// Returns a folder, after all folders that contain it.
fn folders(path: &str) -> Option<Vec<String>> {
    if path.contains('\\') || path.contains("..") {
        return None;
    }
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
    Some(ends.filter_map(|end| path.get(..end).filter(|path| !path.is_empty())).map(str::to_owned).collect())
}
