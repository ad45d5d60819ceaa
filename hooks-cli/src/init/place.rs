//! Finds the project and the user's own folders.

use std::env;
use std::path::{Path, PathBuf};

use hooks::config::places::Places;

use super::Scope;
use crate::failure::Failure;

/// The folder of the settings.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// Scope of the settings.
    pub(crate) scope: Scope,
    /// Folder of the project, the user's home, or the root of the machine.
    folder: PathBuf,
}

/// The rules of `--scope machine`, below the root.
const OF_MACHINE: &str = "etc/hooks/hooks.yaml";

impl Base {
    /// The folder of the current project, or of the user.
    pub(crate) fn find(scope: Scope) -> Result<Self, Failure> {
        let folder = match scope {
            Scope::Project => project()?,
            Scope::User => Places::here().home().ok_or_else(|| {
                Failure::message(
                    "the folder of your own settings is unknown; set `HOME`, or use `--scope project`",
                )
            })?,
            Scope::Machine => PathBuf::from("/"),
        };
        Ok(Self { scope, folder })
    }

    /// The machine whose files are below `root`.
    pub(super) const fn of_machine(root: PathBuf) -> Self {
        Self { scope: Scope::Machine, folder: root }
    }

    /// The path of the rules in a command line; `None` if `hooks run` finds them by itself.
    pub(super) fn named_config(&self, config: &Path) -> Result<Option<PathBuf>, Failure> {
        Ok(match self.scope {
            Scope::Project => Some(std::path::absolute(config)?),
            // The rules of a project take precedence over the user's own.
            Scope::User => None,
            Scope::Machine => Some(Path::new("/").join(OF_MACHINE)),
        })
    }

    /// A file in the project or in the user's home.
    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// A file in a client's own folder: the folder `name` in the project, or the client's folder of the user.
    pub(crate) fn in_folder(&self, name: &str, file: &str) -> PathBuf {
        let of_user = Places::here().of_client(name).filter(|_| self.scope == Scope::User);
        of_user.unwrap_or_else(|| self.folder.join(name)).join(file)
    }

    /// The path of the rules: an existing file, or the one to create. Two files in one project are an error:
    /// only one would govern, and perhaps not the one that a person has written.
    pub(crate) fn config(&self) -> Result<PathBuf, Failure> {
        Ok(match self.scope {
            Scope::Project => {
                let places = [".hooks/hooks.yaml", "hooks.yaml"].map(|place| self.folder.join(place));
                let found: Vec<_> = places.iter().filter(|place| place.is_file()).collect();
                if let [one, other] = found[..] {
                    return Err(Failure::message(format!(
                        "`{}` and `{}` are both there, and only the first would govern; remove one of them",
                        one.display(),
                        other.display()
                    )));
                }
                found.first().map_or_else(|| self.folder.join("hooks.yaml"), |found| (*found).clone())
            }
            Scope::User => {
                let config = Places::here().config().unwrap_or_else(|| self.folder.join(".config"));
                config.join("hooks/hooks.yaml")
            }
            Scope::Machine => self.folder.join(OF_MACHINE),
        })
    }

    /// Whether the current folder is below the project, where a client may not find the project's settings.
    pub(crate) fn is_above(&self) -> bool {
        self.scope == Scope::Project && env::current_dir().is_ok_and(|here| here != self.folder)
    }

    /// A path below the folder, relative to it; another path as it is.
    pub(super) fn below<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.folder).unwrap_or(path)
    }

    /// The project whose files show what it uses: for the settings of a user or a machine, the one of the current folder.
    pub(super) fn project(&self) -> PathBuf {
        match self.scope {
            Scope::Project => self.folder.clone(),
            Scope::User | Scope::Machine => project().unwrap_or_else(|_| self.folder.clone()),
        }
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The folder for the original contents of settings; `None` if the system has no such place.
pub(super) fn memory() -> Option<PathBuf> {
    Some(Places::here().state()?.join("hooks/init"))
}

/// The current repository, or the current folder if there is no repository.
fn project() -> Result<PathBuf, Failure> {
    let here = env::current_dir()
        .map_err(|error| Failure::message(format!("the working folder is not known: {error}")))?;
    let repository = here.ancestors().find(|folder| folder.join(".git").exists());
    Ok(repository.map_or_else(|| here.clone(), Path::to_path_buf))
}
