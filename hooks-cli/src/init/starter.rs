//! The initial `hooks.yaml` of a project.

use std::path::Path;

use hooks::config::{Config, packs};

use super::files::{self, Change};
use crate::failure::Failure;
use crate::load;

/// Denies actions that are hard to undo, protects secrets, and asks before data leaves the machine.
const STARTER: &str = include_str!("starter.yaml");

/// Line of the first rules in which the packs of a project stand.
const PACKS: &str = "# packs: [git, docker]";

/// The rules at `path`, or the change that creates them. Existing rules must be valid, as otherwise every
/// call would be denied.
pub(super) fn at(
    path: &Path,
    is_private: bool,
    project: &Path,
) -> Result<(Option<Config>, Option<Change>), Failure> {
    if files::read(path)?.is_some() {
        return Ok((Some(load::config(path, None)?), None));
    }
    let rules = first_rules(&packs::found_in(project));
    let starter = Change { path: path.to_path_buf(), was: None, will: Some(rules), is_private };
    Ok((None, Some(starter)))
}

/// The first rules, with the packs for what a project uses.
fn first_rules(packs: &[&str]) -> String {
    let line = match packs {
        [] => "# packs: [git, docker]".to_owned(),
        packs => format!("packs: [{}]", packs.join(", ")),
    };
    STARTER.replace(PACKS, &line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_packs_of_the_project() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("main.tf"), "").unwrap();
        std::fs::create_dir(dir.path().join(".git")).unwrap();
        let packs = packs::found_in(dir.path());
        assert_eq!(packs, ["git", "terraform"]);
        for (packs, wanted) in
            [(&packs[..], "\npacks: [git, terraform]\n"), (&[], "\n# packs: [git, docker]\n")]
        {
            let text = first_rules(packs);
            assert!(text.contains(wanted), "{text}");
            let path = dir.path().join("hooks.yaml");
            std::fs::write(&path, text).unwrap();
            let config = load::reader(None).read(&path).unwrap();
            assert!(config.doubts().is_empty(), "{:?}", config.doubts());
        }
    }

    #[test]
    fn it_is_good() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hooks.yaml");
        std::fs::write(&path, STARTER).unwrap();
        let config = load::reader(None).read(&path).unwrap();
        assert!(config.doubts().is_empty(), "{:?}", config.doubts());
    }
}
