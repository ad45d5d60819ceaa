//! Folders of teams that sections name: one that does not exist is probably misspelled, and its rules would not hold.

use std::path::{Path, PathBuf};

use super::audit::project_of;
use super::error::Mistakes;
use super::paths::canonical;
use super::tree::{Kind, Node};

/// Sections that name the folder of a team.
const SECTIONS: [&str; 9] = [
    "boundaries",
    "ceremonies",
    "context",
    "decisions",
    "notices",
    "prompts",
    "routes",
    "scribe",
    "session_end",
];

/// Key of the folder in each of them.
const TEAM: &str = "team";

/// The file of a configuration, and the project that it governs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Project<'a> {
    /// Path of the configuration, if it is a file.
    pub(super) path: Option<&'a Path>,
    /// Folder of the project, if the host named it.
    pub(super) root: Option<&'a Path>,
}

impl Project<'_> {
    /// Folders of projects whose teams may have policies: that of the file, and that of the host.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let of_file = self.of_file();
        let named = self.root.map(Path::to_path_buf);
        let named =
            named.filter(|root| of_file.as_ref().is_none_or(|of_file| canonical(of_file) != canonical(root)));
        of_file.into_iter().chain(named).collect()
    }

    /// Folder of the project that the file is in. A relative path may have no folder in its text.
    fn of_file(&self) -> Option<PathBuf> {
        let path = std::path::absolute(self.path?).ok()?;
        Some(project_of(&path))
    }

    /// Whether the file is one of the project that the host named, and of no other.
    fn is_its_own(&self) -> bool {
        let of_file = self.of_file();
        of_file.zip(self.root).is_some_and(|(of_file, root)| canonical(&of_file) == canonical(root))
    }
}

/// Reports folders of teams in `root` that do not exist: a mistake in the configuration of one project, and a doubt in
/// one that governs sessions in other folders.
pub(super) fn check(root: &Node, project: Project<'_>, mistakes: &mut Mistakes) {
    let Some(base) = project.of_file() else { return };
    for section in SECTIONS {
        let Some(node) = root.get(section).and_then(|section| section.get(TEAM)) else { continue };
        let Kind::Text(named) = &node.kind else { continue };
        let folder = base.join(named);
        if folder.is_dir() {
            continue;
        }
        let path = format!("{section}.{TEAM}");
        let problem = format!("`{named}` is not a folder in `{}`", base.display());
        let hint = "correct the name, or create the folder";
        if project.is_its_own() || Path::new(named).is_absolute() {
            mistakes.add_with_hint(&node.place, path, problem, hint);
        } else {
            mistakes.doubt(&node.place, path, problem, Some(hint.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Config, ConfigReader};

    #[test]
    fn a_folder_that_does_not_exist_is_a_mistake_in_its_project_and_a_doubt_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("hooks.yaml");
        for section in super::SECTIONS {
            fs::write(&file, format!("version: 1\n{section}: {{ team: typo }}\n")).unwrap();
            let known = ConfigReader::default().of_project(dir.path());
            let errors = known.read(&file).expect_err(section);
            let error = errors.errors()[0].to_string();
            assert!(error.contains(&format!("{section}.team: `typo` is not a folder in `")), "{error}");
            assert!(error.starts_with("line 2, column "), "{error}");
            // The sessions of another host may have such a folder.
            let doubts = Config::read(&file).unwrap();
            assert!(doubts.doubts().iter().any(|doubt| doubt.path == format!("{section}.team")), "{section}");
            fs::create_dir(dir.path().join("typo")).unwrap();
            assert!(
                known
                    .read(&file)
                    .is_ok_and(|config| config.doubts().iter().all(|doubt| !doubt.path.ends_with(".team")))
            );
            fs::remove_dir(dir.path().join("typo")).unwrap();
        }
    }

    #[test]
    fn an_absolute_folder_is_a_mistake_everywhere() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("hooks.yaml");
        fs::write(&file, "version: 1\ndecisions: { team: /no/such/folder }\n").unwrap();
        assert!(Config::read(&file).is_err());
    }
}
