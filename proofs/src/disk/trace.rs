//! Syncs of a process and their results, as recorded by `strace`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::mount::bounded;
use crate::error::Result;

/// The trace of a process.
#[derive(Debug)]
pub(super) struct Trace {
    folder: PathBuf,
}

/// Syncs in a trace.
#[derive(Debug, Default)]
pub(super) struct Syncs {
    /// Number of failed syncs.
    pub(super) failed: usize,
    /// Number of syncs that were repeated after a failure, without new data to write.
    pub(super) asked_again: usize,
}

impl Trace {
    /// The program that is started in place of the process, and starts it.
    pub(super) const PROGRAM: &str = "strace";

    /// Creates a trace in the new folder `folder`; `None` if tracing is not permitted.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created.
    pub(super) fn new(folder: PathBuf) -> Result<Option<Self>> {
        fs::create_dir(&folder)?;
        let may = bounded([Self::PROGRAM, "-o", "/dev/null", "true"]).is_ok();
        Ok(may.then_some(Self { folder }))
    }

    /// The arguments before the process and its own arguments. Each thread gets a file, whose lines have
    /// times and paths.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options: Vec<_> =
            ["-ff", "-ttt", "-y", "-qq", "-e", "signal=none", "-e"].map(String::from).into();
        options.extend(["trace=openat,fsync,fdatasync".to_owned(), "-o".to_owned()]);
        options.push(self.folder.join("calls").display().to_string());
        options
    }

    /// Reads the trace, once the process has ended.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be read.
    pub(super) fn read(&self) -> Result<Syncs> {
        let mut text = String::new();
        for file in fs::read_dir(&self.folder)? {
            text += &fs::read_to_string(file?.path())?;
        }
        let mut lines: Vec<_> = text.lines().collect();
        // Sorted by the times at their beginning, over all threads.
        lines.sort_unstable();
        Ok(Syncs::from_trace(&lines))
    }
}

impl Syncs {
    fn from_trace(lines: &[&str]) -> Self {
        let mut found = Self::default();
        let mut failed = BTreeSet::new();
        for (call, answer) in lines.iter().filter_map(|line| line.rsplit_once(" = ")) {
            if call.contains(" openat(") {
                // A new file is new data for its folder, and was never synced before.
                if let Some(made) = path(answer).filter(|_| call.contains("O_EXCL")) {
                    let folder = Path::new(made).parent();
                    failed.retain(|path| *path != made && Some(Path::new(path)) != folder);
                }
                continue;
            }
            let Some(path) = path(call) else { continue };
            found.asked_again += usize::from(failed.contains(path));
            if answer.starts_with('-') {
                found.failed += 1;
                failed.insert(path);
            }
        }
        found
    }
}

/// The path of an open file, which stands in `<>`.
fn path(text: &str) -> Option<&str> {
    Some(text.rsplit_once('<')?.1.split_once('>')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_is_asked_again_only_where_nothing_new_is_to_be_written() {
        let syncs = |lines: &[&str]| {
            let Syncs { failed, asked_again } = Syncs::from_trace(lines);
            (failed, asked_again)
        };
        let fails = "1.1 fdatasync(9</disk/a.jsonl>) = -1 EIO (Input/output error)";
        assert_eq!(syncs(&[fails, "1.2 fdatasync(9</disk/a.jsonl>) = 0"]), (1, 1));
        assert_eq!(syncs(&[fails, "1.2 fdatasync(9</disk/b.jsonl>) = 0"]), (1, 0));
        let folder = "1.3 fsync(9</disk>) = -1 EIO (Input/output error)";
        let new = "1.4 openat(AT_FDCWD</>, \"/disk/a\"..., O_WRONLY|O_CREAT|O_EXCL, 0666) = 9</disk/a.new>";
        assert_eq!(syncs(&[folder, new, "1.5 fsync(9</disk>) = 0"]), (1, 0));
        assert_eq!(syncs(&[folder, "1.5 fsync(9</disk>) = 0"]), (1, 1));
    }
}
