//! Names that only the disk knows: those that wildcards stand for, that archives and patches hold, and that lie below a folder.
//!
//! A shell replaces a wildcard by the names of existing files, and a search finds existing files. So both are looked up on
//! the disk. The look-ups of one call are bounded together. If a folder cannot be listed, or there are too many names, the name
//! stays as it is known from the command.

mod ignored;
mod listed;
mod looked;
mod lookup;
mod tree;
mod wildcards;

use std::path::Path;

use self::lookup::Lookup;
use self::wildcards::{is_name, stands_for};
use super::call::Call;
use super::places::at_home;
use crate::commands::{Access, AccessKind, Analysis, Source};
use crate::globs::Gap;
use crate::tools::patched_files;

pub(super) use self::listed::are_known as knows_lists;
pub(super) use self::looked::Looked;
pub(super) use self::tree::{LeftOut, below};

/// Files that a name with wildcards stands for.
pub(super) enum OnDisk {
    /// Existing files, and those that the same command writes.
    Names(Vec<String>),
    /// More files than are looked at.
    TooMany,
    /// Files that cannot be listed.
    Unknown,
}

/// Files that a name with wildcards may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those that exist.
    Existing,
    /// In addition, new files below the folders that the wildcards stand for: `cd migr* && touch new`.
    AlsoNew,
}

/// Returns the files that a name with wildcards stands for.
pub(super) fn names(call: Call<'_>, analysis: &Analysis, outline: &str, wanted: Wanted) -> OnDisk {
    if outline.contains(Gap::Listed.stand_in()) {
        return listed::names(call, analysis, outline, wanted);
    }
    if outline.contains(Gap::Any.stand_in()) || !outline.contains(|c| Gap::from_char(c).is_some()) {
        return OnDisk::Unknown;
    }
    let mut found = match Lookup::new(call).expand(outline, wanted) {
        OnDisk::Names(found) => found,
        other => return other,
    };
    let fills = |write: &Access| matches!(write.kind, AccessKind::Filled | AccessKind::Named);
    if found.is_empty() && analysis.writes().iter().any(fills) {
        return OnDisk::Unknown;
    }
    let written = analysis.writes().iter().filter_map(|write| write.target.literal());
    found.extend(written.filter(|name| stands_for(outline, name)).map(str::to_owned));
    found.sort_unstable();
    found.dedup();
    OnDisk::Names(found)
}

/// Most names of an archive or a patch that are looked at.
const MAX_NAMES: usize = 4_000;

/// Longest patch that is read.
const MAX_PATCH: u64 = 4 << 20;

/// Returns the files that a command unpacks from an archive, or changes with a patch. `None` if they are not known: also if the
/// file does not exist, as something may create it before it is read.
pub(super) fn unpacked(call: Call<'_>, analysis: &Analysis, write: &Access) -> Option<Vec<String>> {
    let (Source::Archive(file) | Source::Patch(file)) = write.source.as_ref()?;
    let (file, folder) = (file.literal()?, write.target.literal()?);
    let lookup = Lookup::new(call);
    let here = lookup.folder(".")?;
    let others = analysis.writes().iter().filter(|other| !std::ptr::eq(*other, write));
    if others.into_iter().any(|other| may_write(other, file)) {
        return None;
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

/// Returns whether a folder is filled from an archive or a patch that does not exist yet.
pub(super) fn is_awaited(call: Call<'_>, write: &Access) -> bool {
    let Some(Source::Archive(file) | Source::Patch(file)) = &write.source else { return false };
    let lookup = Lookup::new(call);
    lookup.is_real().is_some() && file.literal().is_some_and(|file| !lookup.exists(file))
}

/// Returns whether a file certainly does not exist.
pub(super) fn is_missing(call: Call<'_>, file: &str) -> bool {
    let lookup = Lookup::new(call);
    lookup.is_real().is_some() && !lookup.exists(file)
}

/// Returns whether a write of the same command may create or replace a file. Names are compared by their last part, as a path
/// has many spellings.
fn may_write(write: &Access, file: &str) -> bool {
    let outline = write.target.outline();
    let is_folder_of_it = || {
        let folder = outline.trim_start_matches("./").trim_end_matches('/');
        let rest = file.trim_start_matches("./").strip_prefix(folder);
        matches!(folder, "" | ".") || rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let last = |name: &str| name.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    outline.contains(|c| Gap::from_char(c).is_some())
        || last(&outline) == last(file)
        || matches!(write.kind, AccessKind::Filled | AccessKind::Named) && is_folder_of_it()
}

/// Returns whether a search for a name finds a file.
pub(super) fn is_found(pattern: &str, file: &str) -> bool {
    file.rsplit('/').next().is_some_and(|name| is_name(pattern, name, true))
}
