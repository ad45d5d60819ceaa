//! The `hooks.yaml` that a project begins with.

use std::path::Path;

use hooks::config::Config;

use super::files::{self, Change};
use crate::failure::Failure;
use crate::load;

/// Denies what is hard to undo, keeps secrets where they are, asks before something leaves the machine.
const STARTER: &str = include_str!("starter.yaml");

/// The rules at `path`, and what writes them where there are none. Those that are there have to be good, or every call would be
/// denied.
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
