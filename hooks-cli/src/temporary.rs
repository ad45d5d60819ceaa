//! The folder of a command's temporary files, and those that killed commands have left behind.
//!
//! A folder in use is locked. The lock goes with the process, however that ends.
#![cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "there is no sandbox on this system, so no command comes to it")
)]

use std::env;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

const PREFIX: &str = "hooks-exec-tmp-";

/// Most entries of the system's folder for temporary files that are looked at.
const MOST: usize = 10_000;

/// A younger folder may not be locked yet.
const AGE: Duration = Duration::from_secs(60);

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Temporary {
    folder: TempDir,
    /// Closing it ends the lock.
    _lock: File,
}

impl Temporary {
    /// Makes a folder, and removes one that a killed command of this user has left. `None` if none can be made.
    pub(crate) fn new(now: SystemTime) -> Option<Self> {
        remove_left(&env::temp_dir(), now);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().ok()?;
        let lock = locked(folder.path())?;
        Some(Self { folder, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A lock on a folder, if no process has one.
fn locked(folder: &Path) -> Option<File> {
    let lock = File::open(folder).ok()?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(lock)
}

/// Removes one of them, as a command waits for it.
fn remove_left(folder: &Path, now: SystemTime) {
    let user = rustix::process::geteuid().as_raw();
    let is_left = |about: &Metadata| {
        let is_old = about.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > AGE));
        about.is_dir() && about.uid() == user && is_old
    };
    let entries = fs::read_dir(folder).into_iter().flatten().take(MOST).flatten();
    let mut named =
        entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let left = named.find_map(|entry| {
        let lock = entry.metadata().is_ok_and(|about| is_left(&about)).then(|| locked(&entry.path()))??;
        Some((entry.path(), lock))
    });
    if let Some((path, _lock)) = left {
        // A folder that cannot be removed stays.
        drop(fs::remove_dir_all(path));
    }
}

#[cfg(test)]
mod tests {
    use hooks::SystemClock;
    use hooks::time::Clock;

    use super::*;

    #[test]
    fn what_a_killed_command_has_left_is_removed_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            fs::create_dir_all(place.path().join(name).join("below")).unwrap();
            place.path().join(name)
        };
        let (left, used, other) = (make("hooks-exec-tmp-left"), make("hooks-exec-tmp-used"), make("other"));
        std::os::unix::fs::symlink(&other, place.path().join("hooks-exec-tmp-link")).unwrap();
        let _lock = locked(&used).unwrap();
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(SystemClock.now().0);
        remove_left(place.path(), now);
        assert!(left.exists(), "it may have been made this moment");
        remove_left(place.path(), now + 2 * AGE);
        assert!(!left.exists() && used.join("below").exists() && other.join("below").exists());
        assert!(locked(&used).is_none());
    }
}
