//! Look-up of names with wildcards.

use std::path::Path;
use std::sync::Arc;

use hooks_core::fs::{EntryKind, FileSystem};

use super::looked::Folder;
use super::tree::LeftOut;
use super::wildcards::is_name;
use super::{OnDisk, Wanted};
use crate::calls::call::Call;
use crate::calls::places::at_home;
use crate::globs::Gap;

/// Most names that one name with wildcards may stand for.
const MAX_FOUND: usize = 1_024;

/// Looks up names for one call.
pub(super) struct Lookup<'r> {
    pub(super) files: &'r dyn FileSystem,
    cwd: &'r str,
    call: Call<'r>,
}

impl<'r> Lookup<'r> {
    pub(super) fn new(call: Call<'r>) -> Self {
        let files = &*call.request().context().environment.files;
        Self { files, cwd: call.root().cwd(), call }
    }

    /// Returns the absolute path of a folder that exists.
    pub(super) fn folder(&self, name: &str) -> Option<String> {
        let name = at_home(self.call, name).unwrap_or_else(|| name.to_owned());
        let path = match name.starts_with('/') {
            true => name,
            false => format!("{}/{name}", self.cwd.trim_end_matches('/')),
        };
        let path = path.trim_end_matches('/');
        let path = if path.is_empty() { "/" } else { path };
        let kind = self.files.entry(Path::new(path)).ok()??.kind;
        (path.starts_with('/') && kind == EntryKind::Directory).then(|| path.to_owned())
    }

    /// Returns the files that a name with wildcards stands for.
    pub(super) fn expand(&self, outline: &str, wanted: Wanted) -> OnDisk {
        match self.expand_parts(outline, wanted) {
            Some(names) if names.len() > MAX_FOUND => OnDisk::TooMany,
            Some(names) => OnDisk::Names(names),
            None if self.call.looked().is_spent() => OnDisk::TooMany,
            None => OnDisk::Unknown,
        }
    }

    fn expand_parts(&self, outline: &str, wanted: Wanted) -> Option<Vec<String>> {
        // Each of them is a name as the command gives it.
        let mut open = vec![String::new()];
        if outline.starts_with('/') {
            open = vec!["/".to_owned()];
        }
        let parts: Vec<&str> = outline.split('/').filter(|part| !part.is_empty()).collect();
        let is_wild = |part: &&str| part.contains(|c| Gap::from_char(c).is_some());
        let (first_gap, last_gap) = (parts.iter().position(is_wild)?, parts.iter().rposition(is_wild)?);
        let may_be_new = |at: usize| wanted == Wanted::AlsoNew && at > last_gap;
        for (at, part) in parts.iter().enumerate() {
            let is_last = at + 1 == parts.len();
            let mut next = Vec::new();
            for before in &open {
                if let Some(pattern) = part.strip_prefix(Gap::Folders.stand_in()) {
                    next.extend(self.searched(before, pattern)?);
                } else if is_wild(part) {
                    next.extend(self.listed(before, part)?);
                } else {
                    let name = format!("{before}{part}");
                    // A name behind a wildcard exists, or it is not one of those that the wildcard stands for.
                    let is_first = at == last_gap + 1;
                    let is_kept = match may_be_new(at) {
                        true => !is_first || self.folder(before).is_some(),
                        false => open.len() == 1 || self.exists(&name),
                    };
                    if is_kept {
                        next.push(name);
                    }
                }
            }
            if next.len() > MAX_FOUND {
                return Some(next);
            }
            open = if is_last { next } else { next.into_iter().map(|name| name + "/").collect() };
        }
        let is_plain_behind = first_gap + 1 < parts.len();
        open.retain(|name| !is_plain_behind || may_be_new(parts.len() - 1) || self.exists(name));
        Some(open)
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        let name = at_home(self.call, name).unwrap_or_else(|| name.to_owned());
        let path = if name.starts_with('/') { name } else { format!("{}/{name}", self.cwd) };
        matches!(self.files.entry(Path::new(&path)), Ok(Some(_)) | Err(_))
    }

    /// Returns the names in a folder; `None` if they cannot be listed.
    pub(super) fn listing(&self, folder: &str) -> Option<Arc<Folder>> {
        self.call.looked().folder(self.files, folder)
    }

    /// Returns `None` if the working folder cannot be listed: a missing file may exist all the same.
    pub(super) fn is_real(&self) -> Option<()> {
        let here = self.folder(".")?;
        self.listing(&here).map(drop)
    }

    /// Returns no names for a folder that does not exist. `None` if it exists, or if that is not known.
    fn missing(&self, folder: &str) -> Option<Vec<String>> {
        self.is_real()?;
        (!self.exists(folder.trim_end_matches('/'))).then(Vec::new)
    }

    /// Returns the names in a folder that a pattern of the shell stands for.
    fn listed(&self, before: &str, pattern: &str) -> Option<Vec<String>> {
        let Some(folder) = self.folder(if before.is_empty() { "." } else { before }) else {
            return self.missing(before);
        };
        let listed = self.listing(&folder)?;
        let names = listed.names.iter().filter(|name| is_name(pattern, name, false));
        Some(names.map(|name| format!("{before}{name}")).collect())
    }

    /// Returns the files and folders that a search for a name finds below a folder.
    fn searched(&self, before: &str, pattern: &str) -> Option<Vec<String>> {
        let Some(folder) = self.folder(if before.is_empty() { "." } else { before }) else {
            return self.missing(before);
        };
        let mut found = Vec::new();
        self.tree(&folder, LeftOut::default(), &mut found)?;
        let prefix = folder.trim_end_matches('/').len() + 1;
        let below = found.iter().filter_map(|path| path.get(prefix..));
        let is_found = |path: &&str| path.rsplit('/').next().is_some_and(|name| is_name(pattern, name, true));
        Some(below.filter(is_found).map(|path| format!("{before}{path}")).collect())
    }
}
