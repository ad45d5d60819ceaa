//! Names of arguments for paths and file contents.

use self::Meaning::*;
use super::names::Folded;

/// Meaning of an argument's value, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A path, or a list of paths.
    Path,
    /// The former path of a file.
    OldPath,
    /// The new path of a file.
    NewPath,
    /// The source of a move or a copy; in other calls, anything.
    Source,
    /// The destination of a move or a copy; in other calls, anything.
    Destination,
    /// The target of a new link.
    LinkTarget,
    /// Text for the file, which never is a path.
    Text,
    /// Text for the file; for a tool that applies patches, a patch.
    TextOrPatch,
    /// A patch.
    Patch,
    /// A patch, for a tool that applies patches; in other calls, anything.
    Input,
}

/// Returns the meaning of a name in any spelling.
pub(super) fn meaning_of(key: &str) -> Option<Meaning> {
    match key {
        // The names in most calls, without a search.
        "path" | "file_path" => Some(Path),
        "content" => Some(TextOrPatch),
        "old_string" | "new_string" | "old_str" | "new_str" => Some(Text),
        "command" => Some(Input),
        _ => searched(key),
    }
}

/// Returns whether tools that write use the key for a path.
pub(super) fn is_path(key: &str) -> bool {
    matches!(meaning_of(key), Some(Path | OldPath | NewPath | LinkTarget | Patch))
}

/// Returns whether tools that write use the key for text.
pub(super) fn is_text(key: &str) -> bool {
    matches!(meaning_of(key), Some(Text | TextOrPatch))
}

fn searched(key: &str) -> Option<Meaning> {
    Folded::new(key)?.find(KEYS)
}

/// Folded names, sorted.
static KEYS: &[(&str, Meaning)] = table!("path_keys");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_searched_says_the_same() {
        for key in
            ["path", "file_path", "content", "old_string", "new_string", "old_str", "new_str", "command"]
        {
            assert_eq!(meaning_of(key), searched(key), "{key}");
        }
    }

    #[test]
    fn keys_can_be_searched() {
        assert!(super::super::names::is_searchable(KEYS));
    }
}
