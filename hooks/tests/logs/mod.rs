//! Setup for tests of the audit log: a project with a team, the records of a log, a test as a process of its
//! own.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hooks::StdFileSystem;
use hooks::audit::{Committed, LogReader, Positions};

/// All records of a log.
pub(crate) fn read(folder: &Path) -> Vec<Committed> {
    let mut reader = LogReader::new(Arc::new(StdFileSystem), folder, Positions::default());
    let mut all = Vec::new();
    loop {
        let records = reader.read(1_000).unwrap();
        if records.is_empty() {
            return all;
        }
        all.extend(records);
    }
}

/// A project with a team, whose `hooks.yaml` is `text`.
pub(crate) fn project(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".squad")).unwrap();
    fs::write(folder.path().join("hooks.yaml"), text).unwrap();
    folder
}

/// The test `name` of this program as a process of its own, with `what` in the environment variable
/// `variable`.
#[expect(clippy::disallowed_methods, reason = "a real process is started, which ends or is killed")]
pub(crate) fn process(name: &str, variable: &str, what: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(variable, what)
        .stdout(Stdio::piped());
    command
}
