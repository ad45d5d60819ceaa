//! Files that a tool writes which no table lists, whatever its arguments look like.
//!
//! The meaning of a value follows from the words of its key and from its own form. Whether it is written follows from the name of the
//! tool, or from an argument that names an action. A tool that only reads writes nothing, except under a key for what is written.

use serde_json::{Map, Value};

use super::arguments::Pointer;
use super::names;
use super::patch;
use super::path_arguments::{PathArgument, PathRole};
use super::path_keys;
use super::unlisted::{MAX_DEPTH, is_saying, tells};
use super::verbs::{changes_files, own_name, reads, removes, words};
use crate::commands::paths_of_address;
use crate::paths::MAX_LENGTH as LONGEST;

const MAKING: &[&str] = table!("unlisted_paths_making");
const MOVING: &[&str] = table!("unlisted_paths_moving");
const FILE: &[&str] = table!("unlisted_paths_file");
const OUTPUT: &[&str] = table!("unlisted_paths_output");
const PERHAPS: &[&str] = table!("unlisted_paths_perhaps");
const SOURCE: &[&str] = table!("unlisted_paths_source");
const BASE: &[&str] = table!("unlisted_paths_base");
const NO_PATH: &[&str] = table!("unlisted_paths_no_path");
const ENDING: &[&str] = table!("unlisted_paths_ending");

/// Most files of one call; with more, the arguments count as unusable.
const MAX_FOUND: usize = 1_024;

/// Files of a call whose tool no table lists.
#[derive(Debug, Default)]
pub(crate) struct UnlistedPaths {
    pub(crate) found: Vec<PathArgument>,
    /// JSON pointers of arguments that are too deep or too many to be read.
    pub(crate) unusable: Vec<String>,
    /// Whether a tool that changes files has an argument that all such tools use for a path.
    writes_usual: bool,
}

impl UnlistedPaths {
    /// Finds the files of a call, besides those under keys that every tool uses for paths.
    pub(crate) fn new(name: &str, arguments: &Value) -> Self {
        let mut walk = Walk { files: Self::default() };
        let base = base(arguments);
        let scope = Scope { does: Does::of_words(&words(own_name(name))), base, means: Means::Nothing };
        walk.value(arguments, &scope, &Pointer::default());
        walk.files
    }

    /// Returns whether a file may be written or removed.
    pub(crate) fn has_written(&self) -> bool {
        self.writes_usual
            || !self.unusable.is_empty()
            || self.found.iter().any(|path| path.role != PathRole::Read)
    }
}

/// Effect of a tool, by the words of its name. The fewest files follow from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Does {
    /// Reads, or has texts for readers.
    Reads,
    Unknown,
    Removes,
    Changes,
    Moves,
}

impl Does {
    fn of_words(words: &[String]) -> Self {
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if has(MOVING) {
            Self::Moves
        } else if removes(words) {
            Self::Removes
        } else if changes_files(words) || has(MAKING) {
            if tells(words) { Self::Reads } else { Self::Changes }
        } else if reads(words) || tells(words) {
            Self::Reads
        } else {
            Self::Unknown
        }
    }

    fn is_certain(self) -> bool {
        matches!(self, Self::Changes | Self::Moves | Self::Removes)
    }
}

/// Meaning of a value by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Nothing,
    File,
    Output,
    Perhaps,
    Source,
    Base,
    NoPath,
}

impl Means {
    fn of_key(key: &str) -> Self {
        let words = words(key);
        let whole = names::fold(key);
        let has = |list: &[&str]| {
            list.contains(&whole.as_str()) || words.iter().any(|word| list.contains(&word.as_str()))
        };
        let lists = [
            (NO_PATH, Self::NoPath),
            (BASE, Self::Base),
            (SOURCE, Self::Source),
            (OUTPUT, Self::Output),
            (PERHAPS, Self::Perhaps),
            (FILE, Self::File),
        ];
        // `outDir` is what is written, although it has a word for a folder.
        let exact = lists.iter().find(|(list, _)| list.contains(&whole.as_str()));
        let found = exact.or_else(|| lists.iter().find(|(list, _)| has(list)));
        found.map_or(Self::Nothing, |(_, means)| *means)
    }
}

#[derive(Clone, Copy, Debug)]
struct Scope<'a> {
    does: Does,
    /// Folder in which relative names are.
    base: Option<&'a str>,
    means: Means,
}

impl Scope<'_> {
    /// Returns the effect on a text that is a path, and `None` for other texts.
    fn role(&self, text: &str) -> Option<PathRole> {
        if text.is_empty() || text.contains(['\n', '\0']) {
            return None;
        }
        let looks = looks_like_path(text);
        let is_address = text.contains("://") && !text.starts_with("file://");
        let written = if self.does == Does::Removes { PathRole::Removed } else { PathRole::Written };
        match self.means {
            Means::NoPath | Means::Base => None,
            Means::Source if !looks => None,
            Means::Source => match self.does {
                Does::Moves | Does::Removes => Some(PathRole::Removed),
                _ => Some(PathRole::Read),
            },
            Means::Output if self.does.is_certain() => (!is_address).then_some(written),
            // `.git/hooks/x` has no ending.
            Means::Output => {
                let has_folder = text.contains('/') && !text.contains(char::is_whitespace) && !is_address;
                (looks || has_folder).then_some(written)
            }
            Means::Perhaps => (looks && self.does != Does::Reads).then_some(written),
            Means::File => (self.does.is_certain() && !is_address).then_some(written),
            // Other things are removed too, and may be named like a file.
            Means::Nothing if self.does == Does::Removes && !text.contains(['/', '\\']) => None,
            Means::Nothing => (self.does.is_certain() && looks).then_some(written),
        }
    }
}

struct Walk {
    files: UnlistedPaths,
}

impl Walk {
    fn value(&mut self, value: &Value, scope: &Scope<'_>, pointer: &Pointer<'_>) {
        let is_too_much = pointer.depth() >= MAX_DEPTH || self.files.found.len() >= MAX_FOUND;
        match value {
            Value::Object(_) | Value::Array(_) if is_too_much => self.unusable(pointer),
            Value::Object(map) => self.object(map, scope, pointer),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(item, scope, &pointer.item(index));
                }
            }
            Value::String(text) => self.text(text, scope, pointer),
            _ => {}
        }
    }

    fn object(&mut self, map: &Map<String, Value>, scope: &Scope<'_>, pointer: &Pointer<'_>) {
        let sayings = map.iter().filter(|(key, _)| is_saying(key)).filter_map(|(_, value)| value.as_str());
        // One that only reads lifts none that changes.
        let said = sayings.map(|saying| Does::of_words(&words(saying))).filter(|said| *said != Does::Unknown);
        let does = said.max().unwrap_or(scope.does);
        for (key, value) in map {
            let here = &pointer.key(key);
            if looks_like_path(key) {
                // The names of the files are the keys.
                if does.is_certain() {
                    self.push(key, &Scope { does, means: Means::File, ..*scope }, here);
                }
                // Their texts are content, and other objects may name further files.
                self.value(value, &Scope { does, means: Means::NoPath, ..*scope }, here);
                continue;
            }
            // What is under a usual key is found by the walk that reads the arguments of every tool that writes.
            let is_output =
                || Means::of_key(key) == Means::Output && value.as_str().is_some_and(looks_like_path);
            let is_written = does.is_certain() && !value.is_null() || is_output();
            self.files.writes_usual |= path_keys::is_path(key) && is_written;
            let is_usual = (path_keys::is_path(key) || path_keys::is_text(key)) && !value.is_object();
            if is_usual || is_saying(key) && value.is_string() {
                continue;
            }
            self.value(value, &Scope { does, means: Means::of_key(key), ..*scope }, here);
        }
    }

    fn text(&mut self, text: &str, scope: &Scope<'_>, pointer: &Pointer<'_>) {
        let may_be_json = text.trim_start().starts_with(['{', '[']) && scope.means != Means::NoPath;
        if may_be_json && let Ok(value) = serde_json::from_str::<Value>(text) {
            // The text has a pointer of its own; steps in it count as steps.
            return self.value(&value, scope, &pointer.item(0));
        }
        if scope.does.is_certain() && scope.means != Means::NoPath && text.contains('\n') {
            for header in patch::headers(text) {
                match header.path {
                    Some(path) if path.len() <= LONGEST => self.files.found.push(PathArgument {
                        pointer: pointer.text(),
                        line: Some(header.line),
                        text: path,
                        role: header.role,
                    }),
                    _ => self.unusable(pointer),
                }
            }
        }
        self.push(text, scope, pointer);
    }

    fn push(&mut self, text: &str, scope: &Scope<'_>, pointer: &Pointer<'_>) {
        let addressed = paths_of_address(text);
        // An ordinary text may begin with `file:` too.
        if addressed.iter().all(|path| path.starts_with(['/', '\\'])) {
            for path in &addressed {
                self.one(path, scope, pointer);
            }
        }
        self.one(text, scope, pointer);
    }

    fn one(&mut self, text: &str, scope: &Scope<'_>, pointer: &Pointer<'_>) {
        let Some(role) = scope.role(text) else { return };
        if text.len() > LONGEST || self.files.found.len() >= MAX_FOUND {
            return self.unusable(pointer);
        }
        let is_relative = !text.starts_with(['/', '~', '\\']) && text.get(1..2) != Some(":");
        let moved =
            scope.base.filter(|_| is_relative).map(|base| format!("{}/{text}", base.trim_end_matches('/')));
        for text in std::iter::once(text.to_owned()).chain(moved) {
            self.files.found.push(PathArgument { pointer: pointer.text(), line: None, text, role });
        }
    }

    fn unusable(&mut self, pointer: &Pointer<'_>) {
        self.files.unusable.push(pointer.text().into_owned());
    }
}

/// Returns the folder that an argument at the top names for the other files.
fn base(arguments: &Value) -> Option<&str> {
    let fields = arguments.as_object().into_iter().flatten();
    let mut folders =
        fields.filter(|(key, _)| Means::of_key(key) == Means::Base).filter_map(|(_, value)| value.as_str());
    folders.find(|folder| looks_like_path(folder))
}

/// Returns whether a text has the form of a path: absolute, relative with a dot, or with the ending of a file's name.
fn looks_like_path(text: &str) -> bool {
    if text.is_empty() || text.len() > LONGEST || text.contains(['\n', '\0']) {
        return false;
    }
    let begins = ["/", "./", "../", "~/", "file://", "\\\\", ".\\", "..\\"];
    if begins.iter().any(|begin| text.starts_with(begin)) || text == ".." {
        return true;
    }
    let mut start = text.bytes();
    if start.next().is_some_and(|drive| drive.is_ascii_alphabetic())
        && text.get(1..3).is_some_and(|rest| matches!(rest, ":/" | ":\\"))
    {
        return true;
    }
    if text.contains("://") {
        return false;
    }
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    // `.env`, `.gitignore`
    let is_hidden = name.len() > 1
        && name.starts_with('.')
        && name.chars().skip(1).all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let ending =
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending.to_lowercase());
    is_hidden || ending.is_some_and(|ending| ENDING.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(name: &str, arguments: &Value) -> Vec<String> {
        let files = UnlistedPaths::new(name, arguments);
        assert!(files.unusable.is_empty());
        files.found.into_iter().filter(|path| path.role != PathRole::Read).map(|path| path.text).collect()
    }

    #[test]
    fn files_are_found_in_every_shape() {
        for arguments in [
            json!({"workbook": "a.md"}),
            json!({"outDir": "a.md"}),
            json!({"a.md": "text"}),
            json!({"files": {"a.md": "text"}}),
            json!({"files": {"a.md": {"dst": "a.md", "content": "b.md"}}}),
            json!({"files": {"a.md": ["b.md"]}}),
            json!({"action": "write", "mode": "read", "any": "a.md"}),
            json!({"changes": [["a.md", "text"]]}),
            json!({"deep": {"deeper": [{"any": "a.md"}]}}),
            json!({"payload": "{\"where\": \"a.md\"}"}),
            json!({"operations": [{"op": "read", "file": "b.md"}, {"op": "put", "dst": "a.md"}]}),
            json!({"edits": "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-x\n+y\n"}),
        ] {
            let found = written("mcp__x__write_all", &arguments);
            assert!(!found.is_empty() && found.iter().all(|path| path == "a.md"), "{arguments}: {found:?}");
        }
    }

    #[test]
    fn an_address_is_read_as_browsers_parse_it() {
        for address in
            [" file:///srv/a.md", "fi\tle:///srv/a.md", "file:/srv/a\n.md", "file:///srv/a.md\u{1}"]
        {
            let found = written("mcp__x__write_all", &json!({"any": address}));
            assert!(found.iter().any(|path| path == "/srv/a.md"), "{address:?}: {found:?}");
        }
        assert!(written("mcp__x__write_all", &json!({"any": "file: a note"})).is_empty());
    }

    #[test]
    fn a_folder_that_holds_the_files_is_not_written() {
        let found =
            written("mcp__obsidian__put_file", &json!({"vault": "/notes", "note": "a.md", "body": "b.md"}));
        assert_eq!(found, ["a.md", "/notes/a.md"]);
    }

    #[test]
    fn a_source_is_removed_by_a_move_only() {
        let arguments = json!({"source": "/a", "saveAs": "b"});
        assert_eq!(written("mcp__x__download", &arguments), ["b"]);
        assert_eq!(written("mcp__x__rename", &arguments), ["/a", "b"]);
    }

    #[test]
    fn what_reads_or_tells_or_is_no_path_writes_nothing() {
        for (name, arguments) in [
            ("mcp__fs__stat", json!({"target": "/etc"})),
            ("mcp__slack__post_message", json!({"text": "/etc/passwd", "file": "/etc/passwd"})),
            (
                "mcp__github__create_pull_request",
                json!({"repo": "o/n", "head": "feature/a.md", "title": "a.md"}),
            ),
            ("mcp__npm__install", json!({"package": "socket.io.js", "version": "1.c"})),
            ("mcp__browser__navigate", json!({"url": "https://example.com/a.md"})),
            ("mcp__git__commit", json!({"repo_path": "/repo", "message": "a.md"})),
            ("mcp__lsp__hover", json!({"file": "/usr/include/stdio.h", "line": 3})),
        ] {
            assert!(!UnlistedPaths::new(name, &arguments).has_written(), "{name} {arguments}");
        }
    }

    #[test]
    fn too_deep_or_too_many_is_unusable() {
        let mut deep = json!("a.md");
        for _ in 0..200 {
            deep = json!([deep]);
        }
        assert!(!UnlistedPaths::new("write", &deep).unusable.is_empty());
        let many: Vec<_> = (0..2 * MAX_FOUND).map(|number| format!("{number}.md")).collect();
        assert!(!UnlistedPaths::new("write", &json!(many)).unusable.is_empty());
        let mut text = "\"a.md\"".to_owned();
        for _ in 0..40 {
            text = serde_json::to_string(&[text]).unwrap_or_default();
            if text.len() > 1_000_000 {
                break;
            }
        }
        assert!(!UnlistedPaths::new("write", &json!(text)).found.is_empty() || text.len() > 1_000_000);
    }
}
