//! Names with wildcards, looked up on the disk.
//!
//! A shell replaces a wildcard by the names of existing files, and a search finds existing files. So both are looked up on
//! the disk. The look-up is bounded. If there is no such folder, it cannot be listed, or there are too many names, the name
//! stays as it is known from the command.

use std::collections::VecDeque;
use std::path::Path;

use hooks_core::fs::{EntryKind, FileSystem};

use super::call::Call;
use super::places::at_home;
use crate::commands::{Access, AccessKind, Analysis, Argument, Source};
use crate::globs::Gap;
use crate::tools::patched_files;

/// Most names that a look-up visits.
const MAX_VISITED: usize = 4_000;

/// Most names that one name with wildcards may stand for.
const MAX_FOUND: usize = 500;

/// Folders that are visited last, because they have many files.
const LARGE: &[&str] = &["node_modules", ".git", "target", ".venv", "venv", "vendor", "dist", "build"];

/// Returns the files that a name with wildcards stands for: existing ones, and those that the same command writes. `None` if
/// they cannot be listed.
pub(super) fn names(call: Call<'_>, analysis: &Analysis, target: &Argument) -> Option<Vec<String>> {
    let outline = target.outline();
    if outline.contains(Gap::Any.stand_in()) || !outline.contains(|c| Gap::from_char(c).is_some()) {
        return None;
    }
    let writes = analysis.writes();
    let mut found = Lookup::new(call).expand(&outline)?;
    let fills = |write: &&Access| matches!(write.kind, AccessKind::Filled | AccessKind::Named);
    if found.is_empty() && writes.iter().any(fills) {
        return None;
    }
    let written = writes.into_iter().filter_map(|write| write.target.literal());
    found.extend(written.filter(|name| stands_for(&outline, name)).map(str::to_owned));
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Most names of an archive or a patch that are looked at.
const MAX_NAMES: usize = 4_000;

/// Longest patch that is read.
const MAX_PATCH: u64 = 4 << 20;

/// Returns the files that a command unpacks from an archive, or changes with a patch: none if there is no such file, and the
/// command does not write it. `None` if they are not known.
pub(super) fn unpacked(call: Call<'_>, analysis: &Analysis, write: &Access) -> Option<Vec<String>> {
    let (Source::Archive(file) | Source::Patch(file)) = write.source.as_ref()?;
    let (file, folder) = (file.literal()?, write.target.literal()?);
    let lookup = Lookup::new(call);
    let here = lookup.folder(".")?;
    lookup.files.names_in(Path::new(&here), usize::MAX).ok()?;
    if analysis
        .writes()
        .iter()
        .any(|other| other.source.is_none() && may_write(&other.target.outline(), file))
    {
        return None;
    }
    if !lookup.exists(file) {
        // A program that is not known may create it.
        let unpacks = |name: String| matches!(name.as_str(), "cpio" | "7z" | "7za" | "7zz" | "unzip");
        let is_known = |it| analysis.is_told(it) || analysis.program_name(it).is_some_and(unpacks);
        let are_known = analysis.unresolved.is_empty() && analysis.invocations.iter().all(is_known);
        return are_known.then(Vec::new);
    }
    let path = at_home(call, file).unwrap_or_else(|| file.to_owned());
    let path = if path.starts_with('/') { path } else { format!("{here}/{path}") };
    let names: Vec<String> = match write.source.as_ref()? {
        Source::Archive(_) => lookup.files.archive_names(Path::new(&path), MAX_NAMES).ok()?,
        Source::Patch(_) => {
            let text = lookup.files.text_of(Path::new(&path), MAX_PATCH).ok()?;
            patched_files(&text).map(|(path, _)| path).collect::<Option<_>>()?
        }
    };
    let folder = folder.trim_end_matches('/');
    let placed = |name: String| match name.starts_with('/') {
        _ if folder.is_empty() => format!("/{}", name.trim_start_matches('/')),
        true => name,
        false => format!("{folder}/{name}"),
    };
    (names.len() <= MAX_NAMES).then(|| names.into_iter().map(placed).collect())
}

fn may_write(outline: &str, file: &str) -> bool {
    outline.contains(|c| Gap::from_char(c).is_some())
        || outline.trim_start_matches("./") == file.trim_start_matches("./")
}

/// Everything below a folder, as far as it was looked at.
pub(super) struct Below {
    /// Absolute paths, nearest first.
    pub(super) files: Vec<String>,
    /// Whether it is everything.
    pub(super) is_all: bool,
}

/// Returns everything below a folder; `None` if it is not a folder, or cannot be listed.
pub(super) fn below(call: Call<'_>, folder: &str) -> Option<Below> {
    let mut lookup = Lookup::new(call);
    let folder = lookup.folder(folder)?;
    let mut files = Vec::new();
    lookup.files.names_in(Path::new(&folder), usize::MAX).ok()?;
    let is_all = lookup.tree(&folder, &mut files).is_some();
    Some(Below { files, is_all })
}

/// Returns whether a search for a name finds a file.
pub(super) fn is_found(pattern: &str, file: &str) -> bool {
    file.rsplit('/').next().is_some_and(|name| is_name(pattern, name, true))
}

struct Lookup<'r> {
    files: &'r dyn FileSystem,
    cwd: &'r str,
    call: Call<'r>,
    left: usize,
}

impl<'r> Lookup<'r> {
    fn new(call: Call<'r>) -> Self {
        let files = &*call.request().context().environment.files;
        Self { files, cwd: call.root().cwd(), call, left: MAX_VISITED }
    }

    /// Returns the absolute path of a folder that exists.
    fn folder(&self, name: &str) -> Option<String> {
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

    fn expand(&mut self, outline: &str) -> Option<Vec<String>> {
        // Each of them is a name as the command gives it.
        let mut open = vec![String::new()];
        if outline.starts_with('/') {
            open = vec!["/".to_owned()];
        }
        let parts: Vec<&str> = outline.split('/').filter(|part| !part.is_empty()).collect();
        for (at, part) in parts.iter().enumerate() {
            let is_last = at + 1 == parts.len();
            let mut next = Vec::new();
            for before in &open {
                if let Some(pattern) = part.strip_prefix(Gap::Folders.stand_in()) {
                    next.extend(self.searched(before, pattern)?);
                } else if part.contains(|c| Gap::from_char(c).is_some()) {
                    next.extend(self.listed(before, part)?);
                } else {
                    let name = format!("{before}{part}");
                    // A name behind a wildcard exists, or it is not one of those that the wildcard stands for.
                    if open.len() == 1 || self.exists(&name) {
                        next.push(name);
                    }
                }
            }
            if next.len() > MAX_FOUND {
                return None;
            }
            open = if is_last { next } else { next.into_iter().map(|name| name + "/").collect() };
        }
        let first_gap = parts.iter().position(|part| part.contains(|c| Gap::from_char(c).is_some()))?;
        let is_plain_behind = first_gap + 1 < parts.len();
        open.retain(|name| !is_plain_behind || self.exists(name));
        Some(open)
    }

    fn exists(&self, name: &str) -> bool {
        let name = at_home(self.call, name).unwrap_or_else(|| name.to_owned());
        let path = if name.starts_with('/') { name } else { format!("{}/{name}", self.cwd) };
        matches!(self.files.entry(Path::new(&path)), Ok(Some(_)) | Err(_))
    }

    /// Returns no names for a folder that does not exist. `None` if it exists, or if that is not known.
    fn missing(&self, folder: &str) -> Option<Vec<String>> {
        let here = self.folder(".")?;
        self.files.names_in(Path::new(&here), usize::MAX).ok()?;
        (!self.exists(folder.trim_end_matches('/'))).then(Vec::new)
    }

    /// Returns the names in a folder that a pattern of the shell stands for.
    fn listed(&mut self, before: &str, pattern: &str) -> Option<Vec<String>> {
        let Some(folder) = self.folder(if before.is_empty() { "." } else { before }) else {
            return self.missing(before);
        };
        let names = self.files.names_in(Path::new(&folder), self.left).ok()?;
        self.left = self.left.checked_sub(names.len())?;
        // A name that is not UTF-8 matches no pattern of a rule.
        let names = names.iter().filter_map(|name| name.to_str());
        let names = names.filter(|name| is_name(pattern, name, false));
        Some(names.map(|name| format!("{before}{name}")).collect())
    }

    /// Returns the files and folders that a search for a name finds below a folder.
    fn searched(&mut self, before: &str, pattern: &str) -> Option<Vec<String>> {
        let Some(folder) = self.folder(if before.is_empty() { "." } else { before }) else {
            return self.missing(before);
        };
        let mut found = Vec::new();
        self.tree(&folder, &mut found)?;
        let prefix = folder.trim_end_matches('/').len() + 1;
        let below = found.iter().filter_map(|path| path.get(prefix..));
        let is_found = |path: &&str| path.rsplit('/').next().is_some_and(|name| is_name(pattern, name, true));
        Some(below.filter(is_found).map(|path| format!("{before}{path}")).collect())
    }

    /// Collects the paths of everything below a folder, nearest first; `None` if there are too many.
    fn tree(&mut self, folder: &str, found: &mut Vec<String>) -> Option<()> {
        let (mut open, mut last) = (VecDeque::from([folder.to_owned()]), VecDeque::new());
        while let Some(folder) = open.pop_front().or_else(|| last.pop_front()) {
            let names = self.files.names_in(Path::new(&folder), self.left).ok()?;
            self.left = self.left.checked_sub(names.len())?;
            for name in names.iter().filter_map(|name| name.to_str()) {
                let path = format!("{}/{name}", folder.trim_end_matches('/'));
                if matches!(self.files.entry(Path::new(&path)), Ok(Some(entry)) if entry.kind == EntryKind::Directory)
                {
                    let list = if LARGE.contains(&name) { &mut last } else { &mut open };
                    list.push_back(path.clone());
                }
                found.push(path);
            }
        }
        Some(())
    }
}

/// Returns whether a name with wildcards may stand for a name, component by component.
fn stands_for(outline: &str, name: &str) -> bool {
    let (outline, name) = (outline.trim_start_matches("./"), name.trim_start_matches("./"));
    match outline.split_once(Gap::Folders.stand_in()) {
        Some((before, last)) => {
            name.starts_with(before.trim_start_matches("./"))
                && name.rsplit('/').next().is_some_and(|name| is_name(last, name, true))
        }
        None => {
            let (outline, name): (Vec<_>, Vec<_>) = (outline.split('/').collect(), name.split('/').collect());
            outline.len() == name.len()
                && outline.iter().zip(name).all(|(part, name)| is_name(part, name, false))
        }
    }
}

/// Returns whether a pattern with gaps of one component matches a name. For the shell, a wildcard does not stand for a dot at
/// the start.
fn is_name(pattern: &str, name: &str, finds_hidden: bool) -> bool {
    if !finds_hidden && name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    // A search that leaves out hidden files begins with one character.
    if name.starts_with('.') && Gap::from_char(pattern.chars().next().unwrap_or_default()) == Some(Gap::One) {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let mut alive = vec![false; pattern.len() + 1];
    enter(&pattern, &mut alive, 0);
    for c in name.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (at, expected) in pattern.iter().enumerate() {
            if !alive.get(at).copied().unwrap_or_default() {
                continue;
            }
            match Gap::from_char(*expected) {
                Some(Gap::One) => enter(&pattern, &mut next, at + 1),
                Some(_) => enter(&pattern, &mut next, at),
                None if *expected == c => enter(&pattern, &mut next, at + 1),
                None => {}
            }
        }
        alive = next;
    }
    alive.last().copied().unwrap_or_default()
}

fn enter(pattern: &[char], alive: &mut [bool], at: usize) {
    let mut at = at;
    loop {
        if let Some(place) = alive.get_mut(at) {
            *place = true;
        }
        match pattern.get(at).and_then(|c| Gap::from_char(*c)) {
            Some(Gap::Name | Gap::Folders | Gap::Any) => at += 1,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_are_compared_as_the_shell_does() {
        let (one, any, folders) = (Gap::One.stand_in(), Gap::Name.stand_in(), Gap::Folders.stand_in());
        for (pattern, name, wanted) in [
            (format!("*{any}").replace('*', ""), "a", true),
            (format!("{any}"), ".env", false),
            (format!(".{any}"), ".env", true),
            (format!("{any}.pem"), "a.pem", true),
            (format!("{any}.pem"), "a.pe", false),
            (format!("a{one}c"), "abc", true),
            (format!("a{one}c"), "ac", false),
        ] {
            assert_eq!(is_name(&pattern, name, false), wanted, "{name}");
        }
        assert!(is_name(&format!("{any}"), ".env", true));
        assert!(!is_name(&format!("{one}{any}"), ".env", true));
        assert!(stands_for(&format!("src/{any}.rs"), "./src/a.rs"));
        assert!(!stands_for(&format!("src/{any}.rs"), "src/b/a.rs"));
        assert!(stands_for(&format!("./{folders}{any}.rs"), "src/b/a.rs"));
    }
}
