//! Follows a path through the file system, component by component.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use hooks_core::fs::{Entry, EntryKind, FileSystem};

use super::error::PathError;
use super::lexical::is_drive;

/// Most links that are followed, as on Linux.
pub(super) const MAX_LINKS: usize = 40;

/// Limits of one path; no system accepts more.
pub(crate) const MAX_LENGTH: usize = 4096;
pub(super) const MAX_COMPONENTS: usize = 256;

/// Returns both as one path, with the entry at `path` below `base`. `base` is absolute and has no links; `path` is
/// relative and in normal form, without empty components and dots. The entry is `None` if there is a link on the
/// way.
pub(super) fn plain_entry(
    fs: &dyn FileSystem,
    base: &str,
    path: &str,
) -> Result<(String, Option<Option<Entry>>), PathError> {
    let base = base.trim_end_matches('/');
    let mut whole = String::with_capacity(base.len() + path.len() + 1);
    whole.push_str(base);
    whole.push('/');
    let start = whole.len();
    whole.push_str(path);
    let slashes = path.bytes().enumerate().filter(|(_, byte)| *byte == b'/').map(|(at, _)| start + at);
    let mut last = None;
    for end in slashes.chain([whole.len()]) {
        let name = whole.get(..end).unwrap_or_default();
        let unreadable =
            |error: std::io::Error| PathError::Unreadable { path: name.to_owned(), kind: error.kind() };
        match fs.entry(Path::new(name)).map_err(unreadable)? {
            // Nothing exists below a missing folder.
            None => return Ok((whole, Some(None))),
            Some(entry) if entry.kind == EntryKind::Symlink => return Ok((whole, None)),
            Some(entry) => last = Some(entry),
        }
    }
    Ok((whole, Some(last)))
}

/// Follows the paths of one call; looks up each place once.
pub(super) struct Links<'f> {
    fs: &'f dyn FileSystem,
    /// `None` if there is only one path to follow, whose places are all different.
    seen: Option<HashMap<String, Lookup>>,
}

/// Entry of a place.
#[derive(Clone)]
enum Lookup {
    Missing,
    Entry(Entry),
    Link(String),
}

/// Target of a path.
#[derive(Debug)]
pub(super) struct Followed {
    /// Absolute path, without links.
    pub(super) path: String,
    /// Entry of the target; `None` if it is missing.
    pub(super) entry: Option<Entry>,
}

impl<'f> Links<'f> {
    /// Creates the state for several paths that may share places.
    pub(super) fn shared(fs: &'f dyn FileSystem) -> Self {
        Self { fs, seen: Some(HashMap::new()) }
    }

    /// Creates the state for one path in normal form.
    pub(super) fn single(fs: &'f dyn FileSystem) -> Self {
        Self { fs, seen: None }
    }

    /// Follows `path` from `base`, which is absolute and has no links.
    pub(super) fn follow(&mut self, base: &str, path: &str) -> Result<Followed, PathError> {
        let mut walk = Walk {
            path: String::with_capacity(base.len() + path.len() + 1),
            missing_from: None,
            entry: None,
        };
        if !path.starts_with('/') && !is_drive(path) {
            walk.path.push_str(base.trim_end_matches('/'));
        }
        let mut links = 0;
        let mut steps = 0;
        // Link targets are walked before the rest of the path that led to them.
        let mut rest = Rest { text: Cow::Borrowed(path), at: 0 };
        let mut open = Vec::new();
        loop {
            let Some(component) = rest.next() else {
                let Some(previous) = open.pop() else { break };
                rest = previous;
                continue;
            };
            steps += 1;
            if steps > MAX_COMPONENTS * 4 {
                return Err(PathError::Loop { path: path.to_owned(), limit: MAX_LINKS });
            }
            match component {
                "" | "." => continue,
                ".." => {
                    walk.pop();
                    continue;
                }
                name => walk.push(name),
            }
            if walk.missing_from.is_some() {
                continue;
            }
            match self.place(&walk.path)? {
                Lookup::Missing => {
                    walk.missing_from = Some(walk.path.len());
                    walk.entry = None;
                }
                Lookup::Entry(entry) => walk.entry = Some(entry),
                Lookup::Link(target) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(PathError::Loop { path: path.to_owned(), limit: MAX_LINKS });
                    }
                    if target.starts_with('/') || is_drive(&target) {
                        walk.path.clear();
                    } else {
                        walk.pop();
                    }
                    walk.entry = None;
                    let target = Rest { text: Cow::Owned(target), at: 0 };
                    open.push(std::mem::replace(&mut rest, target));
                }
            }
        }
        if walk.path.is_empty() {
            walk.path.push('/');
        }
        Ok(Followed { path: walk.path, entry: walk.entry })
    }

    fn place(&mut self, path: &str) -> Result<Lookup, PathError> {
        if let Some(place) = self.seen.as_ref().and_then(|seen| seen.get(path)) {
            return Ok(place.clone());
        }
        let unreadable =
            |error: std::io::Error| PathError::Unreadable { path: path.to_owned(), kind: error.kind() };
        let place = match self.fs.entry(Path::new(path)).map_err(unreadable)? {
            None => Lookup::Missing,
            Some(entry) if entry.kind == EntryKind::Symlink => {
                let target = self.fs.read_link(Path::new(path)).map_err(unreadable)?;
                // A target that is not UTF-8 cannot be compared with a pattern, so it counts as unreadable.
                let text = target.to_str().filter(|text| text.len() <= MAX_LENGTH);
                let kind = std::io::ErrorKind::InvalidData;
                Lookup::Link(
                    text.ok_or_else(|| PathError::Unreadable { path: path.to_owned(), kind })?.to_owned(),
                )
            }
            Some(entry) => Lookup::Entry(entry),
        };
        if let Some(seen) = self.seen.as_mut() {
            seen.insert(path.to_owned(), place.clone());
        }
        Ok(place)
    }
}

/// Text that is walked, with the current position.
struct Rest<'p> {
    text: Cow<'p, str>,
    at: usize,
}

impl Rest<'_> {
    fn next(&mut self) -> Option<&str> {
        let rest = self.text.get(self.at..).filter(|_| self.at <= self.text.len())?;
        let length = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
        self.at += length + 1;
        rest.get(..length)
    }
}

/// Current place of a walk.
struct Walk {
    /// Absolute, without links; empty for the file system's root.
    path: String,
    /// Length of the path from which on nothing exists.
    missing_from: Option<usize>,
    entry: Option<Entry>,
}

impl Walk {
    fn push(&mut self, name: &str) {
        if !(self.path.is_empty() && is_drive(name)) {
            self.path.push('/');
        }
        self.path.push_str(name);
    }

    fn pop(&mut self) {
        if is_drive(&self.path) && !self.path.contains('/') {
            return;
        }
        let parent = self.path.rfind('/').unwrap_or(0);
        self.path.truncate(parent);
        // The parents of an existing file exist.
        if self.missing_from.is_some_and(|missing| missing > self.path.len()) {
            self.missing_from = None;
        }
        self.entry = None;
    }
}
