//! The crate graph: dependencies point down only, and crates of features never depend on each other.

use crate::error::Result;
use crate::metadata::Metadata;

/// Dependencies that each crate may have. A commit that adds one needs a sentence of reason. Crates that are
/// not listed may depend on everything: the configuration, the facade, the binary, the developers' own.
const ALLOWED: &[(&str, &[&str])] = &[
    ("tower-hooks-core", &[]),
    ("tower-hooks-system", &["tower-hooks-core"]),
    ("tower-hooks-facts", &["tower-hooks-core"]),
    ("tower-hooks-team", &["tower-hooks-core"]),
    ("tower-hooks-store", &["tower-hooks-core"]),
    ("tower-hooks-conversation", &["tower-hooks-core"]),
    // Streamed answers are scrubbed before they are released.
    ("tower-hooks-resilience", &["tower-hooks-core", "tower-hooks-conversation", "tower-hooks-redaction"]),
    ("tower-hooks-redaction", &["tower-hooks-core"]),
    ("tower-hooks-policies", &["tower-hooks-core", "tower-hooks-facts"]),
    // The registry of children keeps the start of each task, scrubbed.
    ("tower-hooks-budgets", &["tower-hooks-core", "tower-hooks-facts", "tower-hooks-redaction"]),
    ("tower-hooks-cedar", &["tower-hooks-core", "tower-hooks-facts"]),
    ("tower-hooks-rego", &["tower-hooks-core", "tower-hooks-facts"]),
    // Builds the three together.
    (
        "tower-hooks-classic",
        &[
            "tower-hooks-core",
            "tower-hooks-facts",
            "tower-hooks-policies",
            "tower-hooks-budgets",
            "tower-hooks-redaction",
        ],
    ),
    // Compares paths with patterns as the guards do, and scrubs what commands write.
    ("tower-hooks-sandbox", &["tower-hooks-core", "tower-hooks-facts", "tower-hooks-redaction"]),
    ("tower-hooks-snapshots", &["tower-hooks-core"]),
    ("tower-hooks-protocols", &["tower-hooks-core", "tower-hooks-facts"]),
    ("tower-hooks-context", &["tower-hooks-core", "tower-hooks-conversation", "tower-hooks-team"]),
    ("tower-hooks-audit", &["tower-hooks-core", "tower-hooks-facts"]),
    ("tower-hooks-cache", &["tower-hooks-core", "tower-hooks-facts"]),
    ("tower-hooks-mcp", &["tower-hooks-core"]),
    ("tower-hooks-metrics", &["tower-hooks-core"]),
    ("tower-hooks-scribe", &["tower-hooks-core", "tower-hooks-facts", "tower-hooks-team"]),
    ("tower-hooks-team-rules", &["tower-hooks-core", "tower-hooks-facts", "tower-hooks-team"]),
    ("tower-hooks-command", &["tower-hooks-core", "tower-hooks-facts", "tower-hooks-protocols"]),
];

/// Dependencies that are not allowed.
///
/// # Errors
/// Returns an error if cargo's metadata cannot be read.
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
