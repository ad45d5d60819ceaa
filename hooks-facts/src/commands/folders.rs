//! Follows `cd` through a list of commands, to resolve relative names.
//!
//! A `cd` may fail, and the commands after `;` run all the same, so several folders are possible at a time.
//! After `&&` there is one; if `|| exit` follows, a failure goes no further.

use std::sync::Arc;

use super::argument::{Argument, ArgumentBuilder};
use super::walk::Walk;
use crate::globs::Gap;
use crate::shell::{Command, Join, Pipeline, Script};

/// Most possible folders; beyond that, the folder counts as unknown.
const MAX_FOLDERS: usize = 8;

/// Folders that a command may run in, as outlines: `""` for the folder in which the text starts, `None` for any folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folders(Arc<[Option<String>]>);

impl Folders {
    pub(super) fn start() -> Self {
        Self(Arc::new([Some(String::new())]))
    }

    pub(super) fn unknown() -> Self {
        Self(Arc::new([None]))
    }

    /// Returns whether the command runs in the folder in which the text starts.
    pub(super) fn is_start(&self) -> bool {
        self.only() == Some("")
    }

    /// Returns the cost of storing the folders.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|folder| folder.as_ref().map_or(0, String::len) + 1).sum()
    }

    fn none() -> Self {
        Self(Arc::new([]))
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        let mut all = self.0.to_vec();
        all.extend(other.0.iter().filter(|folder| !self.0.contains(folder)).cloned());
        if all.len() > MAX_FOLDERS { Self::unknown() } else { Self(all.into()) }
    }

    /// Returns the folders after a change to `folder`.
    pub(super) fn enter(&self, folder: &Argument, windows: bool) -> Self {
        let entered = self.names(folder, windows).into_iter();
        let is_known = |outline: &String| !outline.contains(Gap::is_anything_at);
        Self(entered.map(|name| Some(name.outline()).filter(is_known)).collect())
    }

    /// Returns the names that a name stands for, as seen from the folder in which the text starts.
    pub(super) fn names(&self, name: &Argument, windows: bool) -> Vec<Argument> {
        let slashes = (windows && name.outline().contains('\\'))
            .then(|| Argument::of_outline(&name.outline().replace('\\', "/")));
        let name = slashes.as_ref().unwrap_or(name);
        if is_absolute(name.prefix(), windows) {
            return vec![name.clone()];
        }
        let names = self.0.iter().map(|folder| match (folder.as_deref(), name) {
            (Some(""), name) => name.clone(),
            (Some(folder), Argument::Literal(name)) => {
                Argument::of_outline(&format!("{}/{name}", folder.trim_end_matches('/')))
            }
            // An unknown start may be absolute; in that case the folder makes no difference.
            (Some(_), name) if name.begins_with_anything() => name.clone(),
            (Some(folder), name) => joined(&Argument::of_outline(folder.trim_end_matches('/')), name),
            (None, name) => joined(&Argument::unknown(), name),
        });
        names.collect()
    }

    /// Returns the folder if exactly one is possible and known.
    fn only(&self) -> Option<&str> {
        match &*self.0 {
            [folder] => folder.as_deref(),
            _ => None,
        }
    }
}

impl Walk {
    /// Handles a `cd` or `pushd`.
    pub(super) fn change_folder(&mut self, words: &[Argument]) {
        let windows = self.options.windows;
        let is_option = |word: &&Argument| {
            let text = word.prefix();
            (text.len() > 1 && text.starts_with('-')) || (windows && text.eq_ignore_ascii_case("/d"))
        };
        let folder = words.iter().find(|word| !is_option(word));
        let before = self.folders.clone();
        self.folders = match folder {
            Some(folder) if folder.literal() == Some("-") && !self.variables.contains_key("OLDPWD") => {
                self.previous.clone().unwrap_or_else(Folders::unknown)
            }
            None if self.variables.contains_key("HOME") => Folders::unknown(),
            None => self.folders.enter(&Argument::from("~"), windows),
            // `CDPATH` may resolve a relative name in any folder.
            Some(folder) if folder.literal() != Some("-") && !self.variables.contains_key("CDPATH") => {
                self.folders.enter(folder, windows)
            }
            _ => Folders::unknown(),
        };
        self.previous = Some(before);
    }

    /// Returns the value of `$PWD`, if the folder in which the text starts is known.
    pub(super) fn working_folder(&self) -> Option<Argument> {
        let start = self.start.as_deref()?;
        Some(match self.folders.only()? {
            "" => Argument::from(start),
            folder if is_absolute(folder, self.options.windows) => Argument::of_outline(folder),
            folder => Argument::of_outline(&format!("{}/{folder}", start.trim_end_matches('/'))),
        })
    }

    /// Calls `visit` as in a subshell: its changes of folder do not last.
    pub(super) fn in_subshell<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let (folders, previous) = (self.folders.clone(), self.previous.clone());
        let result = visit(self);
        (self.folders, self.previous) = (folders, previous);
        result
    }

    /// Calls `visit` in another folder.
    pub(super) fn in_folder<T>(
        &mut self,
        folder: Option<&Argument>,
        visit: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.in_subshell(|walk| {
            if let Some(folder) = folder {
                walk.folders = walk.folders.enter(folder, walk.options.windows);
            }
            visit(walk)
        })
    }

    /// Returns whether a pipeline ends its shell or function.
    fn leaves(&self, pipeline: &Pipeline) -> bool {
        let [stage] = pipeline.stages.as_slice() else { return false };
        let simple = match stage {
            Command::Simple(simple) => simple,
            Command::Compound(group) if !group.subshell && group.words.is_none() => {
                let [Script { pipelines }] = group.bodies.as_slice() else { return false };
                match pipelines.last().map(|last| last.stages.as_slice()) {
                    Some([Command::Simple(simple)]) => simple,
                    _ => return false,
                }
            }
            _ => return false,
        };
        let name = simple.words.first().and_then(crate::shell::Word::literal);
        name.is_some_and(|name| {
            matches!(name.as_str(), "exit" | "return")
                && !self.functions.contains_key(&name)
                && !self.aliases.contains_key(&name)
        })
    }
}

/// Folders of a list during the walk: those after success so far, and those after failure.
pub(super) struct ListFolders {
    failed: Folders,
    join: Join,
}

impl ListFolders {
    pub(super) fn new() -> Self {
        Self { failed: Folders::none(), join: Join::Then }
    }

    /// Calls `visit`, which walks `pipeline`, in the folders that it may run in.
    pub(super) fn step<T>(
        &mut self,
        walk: &mut Walk,
        pipeline: &Pipeline,
        visit: impl FnOnce(&mut Walk) -> T,
    ) -> T {
        let succeeded = walk.folders.clone();
        let is_alternative = self.join == Join::Or && self.failed != Folders::none();
        if is_alternative {
            walk.folders = self.failed.clone();
        }
        let before = walk.folders.clone();
        let result = visit(walk);
        let leaves = walk.leaves(pipeline);
        if is_alternative {
            let after = if leaves { Folders::none() } else { walk.folders.clone() };
            walk.folders = succeeded.or(&after);
        }
        self.failed = match (leaves, is_alternative) {
            (true, true) => Folders::none(),
            (_, true) => before.clone(),
            (_, false) => self.failed.or(&before),
        };
        self.join = pipeline.join;
        match self.join {
            Join::Then => {
                walk.folders = walk.folders.or(&self.failed);
                self.failed = Folders::none();
            }
            Join::Background => {
                walk.folders = before;
                self.failed = Folders::none();
            }
            _ => {}
        }
        result
    }
}

/// Returns a name in a folder.
fn joined(folder: &Argument, name: &Argument) -> Argument {
    let mut builder = ArgumentBuilder::default();
    builder.argument(folder);
    builder.character('/');
    builder.argument(name);
    builder.finish()
}

/// Returns whether a name is independent of the folder. `~` is resolved by callers that know the home folder.
fn is_absolute(name: &str, windows: bool) -> bool {
    let drive = || name.get(1..2) == Some(":") || name.starts_with('\\');
    name.starts_with(['/', '~']) || (windows && drive())
}
