//! Looks for the files of a profile in a folder.

use std::fs::{self, DirEntry, FileType, ReadDir};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::paths::text;
use crate::profile::{Access, Answer, Pattern, products};

/// Folders of a repository that have no settings.
const NO_SETTINGS: &[&str] = &["objects", "refs", "logs", "lfs", "info"];

/// Levels below a folder that tools fill by themselves in which files that govern agents are looked for.
const LEVELS: u8 = 2;

/// Paths that a walk has found.
#[derive(Debug, Default)]
pub(super) struct WalkedPaths {
    /// Files and folders that may not be read.
    pub(super) hidden: Vec<PathBuf>,
    /// Files and folders that may not be written.
    pub(super) closed: Vec<PathBuf>,
    /// Those of them that nothing opens, also links.
    pub(super) fixed: Vec<PathBuf>,
    /// Folders that tools fill by themselves.
    pub(super) products: Vec<PathBuf>,
    /// Links, by name a file of the profile.
    pub(super) links: Vec<PathBuf>,
    /// All other links.
    pub(super) other_links: Vec<PathBuf>,
    /// Folders that cannot be searched. Their owner can open them later, and a known name in them may be open now.
    pub(super) unsearched: Vec<PathBuf>,
    /// Files that may be written.
    pub(super) open: Vec<PathBuf>,
    /// Whether the search ended early, because there are too many files.
    pub(super) is_cut: bool,
}

/// A folder that is to be searched.
#[derive(Debug)]
struct Folder<'p> {
    path: PathBuf,
    /// The pattern by which nothing opens it.
    fixed: Option<&'p Pattern>,
    /// Whether a folder above is closed as a whole.
    is_closed: bool,
    /// Whether it belongs to a repository's own folder.
    is_git: bool,
    /// In a folder that tools fill: the levels that are left.
    levels: Option<u8>,
}

/// Walks through a folder, over at most `most` entries.
pub(super) fn walk(root: &Path, access: &Access<'_>, most: usize) -> WalkedPaths {
    let products = products().collect();
    let mut walk = Walk { access, products, found: WalkedPaths::default(), open: Vec::new(), left: most };
    let is_git = root.components().any(|part| part.as_os_str() == ".git");
    let fixed = access.fixed(&text(root));
    walk.open.push(Folder { path: root.to_path_buf(), fixed, is_closed: false, is_git, levels: None });
    while let Some(folder) = walk.open.pop().filter(|_| !walk.found.is_cut) {
        if let Err(error) = walk.search(&folder)
            && error.kind() != ErrorKind::NotFound
        {
            walk.found.unsearched.push(folder.path);
        }
    }
    walk.found
}

struct Walk<'w> {
    access: &'w Access<'w>,
    /// Names of folders that tools fill by themselves.
    products: Vec<&'static str>,
    found: WalkedPaths,
    open: Vec<Folder<'w>>,
    left: usize,
}

impl<'w> Walk<'w> {
    fn search(&mut self, folder: &Folder<'w>) -> io::Result<()> {
        for entry in listed(&folder.path)? {
            let Some(left) = self.left.checked_sub(1) else {
                self.found.is_cut = true;
                return Ok(());
            };
            self.left = left;
            let entry = entry?;
            match entry.file_type() {
                Ok(kind) => self.look_at(folder, &entry, kind),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn look_at(&mut self, folder: &Folder<'w>, entry: &DirEntry, kind: FileType) {
        let (access, found) = (self.access, &mut self.found);
        let path = entry.path();
        let name = text(&path);
        let is_repository = entry.file_name() == ".git";
        // A file or link of this name leads to a repository, and so to its configuration.
        let (fixed, read, write) = access.of_entry(&name, folder.fixed, !kind.is_file());
        let is_fixed = fixed.is_some() || is_repository && !kind.is_dir();
        if folder.levels.is_some() && !is_fixed && !kind.is_dir() {
            return;
        }
        let is_hidden = folder.levels.is_none() && !read.is_open();
        let is_closed = is_fixed || folder.levels.is_none() && matches!(write, Answer::Closed(Some(_)));
        if is_fixed && (!is_hidden || kind.is_symlink()) {
            found.fixed.push(path.clone());
        }
        if kind.is_symlink() {
            let links = if is_hidden || is_closed { &mut found.links } else { &mut found.other_links };
            return links.push(path);
        }
        if is_hidden {
            return found.hidden.push(path);
        }
        if is_closed && !folder.is_closed {
            found.closed.push(path.clone());
        }
        if kind.is_dir() {
            let below = Folder { is_closed: folder.is_closed || is_closed, path, fixed, ..*folder };
            self.descend(folder, below, is_repository);
        } else if kind.is_file() && write.is_open() && folder.levels.is_none() {
            found.open.push(path);
        }
    }

    fn is_product(&self, folder: &Path) -> bool {
        let is_alike = |product: &&str| folder.as_os_str().as_encoded_bytes().ends_with(product.as_bytes());
        self.products.iter().filter(|product| is_alike(product)).any(|product| folder.ends_with(product))
    }

    fn descend(&mut self, above: &Folder<'w>, mut below: Folder<'w>, is_repository: bool) {
        let name = below.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if above.is_git && NO_SETTINGS.contains(&name.as_str()) && is_repository_of_git(&above.path) {
            if name == "info" {
                self.open.push(below);
            }
            return;
        }
        if is_repository {
            if above.levels.is_none() {
                self.found.products.push(below.path.clone());
            }
            below.is_git = true;
            return self.open.push(below);
        }
        // Settings often are in a folder whose name begins with a dot.
        match below.levels {
            Some(_) if below.is_git || name.starts_with('.') => {}
            Some(levels) => match levels.checked_sub(1) {
                Some(left) => below.levels = Some(left),
                None => return,
            },
            None if !above.is_git && self.is_product(&below.path) => {
                self.found.products.push(below.path.clone());
                below.levels = Some(LEVELS - 1);
            }
            None => {}
        }
        self.open.push(below);
    }
}

/// The entries of a folder, if it may be listed and entered.
fn listed(folder: &Path) -> io::Result<ReadDir> {
    let entries = fs::read_dir(folder)?;
    // Without the right to enter it, nothing in it can be mounted over.
    fs::symlink_metadata(folder.join("."))?;
    Ok(entries)
}

/// Whether a folder in a repository's own folder is that of a repository, and not one that only has such a name.
fn is_repository_of_git(folder: &Path) -> bool {
    folder.ends_with(".git") || folder.join("HEAD").symlink_metadata().is_ok()
}
