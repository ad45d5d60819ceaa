//! Caches that are missing before a command: a folder that does not exist cannot be opened for writing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::profile::{Places, made_caches};

/// Folders that were made for a command. Those that are still empty are removed when this is dropped.
///
/// ```
/// use std::path::PathBuf;
/// use hooks_sandbox::{MadeCaches, Places};
///
/// let home = tempfile::tempdir()?;
/// let places = Places { home: Some(home.path().to_path_buf()), ..Places::default() };
/// let made = MadeCaches::new(&places, |program| program == "npm");
/// assert!(home.path().join(".npm").is_dir() && !home.path().join("go").exists());
/// drop(made);
/// assert!(!home.path().join(".npm").exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MadeCaches(Vec<PathBuf>);

impl MadeCaches {
    /// Makes the usual caches of the installed programs, where they are missing. One that cannot be made stays closed.
    pub fn new(places: &Places, is_installed: impl Fn(&str) -> bool) -> Self {
        let mut made = Self::default();
        for (cache, program) in made_caches(places) {
            if fs::symlink_metadata(&cache).is_err() && is_installed(program) {
                made.make(&cache);
            }
        }
        made
    }

    fn make(&mut self, folder: &Path) {
        let missing = folder.ancestors().take_while(|above| fs::symlink_metadata(above).is_err());
        let missing: Vec<&Path> = missing.collect();
        for folder in missing.into_iter().rev() {
            if fs::create_dir(folder).is_err() {
                return;
            }
            self.0.push(folder.to_path_buf());
        }
    }
}

impl Drop for MadeCaches {
    fn drop(&mut self) {
        // One with something in it stays.
        self.0.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_has_filled_stays() {
        let home = tempfile::tempdir().unwrap();
        let places = Places { home: Some(home.path().to_path_buf()), ..Places::default() };
        fs::create_dir(home.path().join(".cargo")).unwrap();
        let made = MadeCaches::new(&places, |_| true);
        fs::write(home.path().join(".cargo/registry/index"), "x").unwrap();
        assert!(home.path().join("go/pkg").is_dir());
        drop(made);
        let left: Vec<_> =
            fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [".cargo"]);
        let left = fs::read_dir(home.path().join(".cargo")).unwrap().count();
        assert_eq!(left, 1, "the other cache in it is removed");
    }

    #[test]
    fn a_link_or_a_closed_home_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".npm"), "a file").unwrap();
        let places = Places { home: Some(home.path().to_path_buf()), ..Places::default() };
        drop(MadeCaches::new(&places, |program| program == "npm"));
        assert_eq!(fs::read_to_string(home.path().join(".npm")).unwrap(), "a file");
        let nowhere = Places { home: Some("/proc/none".into()), ..Places::default() };
        assert!(MadeCaches::new(&nowhere, |_| true).0.is_empty());
    }
}
