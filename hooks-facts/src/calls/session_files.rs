//! Files that the session of a call wrote, and their real names.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::fs::{EntryKind, FileSystem, SessionFile};

use crate::commands::{Analysis, Invocation, SessionFiles, WrittenContent};
use crate::tools::WorkingFolder;

use super::call::Call;

/// Largest file of a session whose content is read.
const MAX_CONTENT: u64 = 256 * 1024;

/// Most links on the way to a file.
const MAX_LINKS: usize = 40;

/// Files of the session, as a command of a call names them.
pub(super) struct CallFiles {
    context: Arc<HookContext>,
    folder: String,
    /// Real names of folders.
    folders: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl CallFiles {
    /// Returns the files, if the environment knows those of the session.
    pub(super) fn for_call(call: Call<'_>, context: &Arc<HookContext>) -> Option<Rc<Self>> {
        if !context.environment.files.has_session_files() {
            return None;
        }
        let cwd = context.cwd.to_str().unwrap_or_default();
        let given = WorkingFolder::of_command_tool(call.arguments());
        let folder = match given.of_name(".") {
            Some(moved) if moved.starts_with('/') => moved.trim_end_matches("/.").to_owned(),
            Some(moved) => format!("{}/{}", cwd.trim_end_matches('/'), moved.trim_end_matches("/.")),
            None => cwd.to_owned(),
        };
        Some(Rc::new(Self { context: Arc::clone(context), folder, folders: RefCell::default() }))
    }

    /// Folder in which the commands start.
    pub(super) fn folder(&self) -> &str {
        &self.folder
    }
}

impl SessionFiles for CallFiles {
    fn content(&self, path: &str) -> Option<WrittenContent> {
        let full = absolute(&self.context, &self.folder, path);
        let files = &*self.context.environment.files;
        let content = |found: io::Result<Option<SessionFile>>| match found {
            // A program that was built is like one that was there before.
            Ok(None | Some(SessionFile::Other)) => None,
            Ok(Some(SessionFile::Text(text))) => Some(WrittenContent::Text(text)),
            Ok(Some(SessionFile::Program(name))) => Some(WrittenContent::SameAs(name)),
            Ok(Some(_)) | Err(_) => Some(WrittenContent::Unknown),
        };
        let (parent, name) = full.parent().zip(full.file_name())?;
        let parent = self
            .folders
            .borrow_mut()
            .entry(parent.to_owned())
            .or_insert_with(|| real_name(files, parent))
            .clone();
        let here = parent.join(name);
        if !is_link(files, &here) {
            return content(files.of_session(&here, MAX_CONTENT));
        }
        let real = real_name(files, &here);
        let own = content(files.of_session(&real, MAX_CONTENT));
        own.or_else(|| {
            // The session made a link to something that was there before.
            let is_of_session = !matches!(files.of_session(&here, MAX_CONTENT), Ok(None));
            is_of_session.then(|| WrittenContent::SameAs(real.to_string_lossy().into_owned()))
        })
    }
}

/// Returns the absolute name of a file that a command names in a folder.
fn absolute(context: &HookContext, folder: &str, path: &str) -> PathBuf {
    if let Some(home) = context.environment.home.as_deref()
        && let Some(rest) = path.strip_prefix('~')
        && (rest.is_empty() || rest.starts_with('/'))
    {
        return lexical([home, rest]);
    }
    lexical([if path.starts_with('/') { "" } else { folder }, path])
}

/// Returns the absolute name of a file below a folder, without `.` and `..`.
fn lexical([folder, path]: [&str; 2]) -> PathBuf {
    let mut full = String::with_capacity(folder.len() + path.len() + 2);
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => full.truncate(full.rfind('/').unwrap_or_default()),
            part => full.extend(["/", part]),
        }
    }
    if full.is_empty() {
        full.push('/');
    }
    PathBuf::from(full)
}

/// Returns the name of a file with all links followed. A part that does not exist stays as it is.
fn real_name(files: &dyn FileSystem, path: &Path) -> PathBuf {
    if has_no_links(files, path) {
        return path.to_owned();
    }
    let mut pending: Vec<String> =
        path.to_string_lossy().split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = pending.pop() {
        match part.as_str() {
            "." => continue,
            ".." => {
                real.pop();
                continue;
            }
            _ => {}
        }
        let next = real.join(&part);
        match is_link(files, &next).then(|| files.read_link(&next)) {
            Some(Ok(target)) if links < MAX_LINKS => {
                links += 1;
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                let target = target.to_string_lossy();
                pending.extend(target.split('/').rev().filter(|part| !part.is_empty()).map(str::to_owned));
            }
            _ => real = next,
        }
    }
    real
}

/// Whether an absolute path in its shortest form has no link on its way; `false` also for other paths.
fn has_no_links(files: &dyn FileSystem, path: &Path) -> bool {
    let Some(text) = path.to_str().filter(|text| text.starts_with('/')) else { return false };
    let is_long = |name: &str| matches!(name, "" | "." | "..");
    if text.split('/').skip(1).any(is_long) {
        return text == "/";
    }
    let ends = text.match_indices('/').skip(1).map(|(at, _)| at).chain([text.len()]);
    ends.filter_map(|end| text.get(..end)).all(|way| !is_link(files, Path::new(way)))
}

fn is_link(files: &dyn FileSystem, path: &Path) -> bool {
    files.entry(path).ok().flatten().is_some_and(|entry| entry.kind == EntryKind::Symlink)
}

/// Programs that change something about a file, but not its content.
const KEEPERS: &[&str] = &["chmod", "chown", "chgrp", "touch", "setfacl", "chattr", "mkdir"];

/// Returns the names of files whose content a program keeps.
fn names_of_kept(analysis: &Analysis) -> Vec<String> {
    let keeps = |it: &&Invocation| analysis.program_name(it).is_some_and(|name| KEEPERS.contains(&&*name));
    let kept = analysis.invocations.iter().filter(keeps);
    kept.flat_map(|it| it.argv.iter().skip(1).flat_map(|word| analysis.names(it, word)))
        .filter_map(|name| name.literal().map(str::to_owned))
        .collect()
}

/// Words in a line of code that writes a file.
const WRITES: &[&str] =
    &["'w", "\"w", "'a'", "\"a\"", "write", "Write", "'>", "\">", "dump", "copy", "rename"];

/// Most names that are taken from one code.
const MAX_NAMES: usize = 64;

/// Returns the names that may be those of files which a code writes.
fn names_in_code(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| WRITES.iter().any(|word| line.contains(word)));
    let names = lines.flat_map(|line| line.split(['"', '\'', '`']));
    let is_name = |name: &&str| {
        let is_short = !name.is_empty() && name.len() < 200 && name.contains(['.', '/']);
        is_short && !name.contains(|c: char| c.is_whitespace() || "()[]{};=,".contains(c))
    };
    names.filter(is_name).take(MAX_NAMES).collect()
}

/// File that a call writes, by the real name of its folder.
///
/// ```
/// use hooks_core::testing::{FakeFileSystem, world};
/// use hooks_core::{HookContext, HookRequest, event::PreToolUse};
/// use hooks_facts::calls::CallReader;
/// use serde_json::json;
///
/// let (environment, ..) = world(FakeFileSystem::default().with_link("/repo/bin", "/opt/bin"));
/// let context = HookContext::new("s", "a").in_dir("/repo").with_environment(environment);
/// let written = |tool: &str, args| {
///     let request = HookRequest::new(context.clone(), PreToolUse::new(tool, args));
///     let files = CallReader::default().read(&request).files_for_session();
///     files.into_iter().map(|file| (file.path, file.program)).collect::<Vec<_>>()
/// };
/// assert_eq!(written("Write", json!({"file_path": "bin/x", "content": "ls"})), [("/opt/bin/x".into(), None)]);
/// let copied = written("Bash", json!({"command": "cp /bin/rm y"}));
/// assert_eq!(copied[0], ("/repo/y".into(), Some("rm".into())));
/// assert!(written("Bash", json!({"command": "ls"})).is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileOfSession {
    /// Absolute name.
    pub path: PathBuf,
    /// Name of the program that the file is a copy of.
    pub program: Option<String>,
}

impl Call<'_> {
    /// Returns the files that the call gives a content, for the set of files that its session wrote.
    pub fn files_for_session(self) -> Vec<FileOfSession> {
        let context = self.request().context();
        let files = &*context.environment.files;
        let cwd = context.cwd.to_str().unwrap_or_default();
        let place = |folder: &str, name: &str| {
            let full = absolute(context, folder, name);
            let parent = full.parent().map(|parent| real_name(files, parent)).unwrap_or_default();
            full.file_name().map(|name| parent.join(name))
        };
        let mut found = Vec::new();
        if !self.kind().runs_commands() && self.writes_files() {
            for written in self.places().found.iter().filter(|place| place.is_written()) {
                found.extend(place(cwd, &written.given).map(|path| FileOfSession { path, program: None }));
            }
        }
        for command in &self.commands().found {
            let moved = self.moved(".").unwrap_or_default();
            let folder = if moved.is_empty() {
                cwd.to_owned()
            } else {
                absolute(context, cwd, &moved).to_string_lossy().into_owned()
            };
            for file in command.analysis.written_files() {
                let program = match &file.content {
                    WrittenContent::SameAs(name) => name.rsplit('/').next().map(str::to_owned),
                    _ => None,
                };
                found.extend(place(&folder, &file.path).map(|path| FileOfSession { path, program }));
            }
            let all: Vec<_> =
                command.analysis.writes().iter().filter_map(|write| write.target.literal()).collect();
            let kept = names_of_kept(&command.analysis);
            let count = |names: &[String], name: &str| names.iter().filter(|known| *known == name).count();
            let is_changed = |target: &&&str| {
                let writes = all.iter().filter(|known| known == target).count();
                !target.starts_with("/dev/") && writes > count(&kept, target)
            };
            for target in all.iter().filter(is_changed) {
                found.extend(place(&folder, target).map(|path| FileOfSession { path, program: None }));
            }
        }
        let programs = self.commands().found.iter().flat_map(|command| command.analysis.programs());
        for name in programs.flat_map(|program| names_in_code(&program.text)) {
            found.extend(place(cwd, name).map(|path| FileOfSession { path, program: None }));
        }
        // Through a link, its target is written too. The folder of each has its real name already.
        let followed: Vec<_> = found
            .iter()
            .filter(|file| is_link(files, &file.path))
            .map(|file| FileOfSession { path: real_name(files, &file.path), program: None })
            .filter(|file| !found.iter().any(|known| known.path == file.path))
            .collect();
        found.extend(followed);
        // The entry with the name of a program comes first.
        found.sort_by(|a, b| (&a.path, a.program.is_none()).cmp(&(&b.path, b.program.is_none())));
        found.dedup_by(|later, first| later.path == first.path);
        found
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::testing::FakeFileSystem;
    use proptest::prelude::*;

    use super::*;

    /// The name that is found part by part.
    fn followed(files: &dyn FileSystem, path: &str) -> PathBuf {
        real_name(files, Path::new(&format!("/.{path}")))
    }

    proptest! {
        #[test]
        fn a_name_without_links_is_the_one_that_is_followed(path in "(/(repo|link|src|up|\\.|\\.\\.|)){0,5}") {
            let files = FakeFileSystem::default()
                .with_link("/repo/link", "/repo/src")
                .with_link("/link", "repo/link")
                .with_link("/repo/src/up", "..");
            prop_assert_eq!(real_name(&files, Path::new(&path)), followed(&files, &path));
        }

        #[test]
        fn the_shortest_form_of_a_name(folder in "(/(repo|\\.\\.|\\.|)){0,3}", path in "(a|\\.\\.|\\.|/){0,6}") {
            let mut parts = Vec::new();
            for part in folder.split('/').chain(path.split('/')) {
                match part {
                    "" | "." => {}
                    ".." => drop(parts.pop()),
                    part => parts.push(part),
                }
            }
            prop_assert_eq!(lexical([&folder, &path]), PathBuf::from(format!("/{}", parts.join("/"))));
        }
    }
}
