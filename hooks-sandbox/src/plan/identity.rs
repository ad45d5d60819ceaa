//! Identities of files: a name may lead elsewhere between the plan and the mount.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A file as the plan has seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

/// A path and its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    #[serde(with = "super::paths::one")]
    pub(crate) path: PathBuf,
    pub(crate) identity: Identity,
}

impl Identity {
    #[cfg(unix)]
    pub(crate) fn new(of: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: of.dev(), inode: of.ino() }
    }

    /// There is no sandbox here that would compare them.
    #[cfg(not(unix))]
    pub(crate) fn new(_of: &std::fs::Metadata) -> Self {
        Self { device: 0, inode: 0 }
    }

    /// The file that a name has now, without following a link.
    pub(crate) fn at(path: &Path) -> std::io::Result<Self> {
        path.symlink_metadata().map(|of| Self::new(&of))
    }
}

/// The files that paths have now, by path. One that has gone is left out.
pub(super) fn seen<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<Seen> {
    let one = |path: &PathBuf| Some(Seen { path: path.clone(), identity: Identity::at(path).ok()? });
    let mut all: Vec<Seen> = paths.into_iter().filter_map(one).collect();
    all.sort_by(|one, other| one.path.cmp(&other.path));
    all
}
