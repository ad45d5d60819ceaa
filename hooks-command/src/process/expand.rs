//! Variables in the options of a handler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The variables that options of handlers can use.
pub trait Variables: Send + Sync {
    /// The value of a variable.
    fn get(&self, name: &str) -> Option<String>;
}

/// An environment without variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoVariables;

impl Variables for NoVariables {
    fn get(&self, _name: &str) -> Option<String> {
        None
    }
}

impl Variables for BTreeMap<String, String> {
    fn get(&self, name: &str) -> Option<String> {
        Self::get(self, name).cloned()
    }
}

/// Expands values of `env`: only `${env.NAME}` is replaced, with an empty string if it is unset. Other dollar
/// signs stay.
///
/// ```
/// use std::collections::BTreeMap;
/// use hooks_command::process::expand_variables;
///
/// let variables = BTreeMap::from([("TOKEN".to_owned(), "abc".to_owned())]);
/// let env = BTreeMap::from([("AUTH".to_owned(), "Bearer ${env.TOKEN}${env.NONE} $TOKEN".to_owned())]);
/// assert_eq!(expand_variables(&env, &variables)["AUTH"], "Bearer abc $TOKEN");
/// ```
pub fn expand_variables(
    env: &BTreeMap<String, String>,
    variables: &dyn Variables,
) -> BTreeMap<String, String> {
    let expanded = env.iter().map(|(name, value)| (name.clone(), expand(value, variables, Forms::Named)));
    expanded.collect()
}

/// Expands a path: `~` at its beginning, `$NAME`, `${NAME}` and `${env.NAME}`.
fn expand_path(path: &str, variables: &dyn Variables) -> String {
    let expanded = expand(path, variables, Forms::All);
    let home = || variables.get("HOME").filter(|home| !home.is_empty());
    match expanded.strip_prefix('~') {
        Some("") => home().unwrap_or(expanded),
        Some(rest) if rest.starts_with('/') => home().map_or_else(|| expanded.clone(), |home| home + rest),
        _ => expanded,
    }
}

/// The working directory of a handler: its `working_dir`, relative to the folder of the event. If it expands
/// to an empty string, it is that folder.
///
/// ```
/// use std::path::Path;
/// use hooks_command::process::{NoVariables, folder_of};
///
/// let folder = Path::new("/p");
/// assert_eq!(folder_of(folder, "src", &NoVariables), Path::new("/p/src"));
/// assert_eq!(folder_of(folder, "/elsewhere", &NoVariables), Path::new("/elsewhere"));
/// assert_eq!(folder_of(folder, "$UNSET", &NoVariables), folder);
/// ```
pub fn folder_of(folder: &Path, working_dir: &str, variables: &dyn Variables) -> PathBuf {
    let own = expand_path(working_dir, variables);
    // Joining an absolute path returns that path.
    if own.is_empty() { folder.to_path_buf() } else { folder.join(own) }
}

/// The spellings of a variable that are replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forms {
    /// `${env.NAME}`.
    Named,
    /// `${env.NAME}`, `${NAME}` and `$NAME`.
    All,
}

fn expand(text: &str, variables: &dyn Variables, forms: Forms) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        match reference(after, forms) {
            Some((name, length)) => {
                expanded.push_str(&variables.get(name).unwrap_or_default());
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                expanded.push('$');
                rest = after;
            }
        }
    }
    expanded.push_str(rest);
    expanded
}

/// The name after a dollar sign, and the length of the reference in bytes.
fn reference(after: &str, forms: Forms) -> Option<(&str, usize)> {
    if let Some(inside) = after.strip_prefix('{') {
        let (inside, _) = inside.split_once('}')?;
        let name = match inside.strip_prefix("env.") {
            Some(name) => name,
            None if forms == Forms::All => inside,
            None => return None,
        };
        return is_name(name).then_some((name, inside.len() + 2));
    }
    if forms == Forms::Named {
        return None;
    }
    let length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    let name = after.get(..length)?;
    is_name(name).then_some((name, length))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world() -> BTreeMap<String, String> {
        [("HOME", "/home/dev"), ("A", "x"), ("EMPTY", "")]
            .map(|(name, value)| (name.into(), value.into()))
            .into()
    }

    #[test]
    fn only_the_named_form_in_values() {
        let env = [
            ("plain", "a", "a"),
            ("named", "<${env.A}>", "<x>"),
            ("unset", "<${env.NOBODY}>", "<>"),
            ("others", "$A ${A} $ ${ $${env.A} ${env.}", "$A ${A} $ ${ $x ${env.}"),
        ];
        for (name, value, wanted) in env {
            let given = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            assert_eq!(expand_variables(&given, &world())[name], wanted, "{value}");
        }
    }

    #[test]
    fn every_form_in_paths() {
        for (path, wanted) in [
            ("", "/run"),
            ("sub", "/run/sub"),
            ("./sub", "/run/./sub"),
            ("/abs", "/abs"),
            ("~", "/home/dev"),
            ("~/x", "/home/dev/x"),
            ("~other", "/run/~other"),
            ("$HOME/x", "/home/dev/x"),
            ("${HOME}/${env.A}", "/home/dev/x"),
            ("$EMPTY", "/run"),
            ("${env.NOBODY}", "/run"),
            ("a$", "/run/a$"),
        ] {
            assert_eq!(folder_of(Path::new("/run"), path, &world()), Path::new(wanted), "{path}");
        }
    }
}
