//! Examples in the documentation: each library crate has a fewest number for its size.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::metadata::Metadata;
use crate::workspace;

/// Fewest examples for each 1,000 lines of `src`: tower has 4.6.
const FLOOR: usize = 4;

/// Lines and marks of code blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    lines: usize,
    marks: usize,
}

/// Library crates with too few examples.
///
/// # Errors
/// Returns an error if a file or cargo's metadata cannot be read.
pub(super) fn check(files: &[PathBuf]) -> Result<Vec<String>> {
    let packages = Metadata::of_workspace()?.packages;
    let libraries: Vec<_> = packages.iter().filter(|package| package.is_published_library()).collect();
    let mut crates: BTreeMap<&str, Counts> = BTreeMap::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let Some(folder) = folder_of(path) else { continue };
        // Folders have the names of their packages without `tower-`.
        if libraries.iter().any(|package| package.name.strip_prefix("tower-") == Some(folder)) {
            crates.entry(folder).or_default().add(&workspace::read(path)?);
        }
    }
    Ok(crates.iter().filter_map(|(name, counts)| counts.missed(name)).collect())
}

/// The folder of the crate whose `src` has this file.
fn folder_of(path: &Path) -> Option<&str> {
    let mut parts = path.iter();
    let folder = parts.next()?.to_str()?;
    (parts.next()? == "src").then_some(folder)
}

impl Counts {
    fn add(&mut self, text: &str) {
        self.lines += text.lines().count();
        let is_mark = |line: &&str| {
            let line = line.trim_start();
            ["///", "//!"]
                .iter()
                .any(|doc| line.strip_prefix(doc).is_some_and(|text| text.trim().starts_with("```")))
        };
        self.marks += text.lines().filter(is_mark).count();
    }

    fn missed(self, name: &str) -> Option<String> {
        let (examples, wanted) = (self.marks / 2, self.lines * FLOOR / 1_000);
        (examples < wanted).then(|| {
            format!(
                "{name}/src: {examples} examples in {} lines; write {} more, each of which a reader would copy",
                self.lines,
                wanted - examples
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_counted_for_the_size() {
        let mut counts = Counts::default();
        counts.add("//! ```\n//! code\n//! ```\nfn a() {\n    // ```\n    /// ```rust\n    /// ```\n}\n");
        assert_eq!(counts, Counts { lines: 8, marks: 4 });
        assert_eq!(Counts { lines: 1_249, marks: 8 }.missed("a"), None);
        let missed = Counts { lines: 1_250, marks: 8 }.missed("a");
        assert!(
            missed
                .is_some_and(|finding| finding.starts_with("a/src: 4 examples in 1250 lines; write 1 more"))
        );
        assert_eq!(Counts { lines: 5, marks: 0 }.missed("a"), None);
    }

    #[test]
    fn files_belong_to_the_crate_of_their_folder() {
        assert_eq!(folder_of(Path::new("hooks-core/src/event/mod.rs")), Some("hooks-core"));
        assert_eq!(folder_of(Path::new("hooks-core/tests/wire.rs")), None);
        assert_eq!(folder_of(Path::new("clippy.toml")), None);
    }
}
