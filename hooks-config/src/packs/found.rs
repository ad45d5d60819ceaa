//! Finds the packs that a project may want: by its files.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use hooks_facts::globs::{GlobOptions, Globs};

use super::{names, standard};

/// Deepest folder that is looked at.
const MAX_DEPTH: usize = 3;

/// Most files and folders that are looked at.
const MOST_NAMES: usize = 4000;

/// Folders with the files of others.
const FOREIGN: &[&str] =
    &["node_modules", "target", "vendor", "dist", "build", ".venv", "venv", ".terraform", "__pycache__"];

/// Returns the packs of Hooks whose files are in a folder, in the order of their names. Looks at names only: at most 4,000, three
/// folders deep. A folder that cannot be read is left out.
///
/// ```
/// let folder = std::env::temp_dir().join("hooks-packs-example");
/// std::fs::create_dir_all(folder.join("infra"))?;
/// std::fs::write(folder.join("infra/main.tf"), "")?;
/// assert_eq!(hooks_config::packs::found_in(&folder), ["terraform"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn found_in(folder: &Path) -> Vec<&'static str> {
    let entries = entries(folder);
    let is_used = |name: &&'static str| {
        let Some(pack) = standard(name) else { return false };
        let globs = Globs::compile(&pack.files, &GlobOptions::default());
        globs.is_ok_and(|globs| entries.iter().any(|entry| globs.is_match(entry)))
    };
    names().filter(is_used).collect()
}

/// Names of files and folders below a folder, relative to it.
fn entries(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = VecDeque::from([(folder.to_owned(), String::new(), 0)]);
    while let Some((folder, before, depth)) = folders.pop_front() {
        let Ok(found) = fs::read_dir(&folder) else { continue };
        for entry in found.flatten() {
            if names.len() >= MOST_NAMES {
                return names;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{before}{name}");
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < MAX_DEPTH && !FOREIGN.contains(&name.as_str()) && name != ".git" {
                folders.push_back((entry.path(), format!("{path}/"), depth + 1));
            }
            names.push(path);
        }
    }
    names
}
