//! List of path patterns as policies match them: in the dialect and the case that apply to a call.

use std::borrow::Cow;

use hooks_core::PolicyErrors;

use super::call::Call;
use super::disk;
use super::places::NamedPath;
use super::reader::CallReader;
use super::reads::ReadFile;
use crate::globs::{self, Gap, GlobOptions, Globs, PatternDialect, PatternError};

/// Compiled path patterns of a rule, in the dialect and the case of a [`CallReader`].
///
/// ```
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest, PolicyErrors, event::PreToolUse};
/// use hooks_facts::calls::{CallReader, PathPatterns};
/// use serde_json::json;
///
/// let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
/// let patterns = PathPatterns::compile(&["gen/**".to_owned()], "paths", &reader, &mut errors);
///
/// let (environment, ..) = world(FakeFileSystem::default());
/// let context = HookContext::new("s", "backend").in_dir("/repo").with_environment(environment);
/// let request = HookRequest::new(context, PreToolUse::new("edit", json!({"files": ["gen/a", "src/b"]})));
/// let call = reader.read(&request);
/// assert!(patterns.may_match(call)); // one of the paths matches
/// assert!(!patterns.match_all(call));
/// ```
///
/// A pattern is relative to the root, absolute, or begins with `~/`, which stands for the home of any user. A pattern that
/// begins with `**/` matches outside of the root too, unless the list is for files that are [allowed](Self::allowing).
#[derive(Clone, Debug, Default)]
pub struct PathPatterns {
    /// Whether a back slash in a path counts as a slash.
    slashes: bool,
    exact: Scopes,
    folded: Scopes,
    texts: Vec<String>,
}

/// Patterns by the folder that they are relative to.
#[derive(Clone, Debug, Default)]
struct Scopes {
    /// Relative to the root.
    inside: Scope,
    /// Those of them that begin with a name, and not with a wildcard.
    anchored: Scope,
    /// From the top of the file system.
    top: Scope,
    /// Those of them that begin with a wildcard.
    floating: Scope,
    /// Relative to the home of a user.
    home: Scope,
}

#[derive(Clone, Debug, Default)]
struct Scope {
    globs: Globs,
    /// Index of each pattern in the list of the rule.
    owners: Vec<usize>,
}

/// Pattern that matches a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceMatch {
    /// Index of the pattern in its list.
    pub pattern: usize,
    /// Reading of the place that matches.
    pub reading: String,
}

impl PathPatterns {
    /// Compiles `patterns` of files that a rule is about, wherever they are; each that cannot be used is reported as an item of
    /// `field`.
    pub fn compile(patterns: &[String], field: &str, reader: &CallReader, errors: &mut PolicyErrors) -> Self {
        Self::compile_in(patterns, true, field, reader, errors)
    }

    /// Compiles `patterns` of files that are allowed: relative ones only match below the root.
    ///
    /// ```
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_core::{HookContext, HookRequest, PolicyErrors, event::PreToolUse};
    /// use hooks_facts::calls::{CallReader, PathPatterns};
    /// use serde_json::json;
    ///
    /// let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
    /// let patterns = ["**/*.md".to_owned(), "/tmp/**".to_owned()];
    /// let allowed = PathPatterns::allowing(&patterns, "allow", &reader, &mut errors);
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    /// let is_allowed = |path: &str| {
    ///     let request = HookRequest::new(context.clone(), PreToolUse::new("edit", json!({ "path": path })));
    ///     let call = reader.read(&request);
    ///     allowed.allow_place(call, &call.places().found[0])
    /// };
    /// assert!(is_allowed("docs/a.md") && is_allowed("/tmp/a"));
    /// assert!(!is_allowed("/srv/a.md"));
    /// ```
    pub fn allowing(
        patterns: &[String],
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        Self::compile_in(patterns, false, field, reader, errors)
    }

    fn compile_in(
        patterns: &[String],
        is_wherever: bool,
        field: &str,
        reader: &CallReader,
        errors: &mut PolicyErrors,
    ) -> Self {
        let dialect = reader.dialect();
        let mut compiled = |case_insensitive| {
            let options =
                GlobOptions { dialect, case_insensitive, root: reader.fixed_root().map(str::to_owned) };
            Scopes::compile(patterns, is_wherever, &options).unwrap_or_else(|bad| {
                for error in bad {
                    let field = format!("{field}[{}]", error.index);
                    if errors.as_slice().iter().all(|known| known.field != field) {
                        errors.push_text(field, &error.problem.to_string(), "check the pattern");
                    }
                }
                Scopes::default()
            })
        };
        // If only the call determines the case, both sets are compiled.
        let wanted = reader.case_insensitive();
        Self {
            slashes: dialect == PatternDialect::Squad,
            exact: if wanted == Some(true) { Scopes::default() } else { compiled(false) },
            folded: if wanted == Some(false) { Scopes::default() } else { compiled(true) },
            texts: patterns.to_vec(),
        }
    }

    /// Returns the index of the first pattern that matches a reading.
    pub fn find(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.find(&self.written(reading))
    }

    /// Returns the first pattern that matches something below the folder `reading`: removing the folder
    /// removes it too.
    pub fn find_below(&self, reading: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.find_below(&self.written(reading))
    }

    /// Returns whether one pattern matches everything that an outline may stand for.
    pub fn covers(&self, outline: &str, case_insensitive: bool) -> bool {
        self.scopes(case_insensitive).inside.globs.covers(&self.outlined(outline, case_insensitive))
    }

    /// Returns the first pattern that matches something that an outline may stand for.
    pub fn meets(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.meets(&self.outlined(outline, case_insensitive))
    }

    /// Returns the first pattern that matches something below a folder that an outline may stand for.
    pub fn meets_below(&self, outline: &str, case_insensitive: bool) -> Option<usize> {
        self.scopes(case_insensitive).inside.meets_below(&self.outlined(outline, case_insensitive))
    }

    /// Returns a reading as the patterns are compared with it.
    fn compared<'r>(&self, reading: &'r str, call: Call<'_>, is_partial: bool) -> Cow<'r, str> {
        if is_partial { self.outlined(reading, call.ignores_case()) } else { self.written(reading) }
    }

    fn outlined<'r>(&self, outline: &'r str, case_insensitive: bool) -> Cow<'r, str> {
        let written = self.written(outline);
        if case_insensitive { Cow::Owned(globs::folded(&written)) } else { written }
    }

    fn scopes(&self, case_insensitive: bool) -> &Scopes {
        if case_insensitive { &self.folded } else { &self.exact }
    }

    /// Returns a reading with the separators that the patterns use.
    fn written<'r>(&self, reading: &'r str) -> Cow<'r, str> {
        if self.slashes && reading.contains('\\') {
            Cow::Owned(reading.replace('\\', "/"))
        } else {
            Cow::Borrowed(reading)
        }
    }

    /// Returns a pattern as the operator wrote it.
    pub fn text(&self, index: usize) -> &str {
        self.texts.get(index).map_or("", String::as_str)
    }

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

    /// Returns the first pattern that a place matches, or may match; `None` also if the place is not known.
    pub fn find_place(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let known = place.known(call)?;
        let scopes = self.scopes(call.ignores_case());
        let is_partial = place.is_partial();
        let found = |scope: &Scope, reading: &str| {
            let text = self.compared(reading, call, is_partial);
            let pattern = |text: &str| if is_partial { scope.meets(text) } else { scope.find(text) };
            // `src/` is the folder `src`.
            let short = text.trim_end_matches('/');
            let shorter = (short.len() < text.len() && !short.is_empty()).then(|| pattern(short)).flatten();
            let pattern = pattern(&text).into_iter().chain(shorter).min()?;
            Some(PlaceMatch { pattern, reading: reading.to_owned() })
        };
        let inside = known.below_root().filter_map(|reading| found(&scopes.inside, reading));
        let first = inside.min_by_key(|found| found.pattern);
        if scopes.top.is_empty() && scopes.home.is_empty() {
            return first;
        }
        let outside = each_outside(call, place).filter_map(|from| match from {
            Outside::Top(reading) => found(&scopes.top, &reading),
            Outside::Home(reading) => found(&scopes.home, &reading),
        });
        first.into_iter().chain(outside).min_by_key(|found| found.pattern)
    }

    /// Returns the pattern that a file which a call reads matches, or that something in a folder which is read matches. The files
    /// of a folder are those on the disk; a folder that cannot be listed has those that patterns name from the folder on.
    pub fn find_read(&self, call: Call<'_>, read: &ReadFile<'_>) -> Option<PlaceMatch> {
        let place = read.place;
        if place.is_partial() {
            return self.find_partial_read(call, place);
        }
        if let Some(found) = self.find_place(call, place).or_else(|| self.find_around(call, place)) {
            return Some(found);
        }
        if !read.is_tree(call) {
            return None;
        }
        match self.find_on_disk(call, place, "") {
            OnDisk::Found(found) => Some(found),
            OnDisk::Nothing => None,
            OnDisk::Unknown => self.find_beginning_below(call, place),
        }
    }

    /// Returns the pattern that a partly known place names.
    fn find_named(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let known = place.known(call)?;
        let scopes = self.scopes(call.ignores_case());
        let found = |scope: &Scope, reading: &str| {
            let pattern = scope.names(&self.compared(reading, call, true))?;
            Some(PlaceMatch { pattern, reading: reading.to_owned() })
        };
        known.below_root().find_map(|reading| found(&scopes.inside, reading)).or_else(|| {
            if scopes.top.is_empty() && scopes.home.is_empty() {
                return None;
            }
            each_outside(call, place).find_map(|from| match from {
                Outside::Top(reading) => found(&scopes.top, &reading),
                Outside::Home(reading) => found(&scopes.home, &reading),
            })
        })
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

    /// Returns a pattern that stands for everything in a folder.
    fn find_around(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let scopes = self.scopes(call.ignores_case());
        let known = place.known(call)?;
        let found = |scope: &Scope, reading: &str| {
            let reading = reading.trim_matches('/');
            if reading.is_empty() {
                return None;
            }
            let text = format!("{reading}/{ANYTHING}");
            Some(PlaceMatch { pattern: scope.find(&text)?, reading: reading.to_owned() })
        };
        known.below_root().find_map(|reading| found(&scopes.inside, reading)).or_else(|| {
            if scopes.top.is_empty() && scopes.home.is_empty() {
                return None;
            }
            each_outside(call, place).find_map(|from| match from {
                Outside::Top(reading) => found(&scopes.top, &reading),
                Outside::Home(reading) => found(&scopes.home, &reading),
            })
        })
    }

    /// A name with an unknown part is only compared as far as it is specific: `*` in any folder is any file.
    fn find_partial_read(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let outline = place.outline()?;
        let is_deep = |c: char| Gap::from_char(c).is_some_and(Gap::is_deep);
        let scopes = self.scopes(call.ignores_case());
        let Some((start, last)) = outline.rsplit_once(is_deep) else { return self.find_named(call, place) };
        let text = self.compared(outline, call, true);
        let of = |pattern| PlaceMatch { pattern, reading: outline.to_owned() };
        if let Some(pattern) = scopes.floating.names(&text) {
            return Some(of(pattern));
        }
        if outline.contains(Gap::Any.stand_in()) {
            // Of a name that begins with a variable, the known rest may be below any folder.
            let rest = self.compared(last.trim_start_matches('/'), call, true);
            let begins = outline.starts_with(Gap::Any.stand_in());
            let found = begins.then(|| scopes.home.names(&rest).or_else(|| scopes.anchored.names(&rest)));
            let found = found.flatten().or_else(|| scopes.floating.names(&rest));
            return found.map(of).or_else(|| self.find_named(call, place));
        }
        // What a search finds below a folder.
        let folder = start.trim_end_matches('/');
        let folder = if start.starts_with('/') && folder.is_empty() { "/" } else { folder };
        let folder = if folder.is_empty() { "." } else { folder };
        if folder.contains(|c| Gap::from_char(c).is_some()) {
            return self.find_named(call, place);
        }
        let folder = NamedPath::named(call, &place.pointer, folder.to_owned(), place.role, false);
        let met = || {
            let known = place.known(call)?;
            let mut inside = known.below_root();
            let inside =
                inside.find_map(|reading| scopes.anchored.meets(&self.compared(reading, call, true)));
            inside.or_else(|| {
                each_outside(call, place).find_map(|from| match from {
                    Outside::Top(_) => None,
                    Outside::Home(reading) => scopes.home.meets(&self.compared(&reading, call, true)),
                })
            })
        };
        match self.find_on_disk(call, &folder, last) {
            OnDisk::Found(found) => Some(found),
            OnDisk::Nothing => None,
            OnDisk::Unknown => met().map(of),
        }
    }

    /// Returns a pattern for something below a folder: one that begins there, or that stands for everything in it.
    fn find_beginning_below(&self, call: Call<'_>, place: &NamedPath) -> Option<PlaceMatch> {
        let known = place.known(call)?;
        let scopes = self.scopes(call.ignores_case());
        let found = |scope: &Scope, reading: &str| {
            let text = self.compared(reading, call, false);
            let anything = format!("{}/{ANYTHING}", text.trim_end_matches('/'));
            let pattern = scope.find_below(&text).or_else(|| scope.find(anything.trim_start_matches('/')))?;
            Some(PlaceMatch { pattern, reading: reading.to_owned() })
        };
        let inside = known.below_root().find_map(|reading| found(&scopes.anchored, reading));
        inside.or_else(|| {
            if scopes.top.is_empty() && scopes.home.is_empty() {
                return None;
            }
            let readings = place.from_top(call).unwrap_or_default();
            let above = readings.iter().find(|reading| is_above_a_home(call, reading));
            if let Some(reading) = above
                && let Some(pattern) = scopes.home.owners.first()
            {
                return Some(PlaceMatch { pattern: *pattern, reading: reading.clone() });
            }
            each_outside(call, place).find_map(|from| match from {
                Outside::Top(reading) => found(&scopes.top, &reading).filter(|it| !self.floats(it.pattern)),
                Outside::Home(reading) => found(&scopes.home, &reading),
            })
        })
    }

    fn floats(&self, pattern: usize) -> bool {
        self.texts.get(pattern).is_some_and(|text| begins_with_wildcard(text))
    }

    /// Looks on the disk for a file below a folder that a pattern matches.
    fn find_on_disk(&self, call: Call<'_>, folder: &NamedPath, name: &str) -> OnDisk {
        let Some(start) = folder.from_top(call).and_then(<[String]>::first) else { return OnDisk::Unknown };
        let Some(below) = disk::below(call, &format!("/{}", start.trim_matches('/'))) else {
            return OnDisk::Unknown;
        };
        let scopes = self.scopes(call.ignores_case());
        let files = below.files.iter().map(|file| file.trim_start_matches('/'));
        let mut files = files.filter(|file| name.is_empty() || disk::is_found(name, file));
        let found = files.find_map(|file| {
            let text = self.compared(file, call, false);
            let inside = || scopes.inside.find(&self.compared(call.root().strip(file)?, call, false));
            let home = || scopes.home.find(below_home(call, file)?);
            let pattern = scopes.top.find(&text).or_else(inside).or_else(home)?;
            Some(PlaceMatch { pattern, reading: format!("/{file}") })
        });
        match found {
            Some(found) => OnDisk::Found(found),
            None if below.is_all => OnDisk::Nothing,
            None => OnDisk::Unknown,
        }
    }

    /// Returns whether patterns match every reading of a place, wherever it is.
    pub fn allow_everywhere(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let scopes = self.scopes(call.ignores_case());
        let is_partial = place.is_partial();
        let covers = |scope: &Scope, reading: &str| {
            let text = self.compared(reading, call, is_partial);
            if is_partial { scope.globs.covers(&text) } else { scope.find(&text).is_some() }
        };
        let Some(known) = place.known(call) else { return false };
        let mut inside = known.below_root().peekable();
        if inside.peek().is_some() && inside.all(|reading| covers(&scopes.inside, reading)) {
            return true;
        }
        let is_covered = |reading: &String| {
            let reading = reading.trim_start_matches('/');
            covers(&scopes.top, reading)
                || below_home(call, reading).is_some_and(|below| covers(&scopes.home, below))
        };
        place.from_top(call).is_some_and(|readings| !readings.is_empty() && readings.iter().all(is_covered))
    }

    /// Returns whether a pattern that begins with `**/` or a slash matches an absolute path.
    pub fn find_path(&self, path: &str, case_insensitive: bool) -> bool {
        self.scopes(case_insensitive).top.find(&self.written(path.trim_start_matches('/'))).is_some()
    }

    /// Returns the first pattern that matches an absolute path in a root and below one of some homes, without a call. The
    /// path must be in normal form and without links.
    ///
    /// ```
    /// use hooks_core::PolicyErrors;
    /// use hooks_facts::calls::{CallReader, PathPatterns};
    ///
    /// let patterns = ["src/**".to_owned(), "**/.env".to_owned(), "~/.ssh/**".to_owned()];
    /// let (reader, mut errors) = (CallReader::default(), PolicyErrors::default());
    /// let patterns = PathPatterns::compile(&patterns, "deny", &reader, &mut errors);
    /// let find = |path| patterns.find_at(path, "/repo", &["/home/ada"], false);
    /// assert_eq!(find("/repo/src/a.rs"), Some(0));
    /// assert_eq!((find("/repo/api/.env"), find("/srv/.env")), (Some(1), Some(1)));
    /// assert_eq!(find("/home/ada/.ssh/id"), Some(2));
    /// assert_eq!(find("/home/ada/src/a.rs"), None);
    /// ```
    pub fn find_at(&self, path: &str, root: &str, homes: &[&str], case_insensitive: bool) -> Option<usize> {
        let scopes = self.scopes(case_insensitive);
        let path = self.written(path);
        let below = |folder: &str| {
            let rest = path.strip_prefix(folder.trim_end_matches('/'))?.strip_prefix('/')?;
            (!rest.is_empty()).then_some(rest)
        };
        let top = scopes.top.find(path.trim_start_matches('/'));
        let inside = below(root).and_then(|rest| scopes.inside.find(rest));
        let home = homes.iter().filter_map(|home| scopes.home.find(below(home)?)).min();
        top.into_iter().chain(inside).chain(home).min()
    }

    /// Returns whether patterns match every reading of a place, as an allowed place has to.
    pub fn allow_place(&self, call: Call<'_>, place: &NamedPath) -> bool {
        let Some(known) = place.known(call) else { return false };
        let scopes = self.scopes(call.ignores_case());
        let is_partial = place.is_partial();
        let covers = |scope: &Scope, reading: &str| {
            let text = self.compared(reading, call, is_partial);
            if is_partial { scope.globs.covers(&text) } else { scope.find(&text).is_some() }
        };
        if place.resolution.is_ok() {
            let mut inside = known.below_root().peekable();
            if inside.peek().is_some() && inside.all(|reading| covers(&scopes.inside, reading)) {
                return true;
            }
        }
        if scopes.top.is_empty() && scopes.home.is_empty() {
            return false;
        }
        let home = call.request().context().environment.home.as_deref().map(|home| home.trim_matches('/'));
        let is_allowed = |reading: &String| {
            let below = home.and_then(|home| reading.strip_prefix(home)?.strip_prefix('/'));
            covers(&scopes.top, reading) || below.is_some_and(|below| covers(&scopes.home, below))
        };
        place.from_top(call).is_some_and(|readings| !readings.is_empty() && readings.iter().all(is_allowed))
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

    /// Returns the first patterns as text for a reason.
    pub fn summary(&self) -> String {
        const SHOWN: usize = 5;
        let shown: Vec<_> = self.texts.iter().take(SHOWN).map(|text| format!("`{text}`")).collect();
        let more = self.texts.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{rest}", shown.join(", "))
    }

    /// Returns the number of patterns.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Result of a search on the disk.
enum OnDisk {
    Found(PlaceMatch),
    /// No file matches.
    Nothing,
    /// The files cannot be listed, or there are too many.
    Unknown,
}

/// Name of a file that no pattern names.
const ANYTHING: char = '\u{F8FF}';

impl Scopes {
    fn compile(
        patterns: &[String],
        is_wherever: bool,
        options: &GlobOptions,
    ) -> Result<Self, Vec<PatternError>> {
        if options.dialect == PatternDialect::Squad {
            let all: Vec<_> = patterns.iter().map(String::as_str).enumerate().collect();
            let inside = Scope::compile(&all, options)?;
            return Ok(Self { anchored: inside.clone(), inside, ..Self::default() });
        }
        let (mut inside, mut anchored, mut top, mut floating, mut home) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let root = options.root.as_deref().unwrap_or_default().trim_end_matches('/');
        for (index, pattern) in patterns.iter().enumerate() {
            let below = pattern.strip_prefix("~/");
            let is_below_root = |rest: &str| !root.is_empty() && rest.starts_with('/');
            if let Some(below) = below {
                home.push((index, below));
            } else if pattern.starts_with('/') {
                if pattern.strip_prefix(root).is_some_and(is_below_root) {
                    inside.push((index, pattern.as_str()));
                    anchored.push((index, pattern.as_str()));
                }
                top.push((index, pattern.trim_start_matches('/')));
            } else {
                inside.push((index, pattern.as_str()));
                let floats = begins_with_wildcard(pattern);
                if !floats {
                    anchored.push((index, pattern.as_str()));
                } else if is_wherever {
                    floating.push((index, pattern.as_str()));
                    top.push((index, pattern.as_str()));
                }
            }
        }
        let absolute = GlobOptions { root: None, ..options.clone() };
        let mut errors = Vec::new();
        let mut scope = |patterns: &[(usize, &str)], options: &GlobOptions| {
            Scope::compile(patterns, options).unwrap_or_else(|bad| {
                errors.extend(bad);
                Scope::default()
            })
        };
        let compiled = Self {
            inside: scope(&inside, options),
            anchored: scope(&anchored, options),
            top: scope(&top, &absolute),
            floating: scope(&floating, &absolute),
            home: scope(&home, &absolute),
        };
        if errors.is_empty() { Ok(compiled) } else { Err(errors) }
    }
}

impl Scope {
    fn compile(patterns: &[(usize, &str)], options: &GlobOptions) -> Result<Self, Vec<PatternError>> {
        let owners: Vec<usize> = patterns.iter().map(|(index, _)| *index).collect();
        let globs = Globs::compile(patterns.iter().map(|(_, text)| text), options);
        let owned = |mut error: PatternError| {
            error.index = owners.get(error.index).copied().unwrap_or(error.index);
            error
        };
        let globs = globs.map_err(|bad| bad.into_iter().map(owned).collect::<Vec<_>>())?;
        Ok(Self { globs, owners })
    }

    fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    fn owner(&self, index: Option<usize>) -> Option<usize> {
        self.owners.get(index?).copied()
    }

    fn find(&self, reading: &str) -> Option<usize> {
        self.owner(self.globs.find(reading))
    }

    fn find_below(&self, folder: &str) -> Option<usize> {
        self.owner(self.globs.find_below(folder))
    }

    fn meets(&self, outline: &str) -> Option<usize> {
        if self.is_empty() { None } else { self.owner(self.globs.meets(outline, true)) }
    }

    fn names(&self, outline: &str) -> Option<usize> {
        if self.is_empty() { None } else { self.owner(self.globs.names(outline)) }
    }

    fn meets_below(&self, outline: &str) -> Option<usize> {
        if self.is_empty() { None } else { self.owner(self.globs.meets_below(outline)) }
    }
}

/// A reading outside of the root, or of any file as seen from outside.
enum Outside {
    /// From the top of the file system, without the first slash.
    Top(String),
    /// From the home of a user.
    Home(String),
}

/// Returns the readings of a place from the top and from the home folders that it is in.
fn each_outside<'a>(call: Call<'a>, place: &'a NamedPath) -> impl Iterator<Item = Outside> + 'a {
    let readings = place.from_top(call).unwrap_or_default();
    readings.iter().flat_map(move |reading| {
        let below = below_home(call, reading).map(|below| Outside::Home(below.to_owned()));
        std::iter::once(Outside::Top(reading.trim_start_matches('/').to_owned())).chain(below)
    })
}

/// Returns the part of a reading below the home of a user: the one of this process, or one where systems have them.
fn below_home<'t>(call: Call<'_>, reading: &'t str) -> Option<&'t str> {
    let reading = reading.trim_start_matches('/');
    let own = call.request().context().environment.home.as_deref().map(|home| home.trim_matches('/'));
    let below = |home: &str| {
        let rest = reading.strip_prefix(home)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    };
    if let Some(rest) = own.filter(|home| !home.is_empty()).and_then(below) {
        return Some(rest);
    }
    if let Some(rest) = below("root").or_else(|| below("var/root")) {
        return Some(rest);
    }
    let rest =
        ["home/", "Users/", "users/", "export/home/"].iter().find_map(|folder| reading.strip_prefix(folder));
    let drive = || reading.get(1..)?.strip_prefix(":/")?.strip_prefix("Users/");
    let user = rest.or_else(drive)?;
    Some(user.split_once('/').map_or("", |(_, rest)| rest)).filter(|_| !user.is_empty())
}

/// Returns whether a folder contains the home of the user, or the homes of all users.
fn is_above_a_home(call: Call<'_>, reading: &str) -> bool {
    let folder = reading.trim_matches('/');
    let own = call.request().context().environment.home.as_deref().map(|home| home.trim_matches('/'));
    let holds = |home: &str| {
        let rest = home.strip_prefix(folder);
        folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    };
    own.is_some_and(holds) || matches!(folder, "" | "home" | "Users")
}

/// Returns whether the first part of a pattern has a wildcard, so that it begins in no certain folder.
fn begins_with_wildcard(pattern: &str) -> bool {
    let first = pattern.trim_start_matches("./").split('/').next().unwrap_or_default();
    first == "**"
}
