//! The folder that an argument of the call sends the tool to.
//!
//! Not every tool heeds it, so a relative name is judged from there as well as from where the call began.

use serde_json::Value;

use super::arguments::is_one_of;

/// Arguments that name a folder to work in, without joints and in lower case.
const KEYS: &[&str] = &["cwd", "workdir", "workingdir", "workingdirectory", "currentdirectory"];

/// Arguments that name such a folder to what runs commands. To a tool for files they are paths of its own.
const COMMAND_KEYS: &[&str] = &["dirpath", "directory"];

/// The folder that an argument names.
#[derive(Debug, Default)]
pub(super) struct WorkingFolder<'a> {
    path: Option<&'a str>,
    /// Pointers of arguments that should name one and do not, or name a second.
    pub(super) unusable: Vec<String>,
}

impl<'a> WorkingFolder<'a> {
    /// That of a tool for files.
    pub(super) fn of(arguments: &'a Value) -> Self {
        Self::named(arguments, |key| is_one_of(key, KEYS))
    }

    /// That of a tool that runs commands.
    pub(super) fn of_command(arguments: &'a Value) -> Self {
        Self::named(arguments, |key| is_one_of(key, KEYS) || is_one_of(key, COMMAND_KEYS))
    }

    fn named(arguments: &'a Value, is_folder: impl Fn(&str) -> bool) -> Self {
        let mut folder = Self::default();
        for (key, value) in arguments.as_object().into_iter().flatten().filter(|(key, _)| is_folder(key)) {
            match value {
                Value::Null => {}
                Value::String(text) if text.is_empty() => {}
                Value::String(text) if folder.path.is_none_or(|other| other == text) => {
                    folder.path = Some(text);
                }
                _ => folder.unusable.push(format!("/{key}")),
            }
        }
        folder
    }

    /// Whether there is one, or something that should be one.
    pub(super) fn is_given(&self) -> bool {
        self.path.is_some() || !self.unusable.is_empty()
    }

    /// What a relative name stands for in that folder.
    pub(super) fn of_name(&self, name: &str) -> Option<String> {
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
        let folder = WorkingFolder::of(&arguments);
        assert_eq!(folder.of_name("b").as_deref(), Some("/a/b"));
        assert_eq!(folder.of_name("/b"), None);
        assert_eq!(WorkingFolder::of(&json!({"cwd": "", "workdir": null})).of_name("b"), None);
    }

    #[test]
    fn some_names_are_folders_to_commands_only() {
        for key in ["dir_path", "dirPath", "directory"] {
            let arguments = json!({ key: "a" });
            assert_eq!(WorkingFolder::of_command(&arguments).of_name("b").as_deref(), Some("a/b"), "{key}");
            assert_eq!(WorkingFolder::of(&arguments).of_name("b"), None, "{key}");
        }
    }

    #[test]
    fn what_names_no_folder_is_told() {
        assert_eq!(WorkingFolder::of(&json!({"cwd": 7})).unusable, ["/cwd"]);
        assert_eq!(WorkingFolder::of(&json!({"cwd": "a", "workdir": "b"})).unusable, ["/workdir"]);
    }
}
