//! Patterns as paths on a disk: alternatives one by one, and what exists for each.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hooks_facts::globs::{GlobOptions, Globs};

/// Most alternatives of one pattern.
const MOST_ALTERNATIVES: usize = 4_096;

/// Most names that are read in one folder for a wildcard.
const MOST_NAMES: usize = 20_000;

/// The alternatives of a pattern without braces; `None` if there are too many.
pub(crate) fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        match split(&next) {
            None => done.push(next),
            Some((before, parts, after)) => {
                open.extend(parts.iter().rev().map(|part| format!("{before}{part}{after}")));
            }
        }
        if done.len() + open.len() > MOST_ALTERNATIVES {
            return None;
        }
    }
    Some(done)
}

/// Splits a pattern at its first brace: what is before it, its alternatives, and what is after it.
fn split(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (mut depth, mut start, mut from) = (0_usize, 0, 0);
    let mut parts = Vec::new();
    let mut is_escaped = false;
    for (at, c) in pattern.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' => {
                if depth == 0 {
                    (start, from) = (at, at + 1);
                }
                depth += 1;
            }
            ',' if depth == 1 => {
                parts.push(pattern.get(from..at)?);
                from = at + 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    parts.push(pattern.get(from..at)?);
                    return Some((pattern.get(..start)?, parts, pattern.get(at + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a part of a pattern has a wildcard.
pub(super) fn is_wild(part: &str) -> bool {
    let mut is_escaped = false;
    part.chars().any(|c| {
        let is_special = !is_escaped && matches!(c, '*' | '?');
        is_escaped = !is_escaped && c == '\\';
        is_special
    })
}

/// A part of a pattern without its escapes.
pub(super) fn literal(part: &str) -> String {
    let mut text = String::new();
    let mut is_escaped = false;
    for c in part.chars() {
        if c == '\\' && !is_escaped {
            is_escaped = true;
        } else {
            text.push(c);
            is_escaped = false;
        }
    }
    text
}

/// The folder before the first wildcard.
pub(super) fn literal_beginning(glob: &str) -> PathBuf {
    let parts = glob.split('/').filter(|part| !part.is_empty());
    let mut base = PathBuf::from("/");
    base.extend(parts.take_while(|part| !is_wild(part)).map(literal));
    base
}

/// A path that a pattern names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: PathBuf,
    /// Whether everything below it is meant, and not the path itself.
    pub(super) is_tree: bool,
}

/// Existing files for an absolute pattern without braces. A folder that cannot be listed stands for what a wildcard would find in it.
/// `None` if the pattern has `**` before its end, or a folder is too large.
pub(super) fn existing(pattern: &str) -> Option<Vec<Named>> {
    if !pattern.contains(['*', '?', '\\']) {
        let path = PathBuf::from(pattern.trim_end_matches('/'));
        let is_there = path.symlink_metadata().is_ok();
        return Some(if is_there { vec![Named { path, is_tree: false }] } else { Vec::new() });
    }
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = vec![PathBuf::from("/")];
    let mut closed = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        // The names before a wildcard are looked up at once.
        let is_name = *part != "**" && !is_wild(part);
        if is_name {
            let name = literal(part);
            found.iter_mut().for_each(|path| path.push(&name));
        }
        if !is_name || at + 1 == parts.len() {
            found.retain(|path| path.symlink_metadata().is_ok());
        }
        if is_name {
            continue;
        }
        if *part == "**" {
            let is_last = at + 1 == parts.len();
            let trees = found.into_iter().filter(|path| path.is_dir()).chain(closed);
            return is_last.then(|| trees.map(|path| Named { is_tree: true, path }).collect());
        }
        if part.contains("**") {
            return None;
        }
        let mut next = Vec::new();
        for folder in &found {
            match matching(folder, part)? {
                Listed::Names(all) => next.extend(all),
                Listed::Closed => closed.push(folder.clone()),
            }
        }
        found = next;
    }
    let trees = closed.into_iter().map(|path| Named { path, is_tree: true });
    Some(found.into_iter().map(|path| Named { path, is_tree: false }).chain(trees).collect())
}

/// Names in a folder that a wildcard finds.
enum Listed {
    Names(Vec<PathBuf>),
    /// The folder is there and cannot be listed.
    Closed,
}

fn matching(folder: &Path, part: &str) -> Option<Listed> {
    let globs = Globs::compile([part], &GlobOptions::default()).ok()?;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Some(Listed::Closed),
        Err(_) => return Some(Listed::Names(Vec::new())),
    };
    let mut found = Vec::new();
    for (count, entry) in entries.flatten().enumerate() {
        if count > MOST_NAMES {
            return None;
        }
        if globs.is_match(&entry.file_name().to_string_lossy()) {
            found.push(entry.path());
        }
    }
    Some(Listed::Names(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_become_alternatives() {
        assert_eq!(alternatives("a/{b,c{d,e}}/f").unwrap(), ["a/b/f", "a/cd/f", "a/ce/f"]);
        assert_eq!(alternatives(r"a/\{b,c\}").unwrap(), [r"a/\{b,c\}"]);
        assert_eq!(alternatives(&"{a,b}".repeat(20)), None);
        assert_eq!(literal(r"\{b\*"), "{b*");
        assert!(is_wild("a*") && !is_wild(r"a\*"));
    }

    #[test]
    fn wildcards_are_looked_up() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["one/x", "two/x", "two/y"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let found = |pattern: &str| {
            let mut all: Vec<_> = existing(&format!("{}/{pattern}", root.display()))
                .unwrap()
                .into_iter()
                .map(|one| (one.path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(), one.is_tree))
                .collect();
            all.sort();
            all
        };
        assert_eq!(found("*/x"), [("one/x".to_owned(), false), ("two/x".to_owned(), false)]);
        assert_eq!(found("two/**"), [("two".to_owned(), true)]);
        assert_eq!(found("none/**"), []);
        assert_eq!(existing("/a/**/b"), None);
    }
}
