//! Crates with tables in `data`: their build scripts are the same files, and a test includes every table.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::workspace;

/// Files of the build script. Cargo packs no file from outside a crate, so each crate has its own.
const SCRIPT: &[&str] = &["build.rs", "build/tables.rs", "build/tests.rs"];

/// Returns the mistakes in all crates with tables.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub(super) fn check(files: &[PathBuf]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut first: Option<PathBuf> = None;
    for folder in crates(files) {
        let tests = tests_of(&folder, files)?;
        found.extend(untested(&folder, files, &tests));
        let Some(first) = &first else {
            first = Some(folder);
            continue;
        };
        for file in SCRIPT {
            let (one, other) = (first.join(file), folder.join(file));
            if workspace::read(&one)? != workspace::read(&other)? {
                found.push(format!(
                    "{}:1: copy `{}` here; both are one script",
                    other.display(),
                    one.display()
                ));
            }
        }
    }
    Ok(found)
}

/// Returns the folders of the crates with tables, without duplicates.
fn crates(files: &[PathBuf]) -> Vec<PathBuf> {
    let tables = files.iter().filter(|path| is_table(path));
    let mut folders: Vec<_> =
        tables.filter_map(|path| path.parent()?.parent().map(Path::to_path_buf)).collect();
    folders.dedup();
    folders
}

/// Returns whether a file is a table of a crate: `CRATE/data/NAME.tsv`.
fn is_table(path: &Path) -> bool {
    let folder = path.parent();
    let is_data = folder.is_some_and(|folder| folder.ends_with("data") && folder.components().count() == 2);
    is_data && path.extension().is_some_and(|extension| extension == "tsv")
}

/// Returns the text of all tests in the folder `tests` of a crate.
fn tests_of(folder: &Path, files: &[PathBuf]) -> Result<String> {
    let tests = folder.join("tests");
    let is_test =
        |path: &&PathBuf| path.starts_with(&tests) && path.extension().is_some_and(|end| end == "rs");
    files.iter().filter(is_test).map(workspace::read).collect()
}

/// Returns the tables of a crate that no test includes.
fn untested(folder: &Path, files: &[PathBuf], tests: &str) -> Vec<String> {
    let own = files.iter().filter(|path| is_table(path) && path.starts_with(folder));
    let is_tested = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        tests.contains(&format!("/data/{name}\")"))
    };
    own.filter(|path| !is_tested(path))
        .map(|path| {
            format!(
                "{}:1: no test in `{}` includes the table",
                path.display(),
                folder.join("tests").display()
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_a_test_is_found() {
        let files = ["a/data/x.tsv", "a/data/y.tsv", "b/data/deep/z.tsv", "c/x.tsv"].map(PathBuf::from);
        assert_eq!(crates(&files), [PathBuf::from("a")]);
        let found = untested(Path::new("a"), &files, "include_str!(\"../data/x.tsv\")");
        assert_eq!(found, ["a/data/y.tsv:1: no test in `a/tests` includes the table"]);
    }
}
