//! Returns every plausible reading of a path.

use hooks_core::Platform;
use hooks_core::fs::{Entry, EntryKind, FileSystem};

use super::error::PathError;
use super::lexical::{Components, is_directory_form, is_drive};
use super::links::{Followed, Links, MAX_COMPONENTS, MAX_LENGTH, plain_entry};
use super::root::ResolvedRoot;
use super::spellings;

/// Resolves paths below one root.
#[derive(Clone, Copy)]
pub struct Resolver<'a> {
    /// File system, which is used only to look up entries and links.
    pub fs: &'a dyn FileSystem,
    /// Root and working directory.
    pub root: &'a ResolvedRoot,
    /// Home folder of the user, for the text of an error.
    pub home: Option<&'a str>,
    /// Whether the file system compares names without regard to case.
    pub case_insensitive: bool,
    /// Whether percent-encoding may be decoded: that of a path for a tool may, a word of a command is the name itself.
    pub is_encoded: bool,
}

impl std::fmt::Debug for Resolver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resolver").field("root", self.root).finish_non_exhaustive()
    }
}

/// Possible meanings of a path.
///
/// ```
/// use hooks_core::Platform;
/// use hooks_core::testing::FakeFileSystem;
/// use hooks_facts::paths::{Evidence, ResolvedRoot, Resolver};
///
/// // Another name of the file, outside of the root, would change with it.
/// let disk = FakeFileSystem::default().with_names("/repo/notes.md", 2).with_link("/repo/link", "notes.md");
/// let root = ResolvedRoot::new(&disk, "/repo", "/repo", Platform::Posix)?;
/// let resolver = Resolver { fs: &disk, root: &root, home: None, case_insensitive: false, is_encoded: true };
/// let resolution = resolver.resolve("link")?;
/// assert_eq!(resolution.names, 2);
/// let last = resolution.readings.last().expect("a path has readings");
/// assert_eq!((&*last.path, last.evidence), ("notes.md", Evidence::Links));
/// # Ok::<(), hooks_facts::paths::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Every plausible reading, each once; the first is the path itself in normal form.
    pub readings: Vec<Reading>,
    /// Kind of the existing entry after following links; `None` if it is missing. Of several spellings, the
    /// kind of the first.
    pub kind: Option<EntryKind>,
    /// Number of names (hard links) of the existing file. With more than one, a write also shows under names
    /// elsewhere.
    pub names: u64,
}

/// One reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Relative to the root, with slashes, in normal form. A slash at the end stays. Empty for the root
    /// itself.
    pub path: String,
    /// Reason why it is plausible.
    pub evidence: Evidence,
}

/// Reason why a reading is plausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// The path as it is written.
    Written,
    /// The path decoded, folded or with other separators.
    Spelling,
    /// The target of links on the path.
    Links,
}

impl Resolver<'_> {
    /// Returns every plausible reading of a path that a tool receives.
    ///
    /// # Errors
    /// Returns an error if a reading is outside of the root, or is not the path of an ordinary file.
    pub fn resolve(&self, path: &str) -> Result<Resolution, PathError> {
        if path.is_empty() {
            return Err(PathError::Empty);
        }
        if path.len() > MAX_LENGTH || has_too_many_components(path) {
            return Err(PathError::TooLong { limit: MAX_LENGTH, components: MAX_COMPONENTS });
        }
        match (&self.root.cwd_below, self.plain_below_root(path)) {
            (_, Some(rest)) => self.resolve_plain((&self.root.real_path, ""), rest, path),
            (Some(below), None) if spellings::is_plain(path, self.root.platform) => {
                self.resolve_plain((&self.root.real_cwd, below), path, path)
            }
            _ => self.resolve_spellings(path),
        }
    }

    /// Returns the part below the root of an absolute path that has only one spelling, if the root is named without links.
    fn plain_below_root<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(&*self.root.real_path)?.strip_prefix('/')?;
        let is_plain = spellings::is_plain(path.strip_prefix('/')?, self.root.platform);
        (is_plain && self.root.named == self.root.real).then_some(rest)
    }

    /// Fast path for ordinary paths, which are nearly all: `rest` of `path` is in the folder `base`, which is `below` the root.
    fn resolve_plain(
        &self,
        (base, below): (&str, &str),
        rest: &str,
        path: &str,
    ) -> Result<Resolution, PathError> {
        let (mut written, plain) = plain_entry(self.fs, base, rest)?;
        // The whole path ends with what is below the root: that is cut out, and not written once more.
        let root = written.len().saturating_sub(below.len() + rest.len());
        if written.is_char_boundary(root) {
            written.drain(..root);
        }
        let mut resolution = Resolution {
            readings: vec![Reading { path: written, evidence: Evidence::Written }],
            kind: None,
            names: 1,
        };
        let entry = match plain {
            Some(entry) => entry,
            None => {
                let followed = Links::single(self.fs).follow(base, rest)?;
                let real = self.real_below(&followed, path)?;
                push(&mut resolution.readings, real, Evidence::Links);
                followed.entry
            }
        };
        describe(&mut resolution, entry, path)?;
        Ok(resolution)
    }

    fn resolve_spellings(&self, path: &str) -> Result<Resolution, PathError> {
        let mut resolution = Resolution { readings: Vec::new(), kind: None, names: 1 };
        let mut links = Links::shared(self.fs);
        for (index, spelling) in
            spellings::spellings(path, self.root.platform, self.home, self.is_encoded)?.iter().enumerate()
        {
            let is_first = index == 0;
            let evidence = if spelling == path { Evidence::Written } else { Evidence::Spelling };
            push(&mut resolution.readings, self.named_below(spelling, path, &mut links)?, evidence);
            let (base, rest) = self.start(spelling);
            let followed = links.follow(base, rest)?;
            let mut real = self.real_below(&followed, path)?;
            if is_directory_form(spelling) && !real.is_empty() {
                real.push('/');
            }
            push(&mut resolution.readings, real, Evidence::Links);
            let mut described = Resolution { readings: Vec::new(), kind: None, names: 1 };
            describe(&mut described, followed.entry, path)?;
            if is_first {
                resolution.kind = described.kind;
            }
            resolution.names = resolution.names.max(described.names);
        }
        // The path itself comes first, whatever the order of the spellings.
        resolution.readings.sort_by_key(|reading| reading.evidence != Evidence::Written);
        Ok(resolution)
    }

    /// Returns a place without links from which a spelling can be followed, so that the root's own components
    /// are not looked up again.
    fn start<'s>(&'s self, spelling: &'s str) -> (&'s str, &'s str) {
        if !spelling.starts_with('/') && !is_drive(spelling) {
            return (&self.root.real_cwd, spelling);
        }
        for root in [&self.root.named, &self.root.real] {
            if let Some(rest) = self.strip(spelling, root) {
                return (&self.root.real_path, rest);
            }
        }
        ("/", spelling)
    }

    /// Returns the rest of an absolute path that starts with the root's components.
    fn strip<'s>(&self, path: &'s str, root: &[String]) -> Option<&'s str> {
        let mut rest = path;
        for (index, component) in root.iter().enumerate() {
            if !(index == 0 && is_drive(component)) {
                rest = rest.trim_start_matches('/');
            }
            let name = rest.split('/').next()?;
            if !self.same(name, component) {
                return None;
            }
            rest = rest.get(name.len()..)?;
        }
        Some(rest.trim_start_matches('/'))
    }

    /// Returns the reading of a spelling as text. A link outside of the root may lead into it: what follows the
    /// link is the reading.
    fn named_below(&self, spelling: &str, path: &str, links: &mut Links<'_>) -> Result<String, PathError> {
        let cwd = Components::new(&Components::default(), &self.root.cwd);
        let components = Components::new(&cwd, spelling);
        let same = |a: &str, b: &str| self.same(a, b);
        let below =
            components.below(&self.root.named, same).or_else(|| components.below(&self.root.real, same));
        let mut text = match below {
            Some(below) => below.join("/"),
            None => self
                .linked_below(&components, links)
                .ok_or_else(|| self.outside(path, format!("/{}", components.0.join("/"))))?,
        };
        if is_directory_form(spelling) && !text.is_empty() {
            text.push('/');
        }
        Ok(text)
    }

    /// Returns the part of a path behind the first folder that is another name of a folder below the root; `None`
    /// if no folder is, or the path cannot be followed.
    fn linked_below(&self, components: &Components<'_>, links: &mut Links<'_>) -> Option<String> {
        let mut real = "/".to_owned();
        for (index, name) in components.0.iter().enumerate() {
            real = links.follow(&real, name).ok()?.path;
            let followed = Components::new(&Components::default(), &real);
            if let Some(below) = followed.below(&self.root.real, |a, b| self.same(a, b)) {
                let rest = components.0.get(index.saturating_add(1)..)?;
                return Some([below, rest].concat().join("/"));
            }
        }
        None
    }

    /// Returns the reading of a followed path.
    fn real_below(&self, followed: &Followed, path: &str) -> Result<String, PathError> {
        let components = Components::new(&Components::default(), &followed.path);
        match components.below(&self.root.real, |a, b| self.same(a, b)) {
            Some(below) => Ok(below.join("/")),
            None => Err(self.outside(path, followed.path.clone())),
        }
    }

    fn outside(&self, path: &str, target: String) -> PathError {
        PathError::OutsideRoot { path: path.to_owned(), target, root: self.root.real_path.clone() }
    }

    fn same(&self, a: &str, b: &str) -> bool {
        let folds = self.case_insensitive || self.root.platform == Platform::Windows;
        a == b || (folds && a.to_lowercase() == b.to_lowercase())
    }
}

/// Records the entry at the end of a path.
fn describe(resolution: &mut Resolution, entry: Option<Entry>, path: &str) -> Result<(), PathError> {
    let Some(entry) = entry else { return Ok(()) };
    match entry.kind {
        EntryKind::Special => return Err(PathError::Special { path: path.to_owned() }),
        EntryKind::File => resolution.names = entry.names,
        _ => {}
    }
    resolution.kind = Some(entry.kind);
    Ok(())
}

/// Returns whether there are more components than any system accepts, with back slashes as separators too.
fn has_too_many_components(path: &str) -> bool {
    // Nearly all paths have fewer bytes than that.
    path.len() >= MAX_COMPONENTS && path.split(['/', '\\']).count() > MAX_COMPONENTS
}

fn push(readings: &mut Vec<Reading>, path: String, evidence: Evidence) {
    if !readings.iter().any(|reading| reading.path == path) {
        readings.push(Reading { path, evidence });
    }
}

#[cfg(test)]
mod tests;
