//! The shell in the settings of Claude Code, if the rules want its commands in the sandbox.

use std::path::{Path, PathBuf};

use super::files::{self, Change};
use super::json::{self, EditError};
use super::place::Base;
use super::wiring::Refused;
use crate::failure::Failure;
use crate::init::Scope;
use crate::wrap::shell_file::{self, OF_MACHINE, ShellFile, VARIABLE};

/// Object of the settings that holds variables.
const VARIABLES: &str = "env";

/// The file of a shell, and the path that settings name it by.
pub(super) struct WrittenShell {
    path: PathBuf,
    named: String,
    text: String,
}

impl WrittenShell {
    /// The file for the settings of a scope.
    pub(super) fn new(base: &Base, file: &ShellFile) -> Result<Self, Failure> {
        let folder = match base.scope {
            Scope::Machine => PathBuf::from(OF_MACHINE),
            Scope::Project | Scope::User => shell_file::folder().ok_or_else(|| {
                Failure::message(
                    "the folder of your state is unknown, so no shell can be written; set `HOME`",
                )
            })?,
        };
        let named = folder.join(file.below_folder());
        let path = match (base.scope, named.strip_prefix("/")) {
            (Scope::Machine, Ok(below)) => base.folder().join(below),
            _ => named.clone(),
        };
        let named = named.to_str().map(str::to_owned).ok_or_else(|| {
            Failure::message(format!(
                "`{}` is not valid UTF-8, so no shell can be written there",
                named.display()
            ))
        })?;
        Ok(Self { path, named, text: file.text() })
    }

    /// The change that writes the file.
    pub(super) fn change(&self) -> Result<Change, Failure> {
        let was = files::read(&self.path)?;
        Ok(Change { path: self.path.clone(), was, will: Some(self.text.clone()), is_private: false })
    }

    /// Makes a file that was written one that can be started.
    pub(super) fn make_executable(&self) -> Result<(), Failure> {
        shell_file::make_executable(&self.path).map_err(|error| {
            Failure::message(format!("`{}` cannot be made executable: {error}", self.path.display()))
        })
    }
}

/// The settings with this shell, or without one of ours. `before` are those before our first change.
pub(super) fn set(text: &str, shell: Option<&WrittenShell>, before: Option<&str>) -> Result<String, Refused> {
    let is_ours = |named: &str| shell_file::is_ours(Path::new(named));
    let now = named(text)?;
    match (now, shell) {
        (Some(now), Some(shell)) if now == shell.named => Ok(text.to_owned()),
        (Some(now), Some(_)) if !is_ours(&now) => Err(Refused::other(format!(
            "`{VARIABLES}.{VARIABLE}` names the shell `{now}`, and `sandbox.calls: wrapped` needs a shell of ours there; remove it"
        ))),
        (_, Some(shell)) => {
            json::set_in(text, VARIABLES, VARIABLE, &shell.named).map_err(|error| match error {
                EditError::Malformed(error) => malformed(text, error),
                EditError::Other(at, _, wanted) => {
                    Refused::at(text, at, format!("`{VARIABLES}` has to be {wanted}"))
                }
            })
        }
        (Some(now), None) if is_ours(&now) => {
            let had_variables = before.is_some_and(|before| json::has_object(before, VARIABLES));
            json::remove_in(text, VARIABLES, VARIABLE, had_variables).map_err(|error| malformed(text, error))
        }
        (_, None) => Ok(text.to_owned()),
    }
}

/// Whether settings name a shell of ours.
pub(super) fn has_ours(text: &str) -> bool {
    matches!(named(text), Ok(Some(named)) if shell_file::is_ours(Path::new(&named)))
}

/// The shell that settings name; `None` if they name none.
pub(crate) fn named(text: &str) -> Result<Option<String>, Refused> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(None);
    }
    json::text_in(text, VARIABLES, VARIABLE).map_err(|error| malformed(text, error))
}

fn malformed(text: &str, error: json::Malformed) -> Refused {
    Refused::at(text, error.at, format!("this is not JSON: {}", error.what))
}
