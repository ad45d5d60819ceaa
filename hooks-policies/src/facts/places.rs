//! The files that a call names, resolved.

use std::sync::OnceLock;

use hooks_core::fs::FileSystem;
use hooks_facts::commands::WriteKind;
use hooks_facts::paths::{PathError, Reading, Resolution, ResolvedRoot, Resolver};
use hooks_facts::tools::{PathArgument, PathRole, ToolKind, paths_of};

use super::call::Call;
use super::folder::WorkingFolder;
use super::line_breaks::{self, RealNames};
use super::root::Root;
use crate::config::PatternDialect;

/// The files of a call.
#[derive(Debug, Default)]
pub struct Places {
    /// Every file.
    pub found: Vec<Place>,
    /// Pointers of path arguments that are there and are not text.
    pub unusable: Vec<String>,
    /// Pointers of commands that write to a file whose name is not known before running.
    pub unknown: Vec<String>,
    /// Whether the call names no file at all.
    pub is_missing: bool,
}

/// One file of a call.
#[derive(Debug)]
pub struct Place {
    /// Where it is named, as a JSON pointer.
    pub pointer: String,
    /// As it is named.
    pub given: String,
    /// What the call does to it.
    pub role: PathRole,
    /// Every plausible reading below the root.
    pub resolution: Result<Resolution, PathError>,
    elsewhere: OnceLock<Option<Vec<String>>>,
}

/// What is known of where a file is.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    inside: &'a [Reading],
    /// Its readings from the file system's root, without the first slash. Where it is below the root, these are
    /// not worked out.
    pub elsewhere: &'a [String],
    root: &'a Root,
}

/// Files that every command may write to, because nothing is kept in them.
const SINKS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];

impl Places {
    pub(super) fn of(call: Call<'_>) -> Self {
        if call.kind().runs_commands() { Self::of_commands(call) } else { Self::of_arguments(call) }
    }

    fn of_arguments(call: Call<'_>) -> Self {
        let kind = match call.kind() {
            ToolKind::Unknown if call.writes_files() => ToolKind::WriteFile,
            kind => kind,
        };
        let arguments = paths_of(kind, call.arguments());
        let is_missing = arguments.is_missing();
        let folder = WorkingFolder::of(call.arguments());
        let mut written = None;
        let mut found = Vec::with_capacity(arguments.found.len());
        for argument in arguments.found {
            let PathArgument { pointer, text, role, .. } = argument;
            let link = written.and_then(|at| found.get(at)).filter(|_| role == PathRole::LinkTarget);
            let target = link.and_then(|link: &Place| beside(&link.given, &text));
            if role == PathRole::Written {
                written = Some(found.len());
            }
            let text = target.unwrap_or(text);
            let moved = folder.of_name(&text).map(|moved| Place::new(call, pointer.clone(), moved, role));
            found.push(Place::new(call, pointer, text, role));
            found.extend(moved);
        }
        Self { found, unusable: arguments.unusable, unknown: folder.unusable, is_missing }
    }

    fn of_commands(call: Call<'_>) -> Self {
        let mut places = Self::default();
        let folder = WorkingFolder::of(call.arguments());
        for command in &call.commands().found {
            for write in command.analysis.writes() {
                match write.target.literal() {
                    Some(target) if is_sink(target) => {}
                    Some(target) => {
                        let moved = folder.of_name(target);
                        for target in std::iter::once(target.to_owned()).chain(moved) {
                            let pointer = command.pointer.clone();
                            places.found.push(Place::new(call, pointer, target, role_of(write.kind)));
                        }
                    }
                    None => places.unknown.push(command.pointer.clone()),
                }
            }
        }
        if !places.found.is_empty() {
            places.unknown.extend(folder.unusable);
        }
        places
    }
}

impl Place {
    fn new(call: Call<'_>, pointer: String, given: String, role: PathRole) -> Self {
        let resolution = match call.root().resolved() {
            Ok(root) => resolve(call, root, &given),
            Err(error) => Err(error.clone()),
        };
        Self { pointer, given, role, resolution, elsewhere: OnceLock::new() }
    }

    /// Whether the call changes it.
    pub fn is_written(&self) -> bool {
        self.role != PathRole::Read
    }

    /// Where it is, below the root or not; `None` where nobody can tell.
    pub fn known<'a>(&'a self, call: Call<'a>) -> Option<Known<'a>> {
        let root = call.root();
        match &self.resolution {
            Ok(resolution) => Some(Known { inside: &resolution.readings, elsewhere: &[], root }),
            Err(PathError::OutsideRoot { .. }) => {
                Some(Known { inside: &[], elsewhere: self.from_top(call)?, root })
            }
            Err(_) => None,
        }
    }

    /// Its readings from the file system's root, without the first slash.
    pub fn from_top(&self, call: Call<'_>) -> Option<&[String]> {
        let readings = self.elsewhere.get_or_init(|| match &self.resolution {
            Ok(resolution) => Some(call.root().prefixed(resolution)),
            Err(PathError::OutsideRoot { .. }) => {
                let top = call.root().top(call).ok()?;
                let resolution = resolve(call, &top, &self.given).ok()?;
                Some(resolution.readings.into_iter().map(|reading| reading.path).collect())
            }
            Err(_) => None,
        });
        readings.as_deref()
    }
}

impl<'a> Known<'a> {
    /// Its readings relative to the root; none where it is outside.
    pub fn below_root(self) -> impl Iterator<Item = &'a str> {
        let inside = self.inside.iter().map(|reading| reading.path.as_str());
        // By another way it may be below the root all the same.
        inside.chain(self.elsewhere.iter().filter_map(move |reading| self.root.strip(reading)))
    }
}

fn resolve(call: Call<'_>, root: &ResolvedRoot, path: &str) -> Result<Resolution, PathError> {
    let files: &dyn FileSystem = &*call.request().context().environment.files;
    let case_insensitive = call.ignores_case();
    let resolver = |fs| Resolver { fs, root, home: None, case_insensitive };
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

/// What a relative link target stands for, seen from where the link is.
fn beside(link: &str, target: &str) -> Option<String> {
    let (folder, _) = link.rsplit_once('/')?;
    (!target.starts_with('/')).then(|| format!("{folder}/{target}"))
}

fn role_of(kind: WriteKind) -> PathRole {
    match kind {
        WriteKind::Removed => PathRole::Removed,
        WriteKind::Linked => PathRole::LinkTarget,
        _ => PathRole::Written,
    }
}

fn is_sink(target: &str) -> bool {
    let descriptor = target.strip_prefix("/dev/fd/");
    SINKS.contains(&target) || descriptor.is_some_and(|number| number.parse::<u8>().is_ok())
}
