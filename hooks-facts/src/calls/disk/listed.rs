//! Names in lists that a command looks up: `xargs cat < LIST`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::lookup::Lookup;
use super::{OnDisk, Wanted, may_write, names as names_with_wildcards};
use crate::calls::call::Call;
use crate::calls::places::at_home;
use crate::commands::{Access, Analysis};
use crate::globs::Gap;

/// Longest list that is read.
const MAX_TEXT: u64 = 256 * 1024;

/// Most names of the lists of one command, and most lists.
const MAX_NAMES: usize = 1_000;
const MAX_LISTS: usize = 8;

/// Characters that may divide the columns of a line.
const DIVIDERS: &[char] = &[' ', '\t', ',', ';', ':', '|', '='];

/// Returns whether all lists that a command looks up can be read.
pub(in crate::calls) fn are_known(call: Call<'_>, analysis: &Analysis) -> bool {
    lines(call, analysis).is_some()
}

/// Returns the files that a name stands for in which each line of the lists may be.
pub(super) fn names(call: Call<'_>, analysis: &Analysis, outline: &str, wanted: Wanted) -> OnDisk {
    let Some(lists) = lines(call, analysis) else { return OnDisk::Unknown };
    let mut found = Vec::new();
    for line in lists.iter().flat_map(|lines| lines.iter()) {
        let name = outline.replace(Gap::Listed.stand_in(), line);
        if !name.contains(|c| Gap::from_char(c).is_some()) {
            found.push(name);
            continue;
        }
        match names_with_wildcards(call, analysis, &name, wanted) {
            OnDisk::Names(names) => found.extend(names),
            other => return other,
        }
        if found.len() > MAX_NAMES {
            return OnDisk::Unknown;
        }
    }
    OnDisk::Names(found)
}

/// Returns the lines of the lists, and the parts of each line that may be names. `None` if one of them cannot be read, or is
/// too long, or if the command itself may write it.
fn lines(call: Call<'_>, analysis: &Analysis) -> Option<Vec<Arc<[String]>>> {
    let is_line = |write: &Access| write.target.outline().contains(Gap::Listed.stand_in());
    let lookup = Lookup::new(call);
    let here = lookup.folder(".")?;
    let mut all = Vec::new();
    let mut left = MAX_NAMES;
    for list in analysis.lists() {
        if all.len() == MAX_LISTS
            || analysis.writes().iter().any(|write| !is_line(write) && may_write(write, list))
        {
            return None;
        }
        let path = at_home(call, list).unwrap_or_else(|| list.to_owned());
        let path = if path.starts_with('/') { path } else { format!("{here}/{path}") };
        let read = || {
            let text = lookup.files.text_of(Path::new(&path), MAX_TEXT).ok()?;
            (!text.contains(|c| Gap::from_char(c).is_some())).then(|| parts(&text))
        };
        let lines = call.looked().list(&path, read)?;
        left = left.checked_sub(lines.len())?;
        all.push(lines);
    }
    Some(all)
}

fn parts(text: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    for line in text.split(['\n', '\0']) {
        let line = line.trim();
        for part in std::iter::once(line).chain(line.split(DIVIDERS)) {
            let name = part.trim_matches(['"', '\'']);
            if !name.is_empty() {
                found.insert(name.to_owned());
            }
            // A shell replaces the wildcards in `$(cat LIST)`.
            if name.contains(['*', '?']) {
                found.insert(with_gaps(name));
            }
        }
        // One more than are looked at.
        if found.len() > MAX_NAMES {
            break;
        }
    }
    found.into_iter().collect()
}

fn with_gaps(name: &str) -> String {
    let gap = |c| match c {
        '*' => Gap::Name.stand_in(),
        '?' => Gap::One.stand_in(),
        c => c,
    };
    name.chars().map(gap).collect()
}
