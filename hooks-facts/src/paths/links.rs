//! Follows a path through the file system, component by component.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use hooks_core::fs::{Entry, EntryKind, FileSystem};

use super::error::PathError;
use super::lexical::is_drive;

/// As many links as Linux follows.
pub(super) const MAX_LINKS: usize = 40;

/// Bounds on one path; no system takes more.
pub(crate) const MAX_LENGTH: usize = 4096;
pub(super) const MAX_COMPONENTS: usize = 256;

/// What stands at the end of `path` below `base`, which is absolute and holds no links; `path` is relative and in normal
/// form, without empty components and dots. `None` where a link is on the way.
pub(super) fn plain_entry(
    fs: &dyn FileSystem,
    base: &str,
    path: &str,
) -> Result<Option<Option<Entry>>, PathError> {
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
            // Nothing stands below what is missing.
            None => return Ok(Some(None)),
            Some(entry) if entry.kind == EntryKind::Symlink => return Ok(None),
            Some(entry) => last = Some(entry),
        }
    }
    Ok(Some(last))
}

/// Follows the paths of one call; each place is asked for once.
pub(super) struct Links<'f> {
    fs: &'f dyn FileSystem,
    /// `None` while there is only one path to follow, whose places differ anyway.
    seen: Option<HashMap<String, Place>>,
}

/// What stands at a place.
#[derive(Clone)]
enum Place {
    Missing,
    Entry(Entry),
    Link(String),
}

/// Where a path leads.
#[derive(Debug)]
pub(super) struct Followed {
    /// The absolute path, without links.
    pub(super) path: String,
    /// What is there; `None` where nothing is.
    pub(super) entry: Option<Entry>,
}

impl<'f> Links<'f> {
    /// For several paths that may share places.
    pub(super) fn shared(fs: &'f dyn FileSystem) -> Self {
        Self { fs, seen: Some(HashMap::new()) }
    }

    /// For one path in normal form.
    pub(super) fn single(fs: &'f dyn FileSystem) -> Self {
        Self { fs, seen: None }
    }

    /// Follows `path` from `base`, which is absolute and holds no links.
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
                Place::Missing => {
                    walk.missing_from = Some(walk.path.len());
                    walk.entry = None;
                }
                Place::Entry(entry) => walk.entry = Some(entry),
                Place::Link(target) => {
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

    fn place(&mut self, path: &str) -> Result<Place, PathError> {
        if let Some(place) = self.seen.as_ref().and_then(|seen| seen.get(path)) {
            return Ok(place.clone());
        }
        let unreadable =
            |error: std::io::Error| PathError::Unreadable { path: path.to_owned(), kind: error.kind() };
        let place = match self.fs.entry(Path::new(path)).map_err(unreadable)? {
            None => Place::Missing,
            Some(entry) if entry.kind == EntryKind::Symlink => {
                let target = self.fs.read_link(Path::new(path)).map_err(unreadable)?;
                // A target that is no text cannot be compared with a pattern, so it is as good as unread.
                let text = target.to_str().filter(|text| text.len() <= MAX_LENGTH);
                let kind = std::io::ErrorKind::InvalidData;
                Place::Link(
                    text.ok_or_else(|| PathError::Unreadable { path: path.to_owned(), kind })?.to_owned(),
                )
            }
            Some(entry) => Place::Entry(entry),
        };
        if let Some(seen) = self.seen.as_mut() {
            seen.insert(path.to_owned(), place.clone());
        }
        Ok(place)
    }
}

/// A text that is walked, and how far.
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

/// The place a walk is at.
struct Walk {
    /// Absolute, without links; the file system's root is the empty text.
    path: String,
    /// The length of the path at which nothing exists any more.
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
        // What exists has parents that exist.
        if self.missing_from.is_some_and(|missing| missing > self.path.len()) {
            self.missing_from = None;
        }
        self.entry = None;
    }
}
