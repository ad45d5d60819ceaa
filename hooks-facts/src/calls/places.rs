//! Resolved files that a call names.

use std::borrow::Cow;
use std::sync::OnceLock;

use hooks_core::fs::{EntryKind, FileSystem};

use crate::commands::{Access, AccessKind, Unresolved, UnresolvedReason};
use crate::globs::{self, Gap};
use crate::paths::{PathError, Reading, Resolution, ResolvedRoot, Resolver};
use crate::tools::{PathArgument, PathRole, ToolKind, WorkingFolder, each_path};

use super::call::Call;
use super::commands::ParsedCommand;
use super::disk::{self, OnDisk, Wanted};
use super::line_breaks::{self, RealNames};
use super::root::Root;
use crate::globs::PatternDialect;

/// Files of a call.
///
/// Files that a command writes; names with an unknown part are listed separately:
///
/// ```
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
/// use hooks_facts::calls::CallReader;
/// use serde_json::json;
///
/// let (environment, ..) = world(FakeFileSystem::default());
/// let context = HookContext::new("s", "Backend").in_dir("/repo").with_environment(environment);
/// let command = "cd build && echo done > status.txt; rm *.log; cat x > $TARGET";
/// let request = HookRequest::new(context, PreToolUse::new("bash", json!({ "command": command })));
/// let reader = CallReader::default();
/// let places = reader.read(&request).places();
/// let written = places.found.iter().filter(|place| place.is_written());
/// let given: Vec<_> = written.map(|place| &*place.given).collect();
/// assert_eq!(given, ["build/status.txt"]);
/// assert_eq!(places.partial[0].given, "build/*.log");
/// ```
#[derive(Debug, Default)]
pub struct NamedPaths {
    /// Every file.
    pub found: Vec<NamedPath>,
    /// Files of commands with partly known names: `rm *.log`.
    pub partial: Vec<NamedPath>,
    /// JSON pointers to path arguments that are present but not text.
    pub unusable: Vec<String>,
    /// JSON pointers to commands that write to a file whose name is not known before running.
    pub unknown: Vec<String>,
    /// Targets of redirections with partly known names. Each is among the unknown ones too.
    pub redirected: Vec<NamedPath>,
    /// Names such as `src/*` that a command removes, all of them: beside the existing files in `found`, they show that a folder
    /// is emptied.
    pub emptied: Vec<NamedPath>,
    /// Whether the call names no file.
    pub is_missing: bool,
    /// Number of the unknown ones whose partly known names are in `redirected`.
    seen_unknown: usize,
}

/// One file of a call.
#[derive(Debug)]
pub struct NamedPath {
    /// JSON pointer to the argument that names the file.
    pub pointer: Cow<'static, str>,
    /// Name as the call gives it.
    pub given: String,
    /// Effect of the call on the file.
    pub role: PathRole,
    /// Whether the effect depends on the file system: `cp a b` writes `b/a` if `b` is a folder.
    pub is_possible: bool,
    /// Whether files are put into a folder, which itself stays: `git restore src`.
    pub fills: bool,
    /// Whether a folder gets files of one program's own kinds alone: `black .`, `tsc --outDir .`.
    pub is_generated: bool,
    /// Whether files are stashed that git does not track, and no others: `git stash -u`.
    pub is_untracked: bool,
    /// Whether a folder is filled from an archive or a patch that does not exist yet.
    pub is_awaited: bool,
    /// Whether the name identifies no file: it starts with a variable, and the rest has no name or contains
    /// `..`.
    pub is_nameless: bool,
    /// Name with stand-ins for its unknown parts.
    outline: Option<String>,
    /// Name with the user's home in the place of `~`.
    full: Option<String>,
    /// Whether percent-encoding of the name may be decoded.
    is_encoded: bool,
    /// Every plausible reading below the root; if the name is partly known, with stand-ins.
    pub resolution: Result<Resolution, PathError>,
    elsewhere: OnceLock<Option<FromTop>>,
}

/// A file as seen from the file system's root.
#[derive(Debug)]
struct FromTop {
    /// Readings without the first slash.
    readings: Vec<String>,
    kind: Option<EntryKind>,
    /// Number of names of the existing file.
    names: u64,
}

/// Known locations of a file.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    inside: &'a [Reading],
    /// Readings from the file system's root, without the first slash. Empty if the file is below the root.
    pub elsewhere: &'a [String],
    is_partial: bool,
    root: &'a Root,
}

/// Most partly known names; with more, their names count as unknown.
const MAX_PARTIAL: usize = 64;

/// Files that every command may write to, because they store nothing.
const SINKS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

impl NamedPaths {
    pub(super) fn from_call(call: Call<'_>) -> Self {
        if call.kind().runs_commands() { Self::of_commands(call) } else { Self::of_arguments(call) }
    }

    fn of_arguments(call: Call<'_>) -> Self {
        let kind = match call.kind() {
            ToolKind::Unknown if call.writes_files() => ToolKind::WriteFile,
            kind => kind,
        };
        let folder = WorkingFolder::of_file_tool(call.arguments());
        let (mut found, mut written) = (Vec::<NamedPath>::new(), None::<usize>);
        let mut unusable = each_path(kind, call.arguments(), |argument| {
            let PathArgument { pointer, text, role, .. } = argument;
            // Most calls name one.
            if found.is_empty() {
                found = Vec::with_capacity(1);
            }
            let link = written.and_then(|at| found.get(at)).filter(|_| role == PathRole::LinkTarget);
            let target = link.and_then(|link| beside(&link.given, &text));
            if role == PathRole::Written {
                written = Some(found.len());
            }
            let text = target.unwrap_or(text);
            let moved = folder.of_name(&text).map(|moved| NamedPath::new(call, pointer.clone(), moved, role));
            found.push(NamedPath::new(call, pointer, text, role));
            found.extend(moved);
        });
        if let Some(unlisted) = call.unlisted() {
            // An object below a usual key may have the names of files as its keys.
            unusable.retain(|pointer| {
                !unlisted.found.iter().any(|path| path.pointer.starts_with(pointer.as_str()))
            });
            unusable.extend(unlisted.unusable.iter().cloned());
            let paths = unlisted.found.iter().cloned();
            found.extend(paths.map(|path| NamedPath::new(call, path.pointer, path.text, path.role)));
        }
        let is_missing = found.is_empty() && unusable.is_empty();
        Self { found, unusable, unknown: folder.unusable, is_missing, ..Self::default() }
    }

    /// Returns the files that the commands of a call write to.
    pub(super) fn of_commands(call: Call<'_>) -> Self {
        let mut places = Self::default();
        let folder = WorkingFolder::of_command_tool(call.arguments());
        for command in &call.commands().found {
            let is_unreadable = |it: &Unresolved| {
                matches!(
                    it.reason,
                    UnresolvedReason::Unreadable(_) | UnresolvedReason::TooComplex | UnresolvedReason::Text
                )
            };
            if command.analysis.unresolved.iter().any(is_unreadable) {
                places.unknown.push(command.pointer.clone());
            }
            for write in command.analysis.writes() {
                // The archive may be in the folder that an argument sets.
                let is_moved = folder.is_given();
                if !is_moved && let Some(names) = disk::unpacked(call, &command.analysis, write) {
                    for name in names {
                        places.found.push(NamedPath::named(
                            call,
                            &command.pointer,
                            name,
                            PathRole::Written,
                            false,
                        ));
                    }
                    continue;
                }
                if let Some(names) = found_on_disk(call, command, write, &folder) {
                    places.empty(call, command, write, &folder);
                    let named = |name| NamedPath::of_write(call, command, write, name, false);
                    places.found.extend(names.into_iter().map(named));
                    continue;
                }
                match write.target.literal() {
                    Some(target) if is_sink(target) => {}
                    Some(target) => {
                        let moved = folder.of_name(target);
                        for target in std::iter::once(target.to_owned()).chain(moved) {
                            places.found.push(NamedPath::of_write(call, command, write, target, false));
                        }
                    }
                    // Of a redirection to a variable, nothing may be known.
                    None if (write.kind != AccessKind::Redirected || !has_unknown_part(write))
                        && places.partial.len() < MAX_PARTIAL =>
                    {
                        let outline = write.target.outline();
                        let moved = folder.of_name(&outline);
                        for outline in std::iter::once(outline).chain(moved) {
                            places.partial.push(NamedPath::of_write(call, command, write, outline, true));
                        }
                    }
                    None => {
                        places.unknown.push(command.pointer.clone());
                        if write.kind == AccessKind::Redirected {
                            places.redirect(call, command, write, &folder);
                        }
                    }
                }
            }
        }
        if !(places.found.is_empty() && places.partial.is_empty()) {
            places.unknown.extend(folder.unusable);
        }
        places
    }
}

impl NamedPaths {
    /// Enters the partly known target of a redirection. A part that may have slashes may lead anywhere, so what is known of the
    /// name counts in any folder too.
    fn redirect(
        &mut self,
        call: Call<'_>,
        command: &ParsedCommand,
        write: &Access,
        folder: &WorkingFolder<'_>,
    ) {
        let any = Gap::Any.stand_in();
        let outline = write.target.outline().replace(Gap::Listed.stand_in(), any.encode_utf8(&mut [0; 4]));
        let end = outline.rsplit_once(any).map(|(_, end)| end);
        let is_known = |end: &str| end.contains(|c: char| Gap::from_char(c).is_none() && c.is_alphanumeric());
        if self.redirected.len() >= MAX_PARTIAL || end.is_some_and(|end| !is_known(end)) {
            return;
        }
        let anywhere = end.map(|end| format!("{any}{end}"));
        let names = folder.of_name(&outline).into_iter().chain(anywhere).chain([outline]);
        self.redirected.extend(names.map(|name| NamedPath::of_write(call, command, write, name, true)));
        self.seen_unknown += 1;
    }

    /// Enters a name that stands for everything in a folder which a command removes.
    fn empty(&mut self, call: Call<'_>, command: &ParsedCommand, write: &Access, folder: &WorkingFolder<'_>) {
        let outline = write.target.outline();
        let is_all = outline.trim_end_matches('/').rsplit('/').next().is_some_and(is_any_name);
        if write.kind != AccessKind::Removed || !is_all || self.emptied.len() >= MAX_PARTIAL {
            return;
        }
        let moved = folder.of_name(&outline);
        let names = std::iter::once(outline).chain(moved);
        self.emptied.extend(names.map(|name| NamedPath::of_write(call, command, write, name, true)));
    }

    /// Returns whether a command writes to a file of whose name nothing is known.
    pub fn has_unknown(&self) -> bool {
        self.unknown.len() > self.seen_unknown || self.redirected.iter().any(|place| place.is_nameless)
    }
}

impl NamedPath {
    fn new(call: Call<'_>, pointer: Cow<'static, str>, given: String, role: PathRole) -> Self {
        Self::resolved(call, pointer, given, role, true)
    }

    fn resolved(
        call: Call<'_>,
        pointer: Cow<'static, str>,
        given: String,
        role: PathRole,
        is_encoded: bool,
    ) -> Self {
        let resolution = match call.root().resolved() {
            Ok(root) => resolve(call, root, &given, is_encoded),
            Err(error) => Err(error.clone()),
        };
        Self {
            pointer,
            given,
            role,
            is_possible: false,
            is_nameless: false,
            is_awaited: false,
            fills: false,
            is_generated: false,
            is_untracked: false,
            outline: None,
            full: None,
            is_encoded,
            resolution,
            elsewhere: OnceLock::new(),
        }
    }

    /// Creates the place that a command names; if the name is partly known, it is an outline.
    pub fn named(call: Call<'_>, pointer: &str, name: String, role: PathRole, is_partial: bool) -> Self {
        // Where a line of a list cannot be looked up, it may be anything.
        let name = if is_partial {
            name.replace(Gap::Listed.stand_in(), Gap::Any.stand_in().encode_utf8(&mut [0; 4]))
        } else {
            name
        };
        let given = globs::shown(&name);
        let is_without_name = is_partial && is_nameless(&name);
        let name = at_home(call, &name).unwrap_or(name);
        // A variable may lead out of the working directory.
        let is_elsewhere = name.starts_with(Gap::Any.stand_in());
        let name = if is_elsewhere { format!("{}/{name}", call.root().text()) } else { name };
        let mut place = Self::resolved(call, pointer.to_owned().into(), name, role, false);
        place.is_nameless = is_without_name;
        let name = std::mem::replace(&mut place.given, given);
        if is_partial {
            place.outline = Some(name);
        } else if name != place.given {
            place.full = Some(name);
        }
        place
    }

    /// Creates the place that a command writes to; if the name is partly known, it is an outline.
    fn of_write(
        call: Call<'_>,
        command: &ParsedCommand,
        write: &Access,
        name: String,
        is_partial: bool,
    ) -> Self {
        let mut place = Self::named(call, &command.pointer, name, role_of(write.kind), is_partial);
        let is_folder = place.resolution.as_ref().is_ok_and(|found| found.kind == Some(EntryKind::Directory));
        if write.kind == AccessKind::Named && is_folder {
            // The copied file goes into the folder, which is a separate place.
            place.role = PathRole::Written;
        }
        place.is_possible = write.is_possible;
        place.is_awaited = disk::is_awaited(call, write);
        place.fills = matches!(write.kind, AccessKind::Filled | AccessKind::Generated);
        place.is_generated = write.kind == AccessKind::Generated;
        place.is_untracked = write.kind == AccessKind::Untracked;
        place
    }

    /// Returns the name that is resolved.
    fn name(&self) -> &str {
        self.outline.as_deref().or(self.full.as_deref()).unwrap_or(&self.given)
    }

    /// Describes the place for a reason: its name, and `resolved` if that differs. A verb follows.
    pub fn described(&self, resolved: &str) -> String {
        let given = &self.given;
        match resolved {
            "" => format!("`{given}` stands for the root, which"),
            _ if resolved == given => format!("`{given}`"),
            _ => format!("`{given}` stands for `{resolved}`, which"),
        }
    }

    /// Returns the name with stand-ins for its unknown parts.
    pub(super) fn outline(&self) -> Option<&str> {
        self.outline.as_deref()
    }

    /// Returns whether the name is only partly known, so that its readings are outlines.
    pub fn is_partial(&self) -> bool {
        self.outline.is_some()
    }

    /// Returns whether the folder of the file is unknown, because a variable stands for a part of its name.
    pub fn is_anywhere(&self) -> bool {
        self.outline.as_ref().is_some_and(|outline| outline.contains(Gap::Any.stand_in()))
    }

    /// Returns whether the call also changes everything below the file.
    pub fn reaches_below(&self) -> bool {
        matches!(self.role, PathRole::Removed | PathRole::Filled | PathRole::LinkTarget)
    }

    /// Returns whether the call also changes files below it of any kind: all that it removes or links, and what an archive or a copy
    /// brings. A formatter or a compiler that works in the whole project keeps to files of its own kinds.
    ///
    /// ```
    /// use hooks_core::testing::{FakeFileSystem, world};
    /// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
    /// use hooks_facts::calls::CallReader;
    /// use serde_json::json;
    ///
    /// let reader = CallReader::default();
    /// let (environment, ..) = world(FakeFileSystem::default());
    /// let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
    /// let reaches = |command: &str| {
    ///     let request = HookRequest::new(context.clone(), PreToolUse::new("bash", json!({ "command": command })));
    ///     let call = reader.read(&request);
    ///     let place = &call.places().found[0];
    ///     (place.reaches_below(), place.reaches_any_below(call))
    /// };
    /// assert_eq!(reaches("rm -r ."), (true, true));
    /// assert_eq!(reaches("black ."), (true, false));
    /// assert_eq!(reaches("black .claude/"), (true, true));
    /// ```
    pub fn reaches_any_below(&self, call: Call<'_>) -> bool {
        self.reaches_below() && !(self.is_generated && self.is_the_root(call))
    }

    /// Returns whether the call changes the file.
    pub fn is_written(&self) -> bool {
        self.role != PathRole::Read
    }

    /// Returns the location of the file, below the root or not; `None` if it cannot be determined.
    pub fn known<'a>(&'a self, call: Call<'a>) -> Option<Known<'a>> {
        let (root, is_partial) = (call.root(), self.is_partial());
        match &self.resolution {
            Ok(resolution) => Some(Known { inside: &resolution.readings, elsewhere: &[], is_partial, root }),
            Err(PathError::OutsideRoot { .. }) => {
                Some(Known { inside: &[], elsewhere: self.from_top(call)?, is_partial, root })
            }
            Err(_) => None,
        }
    }

    /// Returns whether it is the root of the call, or a folder that contains the root.
    pub fn holds_the_root(&self, call: Call<'_>) -> bool {
        let root = call.root().text().trim_matches('/');
        let holds = |reading: &String| {
            let folder = reading.trim_matches('/');
            let rest = root.strip_prefix(folder);
            folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.from_top(call).is_some_and(|readings| readings.iter().any(holds))
    }

    /// Returns whether it is the root of the call in all readings.
    pub fn is_the_root(&self, call: Call<'_>) -> bool {
        let root = call.root().text().trim_matches('/');
        let is_root = |reading: &String| reading.trim_matches('/') == root;
        self.from_top(call).is_some_and(|readings| !readings.is_empty() && readings.iter().all(is_root))
    }

    /// Returns the readings from the file system's root, without the first slash.
    pub fn from_top(&self, call: Call<'_>) -> Option<&[String]> {
        Some(&self.seen_from_top(call)?.readings)
    }

    /// Returns the number of names (hard links) of the file, inside or outside of the root; `None` if it cannot be
    /// determined.
    pub fn names(&self, call: Call<'_>) -> Option<u64> {
        match &self.resolution {
            Ok(resolution) => Some(resolution.names),
            Err(_) => Some(self.seen_from_top(call)?.names),
        }
    }

    /// Returns whether it is an existing file, inside or outside of the root: nothing is below it.
    pub fn is_file(&self, call: Call<'_>) -> bool {
        let kind = match &self.resolution {
            Ok(resolution) => resolution.kind,
            Err(_) => self.seen_from_top(call).and_then(|seen| seen.kind),
        };
        kind == Some(EntryKind::File)
    }

    /// Returns whether something exists there, inside or outside of the root.
    pub fn is_known_to_exist(&self, call: Call<'_>) -> bool {
        match &self.resolution {
            Ok(resolution) => resolution.kind.is_some(),
            Err(_) => self.seen_from_top(call).is_some_and(|seen| seen.kind.is_some()),
        }
    }

    fn seen_from_top(&self, call: Call<'_>) -> Option<&FromTop> {
        let seen = self.elsewhere.get_or_init(|| match &self.resolution {
            Ok(resolution) => {
                let Resolution { kind, names, .. } = *resolution;
                Some(FromTop { readings: call.root().prefixed(resolution), kind, names })
            }
            Err(PathError::OutsideRoot { .. }) => {
                let top = call.root().top(call).ok()?;
                let Resolution { readings, kind, names } =
                    resolve(call, &top, self.name(), self.is_encoded).ok()?;
                let readings = readings.into_iter().map(|reading| reading.path).collect();
                Some(FromTop { readings, kind, names })
            }
            Err(_) => None,
        });
        seen.as_ref()
    }
}

impl<'a> Known<'a> {
    /// Returns the readings relative to the root; none if the file is outside of it.
    pub fn below_root(self) -> impl Iterator<Item = &'a str> {
        let inside = self.inside.iter().map(|reading| reading.path.as_str());
        // Another name of the root may contain it all the same.
        inside.chain(self.elsewhere.iter().filter_map(move |reading| {
            if self.is_partial { self.root.strip_outline(reading) } else { self.root.strip(reading) }
        }))
    }
}

fn resolve(
    call: Call<'_>,
    root: &ResolvedRoot,
    path: &str,
    is_encoded: bool,
) -> Result<Resolution, PathError> {
    let files: &dyn FileSystem = &*call.request().context().environment.files;
    let case_insensitive = call.ignores_case();
    let resolver = |fs| Resolver { fs, root, home: None, case_insensitive, is_encoded };
    let hidden = match call.reader().dialect() {
        PatternDialect::Squad => line_breaks::hidden(path),
        PatternDialect::Standard => None,
    };
    let Some(hidden) = hidden else { return resolver(files).resolve(path) };
    let mut resolution = resolver(&RealNames(files)).resolve(&hidden)?;
    for reading in &mut resolution.readings {
        reading.path = line_breaks::shown(&reading.path);
    }
    Ok(resolution)
}

/// Returns whether an outline starts with a variable, and the rest has no name or contains `..`.
fn is_nameless(outline: &str) -> bool {
    let any = Gap::Any.stand_in();
    let Some((before, behind)) = outline.split_once(any) else { return false };
    let leads_up = behind.split('/').any(|part| part == "..");
    let names = |c: char| Gap::from_char(c).is_none() && c.is_alphanumeric();
    leads_up || (before.is_empty() && !behind.contains(names))
}

/// Returns a name of a command with the folder that `~` or `~user` stands for; `None` if it does not begin with one, or if
/// the user's home is not known.
pub(super) fn at_home(call: Call<'_>, name: &str) -> Option<String> {
    let rest = name.strip_prefix('~')?;
    let (user, below) = rest.split_once('/').map_or((rest, ""), |(user, below)| (user, below));
    let home = call.request().context().environment.home.as_deref()?.trim_end_matches('/');
    let folder = match user {
        "" => home.to_owned(),
        "root" => "/root".to_owned(),
        "+" | "-" => return None,
        user => format!("{}/{user}", home.rsplit_once('/').map_or("", |(above, _)| above)),
    };
    Some(if below.is_empty() { folder } else { format!("{folder}/{below}") })
}

/// Returns a relative link target as a path from the folder of the link.
fn beside(link: &str, target: &str) -> Option<String> {
    let (folder, _) = link.rsplit_once('/')?;
    (!target.starts_with('/')).then(|| format!("{folder}/{target}"))
}

/// Returns the files that a name with wildcards stands for, if they can be listed. A removed file exists; other names may be new,
/// in a folder that exists. If a redirection finds no file, the shell writes to a file with the wildcard as its name.
fn found_on_disk(
    call: Call<'_>,
    command: &ParsedCommand,
    write: &Access,
    folder: &WorkingFolder<'_>,
) -> Option<Vec<String>> {
    let wanted = match write.kind {
        AccessKind::Removed => Wanted::Existing,
        _ => Wanted::AlsoNew,
    };
    if write.target.literal().is_some() {
        return None;
    }
    let outline = write.target.outline();
    let moved = folder.of_name(&outline);
    let mut all = Vec::new();
    for outline in std::iter::once(outline).chain(moved) {
        match disk::names(call, &command.analysis, &outline, wanted) {
            OnDisk::Names(names) => all.extend(names),
            OnDisk::TooMany | OnDisk::Unknown => return None,
        }
    }
    (!all.is_empty() || write.kind != AccessKind::Redirected).then_some(all)
}

fn has_unknown_part(write: &Access) -> bool {
    write.target.outline().contains(Gap::is_anything_at)
}

/// Returns whether a part of an outline stands for most names: `*`, `**` where it means the same, `?*`, `*.*`.
fn is_any_name(part: &str) -> bool {
    let gap = |c: char| Gap::from_char(c);
    part.contains(|c| gap(c) == Some(Gap::Name))
        && part.chars().all(|c| c == '.' || matches!(gap(c), Some(Gap::Name | Gap::One)))
}

fn role_of(kind: AccessKind) -> PathRole {
    match kind {
        AccessKind::Removed | AccessKind::Untracked => PathRole::Removed,
        AccessKind::Linked => PathRole::LinkTarget,
        AccessKind::Filled | AccessKind::Generated | AccessKind::Named => PathRole::Filled,
        _ => PathRole::Written,
    }
}

pub(super) fn is_sink(target: &str) -> bool {
    let descriptor = target.strip_prefix("/dev/fd/");
    SINKS.contains(&target) || descriptor.is_some_and(|number| number.parse::<u8>().is_ok())
}
