//! The small sets of packages: a service that adds one guard does not compile a configuration reader.

use std::collections::BTreeSet;

use crate::error::Result;
use crate::process::Program;

/// A set of features and the most packages that it may resolve.
struct Bar {
    package: &'static str,
    features: &'static [&'static str],
    most: usize,
}

/// Bars of `docs/decisions/0012-published-names-and-light-core.md`.
const BARS: &[Bar] = &[
    Bar { package: "tower-hooks-core", features: &[], most: 30 },
    Bar { package: "tower-hooks", features: &["--no-default-features", "--features", "policies"], most: 40 },
];

/// Sets that resolve too many packages.
///
/// # Errors
/// Returns an error if `cargo tree` fails.
pub(super) fn check() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for bar in BARS {
        let tree = ["tree", "--locked", "--edges", "normal", "--prefix", "none", "--no-dedupe", "--package"];
        let arguments = tree.into_iter().chain([bar.package]).chain(bar.features.iter().copied());
        found.extend(bar.missed(packages(&Program::cargo(arguments).output()?)));
    }
    Ok(found)
}

/// Packages in the output of `cargo tree`, which has one a line, each as often as it is needed.
fn packages(tree: &str) -> usize {
    // After the name and the version comes the folder or the kind.
    let names = tree.lines().filter_map(|line| line.split(" (").next());
    names.filter(|name| !name.is_empty()).collect::<BTreeSet<_>>().len()
}

impl Bar {
    fn missed(&self, count: usize) -> Option<String> {
        let set = [&[self.package], self.features].concat().join(" ");
        match count {
            0 => Some(format!("`{set}`: `cargo tree` lists no packages")),
            count if count > self.most => Some(format!(
                "`{set}`: resolves {count} packages, at most {} allowed; make a dependency optional",
                self.most
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_counted_once_and_against_the_bar() {
        let tree = "a v1.0.0 (/a)\nb v1.0.0\nc v1.0.0 (proc-macro)\nb v1.0.0\nb v2.0.0\n";
        assert_eq!(packages(tree), 4);
        let bar = Bar { package: "a", features: &[], most: 4 };
        assert_eq!(bar.missed(4), None);
        assert_eq!(
            bar.missed(5).as_deref(),
            Some("`a`: resolves 5 packages, at most 4 allowed; make a dependency optional")
        );
        assert!(bar.missed(0).is_some(), "an empty list must not count as small");
    }
}
