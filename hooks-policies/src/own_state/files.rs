//! The files of the hooks, and whether a name stands for one of them.

use std::collections::HashSet;

use hooks_facts::commands::Argument;
use hooks_facts::globs::Gap;
use hooks_facts::tools::PathRole;

use super::words::says_nothing;
use crate::artifacts::{Artifacts, folded};
use crate::config::PatternDialect;
use crate::facts::{Call, Place};

/// The files, compiled.
#[derive(Clone, Debug)]
pub(super) struct OwnFiles {
    files: Artifacts,
    /// Folders of files that a wildcard names.
    folders: Artifacts,
    /// The last parts of all names, as they are compared: a plain word can only be one of these.
    plain: HashSet<String>,
}

/// What a command names.
#[derive(Debug)]
pub(super) struct Named {
    /// The name, seen from where the call begins.
    pub(super) name: Argument,
    pub(super) reach: Reach,
}

/// What may change of what has a name; the later, the more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// It alone.
    Itself,
    /// All below it, as everyday work does it to the root, which is left to it.
    Everyday,
    /// All below it.
    Below,
}

/// A file of the hooks that is named.
#[derive(Debug)]
pub(super) struct Found {
    /// As it is named.
    pub(super) given: String,
    /// What that stands for.
    pub(super) reading: String,
}

impl OwnFiles {
    pub(super) fn new(patterns: &[String], dialect: PatternDialect) -> Self {
        let folders: Vec<&str> = patterns.iter().filter_map(|pattern| folder_of(pattern)).collect();
        let all = patterns.iter().map(String::as_str);
        let last =
            |name: &str| folded(name.trim_matches('/').rsplit('/').next().unwrap_or_default()).into_owned();
        Self {
            plain: all.clone().chain(folders.iter().copied()).map(last).collect(),
            files: Artifacts::new(all, dialect, false),
            folders: Artifacts::folders(folders, dialect),
        }
    }

    /// Whether a word of a command that runs in the root is none of the files at first sight: an option, or a plain
    /// name that none of them has.
    pub(super) fn are_not(&self, word: &str) -> bool {
        let value = word.strip_prefix('-').and_then(|letters| letters.get(1..)).unwrap_or(word);
        is_plain(word) && ![word, value].iter().any(|name| self.plain.contains(&*folded(name)))
            || matches!(word, "." | "..")
    }

    /// Whether it is worth while to look where a name leads.
    pub(super) fn may_be(named: &Named) -> bool {
        match &named.name {
            // What is above is only reached by what changes all below.
            Argument::Literal(name) if name == ".." => named.reach != Reach::Itself,
            Argument::Literal(name) => !matches!(name.as_str(), "" | "-" | "--"),
            name @ Argument::Dynamic { .. } => !says_nothing(&name.outline()) || name.prefix().contains('/'),
        }
    }

    /// The file that a name stands for, or may stand for.
    pub(super) fn find(&self, call: Call<'_>, pointer: &str, named: &Named) -> Option<Found> {
        let role = if named.reach == Reach::Itself { PathRole::Written } else { PathRole::Filled };
        let in_home = named.name.literal().and_then(|name| name.strip_prefix("~/"));
        if let Some(rest) = in_home {
            let name = format!("{}/{rest}", Gap::Any.stand_in());
            return self.find_place(call, &Place::named(call, pointer, name, role, true));
        }
        let outline = match &named.name {
            Argument::Literal(name) => {
                let place = Place::named(call, pointer, name.clone(), role, false);
                let is_left = named.reach == Reach::Everyday && place.is_the_root(call);
                return if is_left { None } else { self.find_place(call, &place) };
            }
            name @ Argument::Dynamic { .. } => name.outline(),
        };
        // Of a name that is known in part, the folder that it surely is in.
        let (known, _) = outline.split_once(|c| Gap::of(c).is_some())?;
        let folder = known.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty());
        let found = folder.and_then(|folder| {
            self.find_place(call, &Place::named(call, pointer, folder.to_owned(), PathRole::Written, false))
        });
        found.or_else(|| {
            may_be_one(&outline)
                .then(|| Place::named(call, pointer, outline, role, true))
                .and_then(|place| self.find_place(call, &place))
        })
    }

    /// The file that a place is, or may be.
    pub(super) fn find_place(&self, call: Call<'_>, place: &Place) -> Option<Found> {
        let known = place.known(call)?;
        let found = self.files.find(call, place, &known).or_else(|| {
            let is_root = !place.is_partial() && place.holds_the_root(call);
            if is_root { None } else { self.folders.find(call, place, &known) }
        })?;
        Some(Found { given: place.given.clone(), reading: found.reading })
    }
}

/// Whether a name that is known in part says enough: behind a variable or a search its last part has to be known (some file
/// in the folders of the hooks may be called as nearly any search says), and of a wildcard some of it.
fn may_be_one(outline: &str) -> bool {
    let is_gap = |c: char| Gap::of(c).is_some();
    let is_joint = |c: char| c == '/' || Gap::of(c) == Some(Gap::Folders);
    let last = outline.trim_end_matches('/').rsplit(is_joint).next().unwrap_or_default();
    let is_deep = outline.contains(|c| matches!(Gap::of(c), Some(Gap::Any | Gap::Folders)));
    if is_deep { !last.contains(is_gap) } else { !says_nothing(last) }
}

/// The folder of a pattern whose last part has wildcards.
fn folder_of(pattern: &str) -> Option<&str> {
    let (folder, last) = pattern.rsplit_once('/')?;
    let is_wild = last.contains(['*', '?', '{']) && !last.contains('\\');
    (is_wild && !folder.is_empty()).then_some(folder)
}

/// Whether a word is no path at first sight.
fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
