//! Finds the project of an event, and the configuration that governs it.
//!
//! An agent must not be able to choose its own rules by creating a file or a repository, or by changing the
//! folder. So the search begins at the project that the client names, and of several files the outermost
//! counts.

use std::env;
use std::io::{Error, ErrorKind};
use std::path::{Component, Path, PathBuf};

use hooks::config::as_patterns;
use hooks::config::places::Places;
use hooks_protocols::{Client, Decoded};

/// Paths of a project's configuration.
const PLACES: [&str; 2] = [".hooks/hooks.yaml", "hooks.yaml"];

/// Variable that names the configuration if the command line does not.
const NAMED_BY: &str = "HOOKS_CONFIG";

/// The configuration that governs an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GoverningFile {
    /// The configuration.
    pub(crate) config: PathBuf,
    /// The folder that its globs are relative to.
    pub(crate) root: PathBuf,
    /// Patterns of files that no agent may write besides this one: those that would govern instead if they existed,
    /// and the settings that call us.
    pub(super) protected: Vec<String>,
}

impl GoverningFile {
    /// Protects the file of the settings that call us; a relative path is one in the project.
    pub(super) fn protect_settings(&mut self, settings: Option<&Path>) {
        self.protected.extend(settings.into_iter().flat_map(|path| as_patterns(&self.root.join(path))));
    }
}

/// Finds the configuration for an event of `client` in `cwd`; `None` if no file is found.
pub(super) fn find(named: Option<&Path>, decoded: &Decoded, cwd: &Path) -> Option<GoverningFile> {
    let start = project_of(decoded.client).or_else(|| decoded.context.team_root.clone());
    find_from(named, start.as_deref().unwrap_or(cwd))
}

/// Finds the configuration for a client that is started in `cwd`.
pub(crate) fn find_for_start(client: Client, cwd: &Path) -> Option<PathBuf> {
    let start = project_of(client);
    Some(find_from(None, start.as_deref().unwrap_or(cwd))?.config)
}

/// Finds the configuration for the project of a folder; `None` if no file is found.
pub(crate) fn find_from(named: Option<&Path>, start: &Path) -> Option<GoverningFile> {
    // The folders above a path with `..` are not those that its text shows.
    let real = start.components().any(|part| part == Component::ParentDir).then(|| start.canonicalize().ok());
    let real = real.flatten();
    let start = real.as_deref().unwrap_or(start);
    let folders = folders(start);
    if let Some(config) = named_file(named) {
        let outermost = || folders.first().map_or(start, |outermost| outermost).to_path_buf();
        let root = folder_of(&config, start, &folders).unwrap_or_else(outermost);
        return Some(GoverningFile { config, root, protected: Vec::new() });
    }
    // Files outside of the repository are protected as well, as a new repository there would move the root of
    // the project.
    let outside = start.ancestors().filter(|folder| !folders.contains(folder)).flat_map(places);
    let mut protected: Vec<String> = outside.flat_map(|place| as_patterns(&place)).collect();
    for folder in &folders {
        for config in places(folder) {
            if exists(&config) {
                return Some(GoverningFile { config, root: folder.to_path_buf(), protected });
            }
            protected.extend(as_patterns(&config));
        }
    }
    let config = of_user().filter(|config| exists(config))?;
    protected.extend(PLACES.map(|place| format!("**/{place}")));
    let root = folders.first().map_or(start, |outermost| outermost).to_path_buf();
    Some(GoverningFile { config, root, protected })
}

/// Whether something is there. A folder or a link without a target governs too: it cannot be read, and so it denies, where other
/// rules would govern in its place without a word.
fn exists(config: &Path) -> bool {
    // A path that may not be looked at could be one.
    let is_missing = |error: &Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    config.symlink_metadata().map_or_else(|error| !is_missing(&error), |_| true)
}

/// The configuration that the command line names, or the variable.
pub(crate) fn named_file(named: Option<&Path>) -> Option<PathBuf> {
    named.map(Path::to_path_buf).or_else(|| env::var_os(NAMED_BY).map(PathBuf::from))
}

/// Paths of a configuration in a folder.
fn places(folder: &Path) -> impl Iterator<Item = PathBuf> {
    PLACES.iter().map(|place| folder.join(place))
}

/// The folder of the project in which a named configuration is. Its globs are relative to that folder, even
/// if it is not the outermost. `None` if the file is outside of the project: then it is a configuration for
/// many projects.
fn folder_of(config: &Path, start: &Path, project: &[&Path]) -> Option<PathBuf> {
    let config = std::path::absolute(config).ok()?;
    let place = PLACES.iter().find(|place| config.ends_with(place))?;
    let folder = config.ancestors().nth(Path::new(place).components().count())?;
    if is_in_project(folder, start, project) {
        return Some(folder.to_path_buf());
    }
    // A symbolic link can lead to the file or to the project.
    let (folder, start) = (folder.canonicalize().ok()?, start.canonicalize().ok()?);
    is_in_project(&folder, &start, &folders(&start)).then_some(folder)
}

/// Whether `folder` is one of the folders of the project with `start`; without a repository, any folder above
/// it.
fn is_in_project(folder: &Path, start: &Path, project: &[&Path]) -> bool {
    project.contains(&folder)
        || (project.len() == 1 && start.starts_with(folder) && !start.join(".git").exists())
}

/// The folders of the project with `start`, from the outermost: all up to the repository, or the outer one of
/// two repositories. Without a repository, `start` alone.
fn folders(start: &Path) -> Vec<&Path> {
    let above: Vec<&Path> = start.ancestors().collect();
    let repository = above.iter().rposition(|folder| folder.join(".git").exists()).unwrap_or_default();
    above.into_iter().take(repository.saturating_add(1)).rev().collect()
}

/// The user's own configuration (XDG base directories).
fn of_user() -> Option<PathBuf> {
    Some(Places::here().config()?.join("hooks").join("hooks.yaml"))
}

/// The project that the client names. Only its own variable counts, as others can belong to a client that
/// started this one.
pub(super) fn project_of(client: Client) -> Option<PathBuf> {
    let name = match client {
        Client::Claude => "CLAUDE_PROJECT_DIR",
        Client::Gemini => "GEMINI_PROJECT_DIR",
        Client::Copilot => "COPILOT_PROJECT_DIR",
        Client::Cursor => "CURSOR_PROJECT_DIR",
        Client::Qwen => "QWEN_PROJECT_DIR",
        Client::Droid => "FACTORY_PROJECT_DIR",
        _ => return None,
    };
    Places::here().named_by(name)
}
