//! The crate graph: arrows point down only, and features never depend on each other.

use crate::error::Result;
use crate::metadata::Metadata;

/// What each crate may depend on. A new line, or a new name in one, needs a sentence of reason where it is
/// committed. Crates that are not here may depend on everything: the facade, the binary, the developers' own.
const ALLOWED: &[(&str, &[&str])] = &[
    ("hooks-core", &[]),
    ("hooks-facts", &["hooks-core"]),
    ("hooks-team", &["hooks-core"]),
    ("hooks-store", &["hooks-core"]),
    ("hooks-resilience", &["hooks-core"]),
    ("hooks-policies", &["hooks-core", "hooks-facts"]),
    ("hooks-protocols", &["hooks-core", "hooks-facts"]),
    ("hooks-context", &["hooks-core", "hooks-team"]),
    ("hooks-audit", &["hooks-core", "hooks-facts", "hooks-team"]),
    ("hooks-command", &["hooks-core", "hooks-facts", "hooks-protocols"]),
];

/// Edges that are not allowed.
///
/// # Errors
/// Cargo cannot tell what depends on what.
pub(super) fn check() -> Result<Vec<String>> {
    let packages = Metadata::of_workspace()?.packages;
    let ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut found = Vec::new();
    for package in &packages {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else { continue };
        for dependency in package.dependencies.iter().filter(|dependency| dependency.kind.is_none()) {
            let name = &*dependency.name;
            if ours(name) && !allowed.contains(&name) {
                found.push(format!("{}: must not depend on `{name}`", package.name));
            }
        }
    }
    Ok(found)
}
