//! A path within a folder.

use std::fmt;
use std::path::{Component, Path};

use crate::error::TeamError;
use crate::name::Name;

/// A path relative to the folder, with slashes. It cannot leave the folder: every part is a [`Name`].
///
/// ```
/// use hooks_team::folder::TeamPath;
///
/// assert_eq!(TeamPath::new("agents/ada/charter.md").unwrap().name(), "charter.md");
/// assert!(TeamPath::new("../team.md").is_err());
/// assert!(TeamPath::new("/etc/passwd").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TeamPath(String);

impl TeamPath {
    /// Checks `path`.
    ///
    /// # Errors
    /// Returns `Name` if a part of the path is not a valid name.
    pub fn new(path: &str) -> Result<Self, TeamError> {
        for part in path.split('/') {
            Name::new(part).map_err(|reason| TeamError::name(path, reason))?;
        }
        Ok(Self(path.to_owned()))
    }

    /// Returns the folder `kind` below `.hooks`, where processes keep files for each other. Git ignores it.
    #[must_use]
    pub fn own(kind: &Name) -> Self {
        Self(format!(".hooks/{kind}"))
    }

    /// Makes a place of a path that is a constant of this crate.
    pub(crate) fn known(path: &str) -> Self {
        debug_assert!(path.split('/').all(|part| Name::new(part.trim_start_matches('.')).is_ok()), "{path}");
        Self(path.to_owned())
    }

    /// Returns the place of `name` in the folder at this place.
    #[must_use]
    pub fn join(&self, name: &Name) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// Parses a path that this crate has stored. Its parts may be names that others gave, but it does not
    /// leave the folder.
    pub(crate) fn stored(path: &str) -> Option<Self> {
        let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let parts = path.split('/').all(|part| !part.is_empty() && part != "." && !part.contains('\0'));
        (inside && parts).then(|| Self(path.to_owned()))
    }

    /// Returns the place of a listed `name` in the folder at this place. The name is one part, but may not be
    /// a valid [`Name`].
    pub(crate) fn listed(&self, name: &str) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// Returns the place of a listed `name` in the folder itself.
    pub(crate) fn root(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the last part of the path.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Whether both places are in the same folder.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        let folder = |place: &Self| place.0.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        folder(self) == folder(other)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// Returns the folders above this place, the outermost first.
    pub(super) fn above(&self) -> impl Iterator<Item = Self> {
        self.0.match_indices('/').filter_map(|(at, _)| self.0.get(..at)).map(|above| Self(above.to_owned()))
    }

    /// Returns the place of `name` in the same folder as this place.
    pub(super) fn beside(&self, name: &str) -> Self {
        Self(match self.0.rsplit_once('/') {
            Some((above, _)) => format!("{above}/{name}"),
            None => name.to_owned(),
        })
    }
}

impl fmt::Display for TeamPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_in_the_folder() {
        for bad in
            ["", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", "a\\b", "a/.git/b", "C:/a", "a/nul/b", "a/\0"]
        {
            assert!(TeamPath::new(bad).is_err(), "{bad:?}");
        }
        let place = TeamPath::new("agents/a b/history.md").unwrap();
        assert_eq!(place.above().map(|above| above.0).collect::<Vec<_>>(), ["agents", "agents/a b"]);
        assert_eq!((place.name(), &*place.beside("x").0), ("history.md", "agents/a b/x"));
        assert_eq!(TeamPath::known("a").beside("x").0, "x");
        for bad in ["", "..", "../a", "a/../b", "/a", "a//b", "a/.", "a\0"] {
            assert_eq!(TeamPath::stored(bad), None, "{bad:?}");
        }
        assert!(TeamPath::stored("decisions/inbox/\"a\" `b` $c.md").is_some());
    }
}
