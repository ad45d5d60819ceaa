//! The names of arguments that say something about paths.

use self::Meaning::*;
use super::names::Folded;

/// What the name of an argument says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A path, or a list of paths.
    Path,
    /// Where a file was before.
    OldPath,
    /// Where it is to be.
    NewPath,
    /// Where a move or a copy starts; in other calls, anything.
    Source,
    /// Where a move or a copy ends; in other calls, anything.
    Destination,
    /// What a new link points to.
    LinkTarget,
    /// Text for the file: whatever it holds is no path.
    Text,
    /// Text for the file, or, where a tool applies patches, a patch.
    TextOrPatch,
    /// A patch.
    Patch,
    /// A patch, where a tool applies patches; in other calls, anything.
    Input,
}

/// What a name in any spelling says.
pub(super) fn meaning_of(key: &str) -> Option<Meaning> {
    match key {
        // What most calls have, without a search.
        "path" | "file_path" => Some(Path),
        "content" => Some(TextOrPatch),
        "old_string" | "new_string" | "old_str" | "new_str" => Some(Text),
        "command" => Some(Input),
        _ => searched(key),
    }
}

fn searched(key: &str) -> Option<Meaning> {
    Folded::new(key)?.find(KEYS)
}

/// Folded names, sorted.
static KEYS: &[(&str, Meaning)] = &[
    ("absolutefilepath", Path),
    ("absolutepath", Path),
    ("arguments", Input),
    ("codeedit", Text),
    ("command", Input),
    ("content", TextOrPatch),
    ("contents", Text),
    ("description", Text),
    ("dest", Destination),
    ("destination", Destination),
    ("destinationfile", Destination),
    ("destinationpath", NewPath),
    ("destpath", NewPath),
    ("diff", Patch),
    ("dir", Path),
    ("directory", Path),
    ("directorypath", Path),
    ("dirpath", Path),
    ("dst", Destination),
    ("explanation", Text),
    ("file", Path),
    ("filename", Path),
    ("filenames", Path),
    ("filepath", Path),
    ("filepaths", Path),
    ("files", Path),
    ("filetext", Text),
    ("fileuri", Path),
    ("folder", Path),
    ("from", Source),
    ("frompath", Source),
    ("input", Input),
    ("instruction", Text),
    ("instructions", Text),
    ("linktarget", LinkTarget),
    ("newfilepath", NewPath),
    ("newfiletext", Text),
    ("newname", NewPath),
    ("newpath", NewPath),
    ("newsource", Text),
    ("newstr", Text),
    ("newstring", Text),
    ("newtext", Text),
    ("notebook", Path),
    ("notebookpath", Path),
    ("oldfilepath", OldPath),
    ("oldname", OldPath),
    ("oldpath", OldPath),
    ("oldstr", Text),
    ("oldstring", Text),
    ("oldtext", Text),
    ("outputfile", Path),
    ("outputpath", Path),
    ("patch", Patch),
    ("patches", Input),
    ("patchtext", Input),
    ("path", Path),
    ("paths", Path),
    ("relativefilepath", Path),
    ("relativepath", Path),
    ("relativeworkspacepath", Path),
    ("source", Source),
    ("sourcefile", Source),
    ("sourcepath", Source),
    ("src", Source),
    ("symlinktarget", LinkTarget),
    ("target", Destination),
    ("targetfile", Path),
    ("targetpath", Path),
    ("text", Text),
    ("to", Destination),
    ("topath", Destination),
    ("uri", Path),
    ("uris", Path),
];

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
