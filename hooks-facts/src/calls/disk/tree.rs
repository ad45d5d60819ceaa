//! Everything below a folder, as programs that read whole folders see it.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use hooks_core::fs::EntryKind;

use super::ignored::Ignored;
use super::lookup::Lookup;
use super::wildcards::is_name;
use crate::calls::call::Call;
use crate::commands::AccessKind;

/// Folders that are visited last, because they have many files.
const LARGE: &[&str] = &["node_modules", ".git", "target", ".venv", "venv", "vendor", "dist", "build"];

/// Files of a folder that a program leaves out.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::calls) struct LeftOut<'a> {
    /// Whether files and folders are left out whose names begin with a dot.
    pub(in crate::calls) hidden: bool,
    /// Whether the files are left out that `.gitignore` lists.
    pub(in crate::calls) ignored: bool,
    /// Names that options leave out, as outlines.
    pub(in crate::calls) names: &'a [String],
}

impl<'a> LeftOut<'a> {
    pub(in crate::calls) fn by(kind: AccessKind, names: &'a [String]) -> Self {
        let (hidden, ignored) = match kind {
            AccessKind::Searched => (true, true),
            AccessKind::Stored => (false, true),
            _ => (false, false),
        };
        Self { hidden, ignored, names }
    }

    fn has(self, below: &str, name: &str) -> bool {
        let is_left_out = |outline: &String| {
            let outline = outline.trim_start_matches("./").trim_end_matches('/');
            match outline.contains('/') {
                true => outline == below,
                false => is_name(outline, name, true),
            }
        };
        (self.hidden && name.starts_with('.')) || self.names.iter().any(is_left_out)
    }
}

/// Everything below a folder, as far as it was looked at.
pub(in crate::calls) struct Below {
    /// Absolute paths, nearest first.
    pub(in crate::calls) files: Vec<String>,
    /// Whether it is everything.
    pub(in crate::calls) is_all: bool,
}

/// Returns everything below a folder; `None` if there is no such folder, or the host cannot list folders.
pub(in crate::calls) fn below(call: Call<'_>, folder: &str, left_out: LeftOut<'_>) -> Option<Below> {
    let lookup = Lookup::new(call);
    let folder = lookup.folder(folder)?;
    let can_list = |error: &std::io::Error| error.kind() != std::io::ErrorKind::Unsupported;
    lookup.files.names_in(Path::new(&folder), 0).err().is_none_or(|error| can_list(&error)).then_some(())?;
    let mut files = Vec::new();
    let is_all = lookup.tree(&folder, left_out, &mut files).is_some();
    Some(Below { files, is_all })
}

impl Lookup<'_> {
    /// Collects the paths of everything below a folder, nearest first; `None` if they are not all of them.
    pub(super) fn tree(&self, folder: &str, left_out: LeftOut<'_>, found: &mut Vec<String>) -> Option<()> {
        let start = format!("{}/", folder.trim_end_matches('/'));
        let rules = if left_out.ignored { Ignored::above(self.files, folder) } else { Ignored::default() };
        let first = (folder.to_owned(), Arc::new(rules));
        let (mut open, mut last) = (VecDeque::from([first]), VecDeque::new());
        while let Some((folder, mut rules)) = open.pop_front().or_else(|| last.pop_front()) {
            let listed = self.listing(&folder)?;
            if left_out.ignored && listed.names.iter().any(|name| name == ".gitignore") {
                Arc::make_mut(&mut rules).enter(self.files, &folder);
            }
            for (name, kind) in listed.entries(self.files, &folder) {
                let path = format!("{}/{name}", folder.trim_end_matches('/'));
                let is_folder = kind == Some(EntryKind::Directory);
                if left_out.has(path.strip_prefix(&start).unwrap_or(name), name)
                    || (left_out.ignored && (name == ".git" || rules.has(&path, is_folder)))
                {
                    continue;
                }
                if is_folder {
                    let list = if LARGE.contains(&name) { &mut last } else { &mut open };
                    list.push_back((path.clone(), Arc::clone(&rules)));
                } else if kind == Some(EntryKind::Symlink) {
                    found.extend(self.target(&folder, &path));
                }
                found.push(path);
            }
        }
        Some(())
    }

    /// Returns the file that a link names.
    fn target(&self, folder: &str, link: &str) -> Option<String> {
        let target = self.files.read_link(Path::new(link)).ok()?;
        let target = target.to_str()?;
        Some(match target.starts_with('/') {
            true => target.to_owned(),
            false => joined(folder, target),
        })
    }
}

/// Returns the path of a relative target, without `.` and `..`.
fn joined(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
