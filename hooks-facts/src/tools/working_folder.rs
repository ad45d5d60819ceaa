//! Finds the folder that an argument sets for a tool.
//!
//! Not every tool uses such an argument, so a policy judges a relative name in that folder and in the one
//! where the call started.

use serde_json::Value;

use super::arguments::Pointer;
use super::names::Folded;
use crate::paths::MAX_LENGTH;

/// Folded names of arguments for a working folder.
const KEYS: &[&str] = table!("argument_names_folder");

/// Names of arguments for such a folder in tools that run commands. In a tool for files they are ordinary
/// paths, which [`paths_of`](super::paths_of) finds.
const COMMAND_KEYS: &[&str] = table!("argument_names_command_folder");

/// Folder that an argument sets for a tool, if there is one.
///
/// ```
/// use hooks_facts::tools::WorkingFolder;
///
/// // Two different folders: which one the tool uses is unknown.
/// let arguments = serde_json::json!({"cwd": "api", "workdir": "web"});
/// assert_eq!(WorkingFolder::of_command_tool(&arguments).unusable, ["/workdir"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingFolder<'a> {
    path: Option<&'a str>,
    /// JSON pointers of arguments for a folder that are not a text, that name a second folder, or that are longer
    /// than any path.
    pub unusable: Vec<String>,
}

impl<'a> WorkingFolder<'a> {
    /// Finds the folder of a tool for files.
    pub fn of_file_tool(arguments: &'a Value) -> Self {
        Self::named(arguments, |key| key.is_one_of(KEYS))
    }

    /// Finds the folder of a tool that runs commands.
    pub fn of_command_tool(arguments: &'a Value) -> Self {
        Self::named(arguments, |key| key.is_one_of(KEYS) || key.is_one_of(COMMAND_KEYS))
    }

    fn named(arguments: &'a Value, is_folder: impl Fn(Folded) -> bool) -> Self {
        let mut folder = Self::default();
        for (key, value) in arguments.as_object().into_iter().flatten() {
            // Nearly all keys start with other letters, and no letter beyond ASCII becomes one of these in
            // lower case.
            let begins = key.bytes().next();
            let may_be = matches!(begins, Some(b'c' | b'C' | b'd' | b'D' | b'w' | b'W' | b'_' | b'-' | b' '));
            if !may_be || !Folded::new(key).is_some_and(&is_folder) {
                continue;
            }
            match value {
                Value::Null => {}
                Value::String(text) if text.is_empty() => {}
                Value::String(text)
                    if text.len() <= MAX_LENGTH && folder.path.is_none_or(|other| other == text) =>
                {
                    folder.path = Some(text);
                }
                _ => folder.unusable.push(Pointer::default().key(key).text().into_owned()),
            }
        }
        folder
    }

    /// Returns whether there is such an argument, valid or not.
    ///
    /// ```
    /// use hooks_facts::tools::WorkingFolder;
    /// use serde_json::json;
    ///
    /// let is_given = |arguments| WorkingFolder::of_command_tool(&arguments).is_given();
    /// assert!(is_given(json!({"command": "ls", "cwd": "api"})));
    /// assert!(is_given(json!({"command": "ls", "cwd": 7}))); // invalid, but given
    /// assert!(!is_given(json!({"command": "ls"})));
    /// ```
    pub fn is_given(&self) -> bool {
        self.path.is_some() || !self.unusable.is_empty()
    }

    /// Returns a relative name in that folder; `None` if there is no folder, or the name is absolute.
    ///
    /// ```
    /// use hooks_facts::tools::WorkingFolder;
    ///
    /// let arguments = serde_json::json!({"command": "make", "cwd": "api/"});
    /// let folder = WorkingFolder::of_command_tool(&arguments);
    /// assert_eq!(folder.of_name("src/a.rs").as_deref(), Some("api/src/a.rs"));
    /// assert_eq!(folder.of_name("/etc/passwd"), None);
    /// ```
    pub fn of_name(&self, name: &str) -> Option<String> {
        let folder = self.path?;
        let is_relative = !name.starts_with(['/', '~', '\\']) && name.get(1..2) != Some(":");
        is_relative.then(|| format!("{}/{name}", folder.strip_suffix('/').unwrap_or(folder)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn relative_names_move() {
        let arguments = json!({"workingDirectory": "/a/", "path": "b"});
        let folder = WorkingFolder::of_file_tool(&arguments);
        assert_eq!(folder.of_name("b").as_deref(), Some("/a/b"));
        assert_eq!(folder.of_name("/b"), None);
        assert_eq!(WorkingFolder::of_file_tool(&json!({"cwd": "", "workdir": null})).of_name("b"), None);
    }

    #[test]
    fn some_names_are_folders_to_commands_only() {
        for key in ["dir_path", "dirPath", "directory"] {
            let arguments = json!({ key: "a" });
            assert_eq!(
                WorkingFolder::of_command_tool(&arguments).of_name("b").as_deref(),
                Some("a/b"),
                "{key}"
            );
            assert_eq!(WorkingFolder::of_file_tool(&arguments).of_name("b"), None, "{key}");
        }
    }

    #[test]
    fn what_names_no_folder_is_told() {
        assert_eq!(WorkingFolder::of_file_tool(&json!({"cwd": 7})).unusable, ["/cwd"]);
        assert_eq!(WorkingFolder::of_file_tool(&json!({"cwd": "a", "workdir": "b"})).unusable, ["/workdir"]);
    }
}
