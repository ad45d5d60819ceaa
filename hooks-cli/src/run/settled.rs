//! Reads a file that a process may be writing at this moment.
//!
//! A part of a configuration can be a valid configuration with fewer rules. So a file that changed a moment
//! ago is not read yet, and a file that changed during the read is read again.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hooks::SystemClock;
use hooks::time::Clock;

/// Age at which an unchanged file is considered complete: writing a few lines does not take longer.
const SETTLES_IN: Duration = Duration::from_millis(50);

/// Pause between two looks at the file.
const PAUSE: Duration = Duration::from_millis(10);
/// Maximum number of looks before an error.
const MOST_LOOKS: u32 = 50;

/// Reads the complete `path` with `read`.
pub(super) fn read<T>(path: &Path, read: impl Fn() -> T) -> Result<T, String> {
    for _ in 0..MOST_LOOKS {
        // A file without metadata cannot be read either; the reader returns the error.
        let Ok(before) = fs::metadata(path) else { return Ok(read()) };
        if age(&before).is_some_and(|age| age < SETTLES_IN) {
            wait();
            continue;
        }
        let file = read();
        if fs::metadata(path).is_ok_and(|after| is_same(&before, &after)) {
            return Ok(file);
        }
        wait();
    }
    Err(format!("`{}` keeps changing; let it be for a second", path.display()))
}

/// Time since the last change; `None` if it is unknown, or if the file's time is in the future.
fn age(file: &Metadata) -> Option<Duration> {
    let changed = file.modified().ok()?;
    let now = UNIX_EPOCH.checked_add(Duration::from_millis(SystemClock.now().0))?;
    now.duration_since(changed).ok()
}

fn is_same(before: &Metadata, after: &Metadata) -> bool {
    let stamp = |file: &Metadata| -> (u64, io::Result<SystemTime>) { (file.len(), file.modified()) };
    let ((length, changed), (length_after, changed_after)) = (stamp(before), stamp(after));
    #[cfg(unix)]
    let is_file = {
        use std::os::unix::fs::MetadataExt;
        before.ino() == after.ino() && before.dev() == after.dev()
    };
    #[cfg(not(unix))]
    let is_file = true;
    is_file && length == length_after && changed.ok() == changed_after.ok()
}

#[expect(clippy::disallowed_methods, reason = "a file is waited for, which no clock of ours can hurry")]
fn wait() {
    thread::sleep(PAUSE);
}
