//! Dependences of a result, as they were when the tool ran.

use std::path::{Path, PathBuf};

use hooks_core::HookContext;
use hooks_facts::tools::{PathArguments, ToolKind, WorkingFolder, paths_of};
use serde_json::Value;

use super::config::{CacheTool, Check, Depends};
use super::stamp::{Look, Stamps};

/// Age below which a changed file is also compared by content, in nanoseconds. The clock of a file system may
/// be this coarse, and a second write within one tick would leave the stamp unchanged.
const YOUNG: i128 = 2_000_000_000;

/// Longest file that is read for comparison, in bytes; calls that name a longer one are not cached.
const LONGEST_FILE: u64 = 64 << 20;

/// The most files that a cached call may name.
const MOST_FILES: usize = 64;

/// The files or folders on which a result depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dependence {
    /// These files, in the state of their stamps.
    Files(Vec<Stamp>),
    /// Everything below these folders, given by their real names.
    Tree(Vec<PathBuf>),
    /// Nothing on this machine.
    Outside,
}

/// State of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Path as the call names it.
    path: PathBuf,
    /// Path with links resolved.
    pub(super) real: PathBuf,
    look: Look,
    content: Option<[u8; 32]>,
}

impl Dependence {
    /// Dependence of a call at this moment. `None` if it cannot be determined; the call is not cached then.
    pub(super) fn for_call(
        tool: &CacheTool,
        context: &HookContext,
        arguments: &Value,
        files: &dyn Stamps,
    ) -> Option<Self> {
        if tool.depends == Depends::Outside {
            return Some(Self::Outside);
        }
        let paths = paths_of(ToolKind::Read, arguments);
        let named = named(context, arguments, &paths)?;
        if tool.depends == Depends::Files {
            let stamp = |path: &PathBuf| Stamp::take(path, tool.check, context, files);
            let stamps = named.iter().map(stamp).collect::<Option<Vec<_>>>()?;
            return (!stamps.is_empty()).then_some(Self::Files(stamps));
        }
        if leaves_its_folder(arguments, &paths) {
            return None;
        }
        let folders =
            std::iter::once(context.root()).chain([&*context.cwd]).chain(named.iter().map(|path| &**path));
        let mut real: Vec<_> = folders.map(|folder| files.real(folder).ok()).collect::<Option<_>>()?;
        real.sort_unstable();
        real.dedup();
        Some(Self::Tree(real))
    }

    /// Whether everything is unchanged.
    pub(super) fn holds(&self, files: &dyn Stamps) -> bool {
        match self {
            Self::Files(stamps) => stamps.iter().all(|stamp| stamp.holds(files)),
            // A write that changes a tree removes its results.
            Self::Tree(_) | Self::Outside => true,
        }
    }
}

impl Stamp {
    fn take(path: &Path, check: Check, context: &HookContext, files: &dyn Stamps) -> Option<Self> {
        let look = files.look(path).ok()??;
        if !look.is_file {
            return None;
        }
        let now = i128::from(context.environment.clock.now().0) * 1_000_000;
        let is_young = look.modified.max(look.changed).saturating_add(YOUNG) > now;
        let content = match check == Check::Content || is_young {
            true => Some(files.digest(path, LONGEST_FILE).ok()?),
            false => None,
        };
        Some(Self { path: path.to_owned(), real: files.real(path).ok()?, look, content })
    }

    fn holds(&self, files: &dyn Stamps) -> bool {
        let looks_alike = || matches!(files.look(&self.path), Ok(Some(look)) if look == self.look);
        let holds_alike = |content: [u8; 32]| matches!(files.digest(&self.path, LONGEST_FILE), Ok(digest) if digest == content);
        looks_alike() && self.content.is_none_or(holds_alike)
    }
}

/// The files that a call names; `None` if they cannot be determined.
pub(super) fn named(context: &HookContext, arguments: &Value, paths: &PathArguments) -> Option<Vec<PathBuf>> {
    // Not every tool obeys an argument that selects another folder.
    let is_moved = WorkingFolder::of_file_tool(arguments).is_given();
    if !paths.unusable.is_empty() || paths.found.len() > MOST_FILES || is_moved {
        return None;
    }
    paths.found.iter().map(|path| plain(context, &path.text)).collect()
}

/// The file that a text names to every tool; `None` if tools interpret the text differently.
fn plain(context: &HookContext, text: &str) -> Option<PathBuf> {
    let is_odd = |c: char| c.is_control() || matches!(c, '$' | '%' | '\\' | '*' | '?' | '{' | '[' | '`');
    if text.is_empty() || text.starts_with('~') || text.contains(is_odd) || text.contains(":/") {
        return None;
    }
    let path = context.cwd.join(text);
    path.is_absolute().then_some(path)
}

/// Whether a text other than a path argument, such as the pattern of a search, may lead out of the agent's
/// folder.
fn leaves_its_folder(arguments: &Value, paths: &PathArguments) -> bool {
    let leads_out = |text: &str| text.starts_with(['/', '~']) || text.contains("..");
    let is_named = |text: &str| paths.found.iter().any(|path| path.text == text);
    let mut rest = vec![arguments];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) if leads_out(text) && !is_named(text) => return true,
            Value::Array(items) => rest.extend(items),
            Value::Object(map) => rest.extend(map.values()),
            _ => {}
        }
    }
    false
}
