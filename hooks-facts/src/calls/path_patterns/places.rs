//! Patterns compared with places: files that a call names, which may be known in part.

use super::super::call::Call;
use super::super::places::{Known, NamedPath};
use super::outside::{Outside, below_home, below_own_home, each_outside, is_above_a_home};
use super::scopes::Scope;
use super::{PathPatterns, PlaceMatch};
use crate::calls::ReadFile;

/// Name of a file that no pattern names.
const ANYTHING: &str = "\u{F8FF}";

impl PathPatterns {
    /// Returns whether a path of a call matches, or may match: a path that cannot be known may.
    pub fn may_match(&self, call: Call<'_>) -> bool {
        let places = call.places();
        let named = places.partial.iter().filter(|place| !place.is_nameless);
        !places.unusable.is_empty()
            || !places.unknown.is_empty()
            || places.found.iter().chain(named).any(|place| self.may_match_path(call, place))
    }

    /// Returns whether a path matches, or may match.
    pub fn may_match_path(&self, call: Call<'_>, place: &NamedPath) -> bool {
        place.known(call).is_none() || self.find_place(call, place).is_some()
    }

    /// Returns whether a path matches, or is a folder in which something may match.
    pub fn may_match_below(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let ignores_case = call.ignores_case();
        let is_match = |reading: &str| match place.is_partial() {
            true => self.meets_below(reading, ignores_case).is_some(),
            false => self.find_below(reading, ignores_case).is_some(),
        };
        // A folder outside of the root may contain the root.
        self.may_match_path(call, place)
            || place.known(call).is_none_or(|known| known.below_root().any(is_match))
            || place.holds_the_root(call)
            || self.find_beginning_below(call, place).is_some()
    }

    /// Returns the first pattern for something below a folder, or below the folders that an outline may stand for.
    pub fn find_below_place(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let ignores_case = call.ignores_case();
        let known = place.known(call)?;
        let below = known.below_root().find_map(|reading| {
            let pattern = match place.is_partial() {
                true => self.meets_below(reading, ignores_case)?,
                false => self.find_below(reading, ignores_case)?,
            };
            Some(PlaceMatch { pattern, reading: reading.to_owned() })
        });
        below.or_else(|| self.find_beginning_below(call, place))
    }

    /// Returns whether a file that a call reads matches, or may match, or is in a folder that is read.
    pub fn may_match_read(&self, call: Call<'_>, read: &ReadFile<'_>) -> bool {
        match read.is_tree(call) {
            true => self.may_match_below(call, read.place),
            false => self.may_match_path(call, read.place),
        }
    }

    /// Returns what matches a place: its readings below the root in the scope `inside`, then those from the top of the file
    /// system and from the homes of users.
    pub(super) fn each_match<'a>(
        &'a self,
        call: Call<'a>,
        place: &'a NamedPath,
        inside: &'a Scope,
        find: impl Fn(&Scope, &str) -> Option<usize> + Copy + 'a,
    ) -> impl Iterator<Item = PlaceMatch> + 'a {
        let scopes = self.scopes(call.ignores_case());
        let is_partial = place.is_partial();
        let found = move |scope: &Scope, reading: &str| {
            let pattern = find(scope, &self.compared(reading, call, is_partial))?;
            Some(PlaceMatch { pattern, reading: reading.to_owned() })
        };
        let below = place.known(call).into_iter().flat_map(Known::below_root);
        let below = below.filter_map(move |reading| found(inside, reading));
        let outside = scopes.have_outside().then(|| each_outside(call, place)).into_iter().flatten();
        let outside = outside.filter_map(move |from| match from {
            Outside::Top(reading) => found(&scopes.top, &reading),
            Outside::Home(reading) => found(&scopes.home, &reading),
        });
        below.chain(outside)
    }

    /// Returns the first pattern that a place matches, or may match; `None` also if the place is not known.
    pub fn find_place(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let known = place.known(call)?;
        let scopes = self.scopes(call.ignores_case());
        let is_partial = place.is_partial();
        let find = |scope: &Scope, text: &str| {
            let pattern = |text: &str| if is_partial { scope.meets(text) } else { scope.find(text) };
            let whole = pattern(text);
            if !text.ends_with('/') {
                return whole;
            }
            // `src/` is the folder `src`.
            let short = text.trim_end_matches('/');
            let shorter = (!short.is_empty()).then(|| pattern(short)).flatten();
            whole.into_iter().chain(shorter).min()
        };
        // Written as loops, as this is part of every decision about a file.
        let mut best: Option<PlaceMatch> = None;
        let mut enter = |scope: &Scope, reading: &str| {
            if let Some(pattern) = find(scope, &self.compared(reading, call, is_partial))
                && best.as_ref().is_none_or(|best| pattern < best.pattern)
            {
                best = Some(PlaceMatch { pattern, reading: reading.to_owned() });
            }
        };
        for reading in known.below_root() {
            enter(&scopes.inside, reading);
        }
        if scopes.have_outside() {
            for outside in each_outside(call, place) {
                match outside {
                    Outside::Top(reading) => enter(&scopes.top, &reading),
                    Outside::Home(reading) => enter(&scopes.home, &reading),
                }
            }
        }
        best
    }

    /// Returns the pattern that a partly known place names.
    pub(super) fn find_named(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let inside = &self.scopes(call.ignores_case()).inside;
        self.each_match(call, place, inside, Scope::names).next()
    }

    /// Returns a pattern that stands for everything in a folder.
    pub(super) fn find_around(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let inside = &self.scopes(call.ignores_case()).inside;
        let find = |scope: &Scope, text: &str| {
            let folder = text.trim_matches('/');
            if folder.is_empty() { None } else { scope.find(&[folder, "/", ANYTHING].concat()) }
        };
        self.each_match(call, place, inside, find).next()
    }

    /// Returns a pattern for something below a folder: one that begins there, or that stands for everything in it.
    pub(super) fn find_beginning_below(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let scopes = self.scopes(call.ignores_case());
        let find = |scope: &Scope, text: &str| {
            let folder = text.trim_end_matches('/');
            let anything = || [folder, "/", ANYTHING].concat();
            scope.find_below(text).or_else(|| scope.find(anything().trim_start_matches('/')))
        };
        let is_certain = |found: &PlaceMatch| !self.floats(found.pattern);
        let first = self.each_match(call, place, &scopes.anchored, find).find(is_certain);
        let readings = place.from_top(call).unwrap_or_default();
        let above = || {
            let reading = readings.iter().find(|reading| is_above_a_home(call, reading))?;
            Some(PlaceMatch { pattern: *scopes.home.owners.first()?, reading: reading.clone() })
        };
        first.or_else(above)
    }

    /// Returns the pattern that the name of a place matches as it is given, for a place that cannot be resolved: the home or the
    /// root is not known.
    pub fn find_given(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let scopes = self.scopes(call.ignores_case());
        let given = place.outline().unwrap_or(&place.given);
        let is_partial = place.is_partial();
        let text = self.compared(given, call, is_partial);
        let found = |scope: &Scope, text: &str| if is_partial { scope.meets(text) } else { scope.find(text) };
        let pattern = match text.strip_prefix("~/") {
            Some(below) => found(&scopes.home, below).or_else(|| found(&scopes.floating, below)),
            None => {
                let text = text.trim_start_matches("./");
                let top = || found(&scopes.top, text.strip_prefix('/')?);
                found(&scopes.inside, text).or_else(top)
            }
        };
        pattern.map(|pattern| PlaceMatch { pattern, reading: given.to_owned() })
    }

    /// Returns whether patterns match every reading of a place, wherever it is.
    pub fn allow_everywhere(&self, call: Call<'_>, place: &NamedPath) -> bool {
        self.cover_below_root(call, place) || self.cover_from_top(call, place, below_home)
    }

    /// Returns whether patterns match everything below every reading of a place in the root.
    pub fn allow_all_below(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let inside = &self.scopes(call.ignores_case()).inside;
        let is_covered = |reading: &str| {
            let folder = reading.trim_matches('/');
            let anything = self.compared(folder, call, place.is_partial()).into_owned() + "/" + ANYTHING;
            !folder.is_empty() && !place.is_partial() && inside.find(&anything).is_some()
        };
        let readings = place.resolution.as_ref().map(|found| found.readings.as_slice()).unwrap_or_default();
        !readings.is_empty() && readings.iter().all(|reading| is_covered(&reading.path))
    }

    /// Returns whether patterns match every reading of a place, as an allowed place has to.
    pub fn allow_place(&self, call: Call<'_>, place: &NamedPath) -> bool {
        (place.resolution.is_ok() && self.cover_below_root(call, place))
            || self.cover_from_top(call, place, below_own_home)
    }

    /// Returns whether a pattern matches everything that one reading of a place below the root stands for.
    pub fn allow_reading(&self, call: Call<'_>, place: &NamedPath, reading: &str) -> bool {
        self.covers_reading(call, place, &self.scopes(call.ignores_case()).inside, reading)
    }

    fn covers_reading(&self, call: Call<'_>, place: &NamedPath, scope: &Scope, reading: &str) -> bool {
        let is_partial = place.is_partial();
        let text = self.compared(reading, call, is_partial);
        if is_partial { scope.globs.covers(&text) } else { scope.find(&text).is_some() }
    }

    fn cover_below_root(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let Some(known) = place.known(call) else { return false };
        let inside = &self.scopes(call.ignores_case()).inside;
        let mut readings = known.below_root().peekable();
        readings.peek().is_some() && readings.all(|reading| self.covers_reading(call, place, inside, reading))
    }

    fn cover_from_top(
        &self,
        call: Call<'_>,
        place: &NamedPath,
        below_home: for<'t> fn(Call<'_>, &'t str) -> Option<&'t str>,
    ) -> bool {
        let scopes = self.scopes(call.ignores_case());
        if place.known(call).is_none() || (scopes.top.is_empty() && scopes.home.is_empty()) {
            return false;
        }
        let is_covered = |reading: &String| {
            let reading = reading.trim_start_matches('/');
            self.covers_reading(call, place, &scopes.top, reading)
                || below_home(call, reading)
                    .is_some_and(|below| self.covers_reading(call, place, &scopes.home, below))
        };
        place.from_top(call).is_some_and(|readings| !readings.is_empty() && readings.iter().all(is_covered))
    }

    /// Returns whether the call names a path, all of its paths are known, and each matches.
    pub fn match_all(&self, call: Call<'_>) -> bool {
        let places = call.places();
        let has_unknown =
            !places.unusable.is_empty() || !places.unknown.is_empty() || !places.partial.is_empty();
        !has_unknown
            && !places.found.is_empty()
            && places.found.iter().all(|place| self.allow_place(call, place))
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::event::PreToolUse;
    use hooks_core::testing::{FakeFileSystem, world};
    use hooks_core::{HookContext, HookRequest, PolicyErrors};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::calls::{CallReader, PathsConfig};

    proptest! {
        /// The loops of `find_place` find the first of all matches.
        #[test]
        fn the_first_of_all_matches_is_found(
            path in prop::collection::vec(
                "(src|a|b|link|up|out|Src|Ä|~|\u{0}|C:|\\.|\\.\\.|%2e|\\*|\\?|\\$X)?[/\\\\]{0,2}", 1..6,
            ).prop_map(|parts| parts.concat()),
            patterns in prop::collection::vec(
                "(\\*\\*/|~/|/|/repo/|)(src|a|b|\\*|\\*\\*|link)(/(src|a|b|\\*|\\*\\*)){0,2}/?", 1..6,
            ),
            is_command in any::<bool>(),
            case_insensitive in any::<bool>(),
        ) {
            let files = FakeFileSystem::default()
                .with_link("/repo/link", "src/a")
                .with_link("/repo/src/up", "../b")
                .with_link("/repo/out", "/home/ada");
            let (environment, ..) = world(files);
            let settings = PathsConfig { case_insensitive: Some(case_insensitive), ..PathsConfig::default() };
            let reader = CallReader::new(&settings, &[].into()).unwrap();
            let mut errors = PolicyErrors::default();
            let patterns = PathPatterns::compile(&patterns, "deny", &reader, &mut errors);
            let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
            let event = match is_command {
                true => PreToolUse::new("bash", json!({ "command": format!("rm {path}") })),
                false => PreToolUse::new("edit", json!({ "path": path })),
            };
            let request = HookRequest::new(context, event);
            let call = reader.read(&request);
            let places = call.places();
            for place in places.found.iter().chain(&places.partial) {
                let is_partial = place.is_partial();
                let pattern = |scope: &Scope, text: &str| match is_partial {
                    true => scope.meets(text),
                    false => scope.find(text),
                };
                let find = |scope: &Scope, text: &str| {
                    let short = text.trim_end_matches('/');
                    let short = (!short.is_empty()).then(|| pattern(scope, short)).flatten();
                    pattern(scope, text).into_iter().chain(short).min()
                };
                let inside = &patterns.scopes(call.ignores_case()).inside;
                let all = patterns.each_match(call, place, inside, find);
                prop_assert_eq!(
                    patterns.find_place(call, place),
                    all.min_by_key(|found| found.pattern),
                    "{:?}", place.given
                );
            }
        }
    }
}
