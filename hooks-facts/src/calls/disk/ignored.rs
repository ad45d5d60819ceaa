//! Files that `.gitignore` lists, which many searches leave out.
//!
//! A pattern that is not understood here ignores nothing, so more files count as read than are.

use std::path::Path;

use hooks_core::fs::FileSystem;

use crate::globs::{GlobOptions, Globs};

/// Longest file of patterns that is read.
const MAX_TEXT: u64 = 64 << 10;

/// Most patterns that are compared.
const MAX_PATTERNS: usize = 1_024;

/// Most folders above the start that are searched for the top of the repository.
const MAX_ABOVE: usize = 32;

/// Patterns of the `.gitignore` files on the way to a folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignored {
    /// Whether the folder is in a repository; outside of one, the files mean nothing.
    is_tracked: bool,
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug)]
struct Pattern {
    /// Folder of the file, with a slash at its end.
    base: String,
    /// `None` for a pattern that is not understood.
    globs: Option<Globs>,
    is_negated: bool,
    is_folder: bool,
}

impl Ignored {
    /// Reads the files in the folders above `folder`, up to the top of the repository.
    pub(super) fn above(files: &dyn FileSystem, folder: &str) -> Self {
        let mut above: Vec<&str> = Vec::new();
        let mut next = Some(folder);
        let mut top = None;
        while let Some(folder) = next.filter(|_| above.len() < MAX_ABOVE) {
            let git = format!("{}/.git", folder.trim_end_matches('/'));
            if matches!(files.entry(Path::new(&git)), Ok(Some(_))) {
                top = Some(git);
                break;
            }
            next = folder.rsplit_once('/').map(|(above, _)| if above.is_empty() { "/" } else { above });
            next = next.filter(|above| *above != folder);
            above.extend(next);
        }
        let Some(git) = top else { return Self::default() };
        let mut ignored = Self { is_tracked: true, patterns: Vec::new() };
        let base = git.strip_suffix(".git").unwrap_or(&git).to_owned();
        ignored.read(files, &format!("{git}/info/exclude"), &base);
        for folder in above.into_iter().rev() {
            ignored.enter(files, folder);
        }
        ignored
    }

    /// Adds the patterns of the file in a folder.
    pub(super) fn enter(&mut self, files: &dyn FileSystem, folder: &str) {
        if self.is_tracked {
            let base = format!("{}/", folder.trim_end_matches('/'));
            self.read(files, &format!("{base}.gitignore"), &base);
        }
    }

    fn read(&mut self, files: &dyn FileSystem, path: &str, base: &str) {
        let Ok(text) = files.text_of(Path::new(path), MAX_TEXT) else { return };
        for line in text.lines() {
            if self.patterns.len() >= MAX_PATTERNS {
                // The patterns that are left out may take others back.
                self.patterns.clear();
                self.is_tracked = false;
                return;
            }
            self.patterns.extend(Pattern::parse(line, base));
        }
    }

    /// Returns whether a path is ignored, of a file or a folder in a folder that is not.
    pub(super) fn has(&self, path: &str, is_folder: bool) -> bool {
        let of = |pattern: &&Pattern| pattern.is_about(path, is_folder);
        self.patterns.iter().rev().find(of).is_some_and(|pattern| !pattern.is_negated)
    }
}

impl Pattern {
    fn parse(line: &str, base: &str) -> Option<Self> {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (is_negated, text) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (is_folder, text) = text.strip_suffix('/').map_or((false, text), |rest| (true, rest));
        let is_anchored = text.contains('/');
        let text = text.trim_start_matches('/');
        let whole = if is_anchored { text.to_owned() } else { format!("**/{text}") };
        let is_plain = !text.is_empty() && !text.contains(['[', '{', '}', '\\']);
        let globs = is_plain.then(|| Globs::compile([whole], &GlobOptions::default()).ok()).flatten();
        Some(Self { base: base.to_owned(), globs, is_negated, is_folder })
    }

    fn is_about(&self, path: &str, is_folder: bool) -> bool {
        let Some(globs) = &self.globs else { return self.is_negated };
        (is_folder || !self.is_folder)
            && path.strip_prefix(&self.base).is_some_and(|below| globs.find(below).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pattern_decides() {
        let mut ignored = Ignored { is_tracked: true, patterns: Vec::new() };
        for line in ["# a comment", "", ".env*", "!.env.example", "/build/", "docs/*.html", "*.[oa]"] {
            ignored.patterns.extend(Pattern::parse(line, "/repo/"));
        }
        for (path, is_folder, wanted) in [
            ("/repo/.env", false, true),
            ("/repo/api/.env.local", false, true),
            ("/repo/api/.env.example", false, false),
            ("/repo/build", true, true),
            ("/repo/build", false, false),
            ("/repo/api/build", true, false),
            ("/repo/docs/a.html", false, true),
            ("/repo/x/docs/a.html", false, false),
            // Not understood, so not ignored.
            ("/repo/a.o", false, false),
            ("/elsewhere/.env", false, false),
        ] {
            assert_eq!(ignored.has(path, is_folder), wanted, "{path}");
        }
        ignored.patterns.extend(Pattern::parse("![a].env", "/repo/"));
        assert!(!ignored.has("/repo/.env", false));
    }
}
