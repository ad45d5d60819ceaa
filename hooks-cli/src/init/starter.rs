//! The initial `hooks.yaml` of a project.

use std::path::Path;

use hooks::config::Config;

use super::files::{self, Change};
use crate::failure::Failure;
use crate::load;

/// Denies actions that are hard to undo, protects secrets, and asks before data leaves the machine.
const STARTER: &str = include_str!("starter.yaml");

/// The rules at `path`, or the change that creates them. Existing rules must be valid, as otherwise every
/// call would be denied.
pub(super) fn at(path: &Path, is_private: bool) -> Result<(Option<Config>, Option<Change>), Failure> {
    if files::read(path)?.is_some() {
        return Ok((Some(load::config(path, None)?), None));
    }
    let starter = Change { path: path.to_path_buf(), was: None, will: Some(STARTER.to_owned()), is_private };
    Ok((None, Some(starter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_good() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hooks.yaml");
        std::fs::write(&path, STARTER).unwrap();
        let config = load::reader(None).read(&path).unwrap();
        assert!(config.doubts().is_empty(), "{:?}", config.doubts());
    }
}
