//! Looks for the files of a profile in a workspace.

use std::fs;
use std::path::{Path, PathBuf};

use crate::profile::{Access, Answer, products};

/// Most entries that are looked at in one workspace.
const MOST: usize = 400_000;

/// Folders of git that have no settings.
const NO_SETTINGS: &[&str] = &["objects", "refs", "logs", "lfs", "info"];

/// Paths that a walk has found.
#[derive(Debug, Default)]
pub(super) struct WalkedPaths {
    /// Files and folders that may not be read.
    pub(super) hidden: Vec<PathBuf>,
    /// Files and folders that may not be written.
    pub(super) closed: Vec<PathBuf>,
    /// Those of them that nothing opens.
    pub(super) fixed: Vec<PathBuf>,
    /// Folders that tools fill by themselves, which were not looked into.
    pub(super) products: Vec<PathBuf>,
    /// Links, by name a file of the profile.
    pub(super) links: Vec<PathBuf>,
}

/// Walks through a folder. `None` if it is too large.
pub(super) fn walk(root: &Path, access: &Access<'_>) -> Option<WalkedPaths> {
    let mut found = WalkedPaths::default();
    let mut open = vec![(root.to_path_buf(), false)];
    let mut count = 0;
    while let Some((folder, is_closed)) = open.pop() {
        // A folder that cannot be listed here cannot be listed by the command either.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let is_git = folder.components().any(|part| part.as_os_str() == ".git");
        for entry in entries.flatten() {
            count += 1;
            if count > MOST {
                return None;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let Some(text) = path.to_str() else { continue };
            let is_hidden = !access.read(text).is_open();
            let by_rule = access.fixed(text).is_some();
            let is_fixed_now = by_rule || matches!(access.write(text), Answer::Closed(Some(_)));
            if kind.is_symlink() {
                if is_hidden || is_fixed_now {
                    found.links.push(path);
                }
                continue;
            }
            if is_hidden {
                found.hidden.push(path);
                continue;
            }
            if by_rule {
                found.fixed.push(path.clone());
            }
            if is_fixed_now && !is_closed {
                found.closed.push(path.clone());
            }
            if !kind.is_dir() {
                continue;
            }
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            if is_git && NO_SETTINGS.contains(&name) {
                if name == "info" {
                    open.push((path, is_closed || is_fixed_now));
                }
                continue;
            }
            if name == ".git" {
                found.products.push(path.clone());
                open.push((path, is_closed || is_fixed_now));
            } else if products().any(|product| path.ends_with(product)) && !is_git {
                found.products.push(path);
            } else {
                open.push((path, is_closed || is_fixed_now));
            }
        }
    }
    Some(found)
}
