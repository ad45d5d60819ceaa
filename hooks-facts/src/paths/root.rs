//! The root and the working directory, followed through the file system once.

use hooks_core::Platform;
use hooks_core::fs::FileSystem;

use super::error::PathError;
use super::lexical::Components;
use super::links::Links;

/// Root of a resolver: as it is named, and its real path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedRoot {
    pub(super) platform: Platform,
    /// Components of the root as it is named.
    pub(super) named: Vec<String>,
    /// Components of the root without links.
    pub(super) real: Vec<String>,
    pub(super) real_path: String,
    /// Working directory as it is named, absolute.
    pub(super) cwd: String,
    /// Working directory without links.
    pub(super) real_cwd: String,
    /// Working directory below the root with a slash at the end, if it is the same as named and without
    /// links.
    pub(super) cwd_below: Option<String>,
}

impl ResolvedRoot {
    /// Follows the root, which is absolute, and the working directory `cwd`, which may be inside or outside of it.
    ///
    /// # Errors
    /// Returns an error if one of them is empty or cannot be followed, or if the root is relative: it would be looked for below
    /// `/`, where its links are not.
    ///
    /// ```
    /// use hooks_core::Platform;
    /// use hooks_core::fs::EntryKind;
    /// use hooks_core::testing::FakeFileSystem;
    /// use hooks_facts::paths::ResolvedRoot;
    ///
    /// let disk = FakeFileSystem::default().with("/data/repo", EntryKind::Directory).with_link("/repo", "/data/repo");
    /// let root = ResolvedRoot::new(&disk, "/repo", "/repo/src", Platform::Posix)?;
    /// assert_eq!(root.real_path(), "/data/repo");
    /// for root in ["", ".", "repo"] {
    ///     assert!(ResolvedRoot::new(&disk, root, "/repo", Platform::Posix).is_err());
    /// }
    /// # Ok::<(), hooks_facts::paths::PathError>(())
    /// ```
    pub fn new(fs: &dyn FileSystem, root: &str, cwd: &str, platform: Platform) -> Result<Self, PathError> {
        let slashed = |path: &str| match platform {
            Platform::Windows => path.replace('\\', "/"),
            _ => path.to_owned(),
        };
        let (root, cwd) = (slashed(root), slashed(cwd));
        if root.is_empty() || cwd.is_empty() {
            return Err(PathError::Empty);
        }
        if !root.starts_with('/') && !super::lexical::is_drive(&root) {
            return Err(PathError::RelativeRoot { root });
        }
        let mut links = Links::shared(fs);
        let real_path = links.follow("/", &root)?.path;
        let real_cwd = links.follow(&real_path, &cwd)?.path;
        let named = components(&root);
        let real = components(&real_path);
        let cwd = absolute(&named, &cwd);
        let below = |path: &str, root: &[String]| {
            let components = Components::new(&Components::default(), path);
            components
                .below(root, |a, b| a == b)
                .map(|rest| rest.iter().map(|name| format!("{name}/")).collect::<String>())
        };
        let cwd_below = below(&cwd, &named).filter(|named| below(&real_cwd, &real).as_ref() == Some(named));
        Ok(Self { platform, named, real, real_path, cwd, real_cwd, cwd_below })
    }

    /// Returns the root without links.
    pub fn real_path(&self) -> &str {
        &self.real_path
    }

    /// Returns the working directory without links.
    pub fn real_cwd(&self) -> &str {
        &self.real_cwd
    }
}

fn components(path: &str) -> Vec<String> {
    Components::new(&Components::default(), path).0.into_iter().map(str::to_owned).collect()
}

/// Returns the working directory as an absolute path; a relative one is below the root.
fn absolute(root: &[String], cwd: &str) -> String {
    let base = Components(root.iter().map(String::as_str).collect());
    let path = Components::new(&base, cwd).0.join("/");
    if super::lexical::is_drive(&path) { path } else { format!("/{path}") }
}
