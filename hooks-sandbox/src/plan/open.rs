//! Opens what may be written: folders as a whole where every list of the rules opens all of them, and single files.

use std::path::{Path, PathBuf};

use super::glob::{alternatives, existing, is_wild};
use super::paths::text;
use super::walk::{WalkedPaths, walk};
use super::{MOST, NoPlan, Plan};
use crate::profile::{Access, Gap, Pattern, Profile, as_pattern};

/// Most files that are opened one by one.
const MOST_OPEN: usize = 2_000;

/// Names that no pattern has but one that matches everything.
const ANY: &str = "\u{F8FF}\u{F8FF}\u{F8FF}\u{F8FF}\u{F8FF}\u{F8FF}\u{F8FF}\u{F8FF}";

impl Plan {
    pub(super) fn open(&mut self, profile: &Profile, access: &Access<'_>) {
        let lists = std::iter::once(&profile.write).chain(&profile.write_too);
        for one in lists.flatten() {
            self.open_pattern(one, access, true);
        }
        // Build output is opened where it is found.
        for one in profile.regenerable.iter().filter(|one| !one.pattern.starts_with("**/")) {
            self.open_pattern(one, access, false);
        }
    }

    fn open_pattern(&mut self, one: &Pattern, access: &Access<'_>, is_searched: bool) {
        let home = self.home.as_deref().and_then(as_pattern);
        let root = as_pattern(&self.workspace).unwrap_or_default();
        for glob in alternatives(&one.pattern).unwrap_or_default() {
            let absolute = match (glob.strip_prefix("~/"), &home) {
                (Some(below), Some(home)) => format!("{home}/{below}"),
                (Some(_), None) => continue,
                (None, _) if glob.starts_with('/') => glob.clone(),
                (None, _) => format!("{root}/{glob}"),
            };
            let is_inside = absolute.starts_with(&format!("{root}/"));
            let is_exact = !absolute.trim_end_matches("/**").split('/').any(is_wild);
            let found = existing(&absolute).filter(|_| is_exact || is_inside).unwrap_or_default();
            if found.is_empty() && !is_exact && !is_inside {
                self.leave(Gap::limit(
                    &one.pattern,
                    "not opened: it has a wildcard outside of the workspace",
                ));
            } else if found.is_empty() && is_exact && is_inside && absolute.ends_with("/**") {
                self.leave(Gap::limit(&one.pattern, "not opened: it does not exist yet"));
            } else if !is_exact {
                self.leave(Gap::limit(
                    &one.pattern,
                    "only files that exist now are open: a new one cannot be made",
                ));
            }
            for named in found {
                self.open_path(&one.pattern, &named.path, access, is_searched);
            }
        }
    }

    fn open_path(&mut self, pattern: &str, path: &Path, access: &Access<'_>, is_searched: bool) {
        let Ok(real) = path.canonicalize() else { return };
        let is_open = |path: &Path| access.write(&text(path)).is_open();
        // Where a link leads has to be open by its own name: an agent may have made the link.
        let is_whole = real.is_dir() && is_open(&real.join(ANY)) && is_open(&real.join(ANY).join(ANY));
        if is_whole || real.is_file() && is_open(&real) {
            if is_searched && is_whole && !real.starts_with(&self.workspace) {
                self.searched.push(real.clone());
            }
            self.writable.push(real);
        } else if real != path {
            self.leave(Gap::limit(pattern, "not opened: it is behind a link that leads elsewhere"));
        }
    }

    /// Finds what is closed in the workspace and in other folders that the rules open.
    pub(super) fn search(&mut self, access: &Access<'_>) -> Result<(), NoPlan> {
        let mut roots = std::mem::take(&mut self.searched);
        // A folder above the workspace is searched with it.
        roots.push(self.workspace.clone());
        super::outermost(&mut roots);
        for root in &roots {
            let found = walk(root, access, MOST);
            if found.is_cut {
                return Err(NoPlan(format!("`{}` has too many files to look at", root.display())));
            }
            if found.unsearched.contains(root) {
                return Err(NoPlan(format!("`{}` cannot be listed", root.display())));
            }
            self.take(found, access);
        }
        self.searched = roots;
        let what = crate::profile::products().collect::<Vec<_>>().join(", ");
        let why = "secrets in these folders of the workspace are not looked for, and files that govern agents only near their top";
        self.leave(Gap::limit(what, why));
        Ok(())
    }

    /// Takes over what a search has found.
    pub(super) fn take(&mut self, found: WalkedPaths, access: &Access<'_>) {
        for folder in found.unsearched {
            let why = "it cannot be listed, so all of it is closed";
            self.leave(Gap::limit(text(&folder), why));
            self.masked.push(folder);
        }
        for path in found.hidden {
            self.mask(&path, access);
        }
        self.read_only.extend(found.closed);
        self.before.extend(found.fixed);
        self.before.extend(found.products.iter().cloned());
        let is_below = |path: &PathBuf| self.writable.iter().any(|open| path.starts_with(open));
        let single: Vec<PathBuf> = found.open.into_iter().filter(|path| !is_below(path)).collect();
        if single.len() > MOST_OPEN {
            let why = "not opened: the rules allow too many single files, and not their folders";
            self.leave(Gap::limit("write_guard.allow", why));
        } else {
            self.writable.extend(single);
        }
        // They may be written also where the workspace may not.
        self.writable.extend(found.products);
        for link in found.links {
            self.close_link(&link, access);
        }
        self.links_before.extend(found.other_links);
    }

    /// Closes the target of a link that is by its name a file of the profile.
    fn close_link(&mut self, link: &Path, access: &Access<'_>) {
        let is_hidden = !access.read(&text(link)).is_open();
        if let Ok(real) = link.canonicalize() {
            if is_hidden { &mut self.masked } else { &mut self.read_only }.push(real);
        }
        if is_hidden {
            self.leave(Gap::limit(text(link), "a link: its target is closed, and the link can be replaced"));
        } else {
            self.leave(Gap::limit(
                text(link),
                "a link: its target is closed, and the link is restored afterwards",
            ));
            self.keep_way(link);
        }
    }
}
