//! Compiled list of the hooks' own files, and the test whether a name stands for one of them.

use std::collections::HashSet;

use hooks_facts::calls::{Call, NamedPath};
use hooks_facts::commands::Argument;
use hooks_facts::globs::{Gap, PatternDialect};
use hooks_facts::tools::PathRole;

use super::words::says_nothing;
use crate::artifacts::{Artifacts, folded};
use crate::other_names::OtherNames;

/// Compiled list of the files.
#[derive(Clone, Debug)]
pub(super) struct OwnFiles {
    files: Artifacts,
    /// Folders of patterns whose last part has wildcards.
    folders: Artifacts,
    /// Last parts of all names in lower case: a plain word can only be one of these.
    plain: HashSet<String>,
}

/// Name in a command, with the effect on it.
#[derive(Debug)]
pub(super) struct Named {
    /// Name as seen from the folder in which the call starts.
    pub(super) name: Argument,
    pub(super) reach: Reach,
}

/// Extent of the change to a named file or folder, in increasing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Only the file or folder itself.
    Itself,
    /// Everything below it, as ordinary development does to the root, which is therefore exempt.
    Everyday,
    /// Everything below it.
    Below,
}

/// One of the hooks' own files that a command names.
#[derive(Debug)]
pub(super) struct OwnFileMatch {
    /// Name as the command gives it.
    pub(super) given: String,
    /// Resolved path of the name.
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

    /// Returns whether a word of a command that runs in the root obviously names none of the files: an
    /// option, or a plain name that none of the files has.
    pub(super) fn are_not(&self, word: &str) -> bool {
        let value = word.strip_prefix('-').and_then(|letters| letters.get(1..)).unwrap_or(word);
        is_plain(word) && ![word, value].iter().any(|name| self.plain.contains(&*folded(name)))
            || matches!(word, "." | "..")
    }

    /// Returns whether a name is worth resolving.
    pub(super) fn may_be(named: &Named) -> bool {
        match &named.name {
            // A folder above is only affected by a change to everything below it.
            Argument::Literal(name) if name == ".." => named.reach != Reach::Itself,
            Argument::Literal(name) => !matches!(name.as_str(), "" | "-" | "--"),
            name @ Argument::Dynamic { .. } => !says_nothing(&name.outline()) || name.prefix().contains('/'),
        }
    }

    /// Returns the file that a name stands for, or may stand for.
    pub(super) fn find(
        &self,
        others: &OtherNames<'_>,
        call: Call<'_>,
        pointer: &str,
        named: &Named,
    ) -> Option<OwnFileMatch> {
        let role = if named.reach == Reach::Itself { PathRole::Written } else { PathRole::Filled };
        let in_home = named.name.literal().and_then(|name| name.strip_prefix("~/"));
        let has_home = call.request().context().environment.home.is_some();
        if let Some(rest) = in_home.filter(|_| !has_home) {
            let name = format!("{}/{rest}", Gap::Any.stand_in());
            return self.find_place(others, call, &NamedPath::named(call, pointer, name, role, true));
        }
        let outline = match &named.name {
            Argument::Literal(name) => {
                let place = NamedPath::named(call, pointer, name.clone(), role, false);
                let is_left = named.reach == Reach::Everyday && place.is_the_root(call);
                return if is_left { None } else { self.find_place(others, call, &place) };
            }
            name @ Argument::Dynamic { .. } => name.outline(),
        };
        // If the name is partly unknown, check the folder in its known beginning.
        let (known, _) = outline.split_once(|c| Gap::from_char(c).is_some())?;
        let folder = known.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty());
        let found = folder.and_then(|folder| {
            self.find_place(
                others,
                call,
                &NamedPath::named(call, pointer, folder.to_owned(), PathRole::Written, false),
            )
        });
        found.or_else(|| {
            may_be_one(&outline)
                .then(|| NamedPath::named(call, pointer, outline, role, true))
                .and_then(|place| self.find_place(others, call, &place))
        })
    }

    /// Returns the file that a place is, or may be.
    pub(super) fn find_place(
        &self,
        others: &OtherNames<'_>,
        call: Call<'_>,
        place: &NamedPath,
    ) -> Option<OwnFileMatch> {
        let known = place.known(call)?;
        let found = self.files.find(call, place, &known).or_else(|| {
            let is_root = !place.is_partial() && place.holds_the_root(call);
            if is_root { None } else { self.folders.find(call, place, &known) }
        });
        let reading = match found {
            Some(found) => found.reading,
            None => match others.find(&self.files, place) {
                Ok(other) => other?.path.to_string_lossy().into_owned(),
                // One of its names may be that of an own file.
                Err(_) => place.given.clone(),
            },
        };
        Some(OwnFileMatch { given: place.given.clone(), reading })
    }
}

/// Returns whether a partly known name is specific enough. After a variable or a search, the last part has to
/// be known, because nearly any search may match some file in the folders of the hooks. With a wildcard, some
/// of the last part has to be known.
fn may_be_one(outline: &str) -> bool {
    let is_gap = |c: char| Gap::from_char(c).is_some();
    let is_joint = |c: char| c == '/' || Gap::from_char(c) == Some(Gap::Folders);
    let last = outline.trim_end_matches('/').rsplit(is_joint).next().unwrap_or_default();
    let is_deep = outline.contains(|c| Gap::from_char(c).is_some_and(Gap::is_deep));
    if is_deep { !last.contains(is_gap) } else { !says_nothing(last) }
}

/// Returns the folder of a pattern whose last part has wildcards.
fn folder_of(pattern: &str) -> Option<&str> {
    let (folder, last) = pattern.rsplit_once('/')?;
    let is_wild = last.contains(['*', '?', '{']) && !last.contains('\\');
    (is_wild && !folder.is_empty()).then_some(folder)
}

/// Returns whether a word obviously is not a path.
fn is_plain(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
