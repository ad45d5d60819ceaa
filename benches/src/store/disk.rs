//! The cases with a file: SQLite.

use std::path::PathBuf;

use hooks_store::sqlite::SqliteOptions;
use tempfile::TempDir;

use super::{bare, spending};
use crate::{Bar, Case, SetupError};

/// The cases with a file.
///
/// # Errors
/// Returns an error if the file cannot be created.
pub fn on_disk() -> Result<Vec<Case>, SetupError> {
    const BARE: &str = "store/bare SQLite, the statements of both";
    let (folder, path) = state_file()?;
    let store = SqliteOptions::new(&path).blocking().open()?;
    let embedded = spending("store/embedded, reserve and settle", store);
    // The file exists; another connection has it open in one case, and none in the other.
    let beside = opening("store/embedded, open beside others", folder, path);
    let (folder, path) = state_file()?;
    drop(SqliteOptions::new(&path).blocking().open()?);
    let alone = opening("store/embedded, open alone and close", folder, path);
    Ok(vec![
        bare::case(BARE)?,
        // 0.7 of its speed.
        embedded.at_most(Bar::Times(1.42, BARE)),
        beside.at_most(Bar::Nanoseconds(2e6)),
        alone.at_most(Bar::Nanoseconds(2e6)),
    ])
}

/// A folder, and a file in it.
pub(super) fn state_file() -> Result<(TempDir, PathBuf), SetupError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("state.db");
    Ok((folder, path))
}

/// Opens an existing store.
fn opening(name: &'static str, folder: TempDir, path: PathBuf) -> Case {
    Case::new(name, move || {
        let _folder = &folder;
        SqliteOptions::new(&path).blocking().open().is_ok()
    })
}
