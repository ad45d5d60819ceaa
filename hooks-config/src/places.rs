//! Folders of the user: the home, the XDG base directories, and the folders of agent clients.
//!
//! Code that writes to these folders and code that protects them use the same look-up. A variable with a
//! relative path counts as unset, as in the XDG base directory specification: its meaning would depend on the
//! current folder.
//!
//! ```
//! use std::path::Path;
//! use hooks_config::places::Places;
//!
//! let variables = |name: &str| match name {
//!     "HOME" => Some("/home/ada".into()),
//!     "CODEX_HOME" => Some("/srv/codex".into()),
//!     _ => None,
//! };
//! let places = Places::told_by(&variables);
//! # if cfg!(unix) {
//! assert_eq!(places.config().as_deref(), Some(Path::new("/home/ada/.config")));
//! assert_eq!(places.of_client(".claude").as_deref(), Some(Path::new("/home/ada/.claude")));
//! assert_eq!(places.of_client(".codex").as_deref(), Some(Path::new("/srv/codex")));
//! # }
//! ```

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Folders of clients, below the home, and the variable that moves each.
const MOVED: [(&str, &str); 7] = [
    (".claude", "CLAUDE_CONFIG_DIR"),
    (".codex", "CODEX_HOME"),
    (".config", "XDG_CONFIG_HOME"),
    (".copilot", "COPILOT_HOME"),
    (".kimi", "KIMI_SHARE_DIR"),
    (".opencode", "OPENCODE_CONFIG_DIR"),
    (".qwen", "QWEN_HOME"),
];

/// Variables that name the home, in the order they are tried.
const HOMES: [&str; 2] = if cfg!(windows) { ["USERPROFILE", "HOME"] } else { ["HOME", "USERPROFILE"] };

/// The user's folders, as environment variables name them.
#[derive(Clone, Copy)]
pub struct Places<'v>(&'v dyn Fn(&str) -> Option<OsString>);

impl Places<'static> {
    /// Folders by the variables of this process.
    pub const fn here() -> Self {
        Self(&|name| env::var_os(name))
    }
}

impl<'v> Places<'v> {
    /// Folders by the variables that `variables` returns.
    pub const fn told_by(variables: &'v dyn Fn(&str) -> Option<OsString>) -> Self {
        Self(variables)
    }

    /// Folder that a variable names; `None` if it is unset or relative.
    ///
    /// ```
    /// use hooks_config::places::Places;
    ///
    /// let variables = |_: &str| Some("relative/folder".into());
    /// assert_eq!(Places::told_by(&variables).named_by("XDG_STATE_HOME"), None);
    /// ```
    pub fn named_by(&self, variable: &str) -> Option<PathBuf> {
        self.0(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())
    }

    /// The user's home.
    pub fn home(&self) -> Option<PathBuf> {
        HOMES.iter().find_map(|variable| self.named_by(variable))
    }

    /// Folder of the user's configuration.
    pub fn config(&self) -> Option<PathBuf> {
        self.named_by("XDG_CONFIG_HOME").or_else(|| Some(self.home()?.join(".config")))
    }

    /// Folder of the user's state, which outlives programs.
    pub fn state(&self) -> Option<PathBuf> {
        self.named_by("XDG_STATE_HOME").or_else(|| Some(self.home()?.join(".local").join("state")))
    }

    /// The user's folder of a client; `name` is its name below the home (`.claude`).
    pub fn of_client(&self, name: &str) -> Option<PathBuf> {
        self.moved(name).or_else(|| Some(self.home()?.join(name)))
    }

    /// Folder that a variable names for the client's folder `name`, if it is set.
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
