//! Finds the files that a call writes, with all of their paths.
//!
//! The files are named by the tool's path arguments, patches and commands, as `hooks-facts` reads them. Paths
//! are resolved from the folder of the call into normal form, and links are followed. A file has a reading
//! for each path to it: the named one, and those that links lead to. So a link into a folder does not hide a
//! write to that folder. Paths are compared by components, never as substrings.
//!
//! Files that a program writes without naming them are not included; such a call is [`Touched::is_open`].
//!
//! ```
//! use hooks_core::HookContext;
//! use hooks_facts::tools::ToolTable;
//! use hooks_scribe::touched::{SeenFolder, Touched};
//! use serde_json::json;
//! use std::path::Path;
//!
//! # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! # let (mut environment, ..) = world(FakeFileSystem::default());
//! # let disk = FakeDisk::default().with_directory("/p/.squad").with_directory("/p/src");
//! # environment.files = std::sync::Arc::new(disk);
//! let context = HookContext::new("session-1", "backend").in_dir("/p").with_environment(environment);
//! let tools = ToolTable::default();
//! let command = json!({"command": "cd .squad && echo x >> decisions.md"});
//! let touched = Touched::by(&context, &tools, "bash", &command);
//! // A command may also write files that it does not name.
//! assert!(touched.is_open);
//!
//! let folder = SeenFolder::new(&context, Path::new("/p/.squad")).ok_or("unknown folder")?;
//! let names: Vec<_> = touched.files.iter().filter_map(|file| folder.strip(file)).collect();
//! assert_eq!(names, ["decisions.md"]);
//! # Ok::<(), &str>(())
//! ```
//!
//! Customised: a tool of the host, which no table lists. Until the host adds it, its calls may write any file.
//!
//! ```
//! use hooks_core::HookContext;
//! use hooks_facts::tools::{ToolKind, ToolTable};
//! use hooks_scribe::touched::Touched;
//! use serde_json::json;
//!
//! # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
//! # let (mut environment, ..) = world(FakeFileSystem::default());
//! # environment.files = std::sync::Arc::new(FakeDisk::default().with_directory("/p/src"));
//! let context = HookContext::new("session-1", "backend").in_dir("/p").with_environment(environment);
//! let call = json!({"path": "src/a.rs"});
//! assert!(Touched::by(&context, &ToolTable::default(), "format_file", &call).is_open);
//!
//! let tools = ToolTable::default().with("format_file", ToolKind::WriteFile);
//! let touched = Touched::by(&context, &tools, "format_file", &call);
//! assert_eq!((touched.files.len(), touched.is_open), (1, false));
//! ```

mod folder;

use hooks_core::{HookContext, Platform};
use hooks_facts::commands::{AccessKind, Analysis, Options};
use hooks_facts::paths::{ResolvedRoot, Resolver};
use hooks_facts::tools::{Command, PathRole, ToolKind, ToolTable, WorkingFolder, commands_of, paths_of};
use serde_json::Value;

pub use self::folder::SeenFolder;

/// Limit on the files of one call that are examined: each costs a walk through the file system, and the model
/// chooses their number.
const MOST_FILES: usize = 256;

/// Files that a call writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// Known files.
    pub files: Vec<TouchedFile>,
    /// Whether there may be others.
    pub is_open: bool,
}

/// One file with all of its paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedFile {
    /// Paths from the root of the file system, without the first slash; the named path is the first.
    pub(crate) readings: Vec<String>,
}

impl Touched {
    /// Whether a call of `tool` may write at all; decided by its name alone.
    ///
    /// ```
    /// use hooks_facts::tools::{ToolKind, ToolTable};
    /// use hooks_scribe::touched::Touched;
    ///
    /// let tools = ToolTable::default();
    /// assert!(Touched::may_be(&tools, "edit") && Touched::may_be(&tools, "bash"));
    /// assert!(!Touched::may_be(&tools, "view"));
    /// // A tool that is not in the table may write.
    /// assert!(Touched::may_be(&tools, "frobnicate"));
    /// assert!(!Touched::may_be(&tools.with("frobnicate", ToolKind::Read), "frobnicate"));
    /// ```
    pub fn may_be(tools: &ToolTable, tool: &str) -> bool {
        let kind = tools.kind(tool);
        kind.writes_files() || kind.runs_commands() || kind == ToolKind::Unknown
    }

    /// Finds the files that a call of `tool` with `args` writes. Looks up each named file in the file system.
    /// If the file system cannot be read, no file is found, and the call is open.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_facts::tools::ToolTable;
    /// use hooks_scribe::touched::Touched;
    /// use serde_json::json;
    ///
    /// # use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    /// # let (mut environment, ..) = world(FakeFileSystem::default());
    /// # let disk = FakeDisk::default().with_directory("/p/.squad").with_directory("/p/src");
    /// # environment.files = std::sync::Arc::new(disk);
    /// let context = HookContext::new("session-1", "backend").in_dir("/p").with_environment(environment);
    /// let by = |tool: &str, args| Touched::by(&context, &ToolTable::default(), tool, &args);
    /// let edit = by("edit", json!({"path": "src/../src/a.rs"}));
    /// assert_eq!((edit.files.len(), edit.is_open), (1, false));
    /// // A read writes nothing; an argument that is not a path may be any file.
    /// assert_eq!(by("view", json!({"path": "src/a.rs"})), Touched::default());
    /// assert!(by("edit", json!({"path": 7})).is_open);
    /// ```
    pub fn by(context: &HookContext, tools: &ToolTable, tool: &str, args: &Value) -> Self {
        let decoded = decoded(args);
        let args = decoded.as_ref().unwrap_or(args);
        let kind = tools.kind_of_call(tool, args);
        let mut named = Vec::new();
        let mut is_open = false;
        if kind.runs_commands() {
            is_open = true;
            named_by_commands(context, kind, args, &mut named);
        } else if kind.writes_files() {
            let paths = paths_of(kind, args);
            is_open = !paths.unusable.is_empty();
            let written = paths.found.into_iter();
            named.extend(written.filter(|path| is_written(path.role)).map(|path| path.text));
        } else if kind == ToolKind::Unknown {
            is_open = true;
        }
        let Some(resolver) = Top::new(context).filter(|_| !named.is_empty()) else {
            return Self { files: Vec::new(), is_open: is_open || !named.is_empty() };
        };
        let folder = if kind.runs_commands() {
            WorkingFolder::of_command_tool(args)
        } else {
            WorkingFolder::of_file_tool(args)
        };
        is_open |= !folder.unusable.is_empty();
        if named.len() > MOST_FILES {
            named.truncate(MOST_FILES);
            is_open = true;
        }
        let mut files: Vec<TouchedFile> = Vec::new();
        for name in named {
            let moved = folder.of_name(&name);
            for path in std::iter::once(name).chain(moved) {
                match resolver.file(&path) {
                    Some(file) if files.contains(&file) => {}
                    Some(file) => files.push(file),
                    None => is_open = true,
                }
            }
        }
        Self { files, is_open }
    }
}

/// Root of the file system, as seen from the folder of a call.
struct Top<'a> {
    context: &'a HookContext,
    root: ResolvedRoot,
}

impl<'a> Top<'a> {
    fn new(context: &'a HookContext) -> Option<Self> {
        let environment = &context.environment;
        let cwd = Some(&*context.cwd).filter(|cwd| !cwd.as_os_str().is_empty());
        let cwd = cwd.unwrap_or_else(|| context.root()).to_str()?;
        let root = ResolvedRoot::new(&*environment.files, "/", cwd, environment.platform).ok()?;
        Some(Self { context, root })
    }

    fn file(&self, path: &str) -> Option<TouchedFile> {
        let environment = &self.context.environment;
        let case_insensitive = environment.platform != Platform::Posix;
        let resolver = Resolver {
            fs: &*environment.files,
            root: &self.root,
            home: None,
            case_insensitive,
            is_encoded: true,
        };
        let readings = resolver.resolve(path).ok()?.readings.into_iter();
        Some(TouchedFile { readings: readings.map(|reading| reading.path).collect() })
    }
}

fn named_by_commands(context: &HookContext, kind: ToolKind, args: &Value, named: &mut Vec<String>) {
    let ignores_case = context.environment.platform != Platform::Posix;
    let windows = kind == ToolKind::WindowsShell;
    let options = Options { ignores_case, windows, ..Options::default() };
    for argument in commands_of(args).found {
        let analysis = match &argument.command {
            Command::Text(text) => Analysis::of_text(text, &options),
            Command::Words(words) => Analysis::of_words(words, &options),
        };
        let written =
            analysis.writes().iter().filter(|write| write.kind != AccessKind::Linked && !write.is_possible);
        named.extend(written.filter_map(|write| write.target.literal().map(str::to_owned)));
    }
}

const fn is_written(role: PathRole) -> bool {
    matches!(role, PathRole::Written | PathRole::Removed)
}

/// Decodes arguments that a client sends as a string of JSON.
fn decoded(args: &Value) -> Option<Value> {
    let text = args.as_str()?.trim_start();
    text.starts_with('{').then(|| serde_json::from_str(text).ok())?
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
    use serde_json::json;

    use super::*;

    fn context() -> HookContext {
        let (mut environment, ..) = world(FakeFileSystem::default());
        let disk = FakeDisk::default()
            .with_directory("/p/.squad/decisions/inbox")
            .with_directory("/p/src")
            .with_link("/p/notes", "/p/.squad/decisions");
        environment.files = std::sync::Arc::new(disk);
        HookContext::new("s", "a").in_dir("/p").with_environment(environment)
    }

    /// The files of a call below `/p/.squad`, and whether there may be others.
    fn below(tool: &str, args: &Value) -> (Vec<String>, bool) {
        let context = context();
        let touched = Touched::by(&context, &ToolTable::default(), tool, args);
        let folder = SeenFolder::new(&context, Path::new("/p/.squad")).unwrap();
        let names = touched.files.iter().filter_map(|file| folder.strip(file).map(str::to_owned));
        (names.collect(), touched.is_open)
    }

    #[test]
    fn every_way_into_a_folder_is_seen_and_nothing_else() {
        let (one, none) = (|name: &str| vec![name.to_owned()], Vec::<String>::new);
        for (tool, args, wanted) in [
            ("edit", json!({"path": ".squad/decisions.md"}), (one("decisions.md"), false)),
            ("edit", json!({"path": "src/../.squad//./decisions.md"}), (one("decisions.md"), false)),
            ("Write", json!({"file_path": "/p/.squad/log/a.md"}), (one("log/a.md"), false)),
            ("edit", json!({"path": "notes/inbox/x.md"}), (one("decisions/inbox/x.md"), false)),
            ("edit", json!("{\"path\": \".squad/a.md\"}"), (one("a.md"), false)),
            ("edit", json!({"path": "a.md", "cwd": "/p/.squad/"}), (one("a.md"), false)),
            ("edit", json!({"path": ".squad-old/a.md"}), (none(), false)),
            ("edit", json!({"path": "src/.squad/a.md"}), (none(), false)),
            ("edit", json!({"path": "docs/about .squad/a.md"}), (none(), false)),
            ("view", json!({"path": ".squad/decisions.md"}), (none(), false)),
            ("bash", json!({"command": "cat .squad/decisions.md"}), (none(), true)),
            (
                "bash",
                json!({"command": "echo x > .squad/decisions/inbox/x.md"}),
                (one("decisions/inbox/x.md"), true),
            ),
            (
                "bash",
                json!({"command": "cd .squad && echo x | tee -a decisions.md"}),
                (one("decisions.md"), true),
            ),
            (
                "run_shell_command",
                json!({"command": "echo x > decisions.md", "dir_path": ".squad"}),
                (one("decisions.md"), true),
            ),
            (
                "run_shell_command",
                json!({"command": "touch a.md", "directory": ".squad/log"}),
                (one("log/a.md"), true),
            ),
            ("edit", json!({"path": "a.md", "cwd": 7}), (none(), true)),
            ("bash", json!({"command": "rm .squad/log/old.md"}), (one("log/old.md"), true)),
            ("bash", json!({"command": "python3 x.py"}), (none(), true)),
            ("frobnicate", json!({"path": ".squad/a.md"}), (none(), true)),
            ("edit", json!({"path": 7}), (none(), true)),
            ("edit", json!({"path": "$HOME/x"}), (none(), true)),
        ] {
            assert_eq!(below(tool, &args), wanted, "{tool} {args}");
        }
        let patch = "*** Begin Patch\n*** Add File: .squad/a.md\n+x\n*** Update File: src/b.rs\n@@\n-x\n+y\n*** End Patch\n";
        assert_eq!(below("apply_patch", &json!({"input": patch})), (one("a.md"), false));
    }

    #[test]
    fn of_very_many_files_some_are_looked_at() {
        let names: Vec<_> = (0..1_000).map(|number| json!({"path": format!(".squad/{number}.md")})).collect();
        let (found, is_open) = below("edit", &json!({ "edits": names }));
        assert_eq!((found.len(), found.last().map(String::as_str), is_open), (256, Some("255.md"), true));
    }

    #[test]
    fn what_only_reads_is_not_looked_at() {
        let tools = ToolTable::default();
        assert!(!Touched::may_be(&tools, "view") && !Touched::may_be(&tools, "ask_user"));
        assert!(Touched::may_be(&tools, "edit") && Touched::may_be(&tools, "bash"));
        assert!(Touched::may_be(&tools.with("save_doc", ToolKind::WriteFile), "saveDoc"));
    }
}
