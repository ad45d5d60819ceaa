//! Manifests: lints come from the workspace, and a comment explains every feature.

use std::path::Path;

/// The folder of crates outside of the workspace, whose lints cannot be inherited.
const OUTSIDE: &str = "benches/peers";

/// Mistakes in a manifest.
pub(super) fn check(path: &Path, text: &str) -> Vec<String> {
    if path.starts_with(OUTSIDE) || text.contains("[workspace]") {
        return Vec::new();
    }
    let mut found = Vec::new();
    if !text.contains("[lints]\nworkspace = true") {
        found.push(format!("{}: add `[lints]` with `workspace = true`", path.display()));
    }
    let (mut section, mut previous) = ("", "");
    for (line, number) in text.lines().zip(1..) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[features]"
            && let Some((feature, _)) = line.split_once('=')
            && !line.starts_with(['#', ' '])
            && feature.trim() != "default"
            && !previous.starts_with('#')
        {
            let feature = feature.trim();
            found.push(format!(
                "{}:{number}: add a comment with the purpose of the feature `{feature}`",
                path.display()
            ));
        }
        previous = line;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_need_a_comment() {
        let manifest =
            |features: &str| format!("[lints]\nworkspace = true\n\n[features]\ndefault = []\n{features}");
        let path = Path::new("Cargo.toml");
        assert!(check(path, &manifest("# For tests.\ntesting = [\n  \"a\",\n]\n")).is_empty());
        assert_eq!(check(path, &manifest("testing = []\n")).len(), 1);
        assert_eq!(check(path, "[package]\n").len(), 1);
    }
}
