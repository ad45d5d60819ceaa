//! A path within a folder.

use std::fmt;
use std::path::{Component, Path};

use crate::error::TeamError;
use crate::name::Name;

/// A path from the folder on, with slashes, which cannot leave it: every part is a [`Name`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(String);

impl Place {
    /// Checks `path`.
    ///
    /// # Errors
    /// One of its parts is no name.
    pub fn new(path: &str) -> Result<Self, TeamError> {
        for part in path.split('/') {
            Name::new(part).map_err(|reason| TeamError::name(path, reason))?;
        }
        Ok(Self(path.to_owned()))
    }

    /// The folder called `kind` of what processes keep here for each other. Git does not see it.
    #[must_use]
    pub fn own(kind: &Name) -> Self {
        Self(format!(".hooks/{kind}"))
    }

    /// A path that this crate itself knows to be one.
    pub(crate) fn known(path: &str) -> Self {
        debug_assert!(path.split('/').all(|part| Name::new(part.trim_start_matches('.')).is_ok()), "{path}");
        Self(path.to_owned())
    }

    /// What is called `name` in the folder at this place.
    #[must_use]
    pub fn join(&self, name: &Name) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// A path that this crate wrote down: its parts may be names that others gave, but it does not leave the folder.
    pub(crate) fn stored(path: &str) -> Option<Self> {
        let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let parts = path.split('/').all(|part| !part.is_empty() && part != "." && !part.contains('\0'));
        (inside && parts).then(|| Self(path.to_owned()))
    }

    /// What a listing of the folder at this place called `name`: one part, whatever it is made of.
    pub(crate) fn listed(&self, name: &str) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// What a listing of the folder itself called `name`.
    pub(crate) fn root(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Whether both are in the same folder.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        let folder = |place: &Self| place.0.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        folder(self) == folder(other)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The folders on the way, outermost first.
    pub(super) fn above(&self) -> impl Iterator<Item = Self> {
        self.0.match_indices('/').filter_map(|(at, _)| self.0.get(..at)).map(|above| Self(above.to_owned()))
    }

    /// What is called `name` beside this.
    pub(super) fn beside(&self, name: &str) -> Self {
        Self(match self.0.rsplit_once('/') {
            Some((above, _)) => format!("{above}/{name}"),
            None => name.to_owned(),
        })
    }
}

impl fmt::Display for Place {
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
            assert!(Place::new(bad).is_err(), "{bad:?}");
        }
        let place = Place::new("agents/a b/history.md").unwrap();
        assert_eq!(place.above().map(|above| above.0).collect::<Vec<_>>(), ["agents", "agents/a b"]);
        assert_eq!((place.name(), &*place.beside("x").0), ("history.md", "agents/a b/x"));
        assert_eq!(Place::known("a").beside("x").0, "x");
        for bad in ["", "..", "../a", "a/../b", "/a", "a//b", "a/.", "a\0"] {
            assert_eq!(Place::stored(bad), None, "{bad:?}");
        }
        assert!(Place::stored("decisions/inbox/\"a\" `b` $c.md").is_some());
    }
}
