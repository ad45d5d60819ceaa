//! The files that define boundaries: an agent does not change those that bind it.

use std::path::{Component, Path};

use hooks_core::{Evidence, Reason};
use hooks_facts::calls::{Call, CallReader, NamedPath};
use hooks_facts::globs;
use hooks_facts::tools::ToolKind;

use super::NAME;
use crate::patterns::{FilePatterns, stands_for};

/// Files of a team folder that decide which boundary an agent has.
const FILES: [&str; 3] = ["agents/*/charter.md", "routing.md", "team.md"];

/// Charters, routing and roster of the team folder.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnFiles {
    /// The files of the team folder itself.
    own: FilePatterns,
    /// The files of a team folder of this name anywhere else, such as in a copy of the project.
    anywhere: FilePatterns,
    is_absolute: bool,
}

impl OwnFiles {
    /// The files in the folder `team`.
    pub(super) fn new(team: &Path, reader: &CallReader) -> Self {
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
        // The patterns are made here, and are right.
        let compiled = |before: &str| {
            let patterns = FILES.map(|file| format!("{before}{folder}{file}"));
            FilePatterns::new(&patterns, reader).unwrap_or_default()
        };
        Self { own: compiled(""), anywhere: compiled("**/"), is_absolute: team.is_absolute() }
    }

    /// Returns the reason to deny a call of an agent with a boundary that changes one of the files.
    pub(super) fn objection(&self, call: Call<'_>) -> Option<Reason> {
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
        written.find_map(|place| self.object(call, place))
    }

    fn object(&self, call: Call<'_>, place: &NamedPath) -> Option<Reason> {
        let known = place.known(call)?;
        let below = place.reaches_below() && !place.is_file(call);
        let inside = known.below_root().map(|reading| (reading, below && !self.is_absolute));
        let from_top = if self.is_absolute { place.from_top(call) } else { None };
        let from_top = from_top.unwrap_or_default().iter().map(|reading| (reading.as_str(), below));
        let elsewhere = known.elsewhere.iter().map(|reading| (reading.as_str(), false));
        let (reading, pattern) = inside.chain(from_top).chain(elsewhere).find_map(|(reading, below)| {
            let own = self.own.meet(call, reading, below);
            Some((reading, own.or_else(|| self.anywhere.meet(call, reading, false))?))
        })?;
        let (shown, agent) = (globs::shown(reading), &call.request().context().agent_name);
        let pattern = pattern.trim_start_matches("**/");
        let message =
            format!("{} decides what `{agent}` may write (`{pattern}`)", stands_for(&place.given, &shown));
        let evidence = Evidence::Path { given: place.given.clone(), resolved: shown };
        let reason = Reason::new(NAME, "own-boundary", message).on(&*place.pointer).because(evidence);
        Some(reason.instead("a person or an agent without a boundary has to change it"))
    }
}
