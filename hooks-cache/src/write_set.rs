//! Files that a call may change.

use std::path::{Path, PathBuf};

use hooks_core::HookContext;
use hooks_facts::tools::{ToolKind, paths_of};
use serde_json::Value;

use super::depends::{Dependence, named};
use super::stamp::Stamps;

/// Files that a call may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WriteSet {
    /// Unknown: anything may change.
    Everything,
    /// These files and folders, and everything below them, by their real names.
    Files(Vec<PathBuf>),
}

impl WriteSet {
    /// Files that a call of a tool of this kind changes; `None` if it changes nothing.
    pub(super) fn for_call(
        kind: ToolKind,
        context: &HookContext,
        arguments: &Value,
        files: &dyn Stamps,
    ) -> Option<Self> {
        match kind {
            ToolKind::Read | ToolKind::AskUser => None,
            kind if kind.writes_files() => {
                Some(written(kind, context, arguments, files).map_or(Self::Everything, Self::Files))
            }
            _ => Some(Self::Everything),
        }
    }

    /// Whether the call may change something that `dependence` names.
    pub(super) fn reaches(&self, dependence: &Dependence) -> bool {
        match (self, dependence) {
            (_, Dependence::Outside) => false,
            (Self::Everything, _) => true,
            (Self::Files(written), Dependence::Tree(folders)) => folders.iter().any(|folder| {
                written.iter().any(|path| path.starts_with(folder) || folder.starts_with(path))
            }),
            (Self::Files(written), Dependence::Files(stamps)) => {
                stamps.iter().any(|stamp| written.iter().any(|path| stamp.real.starts_with(path)))
            }
        }
    }
}

/// Files that a file tool changes; `None` if they cannot be determined.
fn written(
    kind: ToolKind,
    context: &HookContext,
    arguments: &Value,
    files: &dyn Stamps,
) -> Option<Vec<PathBuf>> {
    let paths = paths_of(kind, arguments);
    if paths.is_missing() {
        return None;
    }
    named(context, arguments, &paths)?.iter().map(|path| real(path, files)).collect()
}

/// Real name of the file that exists, or will be created, at `path`; `None` if the file has other names (hard
/// links) too.
fn real(path: &Path, files: &dyn Stamps) -> Option<PathBuf> {
    if let Some(look) = files.look(path).ok()? {
        let is_alone = !look.is_file || look.names == 1;
        return is_alone.then(|| files.real(path).ok())?;
    }
    // Nothing exists there: take the nearest existing folder, and the rest of the path as written.
    let mut above = path;
    while let (Some(parent), Some(_)) = (above.parent(), above.file_name()) {
        above = parent;
        if let Ok(real) = files.real(above) {
            let rest = path.strip_prefix(above).ok()?;
            let is_plain = rest.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            return is_plain.then(|| real.join(rest));
        }
    }
    None
}

/// Whether processes of a shell command may continue after it has answered: an argument asks for it, or the
/// command contains a lone `&`.
pub(super) fn goes_on(kind: ToolKind, arguments: &Value) -> bool {
    if !kind.runs_commands() {
        return false;
    }
    let mut rest = vec![arguments];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) if has_lone_ampersand(text) => return true,
            Value::Array(items) => rest.extend(items),
            Value::Object(map) => {
                let asks = |(key, value): (&String, &Value)| {
                    key.to_ascii_lowercase().contains("background") && !is_no(value)
                };
                if map.iter().any(asks) {
                    return true;
                }
                rest.extend(map.values());
            }
            _ => {}
        }
    }
    false
}

/// Whether `text` has an `&` outside of `&&`, `>&`, `<&` and `&>`.
fn has_lone_ampersand(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    memchr::memchr_iter(b'&', bytes).any(|index| {
        let (before, behind) = (index.checked_sub(1).map_or(0, at), at(index + 1));
        !matches!(before, b'&' | b'>' | b'<') && !matches!(behind, b'&' | b'>')
    })
}

fn is_no(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false)) || value.as_u64() == Some(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_goes_on_in_the_background_is_seen() {
        let shell = |arguments: Value| goes_on(ToolKind::Shell, &arguments);
        for yes in [
            json!({"command": "make &"}),
            json!({"command": "(a & b)"}),
            json!({"command": ["sh", "-c", "x&"]}),
            json!({"command": "make", "run_in_background": true}),
            json!({"command": "make", "isBackground": "yes"}),
        ] {
            assert!(shell(yes.clone()), "{yes}");
        }
        for no in
            [json!({"command": "a && b 2>&1 &>log"}), json!({"command": "make", "run_in_background": false})]
        {
            assert!(!shell(no.clone()), "{no}");
        }
        assert!(!goes_on(ToolKind::WriteFile, &json!({"content": "a & b"})));
    }
}
