//! Where the user keeps things: the home, the base directories of XDG, and the folders of agent clients.
//!
//! One look-up for whoever writes there and whoever protects it. A variable that is set to a relative folder counts as
//! not set, as the XDG base directories have it: what it means would depend on where somebody stands.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The folders of clients that a variable moves, below the home, and the variable.
const MOVED: [(&str, &str); 3] =
    [(".claude", "CLAUDE_CONFIG_DIR"), (".codex", "CODEX_HOME"), (".copilot", "COPILOT_HOME")];

/// The variables that name the home, the better one first.
const HOMES: [&str; 2] = if cfg!(windows) { ["USERPROFILE", "HOME"] } else { ["HOME", "USERPROFILE"] };

/// The user's folders, as the variables of a process name them.
#[derive(Clone, Copy)]
pub struct Places<'v>(&'v dyn Fn(&str) -> Option<OsString>);

impl Places<'static> {
    /// By the variables of this process.
    pub const fn here() -> Self {
        Self(&|name| env::var_os(name))
    }
}

impl<'v> Places<'v> {
    /// By other variables.
    pub const fn told_by(variables: &'v dyn Fn(&str) -> Option<OsString>) -> Self {
        Self(variables)
    }

    /// The folder that a variable names; `None` where it names none, or a relative one.
    pub fn named_by(&self, variable: &str) -> Option<PathBuf> {
        self.0(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
    }

    /// The user's home.
    pub fn home(&self) -> Option<PathBuf> {
        HOMES.iter().find_map(|variable| self.named_by(variable))
    }

    /// Where programs have the user's configuration.
    pub fn config(&self) -> Option<PathBuf> {
        self.named_by("XDG_CONFIG_HOME").or_else(|| Some(self.home()?.join(".config")))
    }

    /// Where programs keep what outlives them.
    pub fn state(&self) -> Option<PathBuf> {
        self.named_by("XDG_STATE_HOME").or_else(|| Some(self.home()?.join(".local").join("state")))
    }

    /// The user's own folder of a client, which is called `name` below the home (`.claude`).
    pub fn of_client(&self, name: &str) -> Option<PathBuf> {
        self.moved(name).or_else(|| Some(self.home()?.join(name)))
    }

    /// Where a variable moves the folder of a client to, if it does.
    pub(super) fn moved(&self, name: &str) -> Option<PathBuf> {
        let (_, variable) = MOVED.iter().find(|(folder, _)| *folder == name)?;
        self.named_by(variable)
    }
}

impl std::fmt::Debug for Places<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Places")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_relative_is_not_there() {
        let set = |given: &'static [(&str, &str)]| {
            move |name: &str| given.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        let all = set(&[("HOME", "/home/ada"), ("XDG_STATE_HOME", "/state"), ("CODEX_HOME", "/codex")]);
        let places = Places::told_by(&all);
        assert_eq!(places.state().as_deref(), Some(Path::new("/state")));
        assert_eq!(places.config().as_deref(), Some(Path::new("/home/ada/.config")));
        assert_eq!(places.of_client(".codex").as_deref(), Some(Path::new("/codex")));
        assert_eq!(places.of_client(".claude").as_deref(), Some(Path::new("/home/ada/.claude")));
        let relative = set(&[("HOME", "ada"), ("XDG_STATE_HOME", "state"), ("CODEX_HOME", "")]);
        let places = Places::told_by(&relative);
        assert_eq!((places.state(), places.config(), places.of_client(".codex")), (None, None, None));
    }
}
