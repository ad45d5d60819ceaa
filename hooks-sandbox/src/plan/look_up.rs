//! Looks up by name what is closed outside of the folders that are searched.

use std::fs;
use std::path::{Path, PathBuf};

use super::Plan;
use super::base::Base;
use super::glob::{Named, alternatives, existing, is_wild, literal, literal_beginning};
use super::paths::text;
use super::walk::walk;
use crate::profile::{Access, Gap, Pattern, Profile, as_pattern};

/// Most files in a folder of secrets that are looked at one by one, because some of them may be read.
const MOST_IN_FOLDER: usize = 2_000;

/// Most links on the way to one file; the kernel follows as many.
const MOST_LINKS: usize = 40;

/// Most files that are looked at for one pattern with a wildcard for folders.
const MOST_ELSEWHERE: usize = 20_000;

/// Part of a profile that a pattern belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Hidden,
    Closed,
}

/// Folders that the beginnings of patterns stand for.
#[derive(Debug)]
struct Bases {
    workspace: Base,
    homes: Vec<Base>,
    /// Links to folders in the workspace.
    links: Vec<PathBuf>,
}

impl Plan {
    pub(super) fn look_up(&mut self, profile: &Profile, homes: Vec<PathBuf>, access: &Access<'_>) {
        let links = self.links_before.iter().cloned().collect();
        let bases = self.bases(homes, links);
        for one in &profile.hidden {
            for named in self.named(one, &bases, Part::Hidden, access) {
                if named.is_tree || named.path.is_dir() {
                    self.mask(&named.path, access);
                } else if !access.read(&text(&named.path)).is_open() {
                    self.masked.extend(named.path.canonicalize());
                }
            }
        }
        self.keep_links(profile, &bases);
        for one in profile.fixed.iter().chain(&profile.guarded) {
            for named in self.named(one, &bases, Part::Closed, access) {
                let below = named.path.join("x");
                let is_closed = !access.write(&text(&named.path)).is_open()
                    || named.is_tree && !access.write(&text(&below)).is_open();
                if is_closed {
                    if access.fixed(&text(&named.path)).is_some() {
                        self.keep_way(&named.path);
                        self.before.insert(named.path.clone());
                    }
                    self.read_only.extend(named.path.canonicalize());
                }
            }
        }
        for one in &profile.sockets {
            for named in self.named(one, &bases, Part::Closed, access) {
                self.masked.extend(named.path.canonicalize());
            }
        }
        #[cfg(target_os = "linux")]
        self.hide_sockets(profile);
    }

    fn bases(&self, homes: Vec<PathBuf>, mut links: Vec<PathBuf>) -> Bases {
        links.retain(|link| link.is_dir());
        let homes = homes.into_iter().map(Base::new).collect();
        Bases { workspace: Base::new(self.workspace.clone()), homes, links }
    }

    /// Notes the links by which there could be a file that nothing opens.
    fn keep_links(&mut self, profile: &Profile, bases: &Bases) {
        let all: Vec<String> =
            profile.fixed.iter().flat_map(|one| alternatives(&one.pattern).unwrap_or_default()).collect();
        for link in &bases.links {
            let leads = |glob: &String| match glob.strip_prefix("**/") {
                Some(rest) => !begun_by(link, &rest.split('/').collect::<Vec<_>>()).is_empty(),
                None => absolute(glob, bases).iter().any(|glob| literal_beginning(glob).starts_with(link)),
            };
            if all.iter().any(leads) {
                self.keep_way(link);
            }
        }
    }

    /// Notes all links on the way to a file.
    pub(super) fn keep_way(&mut self, path: &Path) {
        let parts = |path: &Path| -> Vec<PathBuf> {
            path.components().rev().map(|part| part.as_os_str().into()).collect()
        };
        let (mut rest, mut at) = (parts(path), PathBuf::new());
        let mut left = MOST_LINKS;
        while let Some(part) = rest.pop() {
            if part.as_os_str() == ".." {
                at.pop();
                continue;
            }
            at.push(part);
            if let Ok(target) = at.read_link() {
                let Some(fewer) = left.checked_sub(1) else { return };
                left = fewer;
                rest.extend(parts(&target));
                self.links.insert(at.clone(), target);
                at.pop();
            }
        }
    }

    /// Files that exist for the patterns that nothing opens.
    pub(super) fn fixed_by_name(
        &mut self,
        profile: &Profile,
        homes: Vec<PathBuf>,
        links: Vec<PathBuf>,
        access: &Access<'_>,
    ) -> Vec<PathBuf> {
        let bases = self.bases(homes, links);
        let all = profile.fixed.iter().flat_map(|one| self.named(one, &bases, Part::Closed, access));
        all.filter(|named| !named.is_tree).map(|named| named.path).collect()
    }

    /// Files that exist for a pattern.
    fn named(&mut self, one: &Pattern, bases: &Bases, part: Part, access: &Access<'_>) -> Vec<Named> {
        let Some(all) = alternatives(&one.pattern) else {
            let gap = Gap::limit(&one.pattern, "it has too many alternatives");
            self.leave(gap.breaking_reads().breaking_writes());
            return Vec::new();
        };
        let mut found = Vec::new();
        for glob in all {
            // Files of other processes: they are not seen in a namespace of processes.
            if glob.starts_with("/proc/") {
                continue;
            }
            if glob.starts_with("**/") {
                let why =
                    "looked for in the workspace, in other folders that are open, and at the top of homes";
                self.leave(Gap::limit(&one.pattern, why));
            }
            for glob in absolute(&glob, bases) {
                match existing(&glob) {
                    Some(all) => found.extend(all),
                    None => self.search_elsewhere(&one.pattern, &glob, part, access),
                }
            }
        }
        found
    }

    /// Searches the folder before the first wildcard of a pattern.
    fn search_elsewhere(&mut self, pattern: &str, glob: &str, part: Part, access: &Access<'_>) {
        let Ok(base) = literal_beginning(glob).canonicalize() else { return };
        let is_searched = self.searched.iter().any(|root| base.starts_with(root));
        let can_write = self.writable.iter().any(|open| open.starts_with(&base) || base.starts_with(open));
        if is_searched || part == Part::Closed && !can_write {
            return;
        }
        let found = walk(&base, access, MOST_ELSEWHERE);
        if found.is_cut {
            let gap = Gap::limit(pattern, format!("`{}` has too many files to look at", base.display()));
            return self.leave(match part {
                Part::Hidden => gap.breaking_reads(),
                Part::Closed => gap.breaking_writes(),
            });
        }
        found.hidden.iter().for_each(|path| self.mask(path, access));
        self.read_only.extend(found.closed);
        self.masked.extend(found.unsearched);
        for link in found.links {
            let is_hidden = !access.read(&text(&link)).is_open();
            if is_hidden { &mut self.masked } else { &mut self.read_only }.extend(link.canonicalize());
        }
    }

    /// Masks a file, or a folder as a whole unless something in it may be read.
    pub(super) fn mask(&mut self, path: &Path, access: &Access<'_>) {
        let Ok(real) = path.canonicalize() else { return };
        if !path.is_dir() {
            return self.masked.push(real);
        }
        match closed_in(path, access) {
            Some(closed) => {
                let why = "a file that is created there while a command runs can be read";
                self.leave(Gap::limit(format!("{}/*", path.display()), why));
                self.masked.extend(closed);
            }
            None => self.masked.push(real),
        }
    }

    /// Hides the sockets of processes outside, except in the project: a network of its own does not close them.
    #[cfg(target_os = "linux")]
    fn hide_sockets(&mut self, profile: &Profile) {
        use super::sockets;
        if self.is_connected {
            return;
        }
        let kept: Vec<PathBuf> = profile
            .kept_sockets
            .iter()
            .filter_map(|one| Path::new(&one.pattern).canonicalize().ok())
            .collect();
        let listed = match sockets::open() {
            Ok(listed) => listed,
            Err(error) => {
                let why = format!("the kernel's list of them cannot be read: {error}");
                return self.leave(Gap::limit("sockets", why).breaking_reads());
            }
        };
        let mut found: Vec<PathBuf> = listed.iter().filter_map(|path| path.canonicalize().ok()).collect();
        found.retain(|path| !sockets::is_in(path, &kept) && !sockets::is_in(path, &self.searched));
        if found.len() > sockets::MOST {
            return self.leave(Gap::limit("sockets", "there are too many to hide").breaking_reads());
        }
        self.sockets.extend(found);
    }
}

/// A pattern as absolute ones that may name something, without those that the search of the workspace has found.
fn absolute(glob: &str, bases: &Bases) -> Vec<String> {
    let below = |folder: &Path, rest: &str| Some(format!("{}/{rest}", as_pattern(folder)?));
    let homes =
        |rest| bases.homes.iter().filter(move |home| home.may_have(rest)).map(|home| home.path.as_path());
    if let Some(rest) = glob.strip_prefix("~/") {
        return homes(rest).filter_map(|home| below(home, rest)).collect();
    }
    if let Some(rest) = glob.strip_prefix("**/") {
        // Behind a link nothing was searched.
        let parts: Vec<&str> = rest.split('/').collect();
        let behind = bases.links.iter().flat_map(|link| begun_by(link, &parts));
        return homes(rest).chain(behind).filter_map(|folder| below(folder, rest)).collect();
    }
    if glob.starts_with('/') {
        return vec![glob.to_owned()];
    }
    let workspace = Some(&bases.workspace).filter(|workspace| workspace.may_have(glob));
    workspace.and_then(|workspace| below(&workspace.path, glob)).into_iter().collect()
}

/// The folders at which a pattern begins so that it leads through a link.
fn begun_by<'l>(link: &'l Path, parts: &[&str]) -> Vec<&'l Path> {
    let last = parts.len().saturating_sub(1);
    let leads = |at: &usize| {
        let names = parts.iter().take(at + 1).rev();
        let mut above = link.iter().rev();
        names.clone().all(|part| !is_wild(part))
            && names.into_iter().all(|part| above.next().is_some_and(|name| name == literal(part).as_str()))
    };
    (0..last).filter(leads).filter_map(|at| link.ancestors().nth(at + 1)).collect()
}

/// The closed files of a folder in which some may be read; `None` if the folder is closed as a whole.
fn closed_in(folder: &Path, access: &Access<'_>) -> Option<Vec<PathBuf>> {
    let (mut is_shown, mut closed, mut count) = (false, Vec::new(), 0);
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            closed.push(folder);
            continue;
        };
        for entry in entries {
            count += 1;
            let entry = entry.ok().filter(|_| count < MOST_IN_FOLDER)?;
            let path = entry.path();
            if entry.file_type().ok()?.is_dir() {
                open.push(path);
            } else if access.read(&text(&path)).is_open() {
                is_shown = true;
            } else {
                closed.extend(path.canonicalize());
            }
        }
    }
    is_shown.then_some(closed)
}
