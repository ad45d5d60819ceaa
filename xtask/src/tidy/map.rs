//! The map of `ARCHITECTURE.md`: every file and folder that its tables name is there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::error::Result;
use crate::workspace;

/// The page with the map.
const PAGE: &str = "ARCHITECTURE.md";

/// Endings by which a word in backticks is the name of a file.
const ENDINGS: &[&str] = &[".jsonl", ".md", ".rs", ".toml", ".tsv", ".txt", ".yaml", ".yml"];

/// Files that users have, and we do not.
const FILES_OF_USERS: &[&str] = &["hooks.yaml"];

/// Names in the tables that lead nowhere.
///
/// # Errors
/// Returns an error if the page cannot be read.
pub(super) fn check(files: &[PathBuf]) -> Result<Vec<String>> {
    Ok(lost(&workspace::read(PAGE)?, &Places::new(files)))
}

/// Every file, and every folder above one, relative to the root.
struct Places(BTreeSet<String>);

impl Places {
    fn new(files: &[PathBuf]) -> Self {
        let with_folders = files.iter().flat_map(|file| file.ancestors());
        Self(with_folders.map(|place| place.display().to_string()).collect())
    }

    /// Whether `name` is a path from the root, or ends the path of something in one of `crates`.
    fn have(&self, name: &str, crates: &[&str]) -> bool {
        let below = |path: &String| {
            path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/') && crates.contains(&first(rest)))
        };
        self.0.contains(name) || self.0.iter().any(below)
    }
}

/// The names that no place has, as lines of the report.
fn lost(page: &str, places: &Places) -> Vec<String> {
    let rows = page.lines().enumerate().filter(|(_, line)| line.starts_with("| "));
    let lost = rows.flat_map(|(at, row)| {
        let names: Vec<_> = row.split('`').skip(1).step_by(2).collect();
        let crates: Vec<_> =
            names.iter().map(|name| first(name)).filter(|name| places.0.contains(*name)).collect();
        let is_lost = |name: &&str| is_path(name) && !places.have(name, &crates);
        let lost = names.into_iter().filter(is_lost);
        lost.map(|name| format!("{PAGE}:{}: no crate of this row has `{name}`", at + 1)).collect::<Vec<_>>()
    });
    lost.collect()
}

/// Whether a word in backticks is the name of a file or a folder.
fn is_path(word: &str) -> bool {
    let is_plain = word.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-/".contains(letter));
    let is_named = word.contains('/') || ENDINGS.iter().any(|ending| word.ends_with(ending));
    is_plain && is_named && !FILES_OF_USERS.contains(&word)
}

/// The first folder of a path.
fn first(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_leads_nowhere_is_found() {
        let files = ["hooks-a/src/one/mod.rs", "hooks-b/src/two.rs", ".github/action.yml"].map(PathBuf::from);
        let places = Places::new(&files);
        let row = |text: &str| lost(&format!("# A page\n\n| {text} |"), &places);
        for found in [
            "`hooks-a/src/one`, `mod.rs` there",
            "`hooks-a/src`; `one/mod.rs`, `hooks.yaml`",
            "`.github/action.yml`",
            "`Reason` of `hooks-b/src/two.rs`, `cargo test --test x`",
        ] {
            assert!(row(found).is_empty(), "{found}");
        }
        assert_eq!(
            row("`hooks-a/src/two.rs`"),
            ["ARCHITECTURE.md:3: no crate of this row has `hooks-a/src/two.rs`"]
        );
        // The other crate has it.
        assert_eq!(row("`hooks-a/src/one`, `two.rs`").len(), 1);
        // Not the end of another name.
        assert_eq!(row("`hooks-a/src/one`, `od.rs`").len(), 1);
    }
}
