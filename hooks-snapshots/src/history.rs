//! Questions to git about the repositories of a workspace, without the programs that a configuration could start.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks_core::programs::{Finished, Program, Programs};

use crate::blobs::Blobs;
use crate::tree::{Content, Id, Name, Tree, as_path};

/// Settings that start programs, switched off.
const SETTINGS: [&str; 6] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=false",
    "core.pager=cat",
    "protocol.allow=never",
    "gc.auto=0",
];

const VARIABLES: [(&str, &str); 8] = [
    // A repository can allow one protocol by itself, as `protocol.ext.allow`, and name a program as the origin of its objects.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PAGER", "cat"),
    ("LC_ALL", "C"),
];

/// Most bytes of one answer of git.
const LIMIT: usize = 64 << 20;

/// Time limit of one question.
const PATIENCE: Duration = Duration::from_secs(20);

/// Most arguments of one question.
const MOST_ARGUMENTS: usize = 500;

/// A repository in the workspace.
pub(crate) struct Repository<'a> {
    /// The folder of its files, relative to the workspace.
    pub(crate) files: Name,
    /// The folder of the repository itself, relative to the workspace; `None` if it is outside, where no command can change it.
    pub(crate) own: Option<Name>,
    root: &'a Path,
    programs: &'a dyn Programs,
}

/// All repositories of a tree.
pub(crate) fn repositories<'a>(
    tree: &Tree,
    root: &'a Path,
    programs: &'a dyn Programs,
) -> Vec<Repository<'a>> {
    let own = tree.entries.keys().filter_map(|name| name.strip_suffix(b"/HEAD"));
    let own = own.filter(|own| *own == b".git" || own.ends_with(b"/.git"));
    let inside = own.map(|own| Repository {
        files: own.strip_suffix(b".git").unwrap_or_default().to_vec(),
        own: Some(own.to_vec()),
        root,
        programs,
    });
    let mut all: Vec<_> = inside.collect();
    if all.iter().all(|one| !one.files.is_empty()) {
        all.push(Repository { files: Name::new(), own: None, root, programs });
    }
    all
}

impl Repository<'_> {
    fn run<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Option<Finished> {
        let folder = self.root.join(as_path(&self.files));
        let mut program = Program::new("git", folder, LIMIT, PATIENCE);
        program.arguments.push("--no-pager".into());
        for setting in SETTINGS {
            program.arguments.extend(["-c".into(), setting.into()]);
        }
        program.arguments.extend(arguments.into_iter().map(Into::into));
        program.variables =
            VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        if let Some(own) = &self.own {
            program.variables.push(("GIT_DIR".to_owned(), self.root.join(as_path(own)).into()));
        }
        self.programs.run(&program).ok()
    }

    /// The output of git; `None` if it fails.
    fn output<A: Into<OsString>>(&self, arguments: impl IntoIterator<Item = A>) -> Option<Vec<u8>> {
        self.run(arguments).filter(|done| done.code == Some(0) && !done.is_cut).map(|done| done.output)
    }

    /// Paths of the files of a commit, relative to the workspace, and the ids of their contents.
    pub(crate) fn committed(&self, commit: &str) -> BTreeMap<Name, String> {
        let output = self.output(["ls-tree", "-r", "-z", commit]).unwrap_or_default();
        let lines = output.split(|byte| *byte == 0);
        lines.filter_map(|line| self.entry(line, 2)).collect()
    }

    /// The same for what is staged.
    pub(crate) fn staged(&self) -> BTreeMap<Name, String> {
        let output = self.output(["ls-files", "-s", "-z"]).unwrap_or_default();
        output.split(|byte| *byte == 0).filter_map(|line| self.entry(line, 1)).collect()
    }

    /// Parses words, of which one is an id, a tab and a path.
    fn entry(&self, line: &[u8], word: usize) -> Option<(Name, String)> {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let (words, path) = (line.get(..tab)?, line.get(tab + 1..)?);
        let id = std::str::from_utf8(words).ok()?.split(' ').nth(word)?;
        Some(([&self.files, path].concat(), id.to_owned()))
    }

    /// The ids that git gives to stored contents.
    pub(crate) fn ids(&self, contents: &BTreeSet<Id>, blobs: &Blobs) -> BTreeMap<Id, String> {
        let all: Vec<&Id> = contents.iter().collect();
        let mut found = BTreeMap::new();
        for some in all.chunks(MOST_ARGUMENTS) {
            let places = some.iter().map(|id| blobs.place(id).into_os_string());
            let words = ["hash-object", "--no-filters", "--"].map(OsString::from);
            let output = self.output(words.into_iter().chain(places)).unwrap_or_default();
            let text = String::from_utf8_lossy(&output).into_owned();
            found.extend(some.iter().map(|id| **id).zip(text.lines().map(str::to_owned)));
        }
        found
    }

    /// Ids of the objects that references have now and did not have before.
    pub(crate) fn new_objects(&self, before: &BTreeSet<String>) -> BTreeSet<String> {
        let words = ["rev-list", "--objects", "--all", "--ignore-missing", "--not"].map(str::to_owned);
        let tips = before.iter().take(MOST_ARGUMENTS).cloned();
        let output = self.output(words.into_iter().chain(tips)).unwrap_or_default();
        let text = String::from_utf8_lossy(&output).into_owned();
        text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    }

    /// Whether all these commits are reached by references, or, with `has_reflog`, by their logs.
    pub(crate) fn reaches(&self, commits: &BTreeSet<String>, has_reflog: bool) -> bool {
        let reflog = has_reflog.then_some("--reflog");
        let commits: Vec<&str> = commits.iter().map(String::as_str).collect();
        commits.chunks(MOST_ARGUMENTS).all(|some| {
            let words = ["rev-list", "--max-count=1"].iter().chain(some).chain(&["--not", "--all"]);
            self.output(words.copied().chain(reflog)).is_some_and(|output| output.is_empty())
        })
    }

    /// Whether everything that references reach is there. A repository that is too large to be looked at counts as whole.
    pub(crate) fn is_whole(&self) -> bool {
        match self.run(["rev-list", "--objects", "--all", "--quiet"]) {
            Some(done) => done.code == Some(0),
            None => self.run(["rev-parse", "--git-dir"]).is_some_and(|done| done.code == Some(0)),
        }
    }

    /// Paths, relative to the workspace, that a stash has.
    pub(crate) fn stashed(&self, stash: &str) -> Vec<PathBuf> {
        let words = ["diff-tree", "-r", "-z", "--name-only", "--no-ext-diff", &format!("{stash}^1"), stash]
            .map(str::to_owned);
        let output = self.output(words).unwrap_or_default();
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        paths.map(|path| as_path(&[&self.files, path].concat()).to_path_buf()).collect()
    }

    /// The references of a tree, and `HEAD`, from their files.
    pub(crate) fn references(&self, tree: &Tree, blobs: &Blobs) -> BTreeMap<String, String> {
        let Some(own) = &self.own else { return BTreeMap::from([("HEAD".to_owned(), "HEAD".to_owned())]) };
        let below = |name: &str| [own, &b"/"[..], name.as_bytes()].concat();
        let text = |name: &Name| match tree.entries.get(name).map(|entry| &entry.content) {
            Some(Content::File(Some(id))) => {
                Some(String::from_utf8_lossy(&blobs.read(id).ok()?).into_owned())
            }
            _ => None,
        };
        let mut found = BTreeMap::new();
        for line in text(&below("packed-refs")).unwrap_or_default().lines() {
            if let Some((id, name)) = line.split_once(' ').filter(|(id, _)| is_id(id)) {
                found.insert(name.to_owned(), id.to_owned());
            }
        }
        let folder = below("refs/");
        for name in tree.entries.range(folder.clone()..).map(|(name, _)| name) {
            let Some(path) = name.strip_prefix(&*folder) else { break };
            if let Some(id) = text(name).map(|text| text.trim().to_owned()).filter(|id| is_id(id)) {
                found.insert(format!("refs/{}", String::from_utf8_lossy(path)), id);
            }
        }
        if let Some(head) = text(&below("HEAD")) {
            let id = match head.trim().strip_prefix("ref: ") {
                Some(name) => found.get(name).cloned(),
                None => Some(head.trim().to_owned()).filter(|id| is_id(id)),
            };
            found.extend(id.map(|id| ("HEAD".to_owned(), id)));
        }
        found
    }
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
