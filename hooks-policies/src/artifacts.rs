//! Named files and folders that a place is compared with: a file, a folder with everything below it, or a
//! glob.

use std::borrow::Cow;
use std::path::Path;

use hooks_facts::globs::{self, Gap, GlobOptions, Globs, PatternDialect, PatternError};

use hooks_facts::calls::{Call, Known, NamedPath};
use hooks_facts::tools::PathRole;

/// Compiled artifacts. Names are compared without regard to case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Artifacts {
    names: Vec<String>,
    /// Patterns relative to the root.
    relative: Patterns,
    /// Absolute patterns, without the first slash.
    absolute: Patterns,
    /// The relative patterns in any folder, for places outside of the root.
    outside: Patterns,
    /// The absolute patterns with a wildcard behind a plain folder: `/home/ada/log/*/x`. A folder below the plain one
    /// may contain what they are for.
    absolute_below: Patterns,
    /// Index of an artifact that stands for everything.
    everything: Option<usize>,
}

/// Artifact that is a place, or contains it.
#[derive(Debug)]
pub(crate) struct ArtifactMatch<'a> {
    pub(crate) artifact: &'a str,
    /// Reading of the place that matched.
    pub(crate) reading: String,
}

#[derive(Clone, Debug, Default)]
struct Patterns {
    globs: Globs,
    /// Index of the artifact of each pattern.
    owners: Vec<usize>,
    /// Whether all of them begin with a wildcard.
    is_floating: bool,
    /// Those that begin with a wildcard; a name with an unknown part has to name one of them.
    floating: Option<Box<Patterns>>,
    /// The others.
    anchored: Option<Box<Patterns>>,
}

impl Artifacts {
    /// Compiles names. If `anywhere` is set, a relative name also applies in any other folder, for agents
    /// that work in copies of the project. A name that is not a valid pattern stands for everything, which
    /// errs on the safe side.
    pub(crate) fn new<'a>(
        names: impl IntoIterator<Item = &'a str>,
        dialect: PatternDialect,
        anywhere: bool,
    ) -> Self {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        // Most lists are right, so each name is looked at alone only where not all of them can be compiled.
        Self::compile_patterns(&names, dialect, anywhere, |_| true)
            .or_else(|_| {
                Self::compile_patterns(&names, dialect, anywhere, |name| {
                    Self::problem_of(name, dialect).is_none()
                })
            })
            .unwrap_or_else(|_| Self { names, everything: Some(0), ..Self::default() })
    }

    /// Compiles those of the names that are patterns; any other stands for everything.
    fn compile_patterns(
        names: &[String],
        dialect: PatternDialect,
        anywhere: bool,
        is_pattern: impl Fn(&str) -> bool,
    ) -> Result<Self, Vec<PatternError>> {
        let (mut relative, mut absolute, mut outside) = (Vec::new(), Vec::new(), Vec::new());
        let mut everything = None;
        for (index, name) in names.iter().enumerate() {
            let trimmed = trimmed(name);
            if trimmed.is_empty() || !is_pattern(name) {
                everything.get_or_insert(index);
            } else if name.starts_with('/') {
                absolute.push((trimmed.to_owned(), index));
            } else {
                relative.push((trimmed.to_owned(), index));
                if anywhere {
                    let deep = (format!("**/{trimmed}"), index);
                    relative.push(deep.clone());
                    outside.push(deep);
                }
            }
        }
        let compiled = |names: &[(String, usize)]| Patterns::new(names, dialect, true);
        Ok(Self {
            relative: compiled(&relative)?,
            absolute: compiled(&absolute)?,
            outside: compiled(&outside)?,
            absolute_below: Patterns::new(&wild_below(&absolute), dialect, false)?,
            everything,
            names: names.to_vec(),
        })
    }

    /// Compiles names of folders, without the files in them. Names that are not valid patterns are left out.
    pub(crate) fn folders<'a>(names: impl IntoIterator<Item = &'a str>, dialect: PatternDialect) -> Self {
        let (mut relative, mut absolute) = (Vec::new(), Vec::new());
        let mut artifacts = Self::default();
        for (index, name) in names.into_iter().enumerate() {
            artifacts.names.push(name.to_owned());
            let trimmed = trimmed(name);
            if !trimmed.is_empty() && Self::problem_of(name, dialect).is_none() {
                let list = if name.starts_with('/') { &mut absolute } else { &mut relative };
                list.push((trimmed.to_owned(), index));
            }
        }
        // `problem_of` compiled each of them alone before, so nothing is lost here.
        artifacts.relative = Patterns::new(&relative, dialect, false).unwrap_or_default();
        artifacts.absolute = Patterns::new(&absolute, dialect, false).unwrap_or_default();
        artifacts
    }

    /// Returns the error of a name that is not a valid artifact, and advice.
    pub(crate) fn problem_of(name: &str, dialect: PatternDialect) -> Option<(String, String)> {
        if is_plain(name) {
            return None;
        }
        // Checks all patterns that are compiled later: a name may be just short enough, but too long with
        // `/**` appended.
        let pattern = folded(trimmed(name));
        let all = [pattern.to_string(), format!("**/{pattern}/**")];
        let errors = Globs::compile(all, &options(dialect)).err()?;
        let text = errors.first()?.problem.to_string();
        let (problem, hint) = text.split_once("; ").unwrap_or((&text, "check the pattern"));
        Some((format!("`{name}` cannot be used: {problem}"), hint.to_owned()))
    }

    /// Returns the first artifact that a place is, or may be, or is below. If the call changes everything
    /// below the place, also the first artifact below it.
    pub(crate) fn find(
        &self,
        call: Call<'_>,
        place: &NamedPath,
        known: &Known<'_>,
    ) -> Option<ArtifactMatch<'_>> {
        if let Some(index) = self.everything {
            return self.found(index, place.given.clone());
        }
        let below = place.reaches_any_below(call);
        let inside = known.below_root().map(|reading| (&self.relative, "", reading));
        let outside = known.elsewhere.iter().map(|reading| (&self.outside, top(reading), reading.as_str()));
        let from_top = if self.absolute.is_empty() { None } else { place.from_top(call) };
        let absolute = from_top
            .unwrap_or_default()
            .iter()
            .map(|reading| (&self.absolute, top(reading), reading.as_str()));
        let mut readings = inside.chain(outside).chain(absolute);
        let found = readings.find_map(|(patterns, top, given)| {
            let reading: &str = &folded(given);
            let is_anywhere = from_anywhere(place) && std::ptr::eq(patterns, &self.absolute);
            let index = if is_anywhere {
                patterns.named(reading)
            } else if place.is_partial() {
                patterns.meets(reading, below)
            } else {
                patterns.find(reading).or_else(|| below.then(|| patterns.below(reading)).flatten())
            };
            let is_absolute = std::ptr::eq(patterns, &self.absolute);
            let index = index.or_else(|| {
                (below && is_absolute && !place.is_file(call))
                    .then(|| self.absolute_below.may_be_below(reading))
                    .flatten()
            })?;
            self.found(index, globs::shown(&format!("{top}{given}")))
        });
        found.or_else(|| self.below_folder_by_name(call, place, known))
    }

    /// Returns the first artifact of any folder (`**/.claude/settings.json`) that is below a place by its name, as below `.claude`. If
    /// the call only removes the place, the artifact has to exist.
    fn below_folder_by_name(
        &self,
        call: Call<'_>,
        place: &NamedPath,
        known: &Known<'_>,
    ) -> Option<ArtifactMatch<'_>> {
        if !place.reaches_any_below(call) || place.is_partial() {
            return None;
        }
        let root = call.resolved_root().ok()?.real_path();
        let files = &call.request().context().environment.files;
        let exists = |path: String| !matches!(files.entry(Path::new(path.trim_end_matches('/'))), Ok(None));
        known.below_root().find_map(|given| {
            let folder = folded(given);
            let folder = folder.trim_end_matches('/');
            // `cp -r a b` makes `b/a` only in a folder that is there.
            let above = given.trim_end_matches('/').rsplit_once('/').map_or("", |(above, _)| above);
            if place.is_possible && !exists(format!("{root}/{above}")) {
                return None;
            }
            let is_above = |name: &String| {
                let rest = rest_in_folder(&folded(trimmed(name)), folder).map(str::to_owned);
                rest.is_some_and(|rest| {
                    place.role != PathRole::Removed || exists(format!("{root}/{given}/{rest}"))
                })
            };
            let index = self.names.iter().position(is_above)?;
            self.found(index, given.to_owned())
        })
    }

    /// Returns the first absolute artifact without wildcards that exists below a place.
    pub(crate) fn on_disk_below(&self, call: Call<'_>, place: &NamedPath) -> Option<&str> {
        let folders = place.from_top(call)?;
        let files = &call.request().context().environment.files;
        let root = call.resolved_root().ok()?.real_path().trim_end_matches('/');
        let from_top =
            |name: &str| if name.starts_with('/') { name.to_owned() } else { format!("{root}/{name}") };
        let is_there = |name: &&String| {
            let name = from_top(name);
            let is_below = |folder: &String| {
                let folder = folder.trim_matches('/');
                let rest = name.trim_start_matches('/').strip_prefix(folder);
                rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
            };
            folders.iter().any(is_below) && matches!(files.entry(Path::new(name.as_str())), Ok(Some(_)))
        };
        self.names.iter().filter(|name| is_plain(name)).find(is_there).map(String::as_str)
    }

    /// Returns the first artifact that is in the project. Of those for any folder, the one at the root is looked for; names with
    /// other wildcards are not.
    pub(crate) fn on_disk_in_root(&self, call: Call<'_>) -> Option<&str> {
        let root = call.resolved_root().ok()?.real_path().trim_end_matches('/');
        let files = &call.request().context().environment.files;
        let is_there = |name: &&String| {
            let plain = name.strip_prefix("**/").unwrap_or(name);
            let path = if plain.starts_with('/') { plain.to_owned() } else { format!("{root}/{plain}") };
            let is_inside = path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
            is_inside && is_plain(plain) && matches!(files.entry(Path::new(&path)), Ok(Some(_)))
        };
        self.names.iter().find(is_there).map(String::as_str)
    }

    /// Names of all artifacts.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the first artifact that a path is, or is below. `path` is absolute; `below_root` is its part below the
    /// root, if it is there.
    pub(crate) fn find_path(&self, path: &str, below_root: Option<&str>) -> Option<&str> {
        let relative = below_root.and_then(|path| self.relative.find(&folded(path)));
        let index = relative.or_else(|| self.absolute.find(&folded(path.trim_start_matches('/'))))?;
        self.names.get(index).map(String::as_str)
    }

    fn found(&self, index: usize, reading: String) -> Option<ArtifactMatch<'_>> {
        Some(ArtifactMatch { artifact: self.names.get(index)?, reading })
    }
}

/// Returns whether the name of a place begins with a variable.
fn from_anywhere(place: &NamedPath) -> bool {
    place.is_partial() && place.given.starts_with(Gap::Any.shown())
}

/// Returns what an artifact of any folder names in a folder, up to its first wildcard: `settings.json` for `**/.claude/settings.json` in
/// `src/.claude`. `None` if the folder's name is no part of the artifact's.
fn rest_in_folder<'n>(name: &'n str, folder: &str) -> Option<&'n str> {
    let tail = name.strip_prefix("**/")?;
    let end = tail.find(['*', '?', '{', '[']).unwrap_or(tail.len());
    let plain = tail.get(..end)?;
    let plain = if end < tail.len() { plain.rsplit_once('/').map_or("", |(plain, _)| plain) } else { plain };
    let mut ends =
        plain.match_indices('/').map(|(at, _)| at).chain((end < tail.len()).then_some(plain.len()));
    ends.find_map(|at| {
        let (head, rest) = (plain.get(..at).filter(|head| !head.is_empty())?, plain.get(at..)?);
        let is_head = folder.strip_suffix(head).is_some_and(|above| above.is_empty() || above.ends_with('/'));
        is_head.then(|| rest.trim_start_matches('/'))
    })
}

/// Returns the start that an absolute reading lacks: the first slash, unless it starts with a drive.
fn top(reading: &str) -> &'static str {
    if reading.as_bytes().get(1) == Some(&b':') { "" } else { "/" }
}

impl Patterns {
    /// With `below`, a name also stands for everything below it.
    fn new(
        artifacts: &[(String, usize)],
        dialect: PatternDialect,
        below: bool,
    ) -> Result<Self, Vec<PatternError>> {
        let mut patterns = Vec::with_capacity(artifacts.len() * 2);
        let mut owners = Vec::with_capacity(artifacts.len() * 2);
        for (artifact, owner) in artifacts {
            let below = below.then(|| format!("{artifact}/**"));
            for pattern in std::iter::once(artifact.clone()).chain(below) {
                patterns.push(pattern);
                owners.push(*owner);
            }
        }
        let patterns = patterns.iter().map(|pattern| folded(pattern));
        let globs = Globs::compile(patterns, &options(dialect))?;
        let floats = |(name, _): &&(String, usize)| name.starts_with("**/");
        let (mut floating, mut anchored) = (None, None);
        if artifacts.iter().any(|artifact| floats(&artifact)) {
            let list: Vec<_> = artifacts.iter().filter(floats).cloned().collect();
            if list.len() < artifacts.len() {
                let rest: Vec<_> = artifacts.iter().filter(|artifact| !floats(artifact)).cloned().collect();
                anchored = Some(Box::new(Self::new(&rest, dialect, below)?));
                floating = Some(Box::new(Self::new(&list, dialect, below)?));
            }
        }
        let is_floating = !artifacts.is_empty() && artifacts.iter().all(|artifact| floats(&artifact));
        Ok(Self { globs, owners, is_floating, floating, anchored })
    }

    fn find(&self, reading: &str) -> Option<usize> {
        self.owners.get(self.globs.find(reading.trim_end_matches('/'))?).copied()
    }

    /// Returns an artifact below a folder.
    fn below(&self, folder: &str) -> Option<usize> {
        self.owners.get(self.globs.find_below(folder)?).copied()
    }

    /// Returns an artifact that may be below a folder.
    fn may_be_below(&self, folder: &str) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let folder = folder.trim_end_matches('/');
        let anything = format!("{folder}/{}{}", Gap::Folders.stand_in(), Gap::Name.stand_in());
        self.owners.get(self.globs.meets(&anything, true)?).copied()
    }

    /// Returns an artifact that an outline may stand for; with `below`, also one that may be below it.
    ///
    /// A recursive search visits nearly every folder, so only the folders in which it starts count.
    fn meets(&self, outline: &str, below: bool) -> Option<usize> {
        if let (Some(floating), Some(anchored)) = (&self.floating, &self.anchored) {
            return anchored.meets(outline, below).or_else(|| floating.named(outline));
        }
        if self.is_floating {
            return self.named(outline);
        }
        let is_deep = |c: char| Gap::from_char(c).is_some_and(Gap::is_deep);
        let start = || {
            let known = outline.split(|c: char| Gap::from_char(c).is_some()).next().unwrap_or_default();
            known.rsplit_once('/').and_then(|(folder, _)| self.globs.find(folder))
        };
        let met = self.globs.meets(outline, !outline.contains(is_deep)).or_else(start);
        let index = met.or_else(|| below.then(|| self.globs.meets_below(outline)).flatten())?;
        self.owners.get(index).copied()
    }

    fn named(&self, outline: &str) -> Option<usize> {
        if self.is_empty() { None } else { self.owners.get(self.globs.names(outline)?).copied() }
    }

    fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }
}

/// Returns the names with a wildcard behind a plain folder, except those that stand for everything there.
fn wild_below(names: &[(String, usize)]) -> Vec<(String, usize)> {
    let is_wild = |text: &str| text.contains(['*', '?', '{']);
    let is_behind_a_folder = |name: &str| {
        let (first, rest) = name.split_once('/').unwrap_or((name, ""));
        !is_wild(first) && is_wild(rest.strip_suffix("/**").unwrap_or(rest))
    };
    names.iter().filter(|(name, _)| is_behind_a_folder(name)).cloned().collect()
}

fn options(dialect: PatternDialect) -> GlobOptions {
    GlobOptions { dialect, case_insensitive: false, root: None }
}

/// Longest name that is checked without compiling it.
const PLAIN_LENGTH: usize = 1024;

/// Returns whether a name obviously is an artifact: a path without any characters of patterns.
fn is_plain(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    // At least one character besides dots and slashes has to remain.
    name.len() <= PLAIN_LENGTH
        && name.bytes().all(is_letter)
        && name.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && !name.contains("..")
}

/// Returns a text in the form in which a case-insensitive file system compares it.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    // A loop without early exit lets the compiler check many bytes at once.
    let is_folded = |all: bool, byte: u8| all & byte.is_ascii() & !byte.is_ascii_uppercase();
    if text.bytes().fold(true, is_folded) {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Owned(text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect())
}

/// Returns the name in the form in which names are compared: without `./` and slashes at the start, and
/// without a slash at the end. Empty for the root.
pub(crate) fn trimmed(name: &str) -> &str {
    let mut name = name.trim_matches('/');
    while let Some(rest) = name.strip_prefix("./") {
        name = rest.trim_start_matches('/');
    }
    if name == "." { "" } else { name }
}
