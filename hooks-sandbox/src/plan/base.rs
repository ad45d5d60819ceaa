//! A folder that patterns begin at.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::glob::is_wild;

/// Most names that are kept.
const MOST_NAMES: usize = 20_000;

/// A folder that patterns begin at, with the names in it: most patterns name nothing that is there, and need no further look.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) path: PathBuf,
    /// In the form in which they are compared. `None` if they are not known.
    names: Option<HashSet<String>>,
}

impl Base {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { names: names(&path), path }
    }

    /// Whether a pattern that begins here may name something.
    pub(super) fn may_have(&self, pattern: &str) -> bool {
        let first = pattern.split('/').next().unwrap_or_default();
        let is_name = !first.is_empty() && first != "." && !first.contains('\\') && !is_wild(first);
        !is_name || self.names.as_ref().is_none_or(|names| names.contains(&compared(first)))
    }
}

fn names(folder: &Path) -> Option<HashSet<String>> {
    let mut names = HashSet::new();
    for entry in fs::read_dir(folder).ok()? {
        names.insert(compared(&entry.ok()?.file_name().to_string_lossy()));
        if names.len() > MOST_NAMES {
            return None;
        }
    }
    Some(names)
}

/// A name as a file system compares it that knows no case. Others have more names, and are asked once more than needed.
fn compared(name: &str) -> String {
    if name.is_ascii() { name.to_ascii_lowercase() } else { name.to_uppercase().to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_certainly_missing_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".SSH")).unwrap();
        // The sign of Kelvin is a small k on some file systems.
        fs::write(dir.path().join("\u{212A}eys"), "").unwrap();
        let base = Base::new(dir.path().to_path_buf());
        for pattern in [".ssh/**", ".ssh", "keys", "*.pem", "**", r"\.aws/x", "./x", ""] {
            assert!(base.may_have(pattern), "{pattern}");
        }
        assert!(!base.may_have(".aws/credentials") && !base.may_have("ssh"));
        assert!(Base::new(dir.path().join("none")).may_have("x"));
    }
}
