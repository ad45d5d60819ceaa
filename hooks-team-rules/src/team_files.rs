//! Files of a team folder that govern agents, which agents do not change.

use std::path::{Component, Path};

use hooks_core::{Evidence, PolicyErrors, Reason};
use hooks_facts::calls::{Call, CallReader, NamedPath, PathPatterns};
use hooks_facts::globs::{self, Gap};
use hooks_facts::paths::PathError;
use hooks_facts::tools::ToolKind;

/// Patterns of files in a team folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct TeamFiles {
    /// The files of the team folder itself.
    own: PathPatterns,
    /// The files of a team folder of this name anywhere else, such as in a copy of the project.
    anywhere: PathPatterns,
    is_absolute: bool,
    /// Name of the team folder, in lower case.
    name: String,
}

impl TeamFiles {
    /// The files in the folder `team` that match `patterns`, which are known to be right.
    pub(crate) fn new(team: &Path, patterns: &[&str], reader: &CallReader) -> Self {
        let mut folder = String::new();
        for part in team.components() {
            let Component::Normal(name) = part else { continue };
            for c in name.to_string_lossy().chars() {
                if matches!(c, '*' | '?' | '{' | '}' | '\\') {
                    folder.push('\\');
                }
                folder.push(c);
            }
            folder.push('/');
        }
        let compiled = |before: &str| {
            let patterns: Vec<_> = patterns.iter().map(|file| format!("{before}{folder}{file}")).collect();
            PathPatterns::allowing(&patterns, "", reader, &mut PolicyErrors::default())
        };
        let name = team.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        Self { own: compiled(""), anywhere: compiled("**/"), is_absolute: team.is_absolute(), name }
    }

    /// Returns the reason to deny a call that changes one of the files. `reason` makes it of a description of the file and
    /// its pattern.
    pub(crate) fn objection(&self, call: Call<'_>, reason: impl Fn(&str, &str) -> Reason) -> Option<Reason> {
        let is_unknown = call.kind() == ToolKind::Unknown;
        if !(call.writes_files() || call.kind().runs_commands() || is_unknown) {
            return None;
        }
        let of_commands;
        let places = match call.kind() {
            ToolKind::Unknown if !call.writes_files() => {
                of_commands = call.places_of_commands();
                &of_commands
            }
            _ => call.places(),
        };
        let written = places.found.iter().chain(&places.partial);
        let mut written = written.filter(|place| place.is_written() && !place.is_nameless);
        written.find_map(|place| {
            if let Err(error) = &place.resolution
                && place.known(call).is_none()
            {
                return self
                    .may_be_one(place, error)
                    .then(|| self.unresolvable(place, &error.to_string(), &reason));
            }
            let (reading, pattern) = self.find(call, place)?;
            let shown = globs::shown(&reading);
            let reason = reason(&place.described(&shown), pattern.trim_start_matches("**/"));
            let evidence = Evidence::Path { given: place.given.clone(), resolved: shown };
            Some(reason.on(&*place.pointer).because(evidence))
        })
    }

    /// Returns whether a place that cannot be resolved may be one of the files.
    fn may_be_one(&self, place: &NamedPath, error: &PathError) -> bool {
        // Links to the files cannot be made, so a file of the home folder is one of them only if its path names the team folder.
        let is_named = place.reaches_below() || place.given.to_lowercase().contains(&self.name);
        // The place that the write depends on is judged too: `b` of `b/a` in `cp a b`.
        !place.is_possible && (is_named || !matches!(error, PathError::Tilde { .. }))
    }

    /// Returns the reason to deny a place that cannot be resolved.
    fn unresolvable(&self, place: &NamedPath, error: &str, reason: &impl Fn(&str, &str) -> Reason) -> Reason {
        let pattern = self.own.text(0);
        let file = format!("`{}` cannot be resolved, and may be the file that", place.given);
        let (_, advice) = error.split_once("; ").unwrap_or((error, "write the path relative to the root"));
        reason(&file, pattern).on(&*place.pointer).instead(advice.to_owned())
    }

    /// Returns the reading and the pattern of a place that is, or may be, one of the files or above one.
    fn find(&self, call: Call<'_>, place: &NamedPath) -> Option<(String, &str)> {
        let known = place.known(call)?;
        let below = place.reaches_below() && !place.is_file(call);
        let inside = known.below_root().map(|reading| (reading, below && !self.is_absolute));
        let from_top = if self.is_absolute { place.from_top(call) } else { None };
        let from_top = from_top.unwrap_or_default().iter().map(|reading| (reading.as_str(), below));
        let elsewhere = known.elsewhere.iter().map(|reading| (reading.as_str(), false));
        inside.chain(from_top).chain(elsewhere).find_map(|(reading, below)| {
            let own = meet(&self.own, call, reading, below);
            let pattern = own.or_else(|| meet(&self.anywhere, call, reading, false))?;
            Some((reading.to_owned(), pattern))
        })
    }
}

/// Returns the first pattern that a reading matches or may match. With `below`, also one that matches, or may match,
/// something below it.
fn meet<'p>(patterns: &'p PathPatterns, call: Call<'_>, reading: &str, below: bool) -> Option<&'p str> {
    let reading = reading.trim_end_matches('/');
    let meets = |outline: &str| patterns.meets(outline, call.ignores_case());
    let met = || if reading.is_empty() { None } else { meets(reading) };
    let anything = || {
        let lead = if reading.is_empty() { String::new() } else { format!("{reading}/") };
        let text = format!("{lead}{}{}", Gap::Folders.stand_in(), Gap::Name.stand_in());
        let hidden = format!("{lead}{}.{}", Gap::Folders.stand_in(), Gap::Name.stand_in());
        meets(&text).or_else(|| meets(&hidden))
    };
    met().or_else(|| below.then(anything).flatten()).map(|index| patterns.text(index))
}
