//! Finds the paths in the arguments of a file tool.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::arguments::{MAX_DEPTH, Pointer};
use super::kind::ToolKind;
use super::patch;
use super::path_keys::{self, Meaning};
use crate::paths::MAX_LENGTH as LONGEST;

/// Paths in the arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathArguments {
    /// Every path, in the order of the arguments.
    pub found: Vec<PathArgument>,
    /// JSON pointers of path arguments that are present but not text, or longer than any path; a guard denies them.
    pub unusable: Vec<String>,
}

impl PathArguments {
    /// Returns whether the call names no path: the arguments are missing, empty or null.
    pub fn is_missing(&self) -> bool {
        self.found.is_empty() && self.unusable.is_empty()
    }
}

/// Path in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathArgument {
    /// JSON pointer (RFC 6901).
    pub pointer: Cow<'static, str>,
    /// Line in a patch text, from one.
    pub line: Option<usize>,
    /// Path as it is written, without the prefix of a unified diff.
    pub text: String,
    /// Effect of the call on the path.
    pub role: PathRole,
}

/// Effect of a call on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathRole {
    /// Creates or changes it.
    Written,
    /// Removes it: a deletion, or the source of a move.
    Removed,
    /// Only reads it.
    Read,
    /// Creates a link to it, so that a later write through the link changes it.
    LinkTarget,
    /// Creates a tree there, or files with unknown names in it.
    Filled,
}

/// Returns every path in the arguments of a call of this kind.
///
/// ```
/// use hooks_facts::tools::{PathRole, ToolKind, paths_of};
/// use serde_json::json;
///
/// let paths = paths_of(ToolKind::MoveFile, &json!({"source": "a.rs", "destination": "b.rs"}));
/// let found: Vec<_> = paths.found.iter().map(|path| (path.text.as_str(), path.role)).collect();
/// assert_eq!(found, [("a.rs", PathRole::Removed), ("b.rs", PathRole::Written)]);
///
/// // A path that is not a text is reported, so that a guard can deny it.
/// let odd = paths_of(ToolKind::WriteFile, &json!({"file_path": 7}));
/// assert_eq!(odd.unusable, ["/file_path"]);
/// assert!(!odd.is_missing());
/// ```
pub fn paths_of(kind: ToolKind, arguments: &Value) -> PathArguments {
    let mut found = Vec::new();
    let unusable = each_path(kind, arguments, |path| found.push(path));
    PathArguments { found, unusable }
}

/// Visits every path in the arguments of a call of this kind, and returns the pointers of those that are
/// unusable.
///
/// ```
/// use hooks_facts::tools::{ToolKind, each_path};
///
/// let arguments = serde_json::json!({"paths": ["a.rs", "b.rs"]});
/// let mut pointers = Vec::new();
/// let unusable = each_path(ToolKind::DeleteFile, &arguments, |path| pointers.push(path.pointer.into_owned()));
/// assert_eq!(pointers, ["/paths/0", "/paths/1"]);
/// assert!(unusable.is_empty());
/// ```
pub fn each_path(kind: ToolKind, arguments: &Value, mut visit: impl FnMut(PathArgument)) -> Vec<String> {
    let mut walk = Walk { kind, found: 0, visit: &mut visit, unusable: Vec::new() };
    match arguments {
        Value::Object(map) => walk.object(map, &Pointer::default()),
        // Codex passes some patches as a bare text.
        Value::String(text) if kind == ToolKind::Patch => walk.patch(text, &Pointer::default()),
        _ => {}
    }
    walk.unusable
}

struct Walk<'v> {
    kind: ToolKind,
    /// Number of paths that were visited.
    found: usize,
    visit: &'v mut dyn FnMut(PathArgument),
    unusable: Vec<String>,
}

impl Walk<'_> {
    fn object(&mut self, map: &Map<String, Value>, pointer: &Pointer<'_>) {
        for (key, value) in map {
            self.argument(key, value, &pointer.key(key));
        }
    }

    fn argument(&mut self, key: &str, value: &Value, pointer: &Pointer<'_>) {
        let Some(meaning) = path_keys::meaning_of(key) else { return self.nested(value, pointer) };
        if let Some(role) = self.role_of(meaning) {
            return self.path(value, role, pointer);
        }
        let holds_patch = match self.kind {
            ToolKind::Patch => matches!(meaning, Meaning::Patch | Meaning::Input | Meaning::TextOrPatch),
            ToolKind::WriteFile => meaning == Meaning::Patch,
            _ => false,
        };
        match value {
            Value::String(text) if holds_patch => self.patch(text, pointer),
            Value::Array(items) if holds_patch => self.patches(items, pointer),
            _ if matches!(meaning, Meaning::Text | Meaning::TextOrPatch) => {}
            _ => self.nested(value, pointer),
        }
    }

    /// Walks a value under an unknown key: only objects in it are read.
    fn nested(&mut self, value: &Value, pointer: &Pointer<'_>) {
        match value {
            Value::Object(_) | Value::Array(_) if pointer.depth() >= MAX_DEPTH => self.unusable(pointer),
            Value::Object(map) => self.object(map, pointer),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let pointer = &pointer.item(index);
                    match item {
                        Value::Array(pair) if self.kind.writes_files() => self.pair(pair, pointer),
                        item => self.nested(item, pointer),
                    }
                }
            }
            _ => {}
        }
    }

    /// Reads a pair of a path and a text: `[["a.rs", "text"]]`. A text that may be a path counts as one too.
    fn pair(&mut self, pair: &[Value], pointer: &Pointer<'_>) {
        let [Value::String(path), Value::String(text)] = pair else {
            return pair.iter().enumerate().for_each(|(index, item)| self.nested(item, &pointer.item(index)));
        };
        let may_be_path = |text: &str| !text.contains(char::is_whitespace) && text.contains(['/', '\\']);
        let Some(role) = self.role_of(Meaning::Path).filter(|_| !path.contains(['\n', '\0'])) else { return };
        for (index, text) in
            [path, text].into_iter().enumerate().filter(|(index, text)| *index == 0 || may_be_path(text))
        {
            self.path(&Value::String(text.clone()), role, &pointer.item(index));
        }
    }

    /// Reads a value under a key for paths.
    fn path(&mut self, value: &Value, role: PathRole, pointer: &Pointer<'_>) {
        match value {
            Value::Null => {}
            Value::String(text) if text.is_empty() => {}
            Value::String(text) if text.len() > LONGEST => self.unusable(pointer),
            Value::String(text) => {
                self.visit(PathArgument { pointer: pointer.text(), line: None, text: text.clone(), role });
            }
            Value::Array(_) | Value::Object(_) if pointer.depth() >= MAX_DEPTH => self.unusable(pointer),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.path(item, role, &pointer.item(index));
                }
            }
            Value::Object(map) => {
                let (found, unusable) = (self.found, self.unusable.len());
                self.object(map, pointer);
                if found == self.found && unusable == self.unusable.len() {
                    self.unusable(pointer);
                }
            }
            Value::Bool(_) | Value::Number(_) => self.unusable(pointer),
        }
    }

    fn patches(&mut self, items: &[Value], pointer: &Pointer<'_>) {
        for (index, item) in items.iter().enumerate() {
            let pointer = &pointer.item(index);
            match item {
                Value::String(text) => self.patch(text, pointer),
                item => self.nested(item, pointer),
            }
        }
    }

    fn patch(&mut self, text: &str, pointer: &Pointer<'_>) {
        for header in patch::headers(text) {
            let pointer = pointer.text();
            match header.path {
                Some(text) if text.len() <= LONGEST => {
                    let (line, role) = (Some(header.line), header.role);
                    self.visit(PathArgument { pointer, line, text, role });
                }
                _ => self.unusable.push(pointer.into_owned()),
            }
        }
    }

    fn visit(&mut self, path: PathArgument) {
        self.found += 1;
        (self.visit)(path);
    }

    fn unusable(&mut self, pointer: &Pointer<'_>) {
        self.unusable.push(pointer.text().into_owned());
    }

    /// Returns the effect on the paths under a key; `None` if a call of this kind has no paths there.
    fn role_of(&self, meaning: Meaning) -> Option<PathRole> {
        let moves = matches!(self.kind, ToolKind::MoveFile | ToolKind::CopyFile);
        let source = match self.kind {
            ToolKind::CopyFile | ToolKind::Read => PathRole::Read,
            _ => PathRole::Removed,
        };
        let target = match self.kind {
            ToolKind::Read => PathRole::Read,
            ToolKind::DeleteFile => PathRole::Removed,
            _ => PathRole::Written,
        };
        match meaning {
            Meaning::Path | Meaning::NewPath => Some(target),
            Meaning::OldPath => Some(source),
            Meaning::Source if moves => Some(source),
            Meaning::Destination if moves => Some(PathRole::Written),
            Meaning::LinkTarget => Some(PathRole::LinkTarget),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(kind: ToolKind, arguments: &Value) -> Vec<(String, String, PathRole)> {
        let paths = paths_of(kind, arguments).found;
        paths.into_iter().map(|path| (path.pointer.into_owned(), path.text, path.role)).collect()
    }

    #[test]
    fn every_path_is_found_where_it_stands() {
        let arguments = json!({
            "path": "a", "file_path": "b", "content": "path: c", "old_str": {"path": "d"},
            "edits": [{"filePath": "e", "newText": "f"}], "files": ["g", {"filename": "h"}], "odd/key": {"uri": "i"},
        });
        let texts = found(ToolKind::WriteFile, &arguments);
        let pointers: Vec<_> =
            texts.iter().map(|(pointer, text, _)| (pointer.as_str(), text.as_str())).collect();
        assert_eq!(
            pointers,
            [
                ("/path", "a"),
                ("/file_path", "b"),
                ("/edits/0/filePath", "e"),
                ("/files/0", "g"),
                ("/files/1/filename", "h"),
                ("/odd~1key/uri", "i"),
            ]
        );
    }

    #[test]
    fn a_text_that_is_longer_than_any_path_is_none() {
        let (longest, longer) = ("x".repeat(LONGEST), "x".repeat(LONGEST + 1));
        let patch = |path: &str| json!({"patch": format!("*** Add File: {path}\n+a\n")});
        for (kind, of) in [
            (ToolKind::WriteFile, &(|path: &str| json!({ "path": path })) as &dyn Fn(&str) -> Value),
            (ToolKind::Patch, &patch),
        ] {
            let paths = paths_of(kind, &of(&longest));
            assert_eq!((paths.found.len(), paths.unusable.len()), (1, 0));
            let paths = paths_of(kind, &of(&longer));
            assert_eq!((paths.found.len(), paths.unusable.len()), (0, 1));
        }
    }

    #[test]
    fn missing_and_unusable_are_two_things() {
        for missing in [json!({}), json!({"path": null}), json!({"path": ""}), json!({"files": []}), json!(3)]
        {
            assert!(paths_of(ToolKind::WriteFile, &missing).is_missing(), "{missing}");
        }
        for unusable in [json!({"path": 7}), json!({"path": {"value": "x"}}), json!({"files": ["a", true]})] {
            assert_eq!(paths_of(ToolKind::WriteFile, &unusable).unusable.len(), 1, "{unusable}");
        }
    }

    #[test]
    fn a_move_writes_both_ends_and_a_copy_one() {
        let arguments = json!({"source": "a", "destination": "b"});
        let roles = |kind| found(kind, &arguments).into_iter().map(|(.., role)| role).collect::<Vec<_>>();
        assert_eq!(roles(ToolKind::MoveFile), [PathRole::Removed, PathRole::Written]);
        assert_eq!(roles(ToolKind::CopyFile), [PathRole::Read, PathRole::Written]);
        // In an edit, `from` and `to` are text.
        assert!(found(ToolKind::WriteFile, &json!({"from": "a", "to": "b"})).is_empty());
    }

    #[test]
    fn patches_are_read_under_every_key_clients_use() {
        let text = "*** Begin Patch\n*** Add File: a.rs\n+*** Add File: no\n*** End Patch";
        for arguments in
            [json!({"patch": text}), json!({"input": text}), json!({"command": ["apply_patch", text]})]
        {
            let paths = found(ToolKind::Patch, &arguments);
            assert_eq!(paths.len(), 1, "{arguments}");
            assert_eq!(paths[0].1, "a.rs");
        }
        assert_eq!(found(ToolKind::Patch, &json!(text)).len(), 1);
    }

    #[test]
    fn deep_arguments_end_the_walk() {
        let mut arguments = json!({"path": "x"});
        for _ in 0..200 {
            arguments = json!({ "a": arguments });
        }
        let paths = paths_of(ToolKind::WriteFile, &arguments);
        assert_eq!((paths.found.len(), paths.unusable.len()), (0, 1));
    }
}
