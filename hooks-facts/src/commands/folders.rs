//! Where commands run: follows `cd` through a list, for what relative names stand for.
//!
//! A `cd` may fail, and what comes behind `;` runs all the same, so there can be several folders at a time. Behind
//! `&&` there is one; where `|| exit` follows, a failure goes no further.

use std::sync::Arc;

use super::argument::{Argument, ArgumentBuilder};
use super::walk::Walk;
use crate::shell::{Command, Join, Pipeline, Script};

/// With more folders than this, nothing is known.
const MAX_FOLDERS: usize = 8;

/// The folders that a command may run in; `""` is where the text began, `None` anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folders(Arc<[Option<String>]>);

impl Folders {
    pub(super) fn start() -> Self {
        Self(Arc::new([Some(String::new())]))
    }

    pub(super) fn unknown() -> Self {
        Self(Arc::new([None]))
    }

    /// Whether the command runs where the text began.
    pub(super) fn is_start(&self) -> bool {
        self.only() == Some("")
    }

    /// What keeping them costs.
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

    /// What a change to `folder` leads to.
    pub(super) fn enter(&self, folder: &Argument, windows: bool) -> Self {
        let entered = self.names(folder, windows).into_iter();
        Self(entered.map(|name| name.literal().map(str::to_owned)).collect())
    }

    /// What a name stands for, seen from where the text began.
    pub(super) fn names(&self, name: &Argument, windows: bool) -> Vec<Argument> {
        if is_absolute(name.prefix(), windows) {
            return vec![name.clone()];
        }
        let names = self.0.iter().map(|folder| match (folder.as_deref(), name) {
            (Some(""), name) => name.clone(),
            (Some(folder), Argument::Literal(name)) => {
                Argument::Literal(format!("{}/{name}", folder.trim_end_matches('/')))
            }
            // An unknown beginning may be absolute; then the folder makes no difference.
            (Some(_), name) if name.begins_with_anything() => name.clone(),
            (Some(folder), name) => joined(&Argument::from(folder.trim_end_matches('/')), name),
            (None, name) => joined(&Argument::unknown(), name),
        });
        names.collect()
    }

    /// The one folder, where there is one that is known.
    fn only(&self) -> Option<&str> {
        match &*self.0 {
            [folder] => folder.as_deref(),
            _ => None,
        }
    }
}

impl Walk {
    /// A `cd` or `pushd`.
    pub(super) fn change_folder(&mut self, words: &[Argument]) {
        let windows = self.options.windows;
        let is_option = |word: &&Argument| {
            let text = word.prefix();
            (text.len() > 1 && text.starts_with('-')) || (windows && text.eq_ignore_ascii_case("/d"))
        };
        let folder = words.iter().find(|word| !is_option(word));
        self.folders = match folder {
            // `CDPATH` may send a relative name anywhere.
            Some(folder) if folder.literal() != Some("-") && !self.variables.contains_key("CDPATH") => {
                self.folders.enter(folder, windows)
            }
            _ => Folders::unknown(),
        };
    }

    /// The value of `$PWD`, where the folder that the text begins in is known.
    pub(super) fn working_folder(&self) -> Option<Argument> {
        let start = self.start.as_deref()?;
        Some(match self.folders.only()? {
            "" => Argument::from(start),
            folder if is_absolute(folder, self.options.windows) => Argument::from(folder),
            folder => Argument::Literal(format!("{}/{folder}", start.trim_end_matches('/'))),
        })
    }

    /// Does `visit` as a shell of its own would: its changes of folder do not last.
    pub(super) fn in_subshell<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        let folders = self.folders.clone();
        let result = visit(self);
        self.folders = folders;
        result
    }

    /// Does `visit` in another folder.
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

    /// Whether a pipeline ends the shell or the function it stands in.
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

/// The folders of a list while it is walked: where it succeeded so far, and where it failed.
pub(super) struct ListFolders {
    failed: Folders,
    join: Join,
}

impl ListFolders {
    pub(super) fn new() -> Self {
        Self { failed: Folders::none(), join: Join::Then }
    }

    /// Does `visit`, which walks `pipeline`, in the folders it may run in.
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

/// A name in a folder.
fn joined(folder: &Argument, name: &Argument) -> Argument {
    let mut builder = ArgumentBuilder::default();
    builder.argument(folder);
    builder.character('/');
    builder.argument(name);
    builder.finish()
}

/// Whether a name does not depend on the folder; `~` is for those who know the home.
fn is_absolute(name: &str, windows: bool) -> bool {
    let drive = || name.get(1..2) == Some(":") || name.starts_with('\\');
    name.starts_with(['/', '~']) || (windows && drive())
}
