//! Texts in the arguments of a file tool, and in patches.

use serde_json::{Map, Value};

use super::{Edit, Effect};

/// Keys of the text of a whole file, folded.
const WHOLE: &[&str] = &["content", "contents", "filetext"];
/// Keys of new text, folded.
const NEW: &[&str] = &[
    "newstr",
    "newstring",
    "newtext",
    "newsource",
    "text",
    "body",
    "data",
    "code",
    "insertedtext",
    "inserttext",
    "replacement",
    "replace",
    "newcontent",
    "codeedit",
    "newcode",
    "replacestring",
];
/// Keys of replaced text, folded.
const OLD: &[&str] = &[
    "oldstr",
    "oldstring",
    "oldtext",
    "oldsource",
    "search",
    "oldcontent",
    "oldcode",
    "find",
    "original",
    "target",
];
/// Keys of paths, folded.
const PATHS: &[&str] = &[
    "path",
    "filepath",
    "file",
    "filename",
    "targetfile",
    "notebookpath",
    "uri",
    "absolutepath",
    "relativepath",
    "destination",
    "newpath",
    "to",
];
/// Keys of patches, folded.
const PATCHES: &[&str] = &["patch", "input", "diff", "patchtext"];
/// Most values in values that are searched.
const DEPTH: usize = 6;

/// Adds the edits in `value`; `path` is that of the value around it.
pub(super) fn collect(value: &Value, path: &str, depth: usize, edits: &mut Vec<Edit>) {
    match value {
        Value::Array(items) if depth < DEPTH => {
            items.iter().for_each(|item| collect(item, path, depth + 1, edits));
        }
        Value::Object(fields) if depth < DEPTH => {
            // A call may name a file or a text under several keys, and only its tool knows which one counts.
            let named = texts_of(fields, PATHS);
            let paths = if named.is_empty() { vec![path.to_owned()] } else { named };
            let old = text_of(fields, OLD).unwrap_or_default();
            for path in &paths {
                let whole = texts_of(fields, WHOLE).into_iter().map(|new| (new, String::new()));
                let parts = texts_of(fields, NEW).into_iter().map(|new| (new, old.clone()));
                let is_whole = text_of(fields, NEW).is_none() && old.is_empty();
                edits.extend(whole.chain(parts).map(|(new, old)| Edit {
                    path: path.clone(),
                    new,
                    old,
                    is_whole,
                }));
            }
            let own = paths.into_iter().next().unwrap_or_default();
            if let Some(patch) = text_of(fields, PATCHES) {
                edits.push(Edit { new: patch, ..Edit::default() });
            }
            for value in fields.values().filter(|value| value.is_array() || value.is_object()) {
                collect(value, &own, depth + 1, edits);
            }
        }
        Value::String(text) if depth == 0 => edits.push(Edit { new: text.clone(), ..Edit::default() }),
        _ => {}
    }
}

/// Returns the text of each key that has one.
pub(super) fn texts_of(fields: &Map<String, Value>, keys: &[&str]) -> Vec<String> {
    keys.iter().filter_map(|key| text_of(fields, &[*key])).collect()
}

pub(super) fn text_of(fields: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    let of_key = |key: &&str| {
        let mut fields = fields.iter().filter(|(name, _)| {
            name.bytes()
                .filter(|byte| !matches!(byte, b'_' | b'-' | b' '))
                .map(|byte| byte.to_ascii_lowercase())
                .eq(key.bytes())
        });
        fields.find_map(|(_, value)| match value {
            Value::String(text) => Some(text.clone()),
            Value::Array(lines) if !lines.is_empty() && lines.iter().all(Value::is_string) => {
                Some(lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
            }
            _ => None,
        })
    };
    keys.iter().find_map(of_key)
}

pub(super) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
        || text.contains("*** Update File:")
        || text.contains("*** Add File:")
        || (text.contains("\n+++ ") && text.contains("--- "))
}

/// Returns the files of a patch, with their added and removed lines.
pub(super) fn patched(text: &str) -> Vec<(Edit, Effect)> {
    let mut files: Vec<(Edit, Effect)> = Vec::new();
    let mut is_absent = false;
    for line in text.lines() {
        let header = [
            ("*** Add File:", Effect::Created),
            ("*** Update File:", Effect::Changed),
            ("*** Delete File:", Effect::Removed),
        ];
        if let Some((path, effect)) =
            header.iter().find_map(|(word, effect)| Some((line.strip_prefix(word)?.trim(), *effect)))
        {
            files.push((Edit { path: path.to_owned(), ..Edit::default() }, effect));
        } else if let Some(path) = line.strip_prefix("*** Move to:") {
            if let Some((edit, effect)) = files.last_mut() {
                (edit.path, *effect) = (path.trim().to_owned(), Effect::Created);
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            is_absent = path.starts_with("/dev/null");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = path.split('\t').next().unwrap_or_default().trim();
            let path = path.strip_prefix("b/").unwrap_or(path);
            let effect = if is_absent { Effect::Created } else { Effect::Changed };
            if path != "/dev/null" {
                files.push((Edit { path: path.to_owned(), ..Edit::default() }, effect));
            }
        } else if let Some((edit, _)) = files.last_mut() {
            let (side, rest) = match line.as_bytes().first() {
                Some(b'+') => (&mut edit.new, line.get(1..)),
                Some(b'-') => (&mut edit.old, line.get(1..)),
                _ => continue,
            };
            side.push_str(rest.unwrap_or_default());
            side.push('\n');
        }
    }
    files
}
